/**
 * What of a tracer's result is kept: the rules that `TraceFilter` applies to a response while it arrives, and `TraceBounds` to a parsed one.
 *
 * Source: decision 0036.
 */
import { excessPrefix } from "../block/Traces.ts"

/**
 * Bounds of traces.
 */
export interface Limits {
  /** Characters of the inputs and outputs of one transaction's frames together. */
  readonly transactionBytes: number
  /** The same of one block. */
  readonly blockBytes: number
  /** Frames of one transaction. */
  readonly frames: number
  /** Levels of calls. */
  readonly depth: number
}

/**
 * The trace of a transaction, or an entry of a flat list.
 */
export interface Element {
  /** It is the result itself, not an item of it. */
  readonly isWhole: boolean
  hash: string
  isFlat: boolean
  frames: number
  /** Which bound it exceeds; `null` for none. */
  excess: string | null
}

/**
 * What was kept of a result so far.
 */
export interface TraceBudget {
  readonly limits: Limits
  /** Characters of data that were kept, of the transaction and of the block. */
  ofTransaction: number
  ofBlock: number
  /** The transaction that the last entry of a flat list belongs to, and its number of entries. */
  flat: { readonly hash: string; readonly frames: number }
}

/** A hash is not longer; a longer text under its key is cut. */
export const maxHash = 100

const noEntry = { hash: "", frames: 0 }

/**
 * Makes the budget of a result.
 */
export const make = (limits: Limits): TraceBudget => ({ limits, ofTransaction: 0, ofBlock: 0, flat: noEntry })

/**
 * Begins with the next result of a response.
 */
export const beginResult = (budget: TraceBudget): void => {
  budget.ofBlock = 0
  budget.ofTransaction = 0
  budget.flat = noEntry
}

/**
 * Makes an element of which nothing has been read.
 */
export const element = (isWhole: boolean): Element => ({ isWhole, hash: "", isFlat: false, frames: 0, excess: null })

/**
 * Enters an object or array of an element, so many levels deep; returns the bound that it exceeds.
 */
export const enter = ({ limits }: TraceBudget, of: Element, levels: number, isCall: boolean): string | null => {
  if (isCall && ++of.frames > limits.frames) return `more than ${limits.frames} frames`
  return levels > 2 * limits.depth + 8 ? `deeper than ${limits.depth} calls` : null
}

/**
 * Characters of data that may still be kept.
 */
export const remaining = ({ limits, ofBlock, ofTransaction }: TraceBudget): number =>
  Math.min(limits.transactionBytes - ofTransaction, limits.blockBytes - ofBlock)

/**
 * Counts data that is kept.
 */
export const keep = (budget: TraceBudget, length: number): void => {
  budget.ofTransaction += length
  budget.ofBlock += length
}

/** Counts an entry of a flat list; false when it is not passed on. */
const countFlat = (budget: TraceBudget, of: Element): boolean => {
  const { flat, limits } = budget
  const frames = of.hash === flat.hash ? flat.frames + 1 : 1
  budget.flat = { hash: of.hash, frames }
  // The first entry of a transaction is the transaction itself.
  if (frames === limits.frames + 2) of.excess = `more than ${limits.frames} frames`
  return frames <= limits.frames + 2
}

/**
 * What becomes of an element that was read to its end, or to where it exceeds a bound.
 */
export const end = (budget: TraceBudget, of: Element): "keep" | "replace" | "drop" => {
  const lastHash = budget.flat.hash
  const isDropped = of.isFlat && !countFlat(budget, of)
  if (!of.isFlat || of.hash !== lastHash) budget.ofTransaction = 0
  if (isDropped) return "drop"
  return of.excess === null ? "keep" : "replace"
}

/** Code of the error in place of a trace that exceeds a bound. */
export const errorCode = -32000

/**
 * The message in place of an element that exceeds a bound.
 */
export const messageOf = ({ excess }: Element): string => `${excessPrefix}: ${excess ?? ""}.`

/**
 * The item of a list that takes the place of an element that exceeds a bound.
 */
export const replacementOf = (of: Element): object => {
  const { hash, isFlat } = of
  const error = messageOf(of)
  if (isFlat) return { type: "excess", action: {}, error, subtraces: 0, traceAddress: [], transactionHash: hash }
  return hash === "" ? { error } : { txHash: hash, error }
}
