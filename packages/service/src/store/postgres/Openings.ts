/**
 * Opening balances of wallets before the first indexed block: one row per wallet and holding that was read, and how far blocks were
 * examined for others. Rows read for another first block are ignored.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import type * as Holding from "../../ledger/Holding.ts"
import type { OpeningQuery, OpeningRows, OpeningSlice, UnreadOpenings, UnreadQuery, WalletOpening } from "../Proofs.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as LedgerHoldings from "../rows/LedgerHoldings.ts"
import * as OpeningRow from "../rows/OpeningRow.ts"
import { maxOpenings } from "../WalletOpenings.ts"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Values from "./Values.ts"

const { column } = Values

/** Inserts openings, replacing earlier ones. */
export const insert = (
  { chain: { sql }, session }: At,
  first: number,
  openings: ReadonlyArray<WalletOpening>,
): Effect.Effect<void, StoreError> => {
  // A statement cannot replace a row twice: the last opening of a holding counts.
  const rows = [
    ...new Map(OpeningRow.make(first, openings).map((row) => [`${toHex(row[0])} ${toHex(row[1])}`, row])).values(),
  ]
  if (rows.length === 0) return Effect.void
  return Effect.asVoid(
    session.rows(sql.insertOpenings, [
      Values.manyBytes(column(rows, 0)),
      Values.manyBytes(column(rows, 1)),
      Values.bigs(column(rows, 2)),
      Values.manyBytes(column(rows, 3)),
      Values.ints(column(rows, 4)),
    ]),
  )
}

/** Openings of a wallet after a key that were read for an index with this first block. */
export const read = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  wallet: string,
  first: number,
  after: Uint8Array = new Uint8Array(),
): Effect.fn.Return<OpeningSlice, StoreError> {
  const bytes = fromHex(wallet)
  const rows = yield* session.rows<OpeningRow.ReadColumns>(sql.openings, [
    Values.bytes(bytes),
    Values.big(first),
    Values.bytes(after),
    Values.big(OpeningRow.sliceRows),
  ])
  return OpeningRow.read(bytes, first, rows)
})

/** A range of the openings of a wallet that are movements. */
export const range = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  query: OpeningQuery,
  first: number,
): Effect.fn.Return<OpeningRows, StoreError> {
  const all = [Values.bytes(fromHex(query.wallet)), Values.big(first), Values.big(maxOpenings)]
  const isCounted = query.order === "DESC" && query.after === undefined
  // Sound: a count has one row.
  const total = isCounted ? (yield* session.rows<readonly [count: number]>(sql.countOpenings, all))[0]![0] : 0
  const numbers = OpeningRow.numbersOf(query, total)
  const values = [...all, Values.big(numbers.count), Values.big(numbers.from)]
  const rows = numbers.count === 0 ? [] : yield* session.rows<OpeningRow.ReadColumns>(sql.openingRange, values)
  return OpeningRow.rangeOf(query, first, numbers, rows)
})

/** Removes all openings. */
export const clear = ({ chain: { sql }, session }: At): Effect.Effect<void, StoreError> =>
  Effect.andThen(session.rows(sql.clearOpenings, []), Effect.asVoid(session.rows(sql.clearProgress, [])))

/** Whether the opening of a holding was read. */
const isRead = ({ chain: { sql }, session }: At, wallet: string, holding: Holding.Holding, first: number) =>
  Effect.map(
    session.rows(sql.hasOpening, [
      Values.bytes(fromHex(wallet)),
      Values.bytes(OpeningRow.bytesOfHolding(holding)),
      Values.big(first),
    ]),
    (rows) => rows.length > 0,
  )

/** The next openings to read, for an index with this first block. */
export const unread = Effect.fnUntraced(function* (
  at: At,
  first: number,
  { limit, to, wallets }: UnreadQuery,
): Effect.fn.Return<UnreadOpenings, StoreError> {
  const [row] = yield* at.session.rows<readonly [next: number]>(at.chain.sql.progress, [Values.big(first)])
  let next = row?.[0] ?? first
  const known = new Set<string>()
  const holdings: Array<UnreadOpenings["holdings"][number]> = []
  for (let count = 0; next <= to && count < LedgerHoldings.maxRows && holdings.length < limit; next++) {
    const rows = yield* Ledgers.ofBlock(at, next)
    count += rows.length
    for (const one of LedgerHoldings.unknownOf(rows, wallets, known)) {
      if (!(yield* isRead(at, one.wallet, one.holding, first))) holdings.push(one)
    }
  }
  return { holdings, next }
})

/** Remembers the first block that was not examined. */
export const advance = ({ chain: { sql }, session }: At, first: number, next: number) =>
  Effect.asVoid(session.rows(sql.advanceProgress, [Values.big(first), Values.big(next)]))

/** Marks the blocks from `lowest` on to be examined again. */
export const unwind = ({ chain: { sql }, session }: At, lowest: number) =>
  Effect.asVoid(session.rows(sql.unwindProgress, [Values.big(lowest)]))
