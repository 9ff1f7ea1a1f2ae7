/**
 * Rows of blocks that are still in the layout of version 5 and earlier: plain texts, whole addresses, no checksums. They are read and
 * removed as they are; new blocks are never written so, but one that is repaired before it is rewritten is. Functions named `Unsafe`
 * throw what SQLite throws.
 */
import type { PageQuery, PageRow, Position } from "../ChainReader.ts"
import { fromHex, join, split, toHex } from "../rows/Bytes.ts"
import type { Connection, Params } from "./Connection.ts"
import type { StoredRow } from "../rows/DocumentRow.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./OldStatements.ts"

const addressBytes = 20

/** A row whose texts are `null` where it is larger than the inline bound. */
type FoundRow = readonly [
  block: number,
  index: number,
  body: string | null,
  revision: number,
  internal: string | null,
  bytes: number,
]

/** A row whose bytes are known; `read` gives its texts. */
export interface Found {
  readonly position: Position
  readonly bytes: number
  readonly read: () => Omit<PageRow, keyof Position>
}

const pageSql = ({ internal = true, order }: PageQuery): string => {
  if (order === "ASC") return internal ? Statements.pageUpInternal : Statements.pageUp
  return internal ? Statements.pageDownInternal : Statements.pageDown
}

/** Rows of a wallet after a position, each with its texts unless they are larger than the inline bound. */
export const pageUnsafe = (
  connection: Connection,
  chain: number,
  query: PageQuery,
  { block, index }: Position,
  inlineBytes: number,
  limit: number,
): ReadonlyArray<Found> => {
  const { internal: wantsInternal = true, key, order } = query
  const inline = wantsInternal ? [inlineBytes, inlineBytes] : [inlineBytes]
  const bounds = [chain, fromHex(key), block, index, order === "ASC" ? query.to : query.from, limit]
  const textsOf = (id: number) => {
    // Sound: the row was found in the same transaction.
    const [body, internal] = connection.valuesUnsafe<readonly [string, string | null]>(Statements.documentTexts, [
      id,
    ])[0]!
    return { body, internal: wantsInternal ? internal : null }
  }
  return connection
    .valuesUnsafe<FoundRow>(pageSql(query), [...inline, ...bounds])
    .map(([block, index, body, revision, internal, bytes]) => ({
      position: { block, index },
      bytes,
      read: () => ({ revision, ...(body === null ? textsOf(RowId.of(block, index)) : { body, internal }) }),
    }))
}

type Columns = readonly [
  block: number,
  index: number,
  decoderRevision: number,
  hash: Uint8Array,
  addresses: Uint8Array,
  body: string,
  internal: string | null,
]

/** Addresses of a row; of a damaged length that is no multiple of an address, the rest is ignored. */
const addressesOf = (joined: Uint8Array): ReadonlyArray<Uint8Array> =>
  split(joined.subarray(0, joined.length - (joined.length % addressBytes)), addressBytes)

/** Transactions of a range of row ids. */
export const readUnsafe = (
  connection: Connection,
  first: number,
  end: number,
): ReadonlyArray<readonly [id: number, row: StoredRow]> =>
  connection
    .valuesUnsafe<Columns>(Statements.transactions, [first, end])
    .map(([block, index, decoderRevision, hash, joined, body, internal]) => [
      RowId.of(block, index),
      { index, decoderRevision, hash: toHex(hash), addresses: addressesOf(joined).map(toHex), body, internal },
    ])

/** Inserts the transactions of a block. */
export const insertUnsafe = (
  connection: Connection,
  chain: number,
  block: number,
  rows: ReadonlyArray<StoredRow>,
): void =>
  connection.manyUnsafe(
    Statements.insertTransaction,
    rows.map(({ addresses, body, decoderRevision, hash, index, internal }): Params => {
      const position = [RowId.of(block, index), chain, block, index]
      return [...position, decoderRevision, fromHex(hash), join(addresses.map(fromHex)), body, internal]
    }),
  )

const appearancesOf = (chain: number, id: number, addresses: ReadonlyArray<string>): ReadonlyArray<Params> => {
  const { block, index } = RowId.toPosition(id)
  return addresses.map((address) => [chain, fromHex(address), block, index])
}

/** Inserts a transaction into the histories of wallets. */
export const insertAppearancesUnsafe = (
  connection: Connection,
  chain: number,
  id: number,
  addresses: ReadonlyArray<string>,
): void => connection.manyUnsafe(Statements.insertAppearance, appearancesOf(chain, id, addresses))

/** Removes a transaction from the histories of wallets. */
export const removeAppearancesUnsafe = (
  connection: Connection,
  chain: number,
  id: number,
  addresses: ReadonlyArray<string>,
): void => connection.manyUnsafe(Statements.deleteAppearance, appearancesOf(chain, id, addresses))

/** Whether the history of a wallet has a transaction. */
export const hasAppearanceUnsafe = (connection: Connection, chain: number, id: number, address: string): boolean =>
  connection.valuesUnsafe(Statements.appearance, appearancesOf(chain, id, [address])[0]!).length > 0

type AppearanceColumns = readonly [address: Uint8Array, block: number, index: number, addresses: Uint8Array | null]

/** An entry of a history, and whether its document names the wallet. */
export interface Entry {
  readonly address: Uint8Array
  readonly id: number
  readonly isOrphaned: boolean
}

/** Entries of histories after one. */
export const appearancesAfterUnsafe = (
  connection: Connection,
  chain: number,
  address: Uint8Array,
  id: number,
  limit: number,
): ReadonlyArray<Entry> => {
  const { block, index } = id < 0 ? { block: -1, index: -1 } : RowId.toPosition(id)
  return connection
    .valuesUnsafe<AppearanceColumns>(Statements.appearancesAfter, [chain, address, block, index, limit])
    .map(([address, block, index, addresses]) => ({
      address,
      id: RowId.of(block, index),
      isOrphaned: addresses === null || !addressesOf(addresses).some((own) => Buffer.compare(own, address) === 0),
    }))
}
