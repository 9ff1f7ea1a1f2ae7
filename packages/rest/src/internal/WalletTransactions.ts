/** The wallet operation of the client. */
import * as RestOperation from "@daybook/schema/RestOperation"
import type { WalletPage } from "@daybook/schema/WalletPage"
import { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { Operation } from "../Operation.ts"
import * as Query from "../Query.ts"
import * as EventCalls from "./EventCalls.ts"
import * as RowHash from "./RowHash.ts"

export const walletTransactions: Operation<Query.Query, WalletTransaction, WalletPage> = {
  contract: RestOperation.walletTransactions,
  row: WalletTransaction,
  encode: Query.encode,
  locate: ({ block_hash, block_number, block_timestamp, hash }) => ({
    key: hash,
    block: block_number,
    blockHash: block_hash,
    timeMillis: block_timestamp.getTime(),
  }),
  keyOf: RowHash.reader("hash"),
  // No event has a transaction in which the wallet has another role than those of `direct`.
  events: ({ parameters: { chain, scope }, params }) =>
    scope === "all" ? undefined : EventCalls.queryOf(params, { chain, types: "wallet.transaction" }),
}
