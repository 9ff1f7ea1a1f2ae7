/**
 * The results of the methods and helpers for their values, re-exported from `@daybook/schema`: what a program needs besides a client.
 */
export * as Address from "@daybook/schema/AddressText"
export * as Chain from "@daybook/schema/Chain"
export { fee } from "@daybook/schema/Fee"
export * as Hash from "@daybook/schema/Hash"
export * as Hex from "@daybook/schema/Hex"
export { toJson } from "@daybook/schema/Json"
export { topics as transferTopics, transfers } from "@daybook/schema/TokenTransfer"
export { entryPoints, userOperations } from "@daybook/schema/UserOperation"
export * as Wei from "@daybook/schema/Wei"
export type { AccountProof, AccountProofWire, StorageProof, StorageProofWire } from "@daybook/schema/Account"
export type {
  Block,
  BlockWire,
  HydratedBlock,
  HydratedBlockWire,
  Withdrawal,
  WithdrawalWire,
} from "@daybook/schema/Block"
export type { Fee, Options as FeeOptions } from "@daybook/schema/Fee"
export type { Log, LogWire, Receipt, ReceiptWire } from "@daybook/schema/Receipt"
export type {
  CreatedAccessList,
  CreatedAccessListWire,
  FeeHistory,
  FeeHistoryWire,
  SimulatedBlock,
  SimulatedBlockWire,
  SimulatedCall,
  SimulatedCallWire,
  SyncStatus,
  SyncStatusWire,
} from "@daybook/schema/RpcMethod"
export type { TokenTransfer } from "@daybook/schema/TokenTransfer"
export type {
  Action,
  ActionResult,
  ActionResultWire,
  ActionWire,
  CallFrame,
  CallFrameWire,
  FlatTrace,
  FlatTraceWire,
  TransactionTrace,
  TransactionTraceWire,
} from "@daybook/schema/Trace"
export type {
  AccessList,
  AccessListEntry,
  Arbitrum,
  Authorization,
  Blob,
  Deposit,
  FeeMarket,
  Legacy,
  SetCode,
  StateSync,
  Transaction,
  Unknown,
} from "@daybook/schema/Transaction"
export type { CallRequest, LogFilter } from "./Method.ts"
