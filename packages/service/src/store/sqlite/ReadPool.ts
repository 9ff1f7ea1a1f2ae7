/**
 * A pool of read-only connections to a chain's file. Each is used by one snapshot at a time, so a snapshot keeps its own state of the chain
 * for as long as its reader needs it.
 */
import { existsSync, statSync } from "node:fs"
import { basename } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import { StoreError } from "../StoreError.ts"
import * as ChainFile from "./ChainFile.ts"
import * as ChainSchema from "./ChainSchema.ts"
import * as Connection from "./Connection.ts"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as Migrations from "./Migrations.ts"

/** Lends connections to the file of one chain. */
export interface ReadPool {
  /** Name of the file without its folder, for messages. */
  readonly name: string
  /** Lends a connection inside a read transaction, whose state the first read fixes. */
  readonly lend: <A, E, R>(
    use: (connection: Connection.Connection) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | StoreError, R>
  /** Runs synchronous reads in one read transaction. */
  readonly once: <A>(work: (connection: Connection.Connection) => A) => Effect.Effect<A, StoreError>
  /** Closes the connections that are not lent. */
  readonly closeIdle: () => void
  /** Closes all connections; those still lent are closed when they are returned. */
  readonly close: () => void
}

/** Maximum number of open snapshots; further ones wait. */
const maxConnections = 8

/** Interval for checking which file is at the path: a file that was moved away or replaced by a restore is no longer read. */
const lookMillis = 1_000

/** Distinguishes a file from another one at its path; `undefined` if this process cannot access it. */
const inodeOf = (file: string): number | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}

const openUnsafe = (file: string, chain: number): Connection.Connection => {
  if (!existsSync(file)) {
    throw new StoreError({
      message: `Database file missing: ${basename(file)}. The indexer of its chain creates it when it starts.`,
      isRetryable: true,
      cause: undefined,
    })
  }
  const connection = Connection.connectUnsafe({ file, readOnly: true })
  try {
    Migrations.checkUnsafe(connection, ChainSchema.schema, () => DatabaseFile.isLocked(file))
    ChainFile.checkChainUnsafe(connection, chain)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/**
 * Makes the pool of a chain's file. Connections are opened on demand.
 *
 * **Errors**
 * - `StoreError`, on use: the file does not exist yet or has an older schema (both retryable), a newer one, or another chain.
 */
export const make = (file: string, chain: number): ReadPool => {
  const name = basename(file)
  const permits = Semaphore.makeUnsafe(maxConnections)
  const free: Array<Connection.Connection> = []
  const inodes = new WeakMap<Connection.Connection, number | undefined>()
  let inode: number | undefined
  let lookedAt = -Infinity
  let isClosed = false

  const takeUnsafe = (now: number): Connection.Connection => {
    if (now - lookedAt >= lookMillis) {
      inode = inodeOf(file)
      lookedAt = now
    }
    for (let next = free.pop(); next !== undefined; next = free.pop()) {
      if (next.isCurrent() && inodes.get(next) === inode) return next
      next.close()
    }
    const opened = openUnsafe(file, chain)
    inodes.set(opened, inode)
    return opened
  }
  const giveBack = (connection: Connection.Connection): void => {
    try {
      if (connection.isTransaction()) connection.rowsUnsafe("COMMIT", [])
    } catch {
      connection.close()
      return
    }
    if (isClosed) connection.close()
    else free.push(connection)
  }

  /** Data read from an immutable file that was written meanwhile may be torn. */
  const checked = <A>(connection: Connection.Connection, value: A): Effect.Effect<A, StoreError> =>
    connection.isCurrent()
      ? Effect.succeed(value)
      : Effect.fail(
          new StoreError({
            message: `Database written while it was read: ${name}. Try again.`,
            isRetryable: true,
            cause: undefined,
          }),
        )

  const lend: ReadPool["lend"] = (use) =>
    permits.withPermit(
      Effect.withFiber((fiber) => {
        const now = MonotonicClock.readerOf(fiber.getRef(Clock.Clock))
        let taken: Connection.Connection | undefined
        // Taken within what gives it back, so that no interruption comes between.
        const used = Effect.suspend(() => {
          try {
            taken = takeUnsafe(now())
            taken.rowsUnsafe("BEGIN", [])
          } catch (cause) {
            return Effect.fail(Connection.storeError(name, cause))
          }
          const connection = taken
          return Effect.flatMap(use(connection), (value) => checked(connection, value))
        })
        return Effect.onExitPrimitive(used, () => {
          if (taken !== undefined) giveBack(taken)
          return undefined
        })
      }),
    )

  const closeIdle = () => {
    for (const connection of free.splice(0)) connection.close()
  }

  return {
    name,
    lend,
    once: (work) => lend((connection) => connection.attempt(() => work(connection))),
    closeIdle,
    close: () => {
      isClosed = true
      closeIdle()
    },
  }
}
