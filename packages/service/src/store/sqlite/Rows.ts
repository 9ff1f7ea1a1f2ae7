/**
 * How the rows of a block are put into a chain's file and how its appearances are taken out of it. Both throw what SQLite throws:
 * call them inside a transaction.
 */
import { fromHex, join, split } from "./Bytes.ts"
import type { Connection, Params } from "./Connection.ts"
import * as RowId from "./RowId.ts"
import * as Statements from "./Statements.ts"
import type { BlockRows } from "../BlockRows.ts"

const addressBytes = 20

/** Puts a block and all that belongs to it. */
export const insertUnsafe = (connection: Connection, chain: number, block: BlockRows): void => {
  const { decoderRevision, hash, number, parentHash, timestamp, transactions } = block
  const header = [chain, number, fromHex(hash), fromHex(parentHash), timestamp, transactions.length]
  connection.rowsUnsafe(Statements.insertBlock, header)
  const appearances: Array<Params> = []
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
    for (const address of bytes) appearances.push([chain, address, number, index])
  }
  connection.manyUnsafe(Statements.insertTransaction, rows)
  connection.manyUnsafe(Statements.insertAppearance, appearances)
}

/** Takes out the appearances that the documents of a range of blocks name, inclusive. */
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
