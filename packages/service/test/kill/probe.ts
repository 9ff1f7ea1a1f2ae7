/**
 * Preloaded into an indexing process and its worker threads. It records the current write in a file at each statement of SQLite or of a
 * write to PostgreSQL, so that the interrupted write is known after a kill. It can also kill the process before a given statement of an
 * append or unwind. `Interruption.edits` announce statements to PostgreSQL.
 */
import { openSync, writeSync } from "node:fs"
import { DatabaseSync, StatementSync } from "node:sqlite"

const file = process.env["DAYBOOK_PROBE_FILE"]
/** Number of statements of appends and unwinds before the kill; infinite for no kill. */
let allowance = Number(process.env["DAYBOOK_PROBE_STATEMENTS"] ?? "Infinity")

type Phase = "idle" | "begun" | "append" | "unwind"

const width = 32

if (file !== undefined) {
  const out = openSync(file, "w")
  let phase: Phase = "idle"
  let statements = 0

  /** A single write to the page cache, which outlives the process. */
  const note = () => writeSync(out, `${phase} ${statements}`.padEnd(width), 0)

  const kindOf = (sql: string): Phase => {
    if (/^\s*INSERT INTO (\S+\.)?block\b/.test(sql)) return "append"
    if (/^\s*SELECT d\.id, .* FROM (\S+\.)?document d WHERE d\.id (BETWEEN|>=)/.test(sql)) return "unwind"
    return phase
  }

  const before = (sql: string) => {
    if (/^\s*(BEGIN IMMEDIATE|SELECT set_config)/i.test(sql)) {
      phase = "begun"
      statements = 0
    } else if (phase !== "idle") {
      phase = kindOf(sql)
      statements++
      if ((phase === "append" || phase === "unwind") && --allowance < 0) {
        note()
        process.kill(process.pid, "SIGKILL")
      }
    }
    note()
  }

  const after = (sql: string) => {
    if (!/^\s*(COMMIT|ROLLBACK)\s*;?\s*$/i.test(sql)) return
    phase = "idle"
    statements = 0
    note()
  }

  /** A write to PostgreSQL starts with its second statement; a commit is announced before it is sent. */
  const announced = (sql: string) => {
    before(sql)
    after(sql)
  }
  Object.assign(globalThis, { daybookStatement: announced })

  /** Connections that write. */
  const writers = new WeakSet<DatabaseSync>()
  const owners = new WeakMap<StatementSync, readonly [database: DatabaseSync, sql: string]>()

  const around = <A>(database: DatabaseSync, sql: string, work: () => A): A => {
    if (!writers.has(database)) return work()
    before(sql)
    const result = work()
    after(sql)
    return result
  }

  const { exec, prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    if (/journal_mode=WAL/.test(sql)) writers.add(this)
    return around(this, sql, () => exec.call(this, sql))
  }
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest)
    owners.set(statement, [this, sql])
    return statement
  }
  for (const name of ["run", "all"] as const) {
    const original = StatementSync.prototype[name] as (...args: ReadonlyArray<unknown>) => unknown
    Reflect.set(StatementSync.prototype, name, function (this: StatementSync, ...args: ReadonlyArray<unknown>) {
      const [database, sql] = owners.get(this)!
      return around(database, sql, () => original.apply(this, [...args]))
    })
  }
}
