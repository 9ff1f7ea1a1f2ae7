/**
 * The chain that indexers are measured on: seeded traffic on a real node, everything it answers recorded once and kept in
 * `results/`. `node indexChain.ts [blocks] [size]` makes it.
 */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as Anvil from "../chain/src/Anvil.ts"
import * as Replay from "../../packages/testkit/src/Replay.ts"
import * as Scenario from "../chain/src/Scenario.ts"

const folder = join(import.meta.dirname, "results")

/** The file of a recording, made when it is missing. */
export const recorded = async (blocks = 1000, size = 20): Promise<string> => {
  const file = join(folder, `chain-${blocks}x${size}.replay`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const record = Effect.gen(function* () {
    const node = yield* Anvil.make()
    yield* Scenario.run(node, {
      blocks,
      size,
      blobs: false,
      onProgress: ({ blocks: done }) => (done % 100 === 0 ? console.error(`mined ${done} of ${blocks}`) : undefined),
    })
    const recording = yield* Replay.record(node.url, {
      onBlock: (number, head) => (number % 100 === 0 ? console.error(`recorded ${number} of ${head}`) : undefined),
    })
    yield* Replay.save(recording, file)
  })
  await Effect.runPromise(Effect.scoped(record))
  return file
}

if (process.argv[1] === import.meta.filename) {
  console.log(await recorded(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 20)))
}
