/** The place of a row in the chain, by the fields that every row has. */
import type { RowPosition } from "../Operation.ts"

/** The fields of a row that state its block. */
interface BlockFields {
  readonly block_number: bigint
  readonly block_hash: string
  readonly block_timestamp: Date
}

/** The place of a row with a key. */
export const withKey = (key: string, row: BlockFields): RowPosition => ({
  key,
  block: row.block_number,
  blockHash: row.block_hash,
  timeMillis: row.block_timestamp.getTime(),
})
