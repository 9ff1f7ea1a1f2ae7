/**
 * An indexer in a thread of its own that appends to and unwinds a chain which another of its kind writes too. Sends its counts.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import * as SqliteStore from "../../../src/store/sqlite/ChainStore.ts"
import { blockOn, seeded } from "../model.ts"

const { file, gate, name, rounds, seed } = workerData as {
  file: string
  /** Counts the writers that are ready, so that none is done before the other begins. */
  gate: Int32Array<SharedArrayBuffer>
  name: string
  rounds: number
  seed: number
}
const writers = 2

const meet = () => {
  Atomics.add(gate, 0, 1)
  Atomics.notify(gate, 0)
  for (let ready = Atomics.load(gate, 0); ready < writers; ready = Atomics.load(gate, 0)) Atomics.wait(gate, 0, ready)
}

const program = Effect.gen(function* () {
  const store = yield* SqliteStore.make({ file, chainId: 31337 })
  const numbers = seeded(seed)
  meet()
  const counts = { appended: 0, removed: 0, moved: 0 }
  while (counts.appended < rounds) {
    const head = (yield* store.snapshot((snapshot) => snapshot.checkpoint))?.head ?? null
    // The other writer gets time to move the head, as the node's answers would give it.
    yield* Effect.sleep("1 millis")
    const isUnwind = head !== null && head.number > 12 && numbers.below(4) === 0
    const target = isUnwind ? (yield* store.headers(head.number - 2, head.number - 2))[0] : undefined
    const write =
      head !== null && target !== undefined
        ? Effect.as(store.unwind(head, target), { appended: 0, removed: 2 })
        : Effect.as(store.append(head, [blockOn(head, { fork: `${name} ${counts.appended}` })]), {
            appended: 1,
            removed: 0,
          })
    const done = yield* Effect.catchTag(write, "CheckpointConflict", () => Effect.succeed(null))
    if (done === null) counts.moved++
    else {
      counts.appended += done.appended
      counts.removed += done.removed
    }
  }
  return counts
})

parentPort!.postMessage(await Effect.runPromise(Effect.scoped(program)))
