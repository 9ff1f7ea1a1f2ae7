/**
 * A chain in a database, by the name and id under which its rows are stored.
 */

import type * as FeeRules from "@daybook/schema/FeeRules"

/** A chain of a database. */
export interface ChainRef {
  /** Names the chain's namespace; names that differ in case, spaces or hyphens only are the same. */
  readonly name: string
  /** EIP-155 id; a namespace that holds another chain is refused. */
  readonly id: number
  /** Fee rules of its ledgers that an operator names; left out for those of the chain. */
  readonly feeRules?: FeeRules.Name | undefined
}
