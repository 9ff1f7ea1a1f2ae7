/** Cost of counting the rows before a page. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { InTurn } from "../../src/query/PinnedReader.ts"
import * as TransactionParts from "../../src/query/TransactionParts.ts"
import type * as WalletPage from "../../src/query/WalletPage.ts"
import type { PageQuery, PageRows, Snapshot } from "../../src/store/ChainReader.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

const source = TransactionParts.sourceOf<null>({ roles: 1, internal: false, partsOf: () => [null] })

const [{ body }] = Rows.block(0, [{ from: Rows.alice, to: Rows.bob }]).transactions as unknown as [{ body: string }]

/** A wallet with one transaction in each block, read one by one; it counts the reads. */
const walletOf = (blocks: number) => {
  const counts = { reads: 0 }
  const page = (_: unknown, { after }: PageQuery): Effect.Effect<PageRows> =>
    Effect.sync(() => {
      counts.reads++
      const block = (after?.block ?? -1) + 1
      // Sound: nothing else of a row is read.
      const row = { block, index: 0, body, internal: null, roles: 1 } as unknown as PageRows["rows"][number]
      return { rows: [row], hasMore: block < blocks - 1 }
    })
  // Sound: nothing else of a snapshot is read.
  return { counts, snapshot: { page } as unknown as Snapshot }
}

const query = {
  wallet: Rows.alice,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  order: "ASC",
  limit: 10,
  maxBytes: 1_000,
  after: null,
} as const

let turns = 0
const inTurn: InTurn = (work) => Effect.suspend(() => (turns++, work))

describe("TransactionParts.sourceOf", () => {
  it.effect("skip: counts rows in 2,000 reads, and fails if they do not contain enough of them", () =>
    Effect.gen(function* () {
      const [within, beyond] = [walletOf(2_000), walletOf(2_001)]
      const none = { ...query, selection: () => false }

      expect(yield* source.skip(within.snapshot, { ...query, selection: () => true }, 2_000, inTurn)).toMatchObject({
        block: 1_999,
      })
      expect(yield* source.skip(within.snapshot, none, 1, inTurn)).toBe(null)
      expect((yield* Effect.flip(source.skip(beyond.snapshot, none, 1, inTurn)))._tag).toBe("TooManyTexts")
      expect(beyond.counts.reads).toBe(2_000)
      expect(turns).toBe(within.counts.reads + beyond.counts.reads)
    }),
  )
})

describe("TransactionParts.sourceOfBlocks", () => {
  const ofBlocks = TransactionParts.sourceOfBlocks<null>({ roles: 0, internal: false, partsOf: () => [null] })

  it.effect("check: an index of some wallets does not have the transactions of all wallets", () =>
    Effect.gen(function* () {
      const checkpoint = { first: 0, head: { number: 1, hash: "0x1" }, headTimestamp: 1, finalized: null }
      const check = (of: Parameters<typeof ofBlocks.check>[1]) =>
        // Sound: nothing of the chain is read.
        Effect.result(ofBlocks.check({} as never, of, Rows.alice))

      expect(yield* check({ ...checkpoint, watch: [Rows.alice] })).toMatchObject({
        _tag: "Failure",
        failure: { _tag: "Incomplete", message: "the index has only the transactions of some wallets" },
      })
      expect([yield* check(checkpoint), yield* check(null)]).toMatchObject([{ _tag: "Success" }, { _tag: "Success" }])
    }),
  )

  it.effect("read: continues after a batch of blocks, most of which are empty", () =>
    Effect.gen(function* () {
      const sent = [0, 1, 999, 1_000, 1_001, 1_002, 2_000, 2_001, 2_003]
      const payment = { from: Rows.alice, to: Rows.bob }
      const blocks = Array.from({ length: 2_005 }, (_, number) =>
        Rows.block(number, sent.includes(number) ? [payment, payment] : []),
      )
      const { chain } = yield* openedChain({ blocks, projections: [] })
      const walk = Effect.fnUntraced(function* (from: number, to: number, order: "ASC" | "DESC", limit: number) {
        const walked: Array<number> = []
        let after: WalletPage.Place | null = null
        for (let reads = 0; reads === 0 || (after !== null && reads < 30); reads++) {
          const next = { ...query, from, to, order, limit, maxBytes: 100_000, after, selection: () => true }
          const page: WalletPage.SourceRows<TransactionParts.PartRow<null>> = yield* chain.reader.snapshot((snapshot) =>
            ofBlocks.read(snapshot, next),
          )
          walked.push(...page.rows.map(({ document }) => document.row.block))
          after = page.next
        }
        expect(after).toBe(null)
        return walked
      })

      for (const [from, to] of [
        [0, 2_004],
        [1, 1_001],
        [999, 2_000],
        [1_003, 1_999],
      ] as const) {
        const expected = sent.flatMap((block) => (block >= from && block <= to ? [block, block] : []))
        for (const limit of [1, 3, 100]) {
          expect(yield* walk(from, to, "ASC", limit)).toEqual(expected)
          expect(yield* walk(from, to, "DESC", limit)).toEqual(expected.toReversed())
        }
      }
    }).pipe(Effect.scoped),
  )
})
