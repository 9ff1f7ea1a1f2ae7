/**
 * The ledgers of wallets: one row per wallet and position and, for each block, the positions of its rows, by which they are removed.
 *
 * Source: decisions 0034 and 0048.
 */
import * as Effect from "effect/Effect"
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import type { LedgerEntry, LedgerQuery, LedgerRows } from "../ChainReader.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as LedgerDifferences from "../rows/LedgerDifferences.ts"
import * as PageFit from "../rows/PageFit.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import type { At, Chain } from "./Chain.ts"
import * as Values from "./Values.ts"

const { column } = Values

/** A row of a known wallet; its body is `null` if it is read separately. */
type OwnColumns<Body> = readonly [id: number, body: Body, checksum: number]

type Key = readonly [wallet: Uint8Array, id: number]

const damaged = ({ name }: Chain, block: number, what: string): StoreError =>
  Checksum.damaged(name, block, `${what} does not match its checksum`)

/** Writes the packed ledgers of blocks in place of their existing ones, including rows that damaged lists do not name. */
export const insert = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  ledgers: ReadonlyArray<readonly [block: number, packed: Uint8Array]>,
): Effect.fn.Return<void, StoreError> {
  if (ledgers.length === 0) return
  const unpacked = ledgers.map(([block, packed]) => [block, LedgerCodec.unpack(packed)] as const)
  const rows = unpacked.flatMap(([block, own]) =>
    own.map(({ body, index, wallet }): LedgerDifferences.Columns => {
      const values = [wallet, RowId.make(block, index), body] as const
      return [...values, Checksum.fromValues(values)]
    }),
  )
  if (rows.length > 0) {
    const ordered = rows.toSorted(([one], [other]) => Buffer.compare(one, other))
    yield* session.rows(sql.insertLedger, [
      Values.manyBytes(column(ordered, 0)),
      Values.bigs(column(ordered, 1)),
      Values.manyBytes(column(ordered, 2)),
      Values.ints(column(ordered, 3)),
    ])
  }
  const places = unpacked.map(([block, own]): LedgerDifferences.Places => {
    const values = [block, LedgerCodec.packPlaces(own)] as const
    return [...values, Checksum.fromValues(values)]
  })
  yield* session.rows(sql.insertPlaces, [
    Values.bigs(column(places, 0)),
    Values.manyBytes(column(places, 1)),
    Values.ints(column(places, 2)),
  ])
})

const blockRange = (from: number, to: number) => [Values.big(from), Values.big(to)]

/** Keys of a block's rows; `null` if its positions are damaged. */
const keysOf = ([block, places, checksum]: LedgerDifferences.Places): ReadonlyArray<Key> | null =>
  Checksum.fromValues([block, places]) === checksum
    ? [...LedgerCodec.unpackPlaces(places)].map(({ index, wallet }) => [wallet, RowId.make(block, index)])
    : null

const keyArrays = (keys: ReadonlyArray<Key>) => [Values.manyBytes(column(keys, 0)), Values.bigs(column(keys, 1))]

/** Wallets with rows in a range of blocks, inclusive; `null` if that is uncertain. */
export const activeWallets = (
  { chain: { isDistributed, sql }, session }: At,
  from: number,
  to: number,
): Effect.Effect<ReadonlySet<string> | null, StoreError> =>
  isDistributed
    ? Effect.succeed(null)
    : Effect.map(session.rows<LedgerDifferences.Places>(sql.places, blockRange(from, to)), (lists) =>
        LedgerDifferences.walletsOf(lists, to - from + 1),
      )

/** Removes the rows of a range of blocks, inclusive. For a block with damaged positions, the whole table is scanned. */
export const remove = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  from: number,
  to: number,
): Effect.fn.Return<void, StoreError> {
  const keys: Array<Key> = []
  for (const places of yield* session.rows<LedgerDifferences.Places>(sql.places, blockRange(from, to))) {
    const own = keysOf(places)
    if (own !== null) keys.push(...own)
    else {
      const [first, end] = RowId.range(places[0], places[0])
      yield* session.rows(sql.deleteLedgerOf, [Values.big(first), Values.big(end - 1)])
    }
  }
  if (keys.length > 0) yield* session.rows(sql.deleteLedger, keyArrays(keys))
  yield* session.rows(sql.deletePlaces, blockRange(from, to))
})

/** Fails if a body does not match the checksum of its row; `ofWallet` is the checksum of its wallet. */
const check = (
  chain: Chain,
  ofWallet: number,
  [id, body, checksum]: OwnColumns<Uint8Array>,
): Effect.Effect<void, StoreError> =>
  Checksum.following(ofWallet, [id, body]) === checksum
    ? Effect.void
    : Effect.fail(damaged(chain, RowId.toPosition(id).block, "the ledger of a wallet"))

/** List of a block's rows. */
const placesOf = ({ chain: { sql }, session }: At, block: number) =>
  Effect.map(session.rows<LedgerDifferences.Places>(sql.places, blockRange(block, block)), ([places]) => places)

/** Rows of a block; empty for a damaged one, which is examined again when it is repaired. */
export const ofBlock = Effect.fnUntraced(function* (
  at: At,
  block: number,
): Effect.fn.Return<ReadonlyArray<LedgerDifferences.Columns>, StoreError> {
  const places = yield* placesOf(at, block)
  const keys = places === undefined ? null : keysOf(places)
  if (keys === null || keys.length === 0) return []
  const rows = yield* at.session.rows<LedgerDifferences.Columns>(at.chain.sql.findLedger, keyArrays(keys))
  return rows.length === keys.length ? rows : []
})

/** Differences between the stored and the derived rows of a block. */
export const differences = Effect.fnUntraced(function* (
  at: At,
  block: number,
  packed: Uint8Array,
): Effect.fn.Return<ReadonlyArray<string>, StoreError> {
  const places = yield* placesOf(at, block)
  const named = places === undefined ? null : LedgerDifferences.namedBy(places[1])
  const keys = [...LedgerCodec.unpack(packed), ...(named ?? [])].map(({ index, wallet }): Key => [
    wallet,
    RowId.make(block, index),
  ])
  const rows = yield* at.session.rows<LedgerDifferences.Columns>(at.chain.sql.findLedger, keyArrays(keys))
  const stored = new Map(rows.map((row) => [`${toHex(row[0])} ${row[1]}`, row]))
  const rowOf = (wallet: Uint8Array, id: number) => stored.get(`${toHex(wallet)} ${id}`)
  return LedgerDifferences.find({ places, rowOf }, block, packed)
})

/** Whether the block of a row does not name it as its own. */
export const isOrphaned = (at: At, wallet: Uint8Array, id: number): Effect.Effect<boolean, StoreError> =>
  Effect.map(placesOf(at, RowId.toPosition(id).block), (places) => LedgerDifferences.isOrphaned(places, wallet, id))

/** Rows after one, in table order. */
export const after = ({ chain: { sql }, session }: At, wallet: Uint8Array, id: number, limit: number) =>
  session.rows<LedgerDifferences.Columns>(sql.ledgerAfter, [Values.bytes(wallet), Values.big(id), Values.big(limit)])

/** Blocks after one that have a list of rows. */
export const blocksAfter = ({ chain: { sql }, session }: At, block: number, limit: number) =>
  session.rows<readonly [block: number]>(sql.placesAfter, [Values.big(block), Values.big(limit)])

/** Removes a row. */
export const removeRow = ({ chain: { sql }, session }: At, wallet: Uint8Array, id: number) =>
  Effect.asVoid(session.rows(sql.deleteLedger, keyArrays([[wallet, id]])))

/** Removes the list of a block. */
export const removePlaces = ({ chain: { sql }, session }: At, block: number) =>
  Effect.asVoid(session.rows(sql.deletePlaces, blockRange(block, block)))

/** Maximum length in PostgreSQL. */
const longestBody = 2 ** 31 - 1

/** Rows of a wallet in the order of a query, as many as fit. */
export const page = Effect.fnUntraced(function* (
  { chain, session }: At,
  query: LedgerQuery,
): Effect.fn.Return<LedgerRows, StoreError> {
  const { limit, maxBytes = longestBody, order } = query
  const { first, last } = PageFit.rangeOf(query)
  const wallet = fromHex(query.wallet)
  const ofWallet = Checksum.fromValues([wallet])
  const found = yield* session.rows<OwnColumns<Uint8Array | null>>(
    order === "ASC" ? chain.sql.ledgerUp : chain.sql.ledgerDown,
    [
      Values.bytes(wallet),
      Values.big(first),
      Values.big(last),
      Values.big(limit),
      Values.int(Math.min(longestBody, Math.floor(maxBytes / limit))),
    ],
  )
  const apart = (id: number, room: number) =>
    Effect.map(
      session.rows<readonly [body: Uint8Array | null]>(chain.sql.ledgerBody, [
        Values.bytes(wallet),
        Values.big(id),
        Values.int(room),
      ]),
      ([row]) => row?.[0] ?? null,
    )
  const rows: Array<LedgerEntry> = []
  let left = Math.min(longestBody, maxBytes)
  for (const [id, inline, checksum] of found) {
    const room = rows.length === 0 ? longestBody : Math.max(left, 0)
    const body = inline ?? (yield* apart(id, room))
    if (body === null || body.length > room) return { rows, hasMore: true }
    yield* check(chain, ofWallet, [id, body, checksum])
    left -= body.length
    rows.push({ ...RowId.toPosition(id), ...LedgerCodec.decodeBody(query.wallet, body) })
  }
  return { rows, hasMore: rows.length === limit }
})

/** Row ids of the transactions in which a wallet has a role, in a range with both ends inclusive, and its roles there. */
export const transactions = Effect.fnUntraced(function* (
  { chain, session }: At,
  wallet: string,
  { first, last }: { readonly first: number; readonly last: number },
  order: LedgerQuery["order"],
  limit: number,
): Effect.fn.Return<ReadonlyArray<readonly [id: number, roles: number]>, StoreError> {
  const sql = order === "ASC" ? chain.sql.ledgerTransactionsUp : chain.sql.ledgerTransactionsDown
  const key = fromHex(wallet)
  const ofWallet = Checksum.fromValues([key])
  const rows = yield* session.rows<OwnColumns<Uint8Array>>(sql, [
    Values.bytes(key),
    Values.big(first),
    Values.big(last),
    Values.big(limit),
  ])
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(check(chain, ofWallet, row), () => [row[0], LedgerCodec.rolesOf(row[1])] as const),
  )
})
