/**
 * The ledger of each wallet: its roles and movements in each block.
 *
 * Source: decision 0048.
 */
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Ledger from "../ledger/Ledger.ts"
import * as LedgerCodec from "../ledger/LedgerCodec.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as LedgerSource from "../ledger/LedgerSource.ts"
import type { LedgerProjection } from "../block/Projection.ts"

/** Names the projection. */
export const id = "wallet_ledger"

/** Must change with the derivation or the fee rules, so that all rows are derived again. */
export const revision = 8

/** Revisions with configured rules differ from those with the chain's own rules by a multiple of this. */
const perRules = 1_000

// Sound: the keys of the table are its names.
const names = Object.keys(FeeRules.all) as ReadonlyArray<FeeRules.Name>

/** First block whose rows are not derived; `null` if this derivation made none, under any rules. */
export const nextOf = (stored: { readonly next: number | null; readonly revision: number } | null): number | null =>
  stored !== null && stored.revision % perRules === revision ? stored.next : null

/** The ledgers of a chain's wallets, by its EIP-155 id and by fee rules that its operator configures. Other rules derive all rows again. */
export const make = (chainId: number, feeRules?: FeeRules.Name): LedgerProjection => {
  const rules = LedgerRules.fromChainId(chainId, feeRules)
  return {
    id,
    kind: "ledger",
    revision: revision + perRules * (feeRules === undefined ? 0 : names.indexOf(feeRules) + 1),
    ledger: (block) => LedgerCodec.pack(Ledger.derive(LedgerSource.fromRows(block), rules)),
  }
}
