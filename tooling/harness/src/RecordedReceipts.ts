/**
 * Transactions of public chains as returned by nodes, each with its receipt and block header, one JSON object per line.
 * `fixtures/receipts.jsonl.gz` is a selection that covers transaction types, fee fields of receipts and token events by chain.
 * `fixtures/blocks.jsonl.gz` has all transactions of some blocks, and the first 100 of another one.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** A recorded transaction. */
export interface RecordedReceipt {
  /** EIP-155 id. */
  readonly chain: number
  /** Where the transaction was published. */
  readonly source: string
  /** The block, with an empty list of transactions. */
  readonly block: Readonly<Record<string, unknown>>
  readonly transaction: Readonly<Record<string, unknown>>
  readonly receipt: Readonly<Record<string, unknown>>
}

/** Reads the recordings of a file: lines of JSON, compressed with gzip. */
export const read = (path: string | URL): ReadonlyArray<RecordedReceipt> =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line): RecordedReceipt => JSON.parse(line))

/** The selected transactions. */
export const all = (): ReadonlyArray<RecordedReceipt> => read(new URL("../fixtures/receipts.jsonl.gz", import.meta.url))

/** The transactions of whole blocks. */
export const ofBlocks = (): ReadonlyArray<RecordedReceipt> =>
  read(new URL("../fixtures/blocks.jsonl.gz", import.meta.url))
