/** Every resource by the name it has outside: what the tests of all of them go through. */
import type * as Schema from "effect/Schema"
import * as schema from "../src/index.ts"

export const resources: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = {
  "Block.Block": schema.Block.Block,
  "Block.HydratedBlock": schema.Block.HydratedBlock,
  "Block.PartialBlock": schema.Block.PartialBlock,
  "Block.Withdrawal": schema.Block.Withdrawal,
  "Transaction.Transaction": schema.Transaction.Transaction,
  "Transaction.AccessListEntry": schema.Transaction.AccessListEntry,
  "Transaction.Authorization": schema.Transaction.Authorization,
  "Receipt.Receipt": schema.Receipt.Receipt,
  "Receipt.Log": schema.Receipt.Log,
  "Trace.CallFrame": schema.Trace.CallFrame,
  "Trace.TransactionTrace": schema.Trace.TransactionTrace,
  "Trace.FlatTrace": schema.Trace.FlatTrace,
  "WalletPage.WalletPage": schema.WalletPage.WalletPage,
  "WalletTransaction.WalletTransaction": schema.WalletTransaction.WalletTransaction,
  "Log.Log": schema.Log.Log,
  "DecodedItem.DecodedItem": schema.DecodedItem.DecodedItem,
  "InternalTransaction.InternalTransaction": schema.InternalTransaction.InternalTransaction,
  "Movement.Movement": schema.Movement.Movement,
  "Movement.MovementPage": schema.Movement.MovementPage,
  "Token.Token": schema.Token.Token,
  "Balance.Balances": schema.Balance.Balances,
  "Statement.Statement": schema.Statement.Statement,
  "JsonRpc.Request": schema.JsonRpc.Request,
  "JsonRpc.Response": schema.JsonRpc.Response,
}
