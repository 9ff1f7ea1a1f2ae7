/**
 * Ids of rows: keys for a database or a list on a page, the same whenever and from whichever service the row is read.
 */
/**
 * The fields of a wallet transaction that make its id, decoded or as received.
 *
 * Source: docs/interface.md#2.2.
 */
export interface TransactionPlace {
  /** Transaction hash. */
  readonly hash: string
  /** Block hash. */
  readonly block_hash: string
}

/**
 * The fields of a movement that make its id, decoded or as received.
 *
 * Source: decision 0049.
 */
export interface MovementPlace {
  /** Transaction hash; `null` for a movement of a block. */
  readonly transaction_hash: string | null
  /** Index among the movements of the wallet in this transaction, of this block or before the first block. */
  readonly movement_index: number
  /** Kind. */
  readonly kind: string
  /** Block hash. */
  readonly block_hash: string
}

/**
 * The id of a row in the history of a wallet. Of a movement it has the hashes of block and transaction, and its index; of a transaction both hashes.
 *
 * **Details**
 *
 * No two rows of a list have the same id, and a row that a reorg moves to another block gets another one. Two wallets of one transaction have
 * the same ids: put the wallet before the id where rows of several wallets are in one table, and the chain where rows of several chains are.
 * The `row` of an event is this id.
 *
 * **Example** (Keying rows)
 *
 * ```ts
 * import * as Hash from "@daybook/schema/Hash"
 * import { rowId } from "@daybook/schema/RowId"
 * import * as Schema from "effect/Schema"
 *
 * const hash = Schema.decodeUnknownSync(Hash.Hash)(`0x${"ab".repeat(32)}`)
 * const fee = { kind: "fee", transaction_hash: hash, movement_index: 0, block_hash: hash }
 * console.log(rowId(fee) === `${hash}-${hash}-0`) // true
 * ```
 *
 * Source: decision 0049.
 */
export const rowId = (row: TransactionPlace | MovementPlace): string => {
  const { block_hash: block } = row
  if ("hash" in row) return `${block}-${row.hash}`
  const place = row.transaction_hash ?? (row.kind === "genesis" ? "opening" : "block")
  return `${block}-${place}-${row.movement_index}`
}
