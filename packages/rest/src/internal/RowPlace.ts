/** Position of a row in the chain, from fields that all rows have. */
import type { RowPosition } from "../Operation.ts"

/** Fields of a row that identify its block. */
interface BlockFields {
  readonly block_number: bigint
  readonly block_hash: string
  readonly block_timestamp: Date
}

/** Position of a row with its key. */
export const withKey = (key: string, row: BlockFields): RowPosition => ({
  key,
  block: row.block_number,
  blockHash: row.block_hash,
  timeMillis: row.block_timestamp.getTime(),
})
