/** The operations of the client on a wallet's ledger. */
import type { Balances } from "@daybook/schema/Balance"
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import { Movement, type MovementPage } from "@daybook/schema/Movement"
import type { ProofProgress } from "@daybook/schema/ProofProgress"
import * as RestOperation from "@daybook/schema/RestOperation"
import type { SignedStatement } from "@daybook/schema/SignedStatement"
import type { Statement } from "@daybook/schema/Statement"
import type { Operation, SingleOperation } from "../Operation.ts"
import * as Query from "../Query.ts"
import * as EventCalls from "./EventCalls.ts"
import * as RowHash from "./RowHash.ts"
import * as RowPlace from "./RowPlace.ts"

export const movements: Operation<Query.MovementQuery, Movement, MovementPage> = {
  contract: RestOperation.movements,
  row: Movement,
  encode: Query.encodeMovements,
  // Movements of a block and opening balances are numbered separately; the kind distinguishes them.
  locate: (row) => RowPlace.withKey(`${row.transaction_hash ?? row.block_hash}.${row.kind}.${row.movement_index}`, row),
  keyOf: RowHash.reader("transaction_hash"),
  events: ({ parameters: { asset, chain, kind }, params }) =>
    EventCalls.queryOf(params, { asset, chain, kind, types: "wallet.movement" }),
}

export const balances: SingleOperation<Query.BalanceQuery, Balances> = {
  contract: RestOperation.balances,
  encode: Query.encodeBalances,
}

export const statement: SingleOperation<Query.StatementQuery, Statement> = {
  contract: RestOperation.statement,
  encode: Query.encodeStatement,
}

export const signedStatement: SingleOperation<Query.SignedStatementQuery, SignedStatement> = {
  contract: RestOperation.signedStatement,
  encode: Query.encodeSignedStatement,
}

export const proveWallet: SingleOperation<Query.ProofQuery, ProofProgress> = {
  contract: ChangeOperation.proveWallet,
  encode: Query.encodeProof,
}
