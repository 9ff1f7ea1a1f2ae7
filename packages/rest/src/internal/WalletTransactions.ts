/** The operation of the client on a wallet's transactions. */
import * as RestOperation from "@daybook/schema/RestOperation"
import type { WalletPage } from "@daybook/schema/WalletPage"
import { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { Operation } from "../Operation.ts"
import * as Query from "../Query.ts"
import * as EventCalls from "./EventCalls.ts"
import * as RowHash from "./RowHash.ts"
import * as RowPlace from "./RowPlace.ts"

export const walletTransactions: Operation<Query.Query, WalletTransaction, WalletPage> = {
  contract: RestOperation.walletTransactions,
  row: WalletTransaction,
  encode: Query.encode,
  locate: (row) => RowPlace.withKey(row.hash, row),
  keyOf: RowHash.reader("hash"),
  // Events only report transactions in which the wallet has a role of scope `direct`.
  events: ({ parameters: { chain, scope }, params }) =>
    scope === "all" ? undefined : EventCalls.queryOf(params, { chain, types: "wallet.transaction" }),
}
