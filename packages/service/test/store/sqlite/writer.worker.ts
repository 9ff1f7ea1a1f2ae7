/**
 * An indexer in a separate thread that competes with another one for each write: both read the same head before both write. Reports its
 * counts.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import * as Engine from "../../../src/store/Engine.ts"
import type { FencingToken } from "../../../src/store/Leases.ts"
import { blockOn, seeded } from "../model.ts"

const { folder, gate, name, rounds, seed, token } = workerData as {
  folder: string
  /** Counts how often each writer was ready to write. */
  gate: Int32Array<SharedArrayBuffer>
  name: string
  rounds: number
  seed: number
  /** Both writers have the same token, so that only the checkpoint decides. */
  token: FencingToken
}
const writers = 2
const ref = { name: "test", id: 31337 }

/** Waits until all writers have reached the same step. */
const awaitWriters = (times: number) => {
  Atomics.add(gate, 0, 1)
  Atomics.notify(gate, 0)
  const all = writers * times
  for (let ready = Atomics.load(gate, 0); ready < all; ready = Atomics.load(gate, 0)) Atomics.wait(gate, 0, ready)
}

const program = Effect.gen(function* () {
  const { reader, writer: openWriter } = (yield* Engine.fromUrl(`sqlite:${folder}`, folder)).chain(ref)
  const writer = yield* openWriter()
  const numbers = seeded(seed)
  const counts = { appended: 0, removed: 0, conflicts: 0 }
  for (let round = 0; round < rounds; round++) {
    awaitWriters(2 * round + 1)
    const head = (yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.head ?? null
    const isUnwind = head !== null && head.number > 12 && numbers.below(4) === 0
    const target = isUnwind ? (yield* reader.headers(head.number - 2, head.number - 2))[0] : undefined
    awaitWriters(2 * round + 2)
    const write =
      head !== null && target !== undefined
        ? Effect.as(writer.unwind(head, target, token), { appended: 0, removed: 2 })
        : Effect.as(writer.append(head, [blockOn(head, { fork: `${name} ${round}` })], token), {
            appended: 1,
            removed: 0,
          })
    const done = yield* Effect.catchTag(write, "CheckpointConflict", () => Effect.succeed(null))
    if (done === null) counts.conflicts++
    else {
      counts.appended += done.appended
      counts.removed += done.removed
    }
  }
  return counts
})

parentPort!.postMessage(await Effect.runPromise(Effect.scoped(program)))
