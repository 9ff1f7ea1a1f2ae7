/**
 * Verifies the withdrawals of a block against the root in its header. Pure.
 *
 * Source: EIP-4895.
 */
import type { HydratedBlock, Withdrawal } from "@daybook/schema/Block"
import type { HashRules } from "@daybook/schema/Chain"
import * as Rlp from "ox/Rlp"
import { quantity } from "./HeaderHash.ts"
import * as TrieRoot from "./TrieRoot.ts"
import type { Undecoded } from "./Undecoded.ts"

const encode = ({ address, amount, index, validatorIndex }: Withdrawal) =>
  Rlp.fromHex([quantity(index), quantity(validatorIndex), address, quantity(amount)])

/** Root of the trie of withdrawals. */
export const rootOf = (withdrawals: ReadonlyArray<Withdrawal>): string => TrieRoot.fromValues(withdrawals.map(encode))

/** True where the header states withdrawals, and the node has left the list out. */
export const isMissing = ({ withdrawals, withdrawalsRoot }: HydratedBlock): boolean =>
  withdrawals == null && withdrawalsRoot != null && withdrawalsRoot !== TrieRoot.empty

/**
 * How the withdrawals of a block contradict its header, or a chain without any; `null` where they do not. A list that is left out
 * contradicts nothing.
 */
export const issueOf = (
  block: HydratedBlock,
  rule: HashRules["withdrawals"],
  { header }: Pick<Undecoded, "header">,
): string | null => {
  const { withdrawals, withdrawalsRoot } = block
  if (rule === false || withdrawals == null) return null
  if (header.has("withdrawals") || header.has("withdrawalsRoot")) return null
  if (rule === "none" || withdrawalsRoot == null) {
    return withdrawals.length === 0 ? null : `withdrawals: expected none, received ${withdrawals.length}`
  }
  const root = rootOf(withdrawals)
  return root === withdrawalsRoot ? null : `withdrawals root: expected ${withdrawalsRoot}, received ${root}`
}

/** Whether a block follows the rule; `null` where it proves nothing, as one without withdrawals. */
export const followsRule = (block: HydratedBlock): boolean | null => {
  const { withdrawals, withdrawalsRoot } = block
  if (withdrawals == null || withdrawalsRoot == null) return null
  const isFollowed = issueOf(block, true, { header: new Map() }) === null
  return isFollowed && withdrawals.length === 0 ? null : isFollowed
}
