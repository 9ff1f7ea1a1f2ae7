/** Builds the client from its options, without the service and its configuration, so that the promise style carries neither. */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as RequestExecutor from "@daybook/transport/RequestExecutor"
import * as Effect from "effect/Effect"
import type { Client, Options } from "../Client.ts"
import type { Query } from "../Query.ts"
import * as ClientOptions from "./ClientOptions.ts"
import * as OperationCalls from "./OperationCalls.ts"
import { walletTransactions } from "./WalletTransactions.ts"

/** The calls of each operation. */
export interface Calls {
  readonly walletTransactions: OperationCalls.OperationCalls<Query, WalletTransaction, WalletPage>
}

/** Makes the calls of a client. `moreKinds` are options of calls that a style adds. */
export const make = Effect.fnUntraced(function* (
  given: Options | undefined,
  moreKinds: ClientOptions.Kinds = {},
): Effect.fn.Return<Calls, InvalidOption> {
  const settings = yield* ClientOptions.read(given)
  const { fetch, maxBytes, onEvent, retry, timeout } = settings.options
  const policy = { ...retry, deadline: timeout }
  const executor = yield* RequestExecutor.make({ policy, maxBytes, fetch, onEvent })
  const context: OperationCalls.Context = { settings, executor, moreKinds }
  return { walletTransactions: OperationCalls.make(context, walletTransactions) }
})

/** The client in Effect style. */
export const toClient = ({ walletTransactions: wallet }: Calls): Client => ({
  walletTransactions: wallet.page,
  walletTransactionsWithResponse: wallet.withResponse,
  // Sound: a stream that does not restart has no marker in it.
  walletTransactionsStream: wallet.rows as Client["walletTransactionsStream"],
  walletPagesStream: wallet.pages as Client["walletPagesStream"],
})
