/**
 * Formats user operations with the interface's names. Pure.
 *
 * Source: ERC-4337; decision 0049.
 */
import * as UserOperation from "@daybook/schema/UserOperation"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type { PageRow } from "../../store/ChainReader.ts"
import * as TransactionParts from "../../query/TransactionParts.ts"
import { type Operation, operationsOf } from "../../query/WalletUserOperations.ts"

/** An operation of a stored transaction in the form of a page. */
export const operation = (
  { transaction }: { readonly transaction: WalletTransactionWire },
  found: Operation,
): UserOperation.UserOperationWire => ({
  user_operation_hash: found.hash,
  sender: found.sender,
  paymaster: found.paymaster,
  bundler: found.bundler,
  factory: found.factory,
  nonce: found.nonce.toString(),
  success: found.isSuccess,
  revert_reason: found.revertReason,
  post_operation_revert_reason: found.postOperationRevertReason,
  prefund_too_low: found.isPrefundTooLow,
  actual_gas_cost: found.actualGasCost.toString(),
  actual_gas_used: found.actualGasUsed.toString(),
  entry_point: found.entryPoint,
  entry_point_version: UserOperation.entryPoints[found.entryPoint] ?? null,
  log_index: found.logIndex,
  transaction_hash: transaction.hash,
  transaction_index: transaction.transaction_index,
  block_number: transaction.block_number,
  block_hash: transaction.block_hash,
  block_timestamp: transaction.block_timestamp,
  roles: found.roles,
})

/** Text of the operations of a stored transaction in which a wallet has a role. */
export const ofDocument = (row: PageRow, wallet: string): string => {
  const document = TransactionParts.documentOf(row)
  return JSON.stringify(operationsOf(document.transaction, wallet).map((one) => operation(document, one)))
}
