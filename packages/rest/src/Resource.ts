/**
 * The rows of the operations and helpers for their values, re-exported from `@daybook/schema`: what a program needs besides a client.
 */
export * as Address from "@daybook/schema/AddressText"
export * as Chain from "@daybook/schema/Chain"
export * as Decoded from "@daybook/schema/DecodedItem"
export { fee } from "@daybook/schema/Fee"
export * as Hash from "@daybook/schema/Hash"
export * as Hex from "@daybook/schema/Hex"
export { toJson } from "@daybook/schema/Json"
export { topics } from "@daybook/schema/Log"
export { rowId } from "@daybook/schema/RowId"
export { transfers } from "@daybook/schema/TokenTransfer"
export * as VisibleText from "@daybook/schema/VisibleText"
export * as Wei from "@daybook/schema/Wei"
export type { Balance, Balances, BalancesWire, BalanceWire, Incomplete, IncompleteWire } from "@daybook/schema/Balance"
export type {
  DescribedContract,
  DescribedContractWire,
  RemovedContract,
  RemovedContractWire,
} from "@daybook/schema/Contract"
export type { Arg, DecodedItem, DecodedItemWire, Param, ParamWire } from "@daybook/schema/DecodedItem"
export type { Fee, Options as FeeOptions } from "@daybook/schema/Fee"
export type { InternalTransaction, InternalTransactionWire } from "@daybook/schema/InternalTransaction"
export type { Log, LogWire } from "@daybook/schema/Log"
export type { Movement, MovementPage, MovementPageWire, MovementWire, Role } from "@daybook/schema/Movement"
export type { ProofProgress, ProofProgressWire } from "@daybook/schema/ProofProgress"
export type { SignedStatement, SignedStatementWire } from "@daybook/schema/SignedStatement"
export type {
  Difference,
  DifferenceWire,
  Opening,
  OpeningWire,
  Proof,
  ProofWire,
  Statement,
  StatementWire,
  Sum,
  SumWire,
} from "@daybook/schema/Statement"
export type { Token, TokenWire } from "@daybook/schema/Token"
export type { TokenTransfer } from "@daybook/schema/TokenTransfer"
export { entryPoints, userOperations } from "@daybook/schema/UserOperation"
export type { LoggedOperation, UserOperation, UserOperationWire } from "@daybook/schema/UserOperation"
export type { UserOperationPage, UserOperationPageWire } from "@daybook/schema/UserOperationPage"
export type { WalletEvent } from "@daybook/schema/WalletEvent"
export type { WalletPage, WalletPageWire } from "@daybook/schema/WalletPage"
export type { WalletTransaction, WalletTransactionWire } from "@daybook/schema/WalletTransaction"
