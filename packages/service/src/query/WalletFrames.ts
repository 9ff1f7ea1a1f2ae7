/**
 * The calls inside of transactions that move value from or to a wallet, create it, or end a contract in its favour; also those that failed.
 *
 * Source: decision 0070.
 */
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
import * as Role from "../ledger/Role.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"

/** A call inside of a transaction. */
export interface Frame {
  readonly frame: InternalTransactionWire
  /** Its index among those of the transaction that are stored. */
  readonly index: number
}

/** Calls of value 0 move nothing, and neither do those that run code of another account in their own (`CALLCODE`, `DELEGATECALL`). */
export const isMoving = ({ type, value }: Pick<InternalTransactionWire, "type" | "value">): boolean => {
  if (type === "CREATE" || type === "CREATE2" || type === "SELFDESTRUCT") return true
  return type === "CALL" && value !== "0"
}

/** The calls of a transaction that move value, create a contract or end one. */
export const movingFrames = ({ internal }: TransactionParts.Document): ReadonlyArray<Frame> =>
  (internal ?? []).map((frame, index) => ({ frame, index })).filter(({ frame }) => isMoving(frame))

const source = TransactionParts.sourceOf<Frame>({
  roles: Role.bits.internal_caller | Role.bits.internal_callee | Role.bits.created | Role.bits.creator,
  internal: true,
  partsOf: (document, wallet) =>
    movingFrames(document).filter(({ frame: { from, to } }) => from === wallet || to === wallet),
})

/**
 * Reads a page; the selection narrows the calls.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as of all pages.
 * - `NotWatched`: the index does not cover the wallet.
 * - `TooManyTexts`: the rows before the page are too far apart to count them.
 */
export const read = WalletPage.make(source)

/**
 * Reads a page of the calls in all transactions of a range of blocks; the selection narrows them, and the wallet of the query is not read.
 *
 * **Errors**
 * - `Stale`, `StoreError`: as of all pages.
 * - `Incomplete`: the index has the transactions of some wallets alone.
 * - `TooManyTexts`: the rows before the page are too far apart to count them.
 */
export const readOfBlocks = WalletPage.make(
  TransactionParts.sourceOfBlocks<Frame>({ roles: 0, internal: true, partsOf: movingFrames }),
)
