/**
 * Polygon's state-sync transaction, which the client appends to a block to deliver messages from Ethereum. It is not signed, and some
 * tracers omit it. Before it had a transaction type, neither the transactions root nor the block's bloom covered it.
 *
 * Source: Polygon PIP-74.
 */
import type { Transaction } from "@daybook/schema/Transaction"

const stateSyncType = 0x7f

const isZero = (address: string | null | undefined): boolean => /^0x0{40}$/.test(address ?? "")

/**
 * True for a state-sync transaction without a type of its own: from and to the zero address, value 0.
 */
export const isUntyped = ({ from, to, value }: Transaction): boolean =>
  isZero(from) && isZero(to) && (value ?? 0n) === 0n

/**
 * True for a state-sync transaction.
 */
export const isStateSync = (transaction: Transaction): boolean =>
  transaction.type === stateSyncType || isUntyped(transaction)

/**
 * True if neither the blooms nor the roots of a block cover its last transaction: a state-sync transaction before it had a type.
 * `isCovered` is the rule of the chain at the block; without a rule the type decides.
 */
export const isUncovered = (last: Transaction | undefined, isCovered: boolean | undefined): boolean => {
  if (last === undefined || isCovered === true) return false
  return isCovered === false ? isStateSync(last) : last.type !== stateSyncType && isUntyped(last)
}
