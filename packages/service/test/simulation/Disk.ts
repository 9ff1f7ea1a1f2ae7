/**
 * Fault injection for node:sqlite: a process can be killed before or after any statement, and any statement can fail as on a full or
 * busy disk. Statements of a killed process have no effect, including those of its open transaction. The engine is real and uses a real
 * file.
 */
import { DatabaseSync, StatementSync } from "node:sqlite"

/**
 * Failure of a statement: that of SQLite on a full or busy disk, or that of a server whose connection is lost before or after execution.
 */
export type Failure = "disk full" | "disk failed" | "locked" | "connection lost" | "response lost"

/** Fault at a statement. */
export type Strike = "kill before" | "kill after" | Failure

/** A writing process. */
export interface Owner {
  /** True once killed: its statements have no effect any more. */
  isDead: boolean
  /** Called before each statement; returns the fault to inject. */
  readonly strike: (sql: string, isInTransaction: boolean) => Strike | null
  /** Called when an injected fault killed the process. */
  readonly onKilled: () => void
}

/** A fault that is injected into the statements of the store. */
export type Bug = "checkpoint outside the transaction" | "appearances stay" | "a row of a ledger stays"

/** The current fault injection. */
export interface Disk {
  /** Owner of the connections that are opened while it is set. */
  opening: Owner | null
  readonly bug: Bug | null
  /** Failures that statements may have. */
  readonly failures: ReadonlyArray<Failure>
  /** Called after a commit that wrote more than a lease or a status. */
  readonly onCommit: () => void
}

const codes: Readonly<Record<string, number>> = { "disk full": 13, "disk failed": 10, locked: 5 }

const failure = (strike: Strike) =>
  Object.assign(new Error(strike), { code: "ERR_SQLITE_ERROR", errcode: codes[strike] ?? 1 })

let current: Disk | null = null
const owners = new WeakMap<DatabaseSync, Owner>()
const known = new WeakSet<DatabaseSync>()
const texts = new WeakMap<StatementSync, { readonly database: DatabaseSync; readonly sql: string }>()
const changed = new WeakSet<DatabaseSync>()
const held = new WeakMap<DatabaseSync, Array<() => unknown>>()

const native = {
  exec: DatabaseSync.prototype.exec,
  prepare: DatabaseSync.prototype.prepare,
  all: StatementSync.prototype.all,
  get: StatementSync.prototype.get,
  run: StatementSync.prototype.run,
}

/** Delays or omits statements according to an injected fault; undefined if the statement is not affected. */
const withBug = (database: DatabaseSync, sql: string, work: () => unknown): (() => unknown) | undefined => {
  if (current?.bug === "appearances stay" && sql.startsWith("DELETE FROM history")) return () => ({ changes: 1 })
  if (current?.bug === "a row of a ledger stays" && sql.startsWith("DELETE FROM ledger WHERE")) {
    return () => ({ changes: 1 })
  }
  if (current?.bug !== "checkpoint outside the transaction") return undefined
  if (sql.startsWith("UPDATE checkpoint SET first") && database.isTransaction) {
    return () => held.set(database, [...(held.get(database) ?? []), work])
  }
  if (sql.startsWith("ROLLBACK")) held.delete(database)
  return undefined
}

/** Reports the length of the log; a long log would be checkpointed by a thread, which virtual time does not wait for. */
const logLength = "PRAGMA wal_checkpoint(NOOP)"

/** True unless the statement only concerns leases, reads or settings of a connection, which are frequent and not compared. */
const isCompared = (sql: string): boolean =>
  !/^(SELECT|BEGIN|COMMIT|ROLLBACK|PRAGMA|UPDATE checkpoint SET (lease|status))/.test(sql)

const runStatement = <A>(database: DatabaseSync, sql: string, work: () => A): A => {
  const disk = current
  const owner = owners.get(database)
  if (disk === null || owner === undefined) return work()
  if (owner.isDead) throw new Error("the process is dead")
  const strike = owner.strike(sql, database.isTransaction)
  if (strike === "kill before") {
    owner.onKilled()
    throw failure(strike)
  }
  if (strike !== null && strike !== "kill after") throw failure(strike)
  if (sql === logLength) return { log: 0, checkpointed: 0 } as A
  // Sound: the result of an injected fault is not used.
  const result = (withBug(database, sql, work) as (() => A) | undefined)?.() ?? work()
  if (isCompared(sql)) changed.add(database)
  if (!database.isTransaction) {
    if (changed.delete(database)) disk.onCommit()
    const late = held.get(database) ?? []
    held.delete(database)
    for (const write of late) write()
    if (late.length > 0) disk.onCommit()
  }
  if (strike === "kill after") {
    owner.onKilled()
    throw failure(strike)
  }
  return result
}

const takeOwnership = (database: DatabaseSync) => {
  if (current === null || known.has(database)) return
  known.add(database)
  if (current.opening !== null) owners.set(database, current.opening)
}

/** The page size of the service would cost much more for the few small rows of a simulation. */
const withSmallPages = (sql: string) => sql.replace(/^PRAGMA page_size=\d+/, "PRAGMA page_size=1024")

/** Installs the fault injection, once per process. */
export const install = (): void => {
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    takeOwnership(this)
    runStatement(this, sql, () => native.exec.call(this, current === null ? sql : withSmallPages(sql)))
    // Waiting for a lock would block the only thread.
    if (current !== null && sql.startsWith("PRAGMA")) native.exec.call(this, "PRAGMA busy_timeout=0")
  }
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    takeOwnership(this)
    const statement = native.prepare.call(this, sql)
    texts.set(statement, { database: this, sql: sql.trimStart() })
    return statement
  }
  for (const name of ["all", "get", "run"] as const) {
    const work = native[name] as (...params: ReadonlyArray<unknown>) => unknown
    const wrapped = function (this: StatementSync, ...params: ReadonlyArray<unknown>): unknown {
      const text = texts.get(this)
      return text === undefined
        ? work.apply(this, [...params])
        : runStatement(text.database, text.sql, () => work.apply(this, [...params]))
    }
    Object.defineProperty(StatementSync.prototype, name, { value: wrapped, writable: true, configurable: true })
  }
}

/** Sets the current fault injection; null for none. */
export const use = (disk: Disk | null): void => {
  current = disk
}

/** Runs SQLite without fault injection. */
export const outside = <A>(work: () => A): A => {
  const disk = current
  current = null
  try {
    return work()
  } finally {
    current = disk
  }
}
