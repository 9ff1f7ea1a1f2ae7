/**
 * A chain in a database, by the name and id under which its rows are stored.
 */

import type * as FeeRules from "@daybook/schema/FeeRules"

/** A chain in a database. */
export interface ChainRef {
  /** Names the chain's namespace; names that differ only in case, spaces or hyphens are the same. */
  readonly name: string
  /** EIP-155 id; a namespace that holds another chain is rejected. */
  readonly id: number
  /** Fee rules of its ledgers, as named by an operator; absent to use those of the chain. */
  readonly feeRules?: FeeRules.Name | undefined
}
