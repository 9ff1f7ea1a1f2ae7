/**
 * Transactions of public chains as nodes returned them, each with its receipt and the header of its block: a line of JSON each. Those of
 * `fixtures/receipts.jsonl.gz` were chosen: they cover types of transactions, fee fields of receipts and events of tokens by chain.
 * Those of `fixtures/blocks.jsonl.gz` are all of some blocks, and the first 100 of another one.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** A recorded transaction. */
export interface RecordedReceipt {
  /** EIP-155 id. */
  readonly chain: number
  /** Where it was published. */
  readonly source: string
  /** The block with an empty list of transactions. */
  readonly block: Readonly<Record<string, unknown>>
  readonly transaction: Readonly<Record<string, unknown>>
  readonly receipt: Readonly<Record<string, unknown>>
}

/** The recordings of a file: lines of JSON, compressed by gzip. */
export const read = (path: string | URL): ReadonlyArray<RecordedReceipt> =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line): RecordedReceipt => JSON.parse(line))

/** The chosen ones. */
export const all = (): ReadonlyArray<RecordedReceipt> => read(new URL("../fixtures/receipts.jsonl.gz", import.meta.url))

/** Those of whole blocks, as chains have them. */
export const ofBlocks = (): ReadonlyArray<RecordedReceipt> =>
  read(new URL("../fixtures/blocks.jsonl.gz", import.meta.url))
