/**
 * Price that a transaction paid for its gas. Pure.
 *
 * Source: decision 0009; EIP-1559.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import type { Transaction } from "@daybook/schema/Transaction"

/** Limits and price of a transaction, which depend on its type. */
export interface Fees {
  readonly gasPrice?: bigint | null
  readonly maxFeePerGas?: bigint | null
  readonly maxPriorityFeePerGas?: bigint | null
}

/**
 * Effective gas price, in wei: from the receipt, or else the transaction, or else computed by EIP-1559 from its limits and the block's base
 * fee; 0 if unknown.
 *
 * Source: decision 0009; EIP-1559.
 */
export const effective = (
  transaction: Transaction,
  receipt: Receipt,
  baseFeePerGas: bigint | null | undefined,
): bigint => {
  const fees: Fees = transaction
  if (receipt.effectiveGasPrice != null) return receipt.effectiveGasPrice
  if (fees.gasPrice != null) return fees.gasPrice
  if (fees.maxFeePerGas == null) return 0n
  const offered = (baseFeePerGas ?? 0n) + (fees.maxPriorityFeePerGas ?? 0n)
  return offered < fees.maxFeePerGas ? offered : fees.maxFeePerGas
}
