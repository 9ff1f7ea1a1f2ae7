/** The operations of the client on the ledger of a wallet. */
import type { Balances } from "@daybook/schema/Balance"
import { Movement, type MovementPage } from "@daybook/schema/Movement"
import type { ProofProgress } from "@daybook/schema/ProofProgress"
import * as RestOperation from "@daybook/schema/RestOperation"
import type { SignedStatement } from "@daybook/schema/SignedStatement"
import type { Statement } from "@daybook/schema/Statement"
import type { Operation, SingleOperation } from "../Operation.ts"
import * as Query from "../Query.ts"
import * as EventCalls from "./EventCalls.ts"
import * as RowHash from "./RowHash.ts"

export const movements: Operation<Query.MovementQuery, Movement, MovementPage> = {
  contract: RestOperation.movements,
  row: Movement,
  encode: Query.encodeMovements,
  locate: ({ block_hash, block_number, block_timestamp, kind, movement_index, transaction_hash }) => ({
    // What a block moves and what was held before it are numbered apart; a kind is one of them.
    key: `${transaction_hash ?? block_hash}.${kind}.${movement_index}`,
    block: block_number,
    blockHash: block_hash,
    timeMillis: block_timestamp.getTime(),
  }),
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
  contract: RestOperation.proveWallet,
  encode: Query.encodeProof,
}
