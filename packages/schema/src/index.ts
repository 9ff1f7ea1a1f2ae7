/**
 * The modules of @daybook/schema, each as a namespace. Written by `pnpm barrels`.
 *
 * @since 0.1.0
 */
export * as Account from "./Account.ts"
export * as Address from "./Address.ts"
export * as ApiError from "./ApiError.ts"
export * as Block from "./Block.ts"
export * as Chain from "./Chain.ts"
export * as Decimal from "./Decimal.ts"
export * as DecodedItem from "./DecodedItem.ts"
export * as Hash from "./Hash.ts"
export * as Hex from "./Hex.ts"
export * as InternalTransaction from "./InternalTransaction.ts"
export * as JsonRpc from "./JsonRpc.ts"
export * as Log from "./Log.ts"
export * as Looseness from "./Looseness.ts"
export * as Problem from "./Problem.ts"
export * as Quantity from "./Quantity.ts"
export * as Receipt from "./Receipt.ts"
export * as RpcMethod from "./RpcMethod.ts"
export * as Timestamp from "./Timestamp.ts"
export * as Trace from "./Trace.ts"
export * as Transaction from "./Transaction.ts"
export * as WalletPage from "./WalletPage.ts"
export * as WalletQuery from "./WalletQuery.ts"
export * as WalletTransaction from "./WalletTransaction.ts"
export * as Wei from "./Wei.ts"
