/**
 * Blocks whose internal transactions could not be compared with a node, and why. Pure.
 */
import type { StoredBlock } from "../store/Audit.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import { isWatched, type Watch } from "../fetch/KeptRows.ts"

/** Why internal transactions of a block were not compared. */
export type Reason = "not stored" | "the node has no tracer" | "the node cannot trace them" | "traces are off"

/** Blocks that were not compared for the same reason. */
export interface Untraced {
  readonly from: number
  readonly to: number
  readonly reason: Reason
}

/** True for text without internal transactions: traces were off, or the trace is a gap. */
const isLacking = (internal: string | null): boolean => internal === null || internal.trim() === "null"

const ofRow = (stored: string | null, remote: string | null): Reason | null => {
  if (isLacking(stored)) return "not stored"
  if (remote === null) return "the node has no tracer"
  return isLacking(remote) ? "the node cannot trace them" : null
}

/**
 * Why a block was not compared; `null` if it was, `undefined` if it has nothing to compare.
 */
export const ofBlock = (stored: StoredBlock, remote: BlockRows, watch: Watch): Reason | null | undefined => {
  const byHash = new Map(remote.transactions.map((row) => [row.hash, row]))
  const reasons = stored.transactions.flatMap((row): ReadonlyArray<Reason | null> => {
    const other = byHash.get(row.hash)
    return other === undefined || !isWatched(row.addresses, watch) ? [] : [ofRow(row.internal, other.internal)]
  })
  return reasons.length === 0 ? undefined : (reasons.find((reason) => reason !== null) ?? null)
}

/**
 * Joins the blocks of a comparison, lowest first, into ranges. A block with nothing to compare does not end a range.
 */
export const ranges = (
  blocks: ReadonlyArray<{ readonly block: number; readonly reason: Reason | null }>,
): ReadonlyArray<Untraced> => {
  const found: Array<Untraced> = []
  let last: Reason | null = null
  for (const { block, reason } of blocks) {
    const open = found.at(-1)
    if (reason !== null && reason === last && open !== undefined) found[found.length - 1] = { ...open, to: block }
    else if (reason !== null) found.push({ from: block, to: block, reason })
    last = reason
  }
  return found
}

const rangesShown = 10

const blocksOf = ({ from, to }: Untraced): string => (from === to ? `block ${from}` : `blocks ${from} to ${to}`)

/**
 * Formats the ranges as text; `null` for none.
 */
export const format = (untraced: ReadonlyArray<Untraced>): string | null => {
  if (untraced.length === 0) return null
  const shown = untraced.slice(0, rangesShown).map((range) => `${blocksOf(range)} (${range.reason})`)
  const more = untraced.length > rangesShown ? [`and ${untraced.length - rangesShown} more ranges`] : []
  return `internal transactions not compared: ${[...shown, ...more].join(", ")}`
}
