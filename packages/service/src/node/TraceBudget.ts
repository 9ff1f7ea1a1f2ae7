/**
 * Which parts of a tracer's result are kept: the rules that `TraceFilter` applies to a response as it arrives, and `TraceBounds` to a
 * parsed one.
 *
 * Source: decision 0036.
 */
import { excessPrefix } from "../block/Traces.ts"

/**
 * Bounds of traces.
 */
export interface Limits {
  /** Maximum total number of characters in the inputs and outputs of one transaction's frames. */
  readonly transactionBytes: number
  /** Maximum total for one block. */
  readonly blockBytes: number
  /** Maximum number of frames of one transaction. */
  readonly frames: number
  /** Maximum call depth. */
  readonly depth: number
}

/**
 * The trace of a transaction, or an entry of a flat list.
 */
export interface Element {
  /** Whether it is the result itself rather than an item of it. */
  readonly isWhole: boolean
  hash: string
  isFlat: boolean
  frames: number
  /** The exceeded bound; `null` for none. */
  excess: string | null
}

/**
 * What was kept of a result so far.
 */
export interface TraceBudget {
  readonly limits: Limits
  /** Characters of data kept, for the transaction and for the block. */
  ofTransaction: number
  ofBlock: number
  /** Transaction of the last entry in a flat list, and its number of entries. */
  flat: { readonly hash: string; readonly frames: number }
}

/** A hash is not longer; longer text under its key is cut. */
export const maxHash = 100

const noEntry = { hash: "", frames: 0 }

/**
 * Makes the budget of a result.
 */
export const make = (limits: Limits): TraceBudget => ({ limits, ofTransaction: 0, ofBlock: 0, flat: noEntry })

/**
 * Starts the next result of a response.
 */
export const beginResult = (budget: TraceBudget): void => {
  budget.ofBlock = 0
  budget.ofTransaction = 0
  budget.flat = noEntry
}

/**
 * Makes an element that has not been read.
 */
export const element = (isWhole: boolean): Element => ({ isWhole, hash: "", isFlat: false, frames: 0, excess: null })

/**
 * Enters an object or array of an element at a depth; returns the bound that it exceeds.
 */
export const enter = ({ limits }: TraceBudget, of: Element, levels: number, isCall: boolean): string | null => {
  if (isCall && ++of.frames > limits.frames) return `more than ${limits.frames} frames`
  return levels > 2 * limits.depth + 8 ? `deeper than ${limits.depth} calls` : null
}

/**
 * Number of characters of data that may still be kept.
 */
export const remaining = ({ limits, ofBlock, ofTransaction }: TraceBudget): number =>
  Math.min(limits.transactionBytes - ofTransaction, limits.blockBytes - ofBlock)

/**
 * Counts kept data.
 */
export const keep = (budget: TraceBudget, length: number): void => {
  budget.ofTransaction += length
  budget.ofBlock += length
}

/** Counts an entry of a flat list; false if it is dropped. */
const countFlat = (budget: TraceBudget, of: Element): boolean => {
  const { flat, limits } = budget
  const frames = of.hash === flat.hash ? flat.frames + 1 : 1
  budget.flat = { hash: of.hash, frames }
  // The first entry of a transaction is the transaction itself.
  if (frames === limits.frames + 2) of.excess = `more than ${limits.frames} frames`
  return frames <= limits.frames + 2
}

/**
 * Decides about an element that was read to its end, or until it exceeded a bound.
 */
export const end = (budget: TraceBudget, of: Element): "keep" | "replace" | "drop" => {
  const lastHash = budget.flat.hash
  const isDropped = of.isFlat && !countFlat(budget, of)
  if (!of.isFlat || of.hash !== lastHash) budget.ofTransaction = 0
  if (isDropped) return "drop"
  return of.excess === null ? "keep" : "replace"
}

/** Error code that replaces a trace beyond a bound. */
export const errorCode = -32000

/**
 * Message that replaces an element beyond a bound.
 */
export const messageOf = ({ excess }: Element): string => `${excessPrefix}: ${excess ?? ""}.`

/**
 * List item that replaces an element beyond a bound.
 */
export const replacementOf = (of: Element): object => {
  const { hash, isFlat } = of
  const error = messageOf(of)
  if (isFlat) return { type: "excess", action: {}, error, subtraces: 0, traceAddress: [], transactionHash: hash }
  return hash === "" ? { error } : { txHash: hash, error }
}
