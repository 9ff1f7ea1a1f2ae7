/** Contract tests of the data stored with a block in addition to its transactions: gaps and facts. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BlockRef, BlockRows } from "../../src/block/BlockRows.ts"
import { blockOn, refOf, wallets } from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** Runs the suites of gaps and facts against an engine. */
export const factsContract = (database: TestDatabase.Make): void => {
  const opened = TestDatabase.opened(database)

  describe("gaps", () => {
    const lacking = (parent: BlockRef | null, gaps: NonNullable<BlockRows["gaps"]>) =>
      blockOn(parent, { transactions: [[wallets[0]!], [wallets[1]!]], gaps })

    it.effect("append: stores the gaps of a block with it, and unwind removes them with it", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const transaction = `0x${"7".repeat(64)}`
        const first = lacking(null, [{ kind: "trace", transaction, reason: "too large" }])
        const second = lacking(first, [
          { kind: "check", reason: "bloom" },
          { kind: "trace", transaction, reason: "missing trie node" },
        ])
        yield* store.append(null, [first, second])

        const list = (limit: number) => store.gaps({ from: 0, to: 99, limit })
        const counts = store.snapshot((snapshot) => snapshot.gapCounts)
        expect(yield* list(9)).toEqual([
          { block: 10, kind: "trace", transaction, reason: "too large" },
          { block: 11, kind: "check", reason: "bloom" },
          { block: 11, kind: "trace", transaction, reason: "missing trie node" },
        ])
        expect((yield* list(2)).map(({ kind }) => kind)).toEqual(["trace", "check"])
        expect(yield* store.gaps({ from: 11, to: 11, limit: 9 })).toHaveLength(2)
        expect(yield* counts).toEqual({ trace: 2, receipt: 0, transaction: 0, check: 1 })
        yield* store.unwind(refOf(second), refOf(first))
        expect(yield* list(9)).toHaveLength(1)
        expect(yield* counts).toEqual({ trace: 1, receipt: 0, transaction: 0, check: 0 })
      }),
    )

    it.effect(
      "lastTraceGap: is the highest block up to a number with a missing trace, below any number of other gaps",
      () =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const trace = { kind: "trace", reason: "too large" } as const
          const many = Array.from({ length: 1_000 }, () => ({ kind: "receipt", reason: "left out" }) as const)
          const first = lacking(null, [trace])
          const second = lacking(first, [many[0]!, trace, trace])
          const third = lacking(second, many)
          expect(yield* store.lastTraceGap(99)).toBe(null)
          yield* store.append(null, [first, second, third])

          expect(yield* Effect.forEach([9, 10, 11, 12, 99], store.lastTraceGap)).toEqual([null, 10, 11, 11, 11])
          yield* store.unwind(refOf(third), refOf(first))
          expect(yield* store.lastTraceGap(99)).toBe(10)
        }),
    )

    it.effect("replace: replaces the gaps of a block", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const block = lacking(null, [{ kind: "trace", reason: "too large" }])
        yield* store.append(null, [block])
        const repairer = yield* store.database.chain(store.ref).audit.repairer
        const { gaps: _, ...repaired } = block
        const serial = store.snapshot((snapshot) => Effect.succeed(snapshot.serial))
        const before = yield* serial

        expect(yield* repairer.replace(repaired)).toBe(true)

        expect(yield* store.gaps({ from: 0, to: 99, limit: 9 })).toEqual([])
        expect(yield* serial).toBeGreaterThan(before)
        expect((yield* store.snapshot((snapshot) => snapshot.gapCounts)).trace).toBe(0)
      }),
    )
  })

  describe("facts", () => {
    it.effect("append: keeps the facts of a block, and null for a block stored without", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const first = blockOn(null, { facts: '{"withdrawals":[]}' })
        const second = blockOn(first)
        yield* store.append(null, [first, second])

        const found = store.snapshot(({ blockFacts }) => Effect.forEach([10, 11, 12], blockFacts))

        expect(yield* found).toEqual(['{"withdrawals":[]}', null, null])
        yield* store.unwind(refOf(second), refOf(first))
        expect(yield* found).toEqual(['{"withdrawals":[]}', null, null])
        yield* store.unwind(refOf(first), null)
        expect(yield* found).toEqual([null, null, null])
      }),
    )

    it.effect("replace: adds facts to a block that lacked them", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const block = blockOn(null)
        yield* store.append(null, [block])
        const repairer = yield* store.database.chain(store.ref).audit.repairer

        expect(yield* repairer.replace({ ...block, facts: "{}" })).toBe(true)

        expect(yield* store.snapshot((snapshot) => snapshot.blockFacts(10))).toBe("{}")
        const { blocks } = yield* store.database.chain(store.ref).audit.range(10, 10)
        expect(blocks).toMatchObject([{ facts: "{}", hasDamagedFacts: false }])
      }),
    )
  })
}
