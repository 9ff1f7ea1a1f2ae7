/** A process that rewrites the blocks of an earlier version in a folder, until it is done or killed. Prints a line before each step. */
import { Effect } from "effect"
import * as TestStore from "../TestStore.ts"

const [folder = ""] = process.argv.slice(2)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(folder)
      do {
        process.stdout.write("step\n")
        yield* Effect.yieldNow
      } while (!(yield* store.rewriteBlocks(2)).isDone)
    }),
  ),
)
