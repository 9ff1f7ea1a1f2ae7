/**
 * Rows of a block's texts, prepared in any thread before the block is appended, because compression takes a large part of an append's time.
 * What is stored is the same with and without it. Pure.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import * as DocumentRow from "./DocumentRow.ts"
import * as FactsRow from "./FactsRow.ts"
import type * as Frame from "./Frame.ts"

/** Plain data that is sent between threads. */
interface PreparedBlock {
  readonly codec: Frame.Codec
  readonly revision: number
  readonly facts: FactsRow.Columns | null
  readonly documents: ReadonlyArray<DocumentRow.Prepared>
}

/** Transactions of a block with the revision of their documents. */
const rowsOf = ({ decoderRevision, transactions }: BlockRows): ReadonlyArray<DocumentRow.StoredRow> =>
  transactions.map((row) => ({ ...row, decoderRevision }))

const makeDocuments = (block: BlockRows, codec: Frame.Codec): ReadonlyArray<DocumentRow.Prepared> =>
  rowsOf(block).map((row) => DocumentRow.prepare(block.number, row, codec))

/** Total size of the frames that a prepared block holds besides its texts. */
const bytesOf = ({ documents, facts }: PreparedBlock): number =>
  documents.reduce(
    (sum, prepared) => sum + DocumentRow.preparedBytes(prepared),
    facts === null ? 0 : FactsRow.bytesOf(facts),
  )

/** Prepares a block. */
export const prepare = (block: BlockRows, codec: Frame.Codec): BlockRows => {
  const prepared: PreparedBlock = {
    codec,
    revision: block.decoderRevision,
    facts: FactsRow.prepare(block, codec),
    documents: makeDocuments(block, codec),
  }
  return { ...block, prepared, preparedBytes: bytesOf(prepared) }
}

/** What was prepared for a block; `undefined` if nothing was, or if it has another form or revision. */
const preparedOf = (block: BlockRows, codec: Frame.Codec): PreparedBlock | undefined => {
  // Sound: only `prepare` sets it.
  const prepared = block.prepared as PreparedBlock | undefined
  return prepared?.codec === codec && prepared.revision === block.decoderRevision ? prepared : undefined
}

/** Row of a block's facts; `null` for a block without facts. */
export const factsOf = (block: BlockRows, codec: Frame.Codec): FactsRow.Columns | null => {
  const prepared = preparedOf(block, codec)
  return prepared === undefined ? FactsRow.prepare(block, codec) : prepared.facts
}

/** The rows of a block's transactions. */
export const documentsOf = (block: BlockRows, codec: Frame.Codec): ReadonlyArray<DocumentRow.Prepared> =>
  preparedOf(block, codec)?.documents ?? makeDocuments(block, codec)
