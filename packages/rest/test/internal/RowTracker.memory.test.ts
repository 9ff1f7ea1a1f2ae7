/** Which rows before a saved position prove that the chain has changed, and which the memory merely lacks. */
import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Schema } from "effect"
import * as RowTracker from "../../src/internal/RowTracker.ts"
import { walletTransactions } from "../../src/internal/WalletTransactions.ts"
import { row, type Row } from "../history.ts"

const decode = Schema.decodeUnknownSync(WalletPage.WalletPage)
const page = (result: ReadonlyArray<Row>) => decode({ cursor: null, page: 0, page_size: 100, result })

/** The memory of a query that returned these rows, none of which has to be received again. */
const memoryOf = (order: RowTracker.Order, rows: ReadonlyArray<Row>): RowTracker.Memory => ({
  ...RowTracker.within(order, RowTracker.emptyMemory, page(rows).result.map(walletTransactions.locate)),
  given: 0,
})

/** The result of a page of a query that is resumed from a memory, and the blocks of the rows that it returns. */
const resume = (order: RowTracker.Order, memory: RowTracker.Memory, rows: ReadonlyArray<Row>) => {
  const taken = RowTracker.take(RowTracker.make(order, "c", memory), page(rows), walletTransactions.locate)
  return [taken.next, taken.rows.map(({ block_number }) => Number(block_number))]
}

const stale = (fromBlock: bigint) => [{ _tag: "Stale", fromBlock }, []]
const given = (...blocks: ReadonlyArray<number>) => [{ _tag: "End" }, blocks]

describe("RowTracker", () => {
  it("beyond: a query that returned rows continues at its latest ones, and one without rows has no position to continue", () => {
    const finished = memoryOf("ASC", [row(10, 0), row(20, 0)])

    expect(RowTracker.beyond(finished)).toMatchObject({ from: 10n, memory: { given: 2 } })
    expect(RowTracker.beyond(RowTracker.emptyMemory)).toBeUndefined()
  })

  it("take: without a cursor, the rows since the last unchanged one are read again, as empty blocks may have rows now", () => {
    const memory = memoryOf("ASC", [row(10, 0), row(20, 0), row(30, 0)])
    const poll = (...rows: ReadonlyArray<ReturnType<typeof row>>) => {
      const { memory: remembered } = RowTracker.beyond(memory)!
      return RowTracker.take(RowTracker.make("ASC", undefined, remembered), page(rows), walletTransactions.locate).next
    }

    expect(poll(row(10, 0), row(20, 0), row(30, 0), row(40, 0))).toEqual({ _tag: "End" })
    expect(poll(row(10, 0), row(20, 0), row(40, 0))).toEqual({ _tag: "Stale", fromBlock: 21n })
    expect(poll(row(40, 0))).toEqual({ _tag: "Stale", fromBlock: 0n })
  })

  it("recent: begins at the last block with rows that no reorg can revert, and keeps all if none is known", () => {
    const memory = memoryOf("ASC", [row(10, 0), row(20, 0), row(20, 1), row(30, 0)])
    const blocksAfter = (finalized: bigint | null) =>
      RowTracker.recent(memory, finalized).tail.map(({ block }) => Number(block))

    expect([blocksAfter(null), blocksAfter(9n)]).toEqual(
      [memory, memory].map(({ tail }) => tail.map(({ block }) => Number(block))),
    )
    expect([blocksAfter(10n), blocksAfter(25n), blocksAfter(99n)]).toEqual([[10, 20, 20, 30], [20, 20, 30], [30]])
  })

  it("take: a row between remembered ones that was not returned before proves a change at its block", () => {
    const ascending = memoryOf("ASC", [row(10, 0), row(20, 0), row(30, 0)])
    const descending = memoryOf("DESC", [row(30, 0), row(20, 0), row(10, 0)])

    expect(resume("ASC", ascending, [row(15, 0), row(30, 0), row(40, 0)])).toEqual(stale(15n))
    expect(resume("DESC", descending, [row(25, 0), row(10, 0), row(5, 0)])).toEqual(stale(25n))
  })

  it("take: a row of the first remembered block, or before it, may have been returned and is dropped", () => {
    const ascending = memoryOf("ASC", [row(10, 0), row(20, 0), row(30, 0)])
    const descending = memoryOf("DESC", [row(30, 0), row(20, 0), row(10, 0)])

    for (const block of [5, 10]) {
      expect(resume("ASC", ascending, [row(block, 7), row(30, 0), row(40, 0)])).toEqual(given(40))
    }
    for (const block of [35, 30]) {
      expect(resume("DESC", descending, [row(block, 7), row(10, 0), row(5, 0)])).toEqual(given(5))
    }
  })

  it("take: up to the furthest block of which the memory lost a row, one may have been returned, and after it not", () => {
    // The last 128 rows belong to the blocks 146 to 400, and the first lost one before them to block 144.
    const rows = Array.from({ length: 200 }, (_, at) => row(2 * (at + 1), 0))
    const full = memoryOf("ASC", rows)
    // Lost before those of block 146: a row of block 206, which interleaves.
    const interleaved = memoryOf("ASC", [row(206, 7), ...rows])

    expect([full.tail.length, full.lost, interleaved.lost]).toEqual([128, 144n, 206n])
    expect(resume("ASC", full, [row(145, 0), row(400, 0), row(401, 0)])).toEqual(given(401))
    expect(resume("ASC", full, [row(147, 0), row(400, 0), row(401, 0)])).toEqual(stale(147n))
    expect(resume("ASC", interleaved, [row(205, 0), row(400, 0), row(401, 0)])).toEqual(given(401))
    expect(resume("ASC", interleaved, [row(207, 0), row(400, 0), row(401, 0)])).toEqual(stale(207n))
  })

  it("take: a remembered row in another block, after new ones of an unverified request, proves a change of unknown depth", () => {
    const remembered = memoryOf("ASC", [row(18, 0)])
    const moved = { ...row(19, 1), hash: row(18, 0).hash }
    const taken = (cursor: string | undefined) =>
      RowTracker.take(RowTracker.make("ASC", cursor, remembered), page([row(19, 0), moved]), walletTransactions.locate)
        .next

    expect(taken(undefined)).toEqual({ _tag: "Stale", fromBlock: 0n })
    expect(taken("c")).toMatchObject({ _tag: "Broken", path: "result[1].block_hash" })
  })

  it("take: accepts rows of one block in order, whatever their timestamps", () => {
    const rows = [row(5, 0, { atMillis: 1_700_000_000_000 }), row(5, 1, { atMillis: 1_700_000_001_000 })]

    expect(resume("ASC", RowTracker.emptyMemory, rows)).toEqual(given(5, 5))
  })
})
