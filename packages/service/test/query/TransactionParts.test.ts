/** What it costs to count the rows before a page. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { InTurn } from "../../src/query/PinnedReader.ts"
import * as TransactionParts from "../../src/query/TransactionParts.ts"
import type { PageQuery, PageRows, Snapshot } from "../../src/store/ChainReader.ts"
import * as Rows from "../server/rows.ts"

const source = TransactionParts.sourceOf<null>({ roles: 1, internal: false, partsOf: () => [null] })

const [{ body }] = Rows.block(0, [{ from: Rows.alice, to: Rows.bob }]).transactions as unknown as [{ body: string }]

/** A wallet with one transaction in each block, which are read one by one; it counts the reads. */
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
  it.effect("skip: counts rows in 2,000 reads, and fails where they do not have enough of them", () =>
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
