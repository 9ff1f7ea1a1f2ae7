/**
 * Reading a chain's file: a small pool of read-only connections, each lent to one snapshot at a time, so that a snapshot keeps
 * its own state of the chain however long its reader takes.
 */
import { existsSync } from "node:fs"
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { fromHex, toHex } from "./Bytes.ts"
import * as Connection from "./Connection.ts"
import type { SqliteConnection } from "./Connection.ts"
import * as Migrations from "./Migrations.ts"
import * as Statements from "./Statements.ts"
import { StoreError } from "../Store.ts"
import type { Checkpoint, PageQuery, PageRow, Snapshot } from "../Store.ts"

/** Lends connections for reading. */
export interface Reader {
  /** Runs reads in one read transaction, whose state is fixed before `read` begins. */
  readonly snapshot: <A, E, R>(
    read: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | StoreError, R>
  /** Runs one synchronous piece of work in a read transaction. */
  readonly once: <A>(work: (connection: SqliteConnection) => A) => Effect.Effect<A, StoreError>
}

/** Snapshots that may be open at once; more wait. */
const connectionsAtMost = 8

/** A row as it is stored: the columns of a page, in their order. */
export type StoredRow = readonly [
  block: number,
  index: number,
  body: string,
  decoderRevision: number,
  internal: string | null,
]

/** A row as it is read. */
export const pageRow = ([block, index, body, decoderRevision, internal]: StoredRow): PageRow => ({
  block,
  index,
  body,
  decoderRevision,
  internal,
})

type CheckpointColumns = readonly [
  first: number,
  number: number | null,
  hash: Uint8Array,
  timestamp: number,
  finalized: number | null,
  watch: string | null,
]

/** The checkpoint; null while the index is empty. */
export const checkpointUnsafe = (connection: SqliteConnection, chain: number): Checkpoint | null => {
  const [row] = connection.valuesUnsafe<CheckpointColumns>(Statements.checkpoint, [chain])
  if (row === undefined) return null
  const [first, number, hash, headTimestamp, finalized, watch] = row
  if (number === null) return null
  return {
    first,
    head: { number, hash: toHex(hash) },
    headTimestamp,
    finalized,
    ...(watch === null ? {} : { watch: JSON.parse(watch) as ReadonlyArray<string> }),
  }
}

/** The stored block of a number; null outside the index. */
export const blockUnsafe = (connection: SqliteConnection, chain: number, number: number) => {
  const [row] = connection.valuesUnsafe<readonly [number: number, hash: Uint8Array, timestamp: number]>(
    Statements.block,
    [chain, number],
  )
  return row === undefined ? null : { number: row[0], hash: toHex(row[1]), timestamp: row[2] }
}

const numberUnsafe = (connection: SqliteConnection, sql: string, chain: number, timestamp: number) =>
  connection.rowsUnsafe<{ readonly number: number }>(sql, [chain, timestamp])[0]?.number ?? null

/** Where a walk begins: just outside its first row. A place outside the bounds counts only if it lies further on. */
const startOf = (query: PageQuery): readonly [block: number, index: number] => {
  const { after, from, order, to } = query
  if (order === "ASC") return after !== null && after.block >= from ? [after.block, after.index] : [from, -1]
  return after !== null && after.block <= to ? [after.block, after.index] : [to + 1, -1]
}

const pageSql = ({ internal = true, order }: PageQuery): string => {
  if (order === "ASC") return internal ? Statements.pageUpInternal : Statements.pageUp
  return internal ? Statements.pageDownInternal : Statements.pageDown
}

const pageUnsafe = (connection: SqliteConnection, chain: number, query: PageQuery): ReadonlyArray<PageRow> => {
  const [block, index] = startOf(query)
  const last = query.order === "ASC" ? query.to : query.from
  return connection
    .valuesUnsafe<StoredRow>(pageSql(query), [chain, fromHex(query.address), block, index, last, query.limit])
    .map(pageRow)
}

const readsOf = (connection: SqliteConnection, chain: number): Omit<Snapshot, "checkpoint"> => ({
  block: (number) => connection.attempt(() => blockUnsafe(connection, chain, number)),
  firstAtOrAfter: (timestamp) =>
    connection.attempt(() => numberUnsafe(connection, Statements.firstAtOrAfter, chain, timestamp)),
  lastAtOrBefore: (timestamp) =>
    connection.attempt(() => numberUnsafe(connection, Statements.lastAtOrBefore, chain, timestamp)),
  page: (query) => connection.attempt(() => pageUnsafe(connection, chain, query)),
  lowestReorgedBlock: (ref) =>
    connection.attempt(
      () =>
        connection.rowsUnsafe<{ readonly lowest: number }>(Statements.lowestReorgedBlock, [
          chain,
          ref.number,
          fromHex(ref.hash),
        ])[0]?.lowest ?? null,
    ),
})

interface Lent {
  readonly connection: SqliteConnection
  readonly reads: Omit<Snapshot, "checkpoint">
}

/** Refuses the file of another chain. */
export const checkChainUnsafe = (connection: SqliteConnection, chain: number): void => {
  const other = connection.rowsUnsafe<{ readonly chain: number }>(Statements.otherChain, [chain])[0]?.chain
  if (other === undefined) return
  throw new StoreError({
    message: `The database ${connection.name} holds chain ${other}, not chain ${chain}; correct the chain's id, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })
}

/**
 * Reads a chain's file until the scope ends; connections are opened when they are needed.
 *
 * **Errors**
 * - `StoreError`, on use: the file does not exist yet or its schema is old (both retryable), is newer, or is another chain's.
 */
export const make = (file: string, chain: number): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = basename(file)
    const permits = yield* Semaphore.make(connectionsAtMost)
    const free: Array<Lent> = []
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const { connection } of free.splice(0)) connection.close()
      }),
    )

    const openUnsafe = (): Lent => {
      if (!existsSync(file)) {
        throw new StoreError({
          message: `The database ${name} does not exist yet: the indexer of its chain makes it.`,
          isRetryable: true,
          cause: undefined,
        })
      }
      const connection = Connection.connectUnsafe({ file, readOnly: true })
      try {
        Migrations.checkUnsafe(connection, Statements.schema)
        checkChainUnsafe(connection, chain)
      } catch (cause) {
        connection.close()
        throw cause
      }
      return { connection, reads: readsOf(connection, chain) }
    }

    const take = Effect.try({
      try: () => free.pop() ?? openUnsafe(),
      catch: (cause) => Connection.storeError(name, cause),
    })

    const giveBack = (lent: Lent) =>
      Effect.sync(() => {
        try {
          if (lent.connection.isTransaction()) lent.connection.rowsUnsafe("COMMIT", [])
        } catch {
          lent.connection.close()
          return
        }
        if (isClosed) lent.connection.close()
        else free.push(lent)
      })

    const lend = <A, E, R>(use: (lent: Lent) => Effect.Effect<A, E, R>) =>
      permits.withPermit(Effect.acquireUseRelease(take, use, giveBack))

    return {
      once: (work) =>
        lend(({ connection }) =>
          connection.attempt(() => {
            connection.rowsUnsafe("BEGIN", [])
            return work(connection)
          }),
        ),
      snapshot: (read) =>
        lend(({ connection, reads }) =>
          Effect.flatMap(
            connection.attempt(() => {
              connection.rowsUnsafe("BEGIN", [])
              // A deferred transaction takes its state at its first read: this one.
              return checkpointUnsafe(connection, chain)
            }),
            (checkpoint) => read({ ...reads, checkpoint: Effect.succeed(checkpoint) }),
          ),
        ),
    }
  })
