/**
 * Node's SQLite with a hand on every statement: a process can be killed before or after any of them, and any can fail as a full
 * or busy disk does. Whatever a killed process does afterwards has no effect, its open transaction included. The engine itself is
 * the real one, on a real file.
 */
import { DatabaseSync, StatementSync } from "node:sqlite"

/** How a statement fails: as SQLite does on a full or busy disk, or as a server whose connection is lost, also with the answer. */
export type Failure = "disk full" | "disk failed" | "locked" | "connection lost" | "answer lost"

/** What befalls a statement. */
export type Strike = "kill before" | "kill after" | Failure

/** A process that writes. */
export interface Owner {
  /** Whatever it does has no effect any more. */
  isDead: boolean
  /** Asked before each statement. */
  readonly strike: (sql: string, isInTransaction: boolean) => Strike | null
  /** Called when a strike killed it. */
  readonly onKilled: () => void
}

/** A fault that is put into the store on purpose. */
export type Bug = "checkpoint outside the transaction" | "appearances stay" | "a row of a ledger stays"

/** A hand on SQLite. */
export interface Disk {
  /** Connections that are opened while it is set belong to it. */
  opening: Owner | null
  readonly bug: Bug | null
  /** Failures of statements. */
  readonly failures: ReadonlyArray<Failure>
  /** Called when something was committed that is not a lease or a status. */
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

/** Statements of a planted fault are held back, or never run; undefined when the statement is not one of them. */
const planted = (database: DatabaseSync, sql: string, work: () => unknown): (() => unknown) | undefined => {
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

/** What reports the length of a log: a long one would be written back by a thread, which virtual time does not wait for. */
const logLength = "PRAGMA wal_checkpoint(NOOP)"

/** Leases, reads and settings of a connection change nothing that is compared; there are many of them. */
const isNews = (sql: string): boolean =>
  !/^(SELECT|BEGIN|COMMIT|ROLLBACK|PRAGMA|UPDATE checkpoint SET (lease|status))/.test(sql)

const guarded = <A>(database: DatabaseSync, sql: string, work: () => A): A => {
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
  const result = (planted(database, sql, work) as (() => A) | undefined)?.() ?? work()
  if (isNews(sql)) changed.add(database)
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

const own = (database: DatabaseSync) => {
  if (current === null || known.has(database)) return
  known.add(database)
  if (current.opening !== null) owners.set(database, current.opening)
}

/** Pages of the size that the service sets cost much more than the few small rows of a simulation. */
const withSmallPages = (sql: string) => sql.replace(/^PRAGMA page_size=\d+/, "PRAGMA page_size=1024")

/** Puts the hand on SQLite, once for this process. */
export const install = (): void => {
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    own(this)
    guarded(this, sql, () => native.exec.call(this, current === null ? sql : withSmallPages(sql)))
    // Waiting for a lock would stop the only thread there is.
    if (current !== null && sql.startsWith("PRAGMA")) native.exec.call(this, "PRAGMA busy_timeout=0")
  }
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    own(this)
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
        : guarded(text.database, text.sql, () => work.apply(this, [...params]))
    }
    Object.defineProperty(StatementSync.prototype, name, { value: wrapped, writable: true, configurable: true })
  }
}

/** Whose hand it is; null for none. */
export const use = (disk: Disk | null): void => {
  current = disk
}

/** Works with SQLite as if there were no hand on it. */
export const outside = <A>(work: () => A): A => {
  const disk = current
  current = null
  try {
    return work()
  } finally {
    current = disk
  }
}
