/**
 * Row ids: keys for a database or for a list on a page. The id of a row is the same whenever and from whichever service it is read.
 */
/**
 * The fields of a wallet transaction that form its id, decoded or as received.
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
 * The fields of a movement that form its id, decoded or as received.
 *
 * Source: decision 0049.
 */
export interface MovementPlace {
  /** Transaction hash; `null` for a movement of a block. */
  readonly transaction_hash: string | null
  /** Index among the movements of the wallet in this transaction, in this block, or before the first block. */
  readonly movement_index: number
  /** Kind. */
  readonly kind: string
  /** Block hash. */
  readonly block_hash: string
}

/**
 * Returns the id of a row in the history of a wallet. For a transaction it consists of the hashes of block and transaction; for a movement,
 * also of its index.
 *
 * **Details**
 *
 * No two rows of a list have the same id, and a row that a reorg moves to another block gets a new one. Two wallets of one transaction have
 * the same ids: prefix the id with the wallet if a table holds rows of several wallets, and with the chain if it holds rows of several
 * chains. The `row` of an event is this id.
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
