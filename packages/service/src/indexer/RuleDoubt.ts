/**
 * Decides when to detect the hash rules of a chain again: if they were detected rather than known, and reject a block no matter how often
 * it is fetched. Pure.
 *
 * Source: decision 0022.
 */
import type { InvalidBlock } from "../verification/InvalidBlock.ts"

/**
 * What is known about the rules of a chain.
 */
export interface RuleDoubt {
  /** Whether the rules are assumptions that blocks have confirmed so far. */
  readonly isDetected: boolean
  /** Block to be used in the next detection; `null` for none. */
  readonly doubtful: number | null
  /** Block used in the last detection, since each block is used once. */
  readonly examined: number | null
}

/**
 * No block has been rejected.
 */
export const make = (isDetected: boolean): RuleDoubt => ({ isDetected, doubtful: null, examined: null })

/**
 * A block was rejected again, after it was fetched from every node several times. Rejections not caused by a hash rule do not concern the
 * rules.
 */
export const refused = (doubt: RuleDoubt, { block, isOfRules = false }: InvalidBlock): RuleDoubt =>
  isOfRules && doubt.isDetected && doubt.examined !== block ? { ...doubt, doubtful: block } : doubt

/**
 * The rules were detected.
 */
export const detected = (doubt: RuleDoubt): RuleDoubt =>
  doubt.doubtful === null ? doubt : { ...doubt, doubtful: null, examined: doubt.doubtful }
