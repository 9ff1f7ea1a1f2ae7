/**
 * The ledger of each wallet: its roles and movements in each block.
 *
 * Source: decision 0048.
 */
import * as Ledger from "../ledger/Ledger.ts"
import * as LedgerCodec from "../ledger/LedgerCodec.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as LedgerSource from "../ledger/LedgerSource.ts"
import type { LedgerProjection } from "../block/Projection.ts"

/** Names the projection. */
export const id = "wallet_ledger"

/** A change of the derivation or of the fee rules needs another one: all rows are derived again. */
export const revision = 2

/** The ledgers of a chain's wallets, by its EIP-155 id. */
export const make = (chainId: number): LedgerProjection => {
  const rules = LedgerRules.fromChainId(chainId)
  return {
    id,
    kind: "ledger",
    revision,
    ledger: (block) => LedgerCodec.pack(Ledger.derive(LedgerSource.fromRows(block), rules)),
  }
}
