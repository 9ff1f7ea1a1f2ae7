/**
 * Opens a SQLite file for writing or reading, including on a read-only file system.
 *
 * A file in write-ahead mode needs its log and the log's index next to it, which a reader on a read-only file system cannot create. Without
 * a log, the file alone is a complete database. It is opened as immutable, and compared with its initial state at each use, because another
 * machine or mount may still write it.
 */
import { closeSync, existsSync, openSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as SqliteCode from "./SqliteCode.ts"

/** How to open a file. */
export interface Options {
  readonly file: string
  readonly readOnly: boolean
  /** True if a thread checkpoints the log, so that no write waits for the disk. Default: a write does. */
  readonly hasLogThread?: boolean
}

/** An open file. */
export interface DatabaseFile {
  readonly database: DatabaseSync
  /** False once the file may have been written although it was opened as immutable: what was read since may be torn. */
  readonly isCurrent: () => boolean
}

const busyTimeoutMillis = 5000
/** Time for which a final checkpoint waits for readers, in milliseconds. */
const checkpointMillis = 1000
/** Only the owner may read and write; SQLite gives the log the same permissions. */
const ownerOnly = 0o600

const setUp = {
  // The cache holds the pages that one append changes; a smaller one spills them to disk before the commit. See `WriteAheadLog` for
  // checkpoints of the log.
  writer:
    "PRAGMA page_size=16384; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-32000",
  // A small page cache is faster for files larger than memory, because it stays in the CPU cache. No memory map: for each page that is not
  // in memory, the system would read 128 KiB, which evicts other pages, and a disk error would end the process.
  reader: "PRAGMA query_only=1; PRAGMA cache_size=-8000; PRAGMA mmap_size=0",
}

const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0

/** True if a file has no journal, which a killed first backup would have left with a half-written step. */
const hasNoJournal = (file: string): boolean => isEmpty(`${file}-journal`)

/** True if a file has neither a log with committed pages nor a journal, so that it is complete by itself. */
export const hasNoLog = (file: string): boolean => isEmpty(`${file}-wal`) && hasNoJournal(file)

/** Creates a missing file for its owner alone. */
const makePrivate = (file: string): void => {
  if (!existsSync(file)) closeSync(openSync(file, "a", ownerOnly))
}

/** True while another process or thread writes a file; also false if this process may not write it. */
export const isLocked = (file: string): boolean => {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec("BEGIN IMMEDIATE; ROLLBACK")
    return false
  } catch (cause) {
    return SqliteCode.codeOf(cause) === SqliteCode.busy
  } finally {
    database?.close()
  }
}

const openAt = (at: string | URL, readOnly: boolean): DatabaseSync => {
  const database = new DatabaseSync(at, { readOnly, timeout: busyTimeoutMillis })
  try {
    database.exec(readOnly ? setUp.reader : setUp.writer)
    if (readOnly) database.prepare("SELECT count(*) FROM sqlite_schema").get()
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Values that change when the file is written. */
const fingerprint = (file: string): string => {
  const { ino, mtimeMs, size } = statSync(file)
  return `${ino} ${size} ${mtimeMs}`
}

const openUnchanging = (file: string): DatabaseFile => {
  const address = pathToFileURL(file)
  address.searchParams.set("immutable", "1")
  const before = fingerprint(file)
  const database = openAt(address, true)
  return { database, isCurrent: () => hasNoLog(file) && existsSync(file) && fingerprint(file) === before }
}

/** Rolls back a half-written step, which a read-only connection cannot do; SQLite leaves the step of a running process alone. */
const rollBack = (file: string): void => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMillis })
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get()
  } finally {
    database.close()
  }
}

/** Opens a file; throws what SQLite throws. */
export const openUnsafe = ({ file, readOnly }: Options): DatabaseFile => {
  if (!readOnly) {
    try {
      makePrivate(file)
    } catch {
      // SQLite reports it with a code.
    }
  }
  try {
    if (readOnly && !hasNoJournal(file)) rollBack(file)
    return { database: openAt(file, readOnly), isCurrent: () => true }
  } catch (cause) {
    if (!readOnly || !SqliteCode.isPermission(cause) || !existsSync(file) || !hasNoLog(file)) throw cause
    return openUnchanging(file)
  }
}

/** Checkpoints the log, so that a copy of the file alone is complete; what readers still need remains in the log. */
export const checkpoint = (database: DatabaseSync): void => {
  try {
    database.exec(`PRAGMA busy_timeout=${checkpointMillis}; PRAGMA wal_checkpoint(TRUNCATE)`)
  } catch {
    // The log remains, and the next process checkpoints it.
  }
}
