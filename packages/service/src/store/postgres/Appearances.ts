/**
 * Transactions of wallets: one entry per wallet of a transaction, keyed by wallet key and row id.
 */
import * as Effect from "effect/Effect"
import { StoreError } from "../StoreError.ts"
import * as RowId from "../rows/RowId.ts"
import * as WalletKey from "../rows/WalletKey.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"
import * as Values from "./Values.ts"

/** An entry by its key and row id. */
export type Entry = readonly [key: bigint, id: number]

/** The key of a wallet. */
export const keyOf = (address: string): bigint => toBig(WalletKey.fromAddress(address))

/** A stored key as the number that a statement takes. */
export const toBig = (key: Uint8Array): bigint => Buffer.from(key).readBigInt64BE()

/** Entries of a transaction. An address that is named twice is a defect, which the table rejects; two addresses may have the same key. */
export const entriesOf = (id: number, addresses: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const keys = addresses.map(keyOf)
  const isNew = (key: bigint, at: number) =>
    !keys.slice(0, at).some((other, index) => other === key && addresses[index] !== addresses[at])
  return keys.filter(isNew).map((key) => [key, id])
}

const arraysOf = (entries: ReadonlyArray<Entry>) => [
  Values.bigs(Values.column(entries, 0)),
  Values.bigs(Values.column(entries, 1)),
]

/** Inserts entries in index order. */
export const insert = (
  { chain: { sql }, session }: At,
  entries: ReadonlyArray<Entry>,
): Effect.Effect<void, StoreError> => {
  if (entries.length === 0) return Effect.void
  const ordered = entries.toSorted(([one, first], [other, second]) =>
    one < other ? -1 : one > other ? 1 : first - second,
  )
  return Effect.asVoid(session.rows(sql.insertAppearances, arraysOf(ordered)))
}

/** Removes entries; skips absent ones. */
export const remove = (
  { chain: { sql }, session }: At,
  entries: ReadonlyArray<Entry>,
): Effect.Effect<void, StoreError> =>
  entries.length === 0 ? Effect.void : Effect.asVoid(session.rows(sql.deleteAppearances, arraysOf(entries)))

/** Removes what the documents of a range of blocks, inclusive, name. */
export const removeRange = Effect.fnUntraced(function* (
  at: At,
  from: number,
  to: number,
): Effect.fn.Return<void, StoreError> {
  const entries: Array<Entry> = []
  for (const [id, row] of yield* Documents.list(at, from, to)) {
    if (!(row instanceof StoreError)) entries.push(...entriesOf(id, row.addresses))
    else yield* at.session.rows(at.chain.sql.deleteAppearancesOf, [Values.big(id), Values.big(id)])
  }
  yield* remove(at, entries)
})

/** Which entries are stored. */
export const present = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  entries: ReadonlyArray<Entry>,
): Effect.fn.Return<(entry: Entry) => boolean, StoreError> {
  const found = yield* session.rows<readonly [position: number]>(sql.findAppearances, arraysOf(entries))
  const stored = new Set(found.map(([position]) => entries[position - 1]!.join(" ")))
  return (entry) => stored.has(entry.join(" "))
})

/** Entries after one in index order, with their keys as bytes. */
export const after = ({ chain: { sql }, session }: At, [key, id]: Entry, limit: number) =>
  session.rows<readonly [key: Uint8Array, id: number]>(sql.appearancesAfter, [
    Values.big(key),
    Values.big(id),
    Values.big(limit),
  ])

/** The block of a row id. */
export const blockOf = (id: number): number => RowId.toPosition(id).block
