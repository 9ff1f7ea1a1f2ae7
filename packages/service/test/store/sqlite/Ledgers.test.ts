/** What a page of a ledger reads from the file. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import type { Movement } from "../../../src/ledger/Movement.ts"
import * as ChainSchema from "../../../src/store/sqlite/ChainSchema.ts"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import * as Histories from "../../../src/store/sqlite/Histories.ts"
import * as Ledgers from "../../../src/store/sqlite/Ledgers.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const wallet = `0x${"01".repeat(20)}`
const other = `0x${"02".repeat(20)}`

const movement = (amount: bigint): Movement => ({
  ...({
    wallet,
    counterparty: null,
    asset: "native",
    tokenId: null,
    kind: "fee",
    logIndex: null,
  } as const),
  amount,
  isFailed: false,
})

/**
 * A file with a row per block, with this many movements; each body has a byte, or those of its roles, and three for
 * each movement.
 */
const withRows = Effect.fnUntraced(function* (counts: ReadonlyArray<number>, roles: ReadonlyArray<number> = []) {
  const folder = yield* temporaryFolder
  const connection = yield* Connection.connect({ file: join(folder, "ledgers.sqlite"), readOnly: false })
  for (const step of ChainSchema.schema.steps) connection.scriptUnsafe(step)
  for (const [block, count] of counts.entries()) {
    const movements = Array.from({ length: count }, (_, at) => movement(BigInt(at + 1)))
    const rows = [
      { wallet, index: 0, roles: roles[block] ?? 1, movements },
      { wallet: other, index: 0, roles: 1, movements: [] },
    ]
    Ledgers.insertUnsafe(connection, [[block, LedgerCodec.pack(rows)]])
  }
  const bodies: Array<string> = []
  const counting: Connection.Connection = {
    ...connection,
    valuesUnsafe: <Row extends ReadonlyArray<unknown>>(sql: string, params: Connection.Params) => {
      const rows = connection.valuesUnsafe<Row>(sql, params)
      // A wallet has 20 bytes and is not a body; neither are rows without bytes.
      for (const value of rows.flat())
        if (value instanceof Uint8Array && value.length !== 20) bodies.push(`${value.length}`)
      return rows
    },
  }
  const read = (order: "ASC" | "DESC", limit: number, maxBytes?: number) =>
    Ledgers.pageUnsafe(counting, { wallet, order, from: 0, to: 9, after: null, limit, maxBytes })
  const page = (order: "ASC" | "DESC", limit: number, maxBytes?: number) => {
    const { hasMore, rows } = read(order, limit, maxBytes)
    return { hasMore, blocks: rows.map(({ block }) => block), read: bodies.splice(0).join(" ") }
  }
  return { connection, page, read }
})

describe("Ledgers", () => {
  it.effect("pageUnsafe: reads no body that does not fit the page", () =>
    Effect.gen(function* () {
      const { page } = yield* withRows([1, 10, 2, 30])

      expect(page("ASC", 5)).toEqual({ hasMore: false, blocks: [0, 1, 2, 3], read: "4 31 7 91" })
      expect(page("ASC", 4)).toEqual({ hasMore: true, blocks: [0, 1, 2, 3], read: "4 31 7 91" })
      expect(page("ASC", 4, 60)).toEqual({ hasMore: true, blocks: [0, 1, 2], read: "4 7 31" })
      expect(page("ASC", 2, 60)).toEqual({ hasMore: true, blocks: [0, 1], read: "4 31" })
      expect(page("ASC", 4, 40)).toEqual({ hasMore: true, blocks: [0, 1], read: "4 7 31" })
    }).pipe(Effect.scoped),
  )

  it.effect("pageUnsafe: reads the first body whatever its size, and nothing after one that is too large", () =>
    Effect.gen(function* () {
      const { page } = yield* withRows([1, 10, 2, 30])

      expect(page("DESC", 4, 40)).toEqual({ hasMore: true, blocks: [3], read: "7 4 91" })
      expect(page("DESC", 1, 1)).toEqual({ hasMore: true, blocks: [3], read: "91" })
    }).pipe(Effect.scoped),
  )

  it.effect("pageUnsafe: reads no bytes for rows without movements, but their roles", () =>
    Effect.gen(function* () {
      const { page } = yield* withRows([0, 1, 0, 0])

      expect(page("ASC", 4)).toEqual({ hasMore: true, blocks: [0, 1, 2, 3], read: "4" })
      expect(page("DESC", 2)).toEqual({ hasMore: true, blocks: [3, 2], read: "" })
      expect(page("ASC", 4, 5)).toEqual({ hasMore: true, blocks: [0, 1], read: "4" })
    }).pipe(Effect.scoped),
  )

  it.effect("pageUnsafe: reads no bytes for roles of one to three bytes, and rejects them as a text or a number", () =>
    Effect.gen(function* () {
      const { connection, page, read } = yield* withRows([0, 0, 0, 0, 0], [1, 0x7f, 0x80, 0x200, 1 << 20])
      expect(read("ASC", 9).rows.map(({ block, roles }) => [block, roles])).toEqual([
        [0, 1],
        [1, 0x7f],
        [2, 0x80],
        [3, 0x200],
        [4, 1 << 20],
      ])
      expect(page("ASC", 9).read).toEqual("")

      for (const [block, value] of [
        [1, "CAST(x'7F' AS TEXT)"],
        [0, "1"],
      ] as const) {
        connection.scriptUnsafe(
          `UPDATE ledger SET body = ${value} WHERE id >> 20 = ${block} AND wallet = x'${"01".repeat(20)}'`,
        )
        const failure = yield* Effect.flip(connection.attempt(() => read("ASC", 9)))
        expect([failure instanceof StoreError, failure.damagedBlock]).toEqual([true, block])
      }
    }).pipe(Effect.scoped),
  )

  it.effect("pageUnsafe: decodes a body without movements once for all rows, and compares each with its checksum", () =>
    Effect.gen(function* () {
      const { connection, page, read } = yield* withRows([0, 0, 1, 0])
      const [first, second, , last] = read("ASC", 4).rows
      expect([second?.movements, last?.movements]).toEqual([[], []])
      expect([second?.movements === first?.movements, last?.movements === first?.movements]).toEqual([true, true])

      connection.scriptUnsafe(`UPDATE ledger SET body = x'01' WHERE id >> 20 = 2 AND wallet = x'${"01".repeat(20)}'`)
      const failure = yield* Effect.flip(connection.attempt(() => page("ASC", 4)))
      expect([failure instanceof StoreError, failure.damagedBlock]).toEqual([true, 2])
    }).pipe(Effect.scoped),
  )

  const own = `WHERE id >> 20 = 2 AND wallet = x'${"01".repeat(20)}'`

  for (const change of [`UPDATE ledger SET wallet = x'${"03".repeat(20)}' ${own}`, `DELETE FROM ledger ${own}`]) {
    it.effect(`pageUnsafe: fails if the history of the wallet has the transaction, after ${change.slice(0, 6)}`, () =>
      Effect.gen(function* () {
        const { connection, page } = yield* withRows([1, 1, 1, 1])
        for (const block of [0, 1, 2, 3])
          Histories.insertUnsafe(connection, Histories.entriesOf(RowId.make(block, 0), [wallet]))
        connection.scriptUnsafe(change)

        for (const order of ["ASC", "DESC"] as const) {
          for (const limit of [2, 3, 4]) {
            const read = yield* Effect.result(connection.attempt(() => page(order, limit)))
            const isBefore = order === "ASC" && limit === 2
            expect(read).toMatchObject(isBefore ? { success: { blocks: [0, 1] } } : { failure: { damagedBlock: 2 } })
          }
        }
      }).pipe(Effect.scoped),
    )
  }

  it.effect(
    "pageUnsafe: accepts a history with transactions of another wallet with the same key, or underived ones",
    () =>
      Effect.gen(function* () {
        const { connection, page } = yield* withRows([1, 1])
        for (const id of [RowId.make(0, 7), RowId.make(1, 0), RowId.make(5, 0)])
          Histories.insertUnsafe(connection, Histories.entriesOf(id, [wallet]))

        expect(page("ASC", 4)).toMatchObject({ hasMore: false, blocks: [0, 1] })
        expect(page("DESC", 1)).toMatchObject({ blocks: [1] })
      }).pipe(Effect.scoped),
  )

  for (const [column, value, count = 1] of [
    ["body", "x'01'"],
    ["body", "zeroblob(40)"],
    ["body", "x'02'", 0],
    ["body", "'\u0001'", 0],
    ["checksum", "1"],
    ["checksum", "1", 0],
  ] as const) {
    it.effect(`pageUnsafe: fails with the block if ${column} of ${count} movements was set to ${value}`, () =>
      Effect.gen(function* () {
        const { connection, page } = yield* withRows([1, count, 1])
        connection.scriptUnsafe(
          `UPDATE ledger SET ${column} = ${value} WHERE id >> 20 = 1 AND wallet = x'${"01".repeat(20)}'`,
        )

        for (const maxBytes of [60, 10_000]) {
          const failure = yield* Effect.flip(connection.attempt(() => page("ASC", 3, maxBytes)))
          expect([failure instanceof StoreError, failure.damagedBlock]).toEqual([true, 1])
        }
      }).pipe(Effect.scoped),
    )
  }
})
