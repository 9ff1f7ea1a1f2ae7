/**
 * Calls inside transactions that move value from or to a wallet, create it, or selfdestruct a contract in its favour, including failed
 * ones.
 *
 * Source: decision 0070.
 */
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
import * as Role from "../ledger/Role.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"

/** A call inside a transaction. */
export interface Frame {
  readonly frame: InternalTransactionWire
  /** Its index among the transaction's stored calls. */
  readonly index: number
}

/** Calls of value 0 move nothing, nor do those that run another account's code in their own context (`CALLCODE`, `DELEGATECALL`). */
export const isMoving = ({ type, value }: Pick<InternalTransactionWire, "type" | "value">): boolean => {
  if (type === "CREATE" || type === "CREATE2" || type === "SELFDESTRUCT") return true
  return type === "CALL" && value !== "0"
}

/** Calls of a transaction that move value, or create or selfdestruct a contract. */
export const movingFrames = ({ internal }: TransactionParts.Document): ReadonlyArray<Frame> =>
  (internal ?? []).map((frame, index) => ({ frame, index })).filter(({ frame }) => isMoving(frame))

const source = TransactionParts.sourceOf<Frame>({
  roles: Role.bits.internal_caller | Role.bits.internal_callee | Role.bits.created | Role.bits.creator,
  internal: true,
  partsOf: (document, wallet) =>
    movingFrames(document).filter(({ frame: { from, to } }) => from === wallet || to === wallet),
})

/**
 * Reads a page of calls, filtered by the selection.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index does not cover the wallet.
 * - `TooManyTexts`: the rows before the page are too far apart to count them.
 */
export const read = WalletPage.make(source)

/**
 * Reads a page of the calls in all transactions of a range of blocks, filtered by the selection. The wallet of the query is not read.
 *
 * **Errors**
 * - `Stale`, `StoreError`: as for all pages.
 * - `Incomplete`: the index only has the transactions of watched wallets.
 * - `TooManyTexts`: the rows before the page are too far apart to count them.
 */
export const readOfBlocks = WalletPage.make(
  TransactionParts.sourceOfBlocks<Frame>({ roles: 0, internal: true, partsOf: movingFrames }),
)
