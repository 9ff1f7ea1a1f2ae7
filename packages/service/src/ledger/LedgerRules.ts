/**
 * What the derivation of movements knows of a chain: where its fees go, and which of its tokens are its native currency. Pure.
 *
 * Source: decision 0048.
 */
import * as Chain from "@daybook/schema/Chain"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as LedgerFacts from "@daybook/schema/LedgerFacts"
import * as ServedChain from "../config/ServedChain.ts"

/** Rules of a chain. */
export interface LedgerRules {
  /** EIP-155 id; `null` where it is not known. */
  readonly chainId: bigint | null
  readonly feeRules: FeeRules.FeeRanges
  readonly nativeTokens: ReadonlySet<string>
  /**
   * Tokens whose Deposit and Withdrawal events mint and burn. Those of other contracts count where the same amount of native currency
   * moved to or from the contract in the same transaction.
   */
  readonly wrappedTokens: ReadonlySet<string>
  readonly irregularBlocks: ReadonlySet<number>
  /** Contract whose events state what the chain mints; `null` for none. */
  readonly mintLogger: string | null
  /** Id of the native currency in atomic transactions; `null` for none. */
  readonly atomicAsset: string | null
  /** Movements of one transaction; the rows of one with more are marked. */
  readonly maxMovements: number
}

/** Movements of one transaction, unless configured. */
export const defaultMaxMovements = 20_000

/** Fee rules of chains that the interface does not list: those of development, and Kaia with its test network Kairos. */
const unlisted: ReadonlyMap<number, FeeRules.Name> = new Map([
  ...[...ServedChain.developmentIds].map((id) => [id, "ethereum"] as const),
  [8217, "kaia"],
  [1001, "kaia"],
])

const rulesWithoutRow = (chainId: bigint | null): FeeRules.Name => unlisted.get(Number(chainId)) ?? "unknown"

/** The rules of a chain with a row, or without one; named fee rules take the place of both. */
export const fromChain = (
  chain: Chain.Chain | undefined,
  chainId: bigint | null,
  feeRules: FeeRules.Name = chain?.feeRules ?? rulesWithoutRow(chainId),
): LedgerRules => {
  const { irregularBlocks, nativeTokens, wrappedTokens, ...facts } = LedgerFacts.ofChain(chain?.name ?? "")
  return {
    ...facts,
    chainId,
    feeRules: FeeRules.all[feeRules],
    nativeTokens: new Set(nativeTokens),
    wrappedTokens: new Set(wrappedTokens),
    irregularBlocks: new Set(irregularBlocks.map(Number)),
    maxMovements: defaultMaxMovements,
  }
}

/** The last block of a range by whose rules native balances change without a statement of it; undefined for none. */
export const unstatedTo = (
  { feeRules }: Pick<LedgerRules, "feeRules">,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined =>
  feeRules
    .map(({ fromBlock, unstatedChanges, unstatedPayers }, at) => ({
      isUnstated: unstatedChanges || unstatedPayers,
      first: Math.max(from, Number(fromBlock)),
      last: Math.min(to, Number(feeRules[at + 1]?.fromBlock ?? Infinity) - 1),
    }))
    .findLast(({ first, isUnstated, last }) => isUnstated && first <= last)?.last

/** The rules of a chain by its EIP-155 id. */
export const fromChainId = (chainId: number, feeRules?: FeeRules.Name): LedgerRules =>
  fromChain(
    Chain.all.find(({ id }) => id === BigInt(chainId)),
    BigInt(chainId),
    feeRules,
  )
