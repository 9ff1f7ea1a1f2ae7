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

/** Root of the withdrawals trie. */
export const rootOf = (withdrawals: ReadonlyArray<Withdrawal>): string => TrieRoot.fromValues(withdrawals.map(encode))

/** True if the header states withdrawals but the node omits the list. */
export const isMissing = ({ withdrawals, withdrawalsRoot }: HydratedBlock): boolean =>
  withdrawals == null && withdrawalsRoot != null && withdrawalsRoot !== TrieRoot.empty

/**
 * How the withdrawals of a block contradict its header or the chain's lack of withdrawals; `null` if they do not. An omitted list
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

/** Whether a block follows the rule; `null` if it proves nothing, such as a block without withdrawals. */
export const followsRule = (block: HydratedBlock): boolean | null => {
  const { withdrawals, withdrawalsRoot } = block
  if (withdrawals == null || withdrawalsRoot == null) return null
  const isFollowed = issueOf(block, true, { header: new Map() }) === null
  return isFollowed && withdrawals.length === 0 ? null : isFollowed
}
