/**
 * What the derivation of movements knows of a chain: where its fees go, and which of its tokens are its native currency. Pure.
 *
 * Source: decision 0048.
 */
import * as Chain from "@daybook/schema/Chain"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as LedgerFacts from "@daybook/schema/LedgerFacts"

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
  /** Movements of one transaction; the rows of one with more are marked. */
  readonly maxMovements: number
}

/** Movements of one transaction, unless configured. */
export const defaultMaxMovements = 20_000

/** The rules of a chain with a row, or of one like Ethereum without proof of work. */
export const fromChain = (chain: Chain.Chain | undefined, chainId: bigint | null): LedgerRules => {
  const { irregularBlocks, nativeTokens, wrappedTokens } = LedgerFacts.ofChain(chain?.name ?? "")
  return {
    chainId,
    feeRules: FeeRules.all[chain?.feeRules ?? "ethereum"],
    nativeTokens: new Set(nativeTokens),
    wrappedTokens: new Set(wrappedTokens),
    irregularBlocks: new Set(irregularBlocks.map(Number)),
    maxMovements: defaultMaxMovements,
  }
}

/** The rules of a chain by its EIP-155 id. */
export const fromChainId = (chainId: number): LedgerRules =>
  fromChain(
    Chain.all.find(({ id }) => id === BigInt(chainId)),
    BigInt(chainId),
  )
