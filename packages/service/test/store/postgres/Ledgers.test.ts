/**
 * Which rows of a ledger are read, written and removed, by the contents of the tables; and which rows of transactions.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Role from "../../../src/ledger/Role.ts"
import type { LedgerQuery } from "../../../src/store/ChainReader.ts"
import { fromHex } from "../../../src/store/rows/Bytes.ts"
import * as Checksum from "../../../src/store/rows/Checksum.ts"
import type * as DocumentRow from "../../../src/store/rows/DocumentRow.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import * as Documents from "../../../src/store/postgres/Documents.ts"
import * as Ledgers from "../../../src/store/postgres/Ledgers.ts"
import * as Values from "../../../src/store/postgres/Values.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { movementOf } from "../../server/rest/ledgers.ts"
import * as Rows from "../../server/rows.ts"
import { chain, sessionOf } from "./scripted.ts"

const { sql } = chain
const [alice, bob] = [Rows.alice, Rows.bob]
/** Bytes as they are in rows of a packed ledger. */
const unpackedOf = (hex: string) => Uint8Array.from(fromHex(hex))
const rowOf = (index: number, wallet: string) => ({
  index,
  wallet,
  roles: Role.bits.sender,
  movements: [{ ...movementOf({ amount: 5n }), wallet }],
})

/** The packed ledger of a block, its rows, and their list in stored form. */
const packedOf = (block: number, wallets: ReadonlyArray<string>) => {
  const packed = LedgerCodec.pack(wallets.map((wallet, index) => rowOf(index, wallet)))
  const rows = LedgerCodec.unpack(packed)
  const places = LedgerCodec.packPlaces(rows)
  return { packed, rows, places: [block, places, Checksum.fromValues([block, places])] as const }
}

const { packed, places, rows } = packedOf(7, [bob, alice])
const body = rows[0]!.body
const { length } = body
const idOf = (index: number) => RowId.make(7, index)
const stored = (index: number, inline = true) => [
  idOf(index),
  inline ? body : null,
  Checksum.following(Checksum.fromValues([fromHex(alice)]), [idOf(index), body]),
]
const query: LedgerQuery = { wallet: alice, from: 7, to: 9, order: "ASC", after: null, limit: 3 }
const longest = 2 ** 31 - 1

describe("Ledgers", () => {
  it.effect(
    "insert: writes the rows of all blocks in the order of their wallets, and lists for blocks even without rows",
    () =>
      Effect.gen(function* () {
        const [all, none, nothing] = [sessionOf(), sessionOf(), sessionOf()]
        yield* Ledgers.insert(all.at, [
          [7, packed],
          [8, packedOf(8, [alice]).packed],
        ])
        yield* Ledgers.insert(none.at, [[8, LedgerCodec.pack([])]])
        yield* Ledgers.insert(nothing.at, [])

        expect(all.ran.map(([statement]) => statement)).toEqual([sql.insertLedger, sql.insertPlaces])
        expect(all.ran[0]![1].slice(0, 2)).toEqual([
          Values.manyBytes([alice, alice, bob].map(unpackedOf)),
          Values.bigs([idOf(1), RowId.make(8, 0), idOf(0)]),
        ])
        expect(none.ran.map(([statement]) => statement)).toEqual([sql.insertPlaces])
        expect(nothing.ran).toEqual([])
      }),
  )

  it.effect("remove: removes the rows that lists name, and searches for those of a damaged list", () =>
    Effect.gen(function* () {
      const removed = Effect.fnUntraced(function* (lists: ReadonlyArray<ReadonlyArray<unknown>>) {
        const { at, ran } = sessionOf((statement) => (statement === sql.places ? lists : []))
        yield* Ledgers.remove(at, 7, 8)
        return ran.slice(1)
      })
      const range = [sql.deletePlaces, [Values.big(7), Values.big(8)]]
      const [first, end] = RowId.range(7, 7)

      expect(yield* removed([places])).toEqual([
        [sql.deleteLedger, [Values.manyBytes([alice, bob].map(unpackedOf)), Values.bigs([idOf(1), idOf(0)])]],
        range,
      ])
      expect(yield* removed([[7, places[1], places[2] + 1]])).toEqual([
        [sql.deleteLedgerOf, [Values.big(first), Values.big(end - 1)]],
        range,
      ])
      expect(yield* removed([])).toEqual([range])
    }),
  )

  it.effect("ofBlock: returns the rows that the list of a block names, and none if one is missing", () =>
    Effect.gen(function* () {
      const found = (list: ReadonlyArray<unknown> | undefined, count: number) => {
        const own = Array.from({ length: count }, (_, at) => [at])
        const { at, ran } = sessionOf((statement) =>
          statement === sql.places ? (list === undefined ? [] : [list]) : own,
        )
        return Effect.map(Ledgers.ofBlock(at, 7), (all) => [all.length, ran.length])
      }

      expect(yield* found(places, 2)).toEqual([2, 2])
      expect(yield* found(places, 1)).toEqual([0, 2])
      expect(yield* found(undefined, 2)).toEqual([0, 1])
      expect(yield* found([7, places[1], places[2] + 1], 2)).toEqual([0, 1])
      expect(yield* found(packedOf(7, []).places, 0)).toEqual([0, 1])
    }),
  )

  it.effect("differences, isOrphaned: compare the rows that a list names with the derived ones", () =>
    Effect.gen(function* () {
      const own = rows.map(({ wallet, index, body: text }) => {
        const values = [wallet, idOf(index), text] as const
        return [...values, Checksum.fromValues(values)]
      })
      const found = (list: ReadonlyArray<ReadonlyArray<unknown>>, all: ReadonlyArray<ReadonlyArray<unknown>>) =>
        Ledgers.differences(sessionOf((statement) => (statement === sql.places ? list : all)).at, 7, packed)
      const orphaned = (list: ReadonlyArray<ReadonlyArray<unknown>>, wallet: string) =>
        Ledgers.isOrphaned(sessionOf(() => list).at, fromHex(wallet), idOf(0))

      expect(yield* found([places], own)).toEqual([])
      expect(yield* found([places], own.slice(1))).not.toEqual([])
      expect(yield* found([], own)).not.toEqual([])
      expect(yield* found([packedOf(7, [bob]).places], own)).not.toEqual([])
      expect([yield* orphaned([places], bob), yield* orphaned([places], alice), yield* orphaned([], bob)]).toEqual([
        false,
        true,
        true,
      ])
    }),
  )

  it.effect("activeWallets: are unknown with several nodes, and if a block has no list", () =>
    Effect.gen(function* () {
      const { at, ran } = sessionOf(() => [places])

      expect(yield* Ledgers.activeWallets({ ...at, chain: { ...chain, isDistributed: true } }, 7, 7)).toBe(null)
      expect(ran).toEqual([])
      expect(yield* Ledgers.activeWallets(at, 7, 7)).toEqual(new Set([alice, bob]))
      expect(yield* Ledgers.activeWallets(at, 7, 8)).toBe(null)
    }),
  )

  /**
   * Indexes of the rows of a page, whether there may be more, and the statements. Bodies stored separately are given by
   * their room.
   */
  const pageOf = Effect.fnUntraced(function* (
    all: ReadonlyArray<ReadonlyArray<unknown>>,
    more: Partial<LedgerQuery> = {},
    apart: ReadonlyArray<ReadonlyArray<unknown>> = [[body]],
  ) {
    const { at, ran } = sessionOf((statement) => (statement === sql.ledgerBody ? apart : all))
    const page = yield* Ledgers.page(at, { ...query, ...more })
    return { page: [page.rows.map(({ index }) => index), page.hasMore], ran }
  })

  it.effect("page: returns rows up to the limit, after which there may be more", () =>
    Effect.gen(function* () {
      const [up, down] = [yield* pageOf([stored(0), stored(1)]), yield* pageOf([stored(0)], { order: "DESC" })]
      const [first, end] = RowId.range(7, 9)

      expect(up.page).toEqual([[0, 1], false])
      expect((yield* pageOf([stored(0), stored(1)], { limit: 2 })).page).toEqual([[0, 1], true])
      expect((yield* pageOf([])).page).toEqual([[], false])
      expect([up, down].map(({ ran }) => ran.map(([statement]) => statement))).toEqual([
        [sql.ledgerUp],
        [sql.ledgerDown],
      ])
      expect(up.ran[0]![1]).toEqual([
        Values.bytes(fromHex(alice)),
        Values.big(first),
        Values.big(end - 1),
        Values.big(3),
        Values.int(Math.floor(longest / 3)),
      ])
      expect((yield* pageOf([], { maxBytes: 10 })).ran[0]![1].at(-1)).toEqual(Values.int(3))
      expect((yield* pageOf([], { maxBytes: 2 ** 40 })).ran[0]![1].at(-1)).toEqual(Values.int(longest))
    }),
  )

  it.effect("page: returns rows up to its size limit, and at least the first one", () =>
    Effect.gen(function* () {
      const all = [stored(0), stored(1)]
      const within = (maxBytes: number) => Effect.map(pageOf(all, { maxBytes }), ({ page }) => page)

      expect(yield* within(2 * length)).toEqual([[0, 1], false])
      expect(yield* within(2 * length - 1)).toEqual([[0], true])
      expect(yield* within(1)).toEqual([[0], true])
    }),
  )

  it.effect("page: reads a separately stored body while it has room", () =>
    Effect.gen(function* () {
      const apart = [stored(0, false), stored(1, false)]
      const roomsOf = ({ ran }: { readonly ran: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> }) =>
        ran.filter(([statement]) => statement === sql.ledgerBody).map(([, params]) => params)
      const both = yield* pageOf(apart, { maxBytes: 2 * length })
      const key = (index: number) => [Values.bytes(fromHex(alice)), Values.big(idOf(index))]

      expect(both.page).toEqual([[0, 1], false])
      expect(roomsOf(both)).toEqual([
        [...key(0), Values.int(longest)],
        [...key(1), Values.int(length)],
      ])
      expect(roomsOf(yield* pageOf(apart, { maxBytes: 1 }))[1]!.at(-1)).toEqual(Values.int(0))
      expect((yield* pageOf([stored(0), stored(1, false)], {}, [])).page).toEqual([[0], true])
      expect((yield* pageOf([stored(0), stored(1, false)], {}, [[null]])).page).toEqual([[0], true])
    }),
  )

  it.effect("page, transactions: name the block of a body that does not match its checksum", () =>
    Effect.gen(function* () {
      const [id, text, checksum] = stored(0) as [number, Uint8Array, number]
      const damaged = sessionOf(() => [[id, text, checksum + 1]]).at
      const { at, ran } = sessionOf(() => [stored(0)])
      const bounds = { first: 1, last: 2 }
      const found = yield* Ledgers.transactions(at, alice, bounds, "ASC", 5)
      yield* Ledgers.transactions(at, alice, bounds, "DESC", 5)

      for (const failing of [Ledgers.page(damaged, query), Ledgers.transactions(damaged, alice, bounds, "ASC", 5)]) {
        expect(yield* Effect.flip(failing as Effect.Effect<unknown, StoreError>)).toMatchObject({ damagedBlock: 7 })
      }
      expect(found).toEqual([[id, Role.bits.sender]])
      expect(ran.map(([statement]) => statement)).toEqual([sql.ledgerTransactionsUp, sql.ledgerTransactionsDown])
    }),
  )
})

describe("Documents", () => {
  const prepared = (id: number, more: Partial<DocumentRow.Prepared> = {}): DocumentRow.Prepared => ({
    columns: [id, 1, 2, 3, null, null, null, body, 4],
    largeDocument: null,
    largeInternal: null,
    ...more,
  })
  const ran = Effect.fnUntraced(function* (all: ReadonlyArray<DocumentRow.Prepared>) {
    const { at, ran: statements } = sessionOf()
    yield* Documents.insert(at, all)
    return statements.map(([statement, params]) => [statement, params[0], params.slice(9)])
  })

  it.effect("insert: inserts rows with a separate part in a separate statement", () =>
    Effect.gen(function* () {
      const large = [prepared(2, { largeDocument: [2, body, 5] }), prepared(3, { largeInternal: [3, body, 6] })]
      const apart = [
        Values.manyBytes([body, null]),
        Values.ints([5, null]),
        Values.manyBytes([null, body]),
        Values.ints([null, 6]),
      ]

      expect(yield* ran([prepared(1), ...large])).toEqual([
        [sql.insertDocuments, Values.bigs([1]), []],
        [sql.insertLargeDocuments, Values.bigs([2, 3]), apart],
      ])
      expect(yield* ran([prepared(1)])).toEqual([[sql.insertDocuments, Values.bigs([1]), []]])
      expect(yield* ran(large)).toEqual([[sql.insertLargeDocuments, Values.bigs([2, 3]), apart]])
    }),
  )

  it.effect("replace, byId: run no statement for no rows", () =>
    Effect.gen(function* () {
      const { at, ran: statements } = sessionOf()
      // Sound: no row is packed.
      yield* Documents.replace(at, [], undefined as never)

      expect([(yield* Documents.byId(at, [])).size, statements]).toEqual([0, []])
      expect((yield* Documents.byId(sessionOf(() => [prepared(4).columns]).at, [4, 5])).get(4)?.[7]).toBe(body)
    }),
  )

  it.effect("hasStale: is true if a row of the range has another revision", () =>
    Effect.gen(function* () {
      const stale = (all: ReadonlyArray<ReadonlyArray<unknown>>) => Documents.hasStale(sessionOf(() => all).at, 7, 8, 1)

      expect([yield* stale([]), yield* stale([[1]])]).toEqual([false, true])
    }),
  )

  it.effect("attempt: fails with an error of the store, and rethrows any other", () =>
    Effect.gen(function* () {
      const damaged = new StoreError({ message: "Damaged.", isRetryable: false, cause: undefined })
      const thrown = (cause: unknown) =>
        Effect.exit(
          Documents.attempt(() => {
            throw cause
          }),
        )
      const unexpected = new TypeError("unexpected")

      expect(yield* Documents.attempt(() => 5)).toBe(5)
      expect(yield* thrown(damaged)).toEqual(Exit.fail(damaged))
      expect(yield* thrown(unexpected)).toEqual(Exit.die(unexpected))
    }),
  )

  it.effect("list: returns the issue of a damaged row in place of it", () =>
    Effect.gen(function* () {
      const listed = yield* Documents.list(sessionOf(() => [prepared(RowId.make(7, 1)).columns]).at, 7, 7)

      expect(listed).toMatchObject([[RowId.make(7, 1), { _tag: "StoreError", damagedBlock: 7 }]])
    }),
  )
})
