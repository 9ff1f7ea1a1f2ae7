/**
 * Knowledge of a chain needed to derive movements: where its fees go, and which of its tokens represent its native currency. Pure.
 *
 * Source: decision 0048.
 */
import * as Chain from "@daybook/schema/Chain"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as LedgerFacts from "@daybook/schema/LedgerFacts"
import * as ServedChain from "../config/ServedChain.ts"

/** Rules of a chain. */
export interface LedgerRules {
  /** EIP-155 id; `null` if unknown. */
  readonly chainId: bigint | null
  readonly feeRules: FeeRules.FeeRanges
  readonly nativeTokens: ReadonlySet<string>
  /**
   * Tokens whose Deposit and Withdrawal events mint and burn. Those of other contracts only count if the same amount of native currency
   * moved to or from the contract in the same transaction.
   */
  readonly wrappedTokens: ReadonlySet<string>
  readonly irregularBlocks: ReadonlySet<number>
  /** Contract whose events report what the chain mints; `null` for none. */
  readonly mintLogger: string | null
  /** Id of the native currency in atomic transactions; `null` for none. */
  readonly atomicAsset: string | null
  /** Maximum number of movements of one transaction; rows beyond it are marked. */
  readonly maxMovements: number
}

/** Default maximum number of movements of one transaction. */
const defaultMaxMovements = 20_000

/** Fee rules of chains that the interface does not list: development chains, and Kaia with its test network Kairos. */
const unlisted: ReadonlyMap<number, FeeRules.Name> = new Map([
  ...[...ServedChain.developmentIds].map((id) => [id, "ethereum"] as const),
  [8217, "kaia"],
  [1001, "kaia"],
])

const rulesWithoutRow = (chainId: bigint | null): FeeRules.Name => unlisted.get(Number(chainId)) ?? "unknown"

/** Rules of a chain, listed or not; configured fee rules replace the default. */
const fromChain = (
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

/** Last block of a range under rules by which native balances change without a trace; undefined for none. */
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

/** Rules of a chain by its EIP-155 id. */
export const fromChainId = (chainId: number, feeRules?: FeeRules.Name): LedgerRules =>
  fromChain(
    Chain.all.find(({ id }) => id === BigInt(chainId)),
    BigInt(chainId),
    feeRules,
  )
