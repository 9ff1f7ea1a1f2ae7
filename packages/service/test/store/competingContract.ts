/** Contract tests of writers that compete for the head or the lease. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"
import { blockOn, chainOn, refOf } from "./model.ts"
import { hashes } from "./projections.ts"
import * as TestDatabase from "./TestDatabase.ts"

const status: IndexerStatus = { state: "backfill", traces: "trace_block", nodeHead: 12, message: "Backfill." }

/** Runs the suites of competing writers against an engine. */
export const competingContract = (database: TestDatabase.Make): void => {
  const opened = TestDatabase.opened(database)

  describe("two writers", () => {
    it.effect(
      "append: of two writers with one token, one extends the head and the other fails with CheckpointConflict",
      () =>
        Effect.gen(function* () {
          const { open, store: one } = yield* opened
          const two = yield* open
          const writers = [
            yield* one.database.chain(one.ref).writer(),
            yield* two.database.chain(two.ref).writer(),
          ] as const
          let head = blockOn(null)
          yield* one.append(null, [head])
          for (let round = 0; round < 10; round++) {
            const candidates = [
              blockOn(head, { fork: `one ${round}` }),
              blockOn(head, { fork: `two ${round}` }),
            ] as const
            // Both writers have the same token, so that only the checkpoint decides.
            const token = (yield* one.database.leases.acquire(one.ref, "both", 0))!
            const exits = yield* Effect.all(
              [
                writers[0].append(refOf(head), [candidates[0]], token),
                writers[1].append(refOf(head), [candidates[1]], token),
              ].map(Effect.result),
              { concurrency: 2 },
            )

            const failures = exits.flatMap((exit) => (exit._tag === "Failure" ? [exit.failure] : []))
            const winner = candidates[exits.findIndex((exit) => exit._tag === "Success")]!
            expect(failures).toHaveLength(1)
            expect(failures[0]).toMatchObject({
              _tag: "CheckpointConflict",
              expected: refOf(head),
              found: refOf(winner),
            })
            head = winner
          }
          const late = yield* Effect.flip(two.unwind(refOf(blockOn(null)), null))
          expect(late).toMatchObject({ _tag: "CheckpointConflict", found: refOf(head) })
        }),
    )
  })

  describe("fencing", () => {
    it.effect("every write: a stale token fails with LeaseLost and leaves the store unchanged", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const [first, second] = chainOn(null, 2) as [BlockRows, BlockRows]
        yield* store.append(null, [first])
        const { leases, status: statuses } = store.database
        const stale = (yield* leases.acquire(store.ref, "zombie", 0))!
        yield* leases.acquire(store.ref, "next", 1000)
        const writer = yield* store.database.chain(store.ref).writer()
        const before = yield* dump

        const errors = yield* Effect.all(
          [
            writer.append(refOf(first), [second], stale),
            writer.prepend(refOf(first), [blockOn(null, { number: 9 })], stale),
            writer.unwind(refOf(first), null, stale),
            writer.finalize(10, stale),
            writer.fill(hashes(2), 100, stale),
            statuses.write(store.ref, status, stale),
          ].map(Effect.flip),
        )

        expect(errors.map(({ _tag }) => _tag)).toEqual(errors.map(() => "LeaseLost"))
        expect(yield* dump).toEqual(before)
        expect(yield* store.readStatus).toBeNull()
      }),
    )
  })
}
