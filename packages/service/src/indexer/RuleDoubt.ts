/**
 * When the hash rules of a chain are detected again: they were detected, not known, and refuse a block however often it is fetched.
 * Pure.
 *
 * Source: decision 0022.
 */
import type { InvalidBlock } from "../verification/InvalidBlock.ts"

/**
 * What is known of the rules of a chain.
 */
export interface RuleDoubt {
  /** The rules are assumptions that blocks have confirmed so far. */
  readonly isDetected: boolean
  /** Block with which they are detected next; `null` for none. */
  readonly doubtful: number | null
  /** Block with which they were detected last: once for each block. */
  readonly examined: number | null
}

/**
 * No block has been refused.
 */
export const make = (isDetected: boolean): RuleDoubt => ({ isDetected, doubtful: null, examined: null })

/**
 * A block was refused again, after it was fetched from every node several times. What no hash rule refuses does not concern the rules.
 */
export const refused = (doubt: RuleDoubt, { block, isOfRules = false }: InvalidBlock): RuleDoubt =>
  isOfRules && doubt.isDetected && doubt.examined !== block ? { ...doubt, doubtful: block } : doubt

/**
 * The rules were detected.
 */
export const detected = (doubt: RuleDoubt): RuleDoubt =>
  doubt.doubtful === null ? doubt : { ...doubt, doubtful: null, examined: doubt.doubtful }
