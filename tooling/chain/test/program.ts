/**
 * Starts a node, prints `[url, folder]`, and waits until it is stopped; with the argument `exit` it exits without closing its
 * scope. `Anvil.test.ts` runs it as a process.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { Anvil } from "@daybook/chain"

const program = Effect.gen(function* () {
  const { url, folder } = yield* Anvil.make()
  console.log(JSON.stringify([url, folder]))
  if (process.argv[2] === "exit") process.exit(3)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(program))
