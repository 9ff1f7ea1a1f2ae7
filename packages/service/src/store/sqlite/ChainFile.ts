/**
 * The file of one chain, opened for writing. Its writer, lease and status share one connection, so they never wait for each other's lock.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ChainRef } from "../ChainRef.ts"
import type { FencingToken } from "../Leases.ts"
import { LeaseLost, StoreError } from "../StoreError.ts"
import * as ChainSchema from "./ChainSchema.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Connection from "./Connection.ts"
import type * as Frame from "../rows/Frame.ts"
import * as KeyRanges from "./KeyRanges.ts"
import * as Migrations from "./Migrations.ts"
import * as Statements from "./Statements.ts"

/** A chain's file, open for writing. */
export interface ChainFile {
  readonly ref: ChainRef
  readonly connection: Connection.Connection
  /** How new documents are stored. */
  readonly codec: Frame.Codec
  /** Runs statements as one write transaction, which a failure or an interruption rolls back. */
  readonly transaction: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreError>
  /** Runs one statement after the open transaction, if any, has ended. */
  readonly statement: <Row extends object>(
    sql: string,
    params: Connection.Params,
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
  /** Fails unless the token is the current one; runs inside a transaction. */
  readonly checkToken: (token: FencingToken) => Effect.Effect<void, StoreError | LeaseLost>
}

/** Rejects the file of another chain. */
export const checkChainUnsafe = (connection: Connection.Connection, chain: number): void => {
  const other = connection.rowsUnsafe<{ readonly chain: number }>(Statements.otherChain, [chain])[0]?.chain
  if (other === undefined) return
  throw new StoreError({
    message: `Wrong chain in database file: ${connection.name}, expected chain ${chain}, found chain ${other}. Correct the chain's id, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })
}

/**
 * Opens the file of a chain until the scope ends; creates or migrates it first.
 *
 * @param hasLogThread - For a writer that should not wait for the disk; a copy should.
 *
 * **Errors**
 * - `StoreError`: the file cannot be opened, is locked, damaged, newer than this program, or holds another chain.
 */
export const open = (
  file: string,
  ref: ChainRef,
  codec: Frame.Codec,
  hasLogThread = false,
): Effect.Effect<ChainFile, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({ file, readOnly: false, hasLogThread })
    const client = yield* Connection.make(connection)
    yield* Effect.annotateLogs(Migrations.migrate(connection, client, ChainSchema.schema), { chain: ref.name })
    const transaction: ChainFile["transaction"] = (work) => Connection.transaction(connection, client, work)
    yield* connection.attempt(() => checkChainUnsafe(connection, ref.id))
    yield* transaction(
      connection.attempt(() => {
        Checkpoints.claimUnsafe(connection, ref.id)
        KeyRanges.claimUnsafe(connection)
      }),
    )
    return {
      ref,
      connection,
      codec,
      transaction,
      statement: <Row extends object>(sql: string, params: Connection.Params) =>
        transaction(connection.attempt(() => connection.rowsUnsafe<Row>(sql, params))),
      checkToken: (token) =>
        Effect.flatMap(
          connection.attempt(() => connection.rowsUnsafe(Statements.isCurrentToken, [ref.id, token]).length > 0),
          (isCurrent) => (isCurrent ? Effect.void : Effect.fail(new LeaseLost({ chain: ref.name }))),
        ),
    }
  })
