/**
 * Fault injection for a PostgreSQL database: a process can be killed before or after any statement. Any statement can fail as on a
 * server that is full, busy or unreachable, also when only the response to a commit is lost. Statements of a killed process have no
 * effect, and its open transaction is rolled back. The server is real, and virtual time does not advance while it works.
 *
 * The engine connects with `clientOf` instead of the driver's constructor; `edits` replace it.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Redacted, Scope, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Edit } from "../consistency/Edit.ts"
import type * as Disk from "./Disk.ts"
import * as ServerRows from "./ServerRows.ts"
import type { VirtualTime } from "./VirtualTime.ts"

const clock = "SELECT millis FROM public.clock"

/** Edits of the engine; leases of webhooks read the virtual clock instead of the server's. */
export const edits: ReadonlyArray<Edit> = [
  { file: "store/postgres/Pool.ts", from: "PgClient.make({", to: "globalThis.daybookClient({" },
  { file: "store/postgres/Webhooks.ts", from: "clock_timestamp()", to: `to_timestamp((${clock}) / 1000.0)` },
]

/** The process that opens connections; `null` for a reader. */
export const Owner = Context.Reference<Disk.Owner | null>("daybook/simulation/Owner", { defaultValue: () => null })

/** The database of simulated worlds, which run sequentially. */
export interface Server {
  readonly url: string
  /** Removes the data of the previous world; returns the rows of the next one. */
  readonly clear: Effect.Effect<ServerRows.ServerRows>
  /** Sets the clock in the schema of the chain. */
  readonly setClock: (millis: number) => Effect.Effect<void>
}

/** The parts of a world that the database uses. */
export interface World {
  readonly server: Server
  readonly rows: ServerRows.ServerRows
  readonly time: VirtualTime
  readonly disk: Disk.Disk
}

/** A world with the lock of its writes. */
interface LockedWorld extends World {
  /**
   * Serialises the writes of all processes, as the lock of the checkpoint does: a statement that waits for another process would block
   * the world.
   */
  readonly writing: Semaphore.Semaphore
}

type Client = Pick<PgClient.PgClient, "reserve" | "unsafe">
type Executed = Effect.Effect<unknown, SqlError>

const schema = '"daybook_eth"'
/** Failures that the server itself reports, by SQLSTATE. */
const states: Readonly<Record<string, string>> = { "disk full": "53100", "disk failed": "58030", locked: "55P03" }
const terminate = "SELECT pg_terminate_backend(pg_backend_pid())"
/** Connection limits count in real time, in which statements of several fibers wait for each other. */
const maxConnections = 50

const raisingSql = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'struck' USING ERRCODE = '${state}'; END $$`

const lost = (what: string) =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(what), message: what, operation: "execute" }) })

const writesAlone = /^\s*(WITH|UPDATE|INSERT|DELETE)\b/
const isBeginOfWrite = (sql: string): boolean => sql.startsWith("BEGIN") && sql.endsWith("READ WRITE")

const skipped: ReadonlyMap<Disk.Bug | null, RegExp> = new Map([
  ["appearances stay", /^DELETE FROM \S+\.appearance\b/],
  ["a row of a ledger stays", /^DELETE FROM \S+\.ledger\b/],
])

let current: LockedWorld | null = null

/** Sets the current world; `null` for none. */
export const use = (world: World | null): void => {
  current = world && { ...world, writing: Semaphore.makeUnsafe(1) }
}

/** Runs statements of a client or connection. */
interface Runner {
  readonly owner: Disk.Owner | null
  readonly isInTransaction: () => boolean
  /** Runs a statement that is not sent by a client of the world. */
  readonly raw: (sql: string) => Executed
}

/** Sets the clock of the database before a statement that reads it. */
const timed = ({ server, time }: LockedWorld, sql: string, statement: Executed): Executed =>
  sql.includes(".clock()") || sql.includes(clock) ? Effect.andThen(server.setClock(time.now()), statement) : statement

/** Runs a statement unless a fault is injected. */
const withFault = (
  lockedWorld: LockedWorld,
  sql: string,
  statement: Executed,
  { isInTransaction, owner, raw }: Runner,
): Executed =>
  Effect.suspend(() => {
    const run = lockedWorld.time.outside(timed(lockedWorld, sql, statement))
    if (owner === null || sql === "ROLLBACK") return run
    if (owner.isDead) return Effect.fail(lost("the process is dead"))
    const kill = Effect.suspend(() => {
      owner.onKilled()
      return Effect.fail(lost("the process is dead"))
    })
    const strike = owner.strike(sql, isInTransaction())
    if (strike === null) return run
    if (strike === "kill before") return kill
    if (strike === "kill after") return Effect.andThen(run, kill)
    if (strike === "connection lost") return lockedWorld.time.outside(raw(terminate))
    if (strike === "response lost") return Effect.andThen(run, lockedWorld.time.outside(raw(terminate)))
    return lockedWorld.time.outside(raw(raisingSql(states[strike]!)))
  })

/** Lets the clock function of the schema read the virtual clock. */
const withClock = (sql: string): string =>
  sql.startsWith("CREATE FUNCTION") ? sql.replace(/\$\$.*\$\$/s, `'${clock}'`) : sql

const compared = (lockedWorld: LockedWorld): Effect.Effect<void> =>
  Effect.andThen(
    lockedWorld.rows.fetch("new"),
    Effect.sync(() => lockedWorld.disk.onCommit()),
  )

/** A connection that a client of the world reserved. */
const connectionOf = (lockedWorld: LockedWorld, real: Connection, owner: Disk.Owner | null) => {
  let isWriting = false
  const held: Array<Executed> = []
  const runner: Runner = { owner, isInTransaction: () => isWriting, raw: (sql) => real.executeRaw(sql, []) }

  const end = Effect.suspend(() => {
    held.length = 0
    if (!isWriting) return Effect.void
    isWriting = false
    return Effect.asVoid(lockedWorld.writing.release(1))
  })

  /** Commits, runs the statements that an injected fault delayed, and compares the store. */
  const commit = (statement: Executed): Executed =>
    Effect.tap(statement, () => {
      if (!isWriting) return Effect.void
      const late = Effect.suspend(() =>
        held.length === 0 ? Effect.void : Effect.andThen(Effect.all(held.splice(0)), compared(lockedWorld)),
      )
      return Effect.andThen(compared(lockedWorld), late)
    })

  const withBug = (sql: string, statement: Executed): Executed => {
    const { bug } = lockedWorld.disk
    if (skipped.get(bug)?.test(sql) === true) return Effect.succeed([])
    if (bug !== "checkpoint outside the transaction" || !isWriting) return statement
    if (!/^UPDATE \S+\.checkpoint SET first/.test(sql)) return statement
    return Effect.sync(() => {
      held.push(statement)
      return []
    })
  }

  const execute = (sql: string, statement: Executed): Executed => {
    if (sql === "COMMIT") return Effect.tap(withFault(lockedWorld, sql, commit(statement), runner), end)
    if (sql === "ROLLBACK") return Effect.ensuring(withFault(lockedWorld, sql, statement, runner), end)
    if (!isBeginOfWrite(sql)) return withFault(lockedWorld, sql, withBug(sql, statement), runner)
    const begun = Effect.map(lockedWorld.writing.take(1), () => {
      isWriting = true
    })
    return Effect.andThen(begun, withFault(lockedWorld, sql, statement, runner))
  }
  return {
    end,
    connection: {
      executeRaw: (sql: string, params: ReadonlyArray<unknown>) => execute(sql, real.executeRaw(sql, params)),
      executeValues: (sql: string, params: ReadonlyArray<unknown>) =>
        execute(sql, real.executeValues(withClock(sql), params)),
    },
  }
}

/** A client of the world, whose connections belong to the process that opens it; without a world, a client of the driver. */
const clientOf = Effect.fnUntraced(function* (options: PgClient.PgPoolConfig) {
  const lockedWorld = current
  if (lockedWorld === null) return yield* PgClient.make(options)
  const owner = yield* Owner
  const scoped = yield* Effect.acquireRelease(Scope.make(), (scope) =>
    lockedWorld.time.outside(Effect.ignore(Scope.close(scope, Exit.void))),
  )
  const real = yield* lockedWorld.time.outside(
    PgClient.make({ ...options, maxConnections }).pipe(Scope.provide(scoped), Effect.provide(Reactivity.layer)),
  )
  const runner: Runner = {
    owner,
    isInTransaction: () => false,
    raw: (sql) => real.unsafe(sql).unprepared,
  }
  const client = {
    reserve: Effect.gen(function* () {
      const lease = yield* Effect.acquireRelease(Scope.make(), (scope) =>
        lockedWorld.time.outside(Scope.close(scope, Exit.void)),
      )
      const connection = yield* lockedWorld.time.outside(Scope.provide(real.reserve, lease))
      const reserved = connectionOf(lockedWorld, connection, owner)
      yield* Effect.addFinalizer(() => reserved.end)
      return reserved.connection
    }),
    unsafe: (sql: string, params: ReadonlyArray<unknown> = []) => {
      const run = withFault(lockedWorld, sql, real.unsafe(sql, params).values, runner)
      return { values: writesAlone.test(sql) ? lockedWorld.writing.withPermits(1)(run) : run }
    },
  }
  // Sound: the engine uses only these two members, and only the values of a statement.
  return client as unknown as Client
})

/** Makes the engine connect through the fault injection. */
export const install = (): void => {
  Object.assign(globalThis, { daybookClient: clientOf })
}

/** Opens the database of a URL for worlds that run sequentially. */
export const open = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Server, never, Scope.Scope> {
  const connected = PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
  const client = yield* connected.pipe(Effect.provide(Reactivity.layer), Effect.orDie)
  const run = (sql: string) => Effect.asVoid(Effect.orDie(client.unsafe(sql).unprepared))
  yield* run("CREATE TABLE public.clock AS SELECT 0::int8 AS millis")
  let known = 0
  return {
    url,
    clear: Effect.map(run(`DROP SCHEMA IF EXISTS ${schema}, daybook CASCADE`), () => ServerRows.make(client, schema)),
    setClock: (millis) =>
      Effect.suspend(() => {
        if (millis === known) return Effect.void
        known = millis
        return run(`UPDATE public.clock SET millis = ${millis}`)
      }),
  }
})
