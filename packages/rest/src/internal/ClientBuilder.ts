/** Builds the calls of a client from its options: the part that both client styles share. */
import type { Balances } from "@daybook/schema/Balance"
import type { DescribedContract, RemovedContract } from "@daybook/schema/Contract"
import type { Movement, MovementPage } from "@daybook/schema/Movement"
import type { SignedStatement } from "@daybook/schema/SignedStatement"
import type { Proof, Statement } from "@daybook/schema/Statement"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CallOptions, Options, ProofOptions, StreamOptions } from "../Client.ts"
import type { EncodedQuery } from "../Operation.ts"
import type * as Query from "../Query.ts"
import type { RestError } from "../RestError.ts"
import * as ClientContext from "./ClientContext.ts"
import type * as ClientOptions from "./ClientOptions.ts"
import * as Contracts from "./Contracts.ts"
import * as EventCalls from "./EventCalls.ts"
import * as EventStream from "./EventStream.ts"
import * as Ledger from "./Ledger.ts"
import * as OperationCalls from "./OperationCalls.ts"
import * as ProofCall from "./ProofCall.ts"
import { walletTransactions } from "./WalletTransactions.ts"

/** The calls of each operation. */
export interface Calls {
  readonly walletTransactions: OperationCalls.OperationCalls<Query.Query, WalletTransaction, WalletPage>
  readonly walletEvents: (query: Query.EventQuery, options?: CallOptions) => Stream.Stream<WalletEvent, RestError>
  readonly movements: OperationCalls.OperationCalls<Query.MovementQuery, Movement, MovementPage>
  readonly balances: OperationCalls.SingleCalls<Query.BalanceQuery, Balances>
  readonly statement: OperationCalls.SingleCalls<Query.StatementQuery, Statement>
  readonly signedStatement: OperationCalls.SingleCalls<Query.SignedStatementQuery, SignedStatement>
  readonly proveWallet: (query: Query.ProofQuery, options?: ProofOptions) => Effect.Effect<Proof, RestError>
  readonly putContract: OperationCalls.SingleCalls<Query.DescriptionQuery, DescribedContract>
  readonly removeContract: OperationCalls.SingleCalls<Query.ContractQuery, RemovedContract>
}

/** Makes the calls of a client. `moreKinds` are call options added by a client style. */
export const make = Effect.fnUntraced(function* (
  given: Options | undefined,
  moreKinds: ClientOptions.Kinds = {},
): Effect.fn.Return<Calls, InvalidOption> {
  const context = yield* ClientContext.make(given, moreKinds)
  const events = EventCalls.make(context)
  const changes = (query: EncodedQuery, { headers, timeout }: StreamOptions) =>
    EventStream.encoded(events, query, { headers, timeout })
  return {
    walletTransactions: OperationCalls.make(context, walletTransactions, changes),
    movements: OperationCalls.make(context, Ledger.movements, changes),
    walletEvents: (query, options) => EventStream.make(events, query, options),
    balances: OperationCalls.single(context, Ledger.balances, ({ result }) => result),
    statement: OperationCalls.single(context, Ledger.statement, ({ sums }) => sums),
    signedStatement: OperationCalls.single(context, Ledger.signedStatement, () => []),
    proveWallet: ProofCall.make(
      context,
      OperationCalls.single(context, Ledger.proveWallet, () => []),
    ),
    putContract: OperationCalls.single(context, Contracts.putContract, () => []),
    removeContract: OperationCalls.single(context, Contracts.removeContract, () => []),
  }
})
