/**
 * Which parts of a chain's blocks can be recomputed by Ethereum's rules, and how many confirmations make a block final. What cannot be
 * computed is not checked, and reported to the operator.
 */
import * as Chain from "@daybook/schema/Chain"

/**
 * Level of verification of a block before it is stored. `links`: number, parent, hashes, count and order of all parts. `standard`:
 * also the hash of the header, the withdrawals and the logs blooms. `full`: also the hash of each transaction and the roots of transactions and
 * receipts.
 */
export type Level = "links" | "standard" | "full"

/**
 * Hash rules of a chain by range of blocks, oldest first.
 */
export type HashRules = Chain.Chain["hashRules"]

/**
 * Rules of a chain for which nothing can be computed.
 */
export const none: HashRules = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false }]

/**
 * Ethereum's own rules.
 */
export const ethereum: HashRules = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true }]

/**
 * The rules at a block.
 */
export const at = (hashRules: HashRules, block: bigint): Chain.HashRules => Chain.hashRulesAt({ hashRules }, block)

const defaultFinalityBlocks = 64

/** Hedera: `transactionIndex` also counts non-Ethereum transactions. Source: Hedera JSON-RPC relay. */
const hedera: HashRules = [
  { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false, indexGaps: true },
]

/** Rules of chains that the interface does not list: mainnet, testnet and previewnet of Hedera. */
const unlisted: ReadonlyMap<number, HashRules> = new Map([295, 296, 297].map((id) => [id, hedera]))

const rowOf = (chainId: number): Chain.Chain | undefined => Chain.all.find(({ id }) => id === BigInt(chainId))

/**
 * Rules of a chain: as configured by `ethereumRules`, otherwise by its EIP-155 id; `undefined` if its rules are unknown.
 */
export const ofChain = (chainId: number, ethereumRules?: boolean): HashRules | undefined =>
  ethereumRules === undefined ? (rowOf(chainId)?.hashRules ?? unlisted.get(chainId)) : ethereumRules ? ethereum : none

/**
 * Number of confirmations after which a block is final if the node has no `finalized` tag.
 */
export const finalityBlocksOf = (chainId: number): number => rowOf(chainId)?.finalityBlocks ?? defaultFinalityBlocks

const checkNames = [
  ["headerHash", "header hashes"],
  ["blooms", "blooms"],
  ["withdrawals", "withdrawals"],
  ["roots", "roots"],
] as const

const list = new Intl.ListFormat("en-GB")

/**
 * Names the checks of a level that the rules omit, for all blocks or for those before a block; `null` if there are none.
 */
export const skipped = (hashRules: HashRules, level: Level): string | null => {
  if (level === "links") return null
  const parts = checkNames.flatMap(([rule, name]) => {
    if (rule === "roots" && level !== "full") return []
    const last = hashRules.findLastIndex((range) => !range[rule])
    if (last === -1) return []
    const next = hashRules[last + 1]
    return [next === undefined ? name : `${name} before block ${next.fromBlock}`]
  })
  return parts.length === 0 ? null : list.format(parts)
}
