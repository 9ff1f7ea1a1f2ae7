/**
 * The stored documents with decoded calls and events. A change of the decoder's signatures decodes them again.
 *
 * Source: decision 0015.
 */
import type { Decoder } from "@daybook/abi/Decoder"
import { redecode } from "./Redecode.ts"
import type { RowProjection } from "../block/Projection.ts"

/** Documents decoded by a decoder. */
export const make = (decoder: Decoder): RowProjection => ({
  id: "decoded_documents",
  kind: "documents",
  revision: decoder.revision,
  rows: ({ transactions }) =>
    transactions.map(({ body, index }) => ({ index, body: redecode(body, decoder), keys: [] })),
})
