/**
 * Inserts and reads the rows of blocks in a chain's file. Throws what SQLite throws: call it inside a transaction.
 */
import { fromHex, join, split, toHex } from "./Bytes.ts"
import type { Connection, Params } from "./Connection.ts"
import * as Gaps from "./Gaps.ts"
import * as RowId from "./RowId.ts"
import * as Statements from "./Statements.ts"
import type { BlockRows, TransactionRow } from "../BlockRows.ts"

const addressBytes = 20

/** Inserts a block and its transactions; what projections derive of them is inserted apart. */
export const insertUnsafe = (connection: Connection, chain: number, block: BlockRows): void => {
  const { decoderRevision, hash, number, parentHash, timestamp, transactions } = block
  const header = [chain, number, fromHex(hash), fromHex(parentHash), timestamp, transactions.length]
  connection.rowsUnsafe(Statements.insertBlock, header)
  const rows: Array<Params> = []
  for (const { addresses, body, hash, index, internal } of transactions) {
    const bytes = addresses.map(fromHex)
    rows.push([
      RowId.of(number, index),
      chain,
      number,
      index,
      decoderRevision,
      fromHex(hash),
      join(bytes),
      body,
      internal,
    ])
  }
  connection.manyUnsafe(Statements.insertTransaction, rows)
  Gaps.insertUnsafe(connection, block)
}

type BlockColumns = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number | null,
]

type TransactionColumns = readonly [
  block: number,
  index: number,
  decoderRevision: number,
  hash: Uint8Array,
  addresses: Uint8Array,
  body: string,
  internal: string | null,
]

/** A stored transaction, with the revision of its document. */
export type StoredRow = TransactionRow & { readonly decoderRevision: number }

/** Addresses of a row; of a damaged length that is no multiple of an address, the rest is ignored. */
export const addressesOf = (joined: Uint8Array): ReadonlyArray<Uint8Array> =>
  split(joined.subarray(0, joined.length - (joined.length % addressBytes)), addressBytes)

/** The stored transactions of a range of blocks, inclusive, by block. */
export const transactionsUnsafe = (
  connection: Connection,
  from: number,
  to: number,
): ReadonlyMap<number, ReadonlyArray<StoredRow>> => {
  const byBlock = new Map<number, Array<StoredRow>>()
  const rows = connection.valuesUnsafe<TransactionColumns>(Statements.transactions, RowId.range(from, to))
  for (const [block, index, decoderRevision, hash, joined, body, internal] of rows) {
    const addresses = addressesOf(joined).map(toHex)
    const row = { index, decoderRevision, hash: toHex(hash), addresses, body, internal }
    const own = byBlock.get(block)
    if (own === undefined) byBlock.set(block, [row])
    else own.push(row)
  }
  return byBlock
}

/** The stored blocks of a range, inclusive, without their transactions. */
export const blocksUnsafe = (connection: Connection, chain: number, from: number, to: number) =>
  connection
    .valuesUnsafe<BlockColumns>(Statements.blocks, [chain, from, to])
    .map(([number, hash, parentHash, timestamp, count]) => ({
      ...{ number, hash: toHex(hash), parentHash: toHex(parentHash), timestamp, count },
    }))

/** The stored blocks of a range, inclusive, as they were appended. */
export const readUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
): ReadonlyArray<BlockRows> => {
  const transactions = transactionsUnsafe(connection, from, to)
  return blocksUnsafe(connection, chain, from, to).map((block) => {
    const rows = transactions.get(block.number) ?? []
    return { ...block, decoderRevision: rows[0]?.decoderRevision ?? 0, transactions: rows }
  })
}

/** Removes the appearances that the documents of a range of blocks name, inclusive. */
export const removeAppearancesUnsafe = (connection: Connection, chain: number, from: number, to: number): void => {
  const rows = connection.rowsUnsafe<{
    readonly block: number
    readonly index: number
    readonly addresses: Uint8Array
  }>(Statements.addressesOf, RowId.range(from, to))
  connection.manyUnsafe(
    Statements.deleteAppearance,
    rows.flatMap(({ addresses, block, index }) =>
      split(addresses, addressBytes).map((address) => [chain, address, block, index]),
    ),
  )
}
