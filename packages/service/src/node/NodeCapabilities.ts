/**
 * What a node offers to an indexer beyond the required methods, judging by its responses: for the status of a chain and for `daybook
 * doctor`. Pure.
 *
 * Source: decision 0037.
 */
import * as BlockReceipts from "./BlockReceipts.ts"
import type { NodeEndpoint } from "./NodeEndpoint.ts"

/**
 * Describes what a node lacks; `null` if nothing is known to be missing.
 */
export const lacking = (
  endpoint: NodeEndpoint,
  isUnsupported: BlockReceipts.Support["isUnsupported"],
): string | null => {
  const { hasStructLogs, knowsFinalizedTag, rejectsHashes, tracer } = endpoint
  const parts = [
    ...(isUnsupported(BlockReceipts.byBlock) ? ["receipts one by one"] : []),
    ...(rejectsHashes && !isUnsupported(BlockReceipts.byBlock) ? ["receipts by block number"] : []),
    ...(tracer === "off" ? ["no tracer"] : []),
    ...(tracer === "debug_traceTransaction" ? [`traces by transaction${hasStructLogs ? " (struct logs)" : ""}`] : []),
    ...(knowsFinalizedTag === false ? ["no finalized tag"] : []),
  ]
  return parts.length === 0 ? null : parts.join(", ")
}
