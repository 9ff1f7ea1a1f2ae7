/** How a snapshot uses the rows of its first statement, and which pages that statement has read. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PageQuery } from "../../../src/store/ChainReader.ts"
import * as BlockRow from "../../../src/store/rows/BlockRow.ts"
import * as SnapshotStart from "../../../src/store/postgres/SnapshotStart.ts"
import * as Values from "../../../src/store/postgres/Values.ts"
import { chainOn } from "../model.ts"
import { chain, sessionOf, snapshotRow } from "./scripted.ts"

const [block] = chainOn(null, 1)
const blockColumns = BlockRow.make(block!, null)
const wallet = `0x${"1".repeat(40)}`
const query: PageQuery = { key: wallet, from: 12, to: 15, order: "ASC", after: null, limit: 2 }

/** A row without a checkpoint, with a transaction, or a block in additional columns. */
const pageRow = (id: number | null, joined: ReadonlyArray<unknown> = []) => {
  const row = Array.from({ length: 40 }, (): unknown => null)
  row[24] = id
  for (const [at, value] of joined.entries()) row[33 + at] = value
  return row
}

/** The checkpoint with the columns of the joined rows. */
const joinedRow = (from: number, columns: ReadonlyArray<unknown>) => {
  const row = [...snapshotRow(4)]
  for (const [at, value] of columns.entries()) row[from + at] = value
  return row
}

describe("SnapshotStart", () => {
  it.effect("read: returns what was read with the checkpoint, and nothing if no row was joined", () =>
    Effect.gen(function* () {
      const expected = { blocks: [block!.number, 99], projection: "ledger", wallet }
      const { at, ran } = sessionOf(() => [joinedRow(24, blockColumns)])
      const state = yield* SnapshotStart.read(at, 1_500, expected)
      const reconciled = yield* SnapshotStart.read(sessionOf(() => [joinedRow(13, [1, 2, 3, 4, 5])]).at, 1_500)
      const projection = yield* SnapshotStart.read(sessionOf(() => [joinedRow(18, [1, 2, 3, 4, 5, 6])]).at, 1_500)

      expect(state).toMatchObject({ serial: 4, checkpoint: null, expected, chain, session: at.session })
      expect([state.reconciled, state.projection, state.page]).toEqual([undefined, undefined, undefined])
      expect(state.gapCounts).toMatchObject({ trace: 3, receipt: 0 })
      expect([...state.blocks].map(([number, found]) => [number, found?.hash])).toEqual([
        [block!.number, block!.hash],
        [99, undefined],
      ])
      expect([reconciled.reconciled, reconciled.projection, reconciled.blocks.size]).toEqual([
        [1, 2, 3, 4, 5],
        undefined,
        0,
      ])
      expect([projection.reconciled, projection.projection]).toEqual([undefined, [1, 2, 3, 4, 5, 6]])
      expect(ran).toEqual([
        [
          chain.sql.beginSnapshot,
          [
            Values.bytes(Buffer.from(wallet.slice(2), "hex")),
            Values.bigs([block!.number, 99]),
            Values.text("ledger"),
            expect.anything(),
          ],
        ],
      ])
    }),
  )

  it.effect("read: expects nothing unless requested", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf(() => [snapshotRow(4)])
      yield* SnapshotStart.read(at, 1_500)

      expect(ran[0]![1].slice(0, 3)).toEqual([Values.bytes(null), Values.bigs([]), Values.text(null)])
    }),
  )

  it.effect("read: proves the statements of a chain on several nodes", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf((sql) => (sql === chain.sql.beginSnapshot ? [snapshotRow(4, true)] : []))
      const state = yield* SnapshotStart.read(at, 1_500)
      yield* state.session.rows(state.chain.sql.pageUp, [])

      expect([state.chain.isDistributed, state.chain.sql]).toEqual([true, chain.distributed.sql])
      expect(ran.at(-1)).toEqual([chain.distributed.sql.pageUp, [Values.big(4)]])
    }),
  )

  it.effect("readWithPage: returns the rows in the order of the page, their blocks, and no session", () =>
    Effect.gen(function* () {
      const rows = [pageRow(7), pageRow(null, blockColumns), snapshotRow(4), pageRow(9), pageRow(8)]
      const idsOf = Effect.fnUntraced(function* (order: PageQuery["order"]) {
        const { at, ran } = sessionOf(() => rows)
        const state = yield* SnapshotStart.readWithPage(at, {}, { ...query, order })
        const failure = yield* Effect.flip(state.session.rows("SELECT 1", []))
        return { ids: state.page?.rows.map(([id]) => id), ran, state, failure }
      })
      const [up, down] = [yield* idsOf("ASC"), yield* idsOf("DESC")]

      expect([up.ids, down.ids]).toEqual([
        [7, 8, 9],
        [9, 8, 7],
      ])
      expect(up.state.page?.rows.map((row) => row.length)).toEqual([9, 9, 9])
      expect([...up.state.blocks.keys()]).toEqual([block!.number])
      expect(up.failure).toBe(SnapshotStart.beyond)
      expect([up, down].map(({ ran }) => ran[0]![0])).toEqual([
        chain.sql.snapshotWithPageUp,
        chain.sql.snapshotWithPageDown,
      ])
      // One row more than the page shows whether others follow.
      expect(up.ran[0]![1].slice(-2)).toEqual([Values.big(3), Values.big(2)])
    }),
  )

  it.effect("readWithPage: reads nothing of a chain on several nodes", () =>
    Effect.gen(function* () {
      const { at } = sessionOf(() => [snapshotRow(4, true), pageRow(7)])

      expect(yield* Effect.flip(SnapshotStart.readWithPage(at, {}, query))).toBe(SnapshotStart.beyond)
    }),
  )

  it.effect("pageRead: is a page of exactly these rows of the index", () =>
    Effect.gen(function* () {
      const { at } = sessionOf(() => [snapshotRow(4), pageRow(7)])
      const read = yield* SnapshotStart.readWithPage(at, {}, query)
      const checkpoint = { first: 12, head: { number: 15, hash: "0x" }, headTimestamp: 0, finalized: null }
      const found = (asked: Partial<PageQuery>, more: Partial<SnapshotStart.State> = { checkpoint }) =>
        SnapshotStart.pageRead({ ...read, ...more }, { ...query, ...asked }) !== undefined

      expect([found({}), found({ from: 0, to: 99 })]).toEqual([true, true])
      expect([found({ from: 13 }), found({ to: 14 }), found({ order: "DESC" }), found({ limit: 3 })]).toEqual(
        Array.from({ length: 4 }, () => false),
      )
      expect(found({ key: `0x${"2".repeat(40)}` })).toBe(false)
      expect([found({}, { checkpoint: null }), found({}, { checkpoint, page: undefined })]).toEqual([false, false])
      expect(SnapshotStart.pageRead({ ...read, checkpoint }, query)?.map(([id]) => id)).toEqual([7])
    }),
  )
})
