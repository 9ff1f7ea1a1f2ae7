/**
 * File in which a discovery is saved while it runs, so that the same command resumes an interrupted one: the state after a turn, with all
 * blocks fetched for it. Each write is one transaction, and a file is used by one process at a time. It contains no URL.
 *
 * Source: decision 0056.
 */
import { createHash } from "node:crypto"
import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Movement from "../ledger/Movement.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import type { Found } from "./Discovery.ts"
import * as DiscoveryState from "./DiscoveryState.ts"

/**
 * Subject of a discovery, as requested by the command; it determines the file name.
 */
export interface Subject {
  readonly chainId: number
  /** Lower case, in command order. */
  readonly addresses: ReadonlyArray<string>
  /** First block; `null` for the first block of the chain. */
  readonly fromBlock: number | null
  /** Last block; `null` for the last final block. */
  readonly at: number | null
}

/**
 * Data saved besides the state and the blocks.
 */
export interface Details {
  /** Whether the nodes could trace. */
  readonly hasTraces: boolean
  /** Revision of the code that derives movements from blocks. */
  readonly ledgerRevision: number
  /** Calls that were made so far. */
  readonly calls: number
}

/**
 * An interrupted discovery.
 */
export interface StoredDiscovery extends Found {
  readonly details: Details
}

/**
 * A discovery cannot be saved to, or resumed from, a file. The file is left unchanged.
 */
export class DiscoveryFileError extends Data.TaggedError("DiscoveryFileError")<{
  readonly file: string
  readonly reason: string
  readonly advice: string
}> {
  override get message() {
    return `Cannot use the file of an interrupted search: ${this.file} ${this.reason}. ${this.advice}`
  }
}

/**
 * An open file.
 */
export interface DiscoveryFile {
  readonly path: string
  /** Data saved by an earlier process; `null` for none. */
  readonly kept: StoredDiscovery | null
  /**
   * Replaces the state, and adds the blocks fetched since the last write. If that fails, the file keeps its previous contents and accepts
   * no further writes.
   */
  readonly write: (
    state: DiscoveryState.DiscoveryState,
    fetched: ReadonlyArray<DiscoveredBlock>,
    details: Details,
  ) => Effect.Effect<void, DiscoveryFileError>
  /** Deletes all saved data. */
  readonly clear: Effect.Effect<void, DiscoveryFileError>
  /** Removes the file when the scope ends. */
  readonly removeAtEnd: Effect.Effect<void>
}

/** `application_id` of the file. */
const applicationId = 0x44424b44
const version = 2

const schema = `
  CREATE TABLE discovery (details TEXT NOT NULL, state TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE TABLE block (number INTEGER PRIMARY KEY, body TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
  PRAGMA application_id=${applicationId};
  PRAGMA user_version=${version};`

/** Maximum number of characters of a text. */
const maxLength = 256 * 1024 * 1024
/** Number of blocks read at once. */
const blocksAtOnce = 100
/** Only the owner may read and write. */
const [fileMode, folderMode] = [0o600, 0o700]

const StoredMovement = Schema.Struct({
  wallet: Schema.String,
  counterparty: Schema.NullOr(Schema.String),
  asset: Schema.String,
  tokenId: Schema.NullOr(Schema.String),
  amount: Schema.BigIntFromString,
  kind: Schema.Literals(Movement.kinds),
  logIndex: Schema.NullOr(Schema.Int),
  isFailed: Schema.Boolean,
})

const StoredBlock = Schema.Struct({
  number: Schema.Int,
  hash: Schema.String,
  timestamp: Schema.Int,
  rows: Schema.Array(
    Schema.Struct({
      wallet: Schema.String,
      transactionHash: Schema.NullOr(Schema.String),
      index: Schema.NullOr(Schema.Int),
      roles: Schema.Int,
      movements: Schema.Array(StoredMovement),
      candidates: Schema.optional(
        Schema.Array(
          Schema.Struct({
            asset: Schema.String,
            kind: Schema.Literals(Movement.kinds),
            tokenId: Schema.NullOr(Schema.String),
          }),
        ),
      ),
    }),
  ),
  hasGaps: Schema.Boolean,
})

const StoredDetails = Schema.Struct({
  chainId: Schema.Int,
  addresses: Schema.Array(Schema.String),
  fromBlock: Schema.NullOr(Schema.Int),
  at: Schema.NullOr(Schema.Int),
  hasTraces: Schema.Boolean,
  ledgerRevision: Schema.Int,
  calls: Schema.Int,
  /** Blocks that are stored. */
  blocks: Schema.Int,
})

/** Formats a block as JSON text. */
export const blockToJson = (block: DiscoveredBlock): string => JSON.stringify(Schema.encodeSync(StoredBlock)(block))

/** Parses a block from JSON text. */
export const blockFromJson = Schema.decodeUnknownResult(Schema.fromJsonString(StoredBlock))

const detailsFromJson = Schema.decodeUnknownResult(Schema.fromJsonString(StoredDetails))

/**
 * Path of a subject's file in a folder.
 */
export const pathOf = (folder: string, { addresses, at, chainId, fromBlock }: Subject): string => {
  const text = JSON.stringify([chainId, addresses, fromBlock, at])
  const name = createHash("sha256").update(text).digest("hex").slice(0, 24)
  return join(folder, `search-${chainId}-${name}.sqlite`)
}

/** Files of searches without progress for this long are considered abandoned. */
const maxAge = Duration.days(30)
const fileName = /^search-\d{1,20}-[0-9a-f]{24}\.sqlite$/
/** Offset of the `application_id` in the header of a SQLite file. */
const applicationIdAt = 68

/** True for the file of a search without progress since a given time; throws file system errors. */
const isOldUnsafe = (path: string, sinceMillis: number): boolean => {
  if (statSync(path).mtimeMs >= sinceMillis) return false
  const header = Buffer.alloc(100)
  const file = openSync(path, "r")
  try {
    return readSync(file, header) === header.length && header.readUInt32BE(applicationIdAt) === applicationId
  } finally {
    closeSync(file)
  }
}

/**
 * Removes the files of searches without progress for 30 days, and returns their number. The file of the subject about to be opened is kept,
 * as are files that cannot be removed.
 */
export const removeOld = (folder: string, subject: Subject): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const attempt = <A>(work: () => A, otherwise: A): A => Result.getOrElse(Result.try(work), () => otherwise)
    const names = attempt(() => readdirSync(folder), [])
    const removed = names.filter((name) => {
      const path = join(folder, name)
      if (!fileName.test(name) || path === pathOf(folder, subject)) return false
      return attempt(() => {
        if (!isOldUnsafe(path, now - Duration.toMillis(maxAge))) return false
        for (const one of [path, `${path}-journal`]) rmSync(one, { force: true })
        return true
      }, false)
    })
    return removed.length
  })

/** Why a file is not used. */
class Refused extends Data.Error<{ readonly reason: string; readonly advice: string }> {}

const moveAway = "Move it away, or name another folder with --state."

const refuseDamaged = (what: string): never => {
  throw new Refused({ reason: `is damaged: ${what}`, advice: "Remove it to begin the search again." })
}

/** Primary result code of a SQLite error; 0 for any other error. */
const sqliteCode = (cause: unknown): number =>
  cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & 0xff : 0

/** Converts an error thrown by SQLite or the file system. */
const toError = (file: string, cause: unknown): DiscoveryFileError => {
  if (cause instanceof Refused) return new DiscoveryFileError({ file, reason: cause.reason, advice: cause.advice })
  const code = sqliteCode(cause)
  const refused = (reason: string, advice: string) => new DiscoveryFileError({ file, reason, advice })
  // SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB.
  if (code === 5) return refused("is used by another process", "Wait until that process has ended.")
  if (code === 11) return refused("is damaged", "Remove it to begin the search again.")
  if (code === 26) return refused("is not a file of an interrupted search", moveAway)
  const reason = cause instanceof Error ? cause.message : String(cause)
  return refused(`cannot be written (${reason})`, "Name another folder with --state.")
}

const numberOf = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0])

/** Opens a file exclusively, and creates its tables if it is new; throws SQLite errors. */
const openUnsafe = (file: string): DatabaseSync => {
  mkdirSync(dirname(file), { recursive: true, mode: folderMode })
  closeSync(openSync(file, "a", fileMode))
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
    const isNew = numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0
    if (isNew) database.exec(schema)
    database.exec("COMMIT")
    if (numberOf(database, "PRAGMA application_id") !== applicationId)
      throw new Refused({ reason: "is not a file of an interrupted search", advice: moveAway })
    const found = numberOf(database, "PRAGMA user_version")
    if (found !== version)
      throw new Refused({ reason: `has format ${found}, and this version reads ${version}`, advice: moveAway })
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const valueOf = <A, E>(result: Result.Result<A, E>, what: string): A =>
  Result.isSuccess(result) ? result.success : refuseDamaged(what)

const blockOf = ({ body, checksum, number }: Record<string, unknown>): DiscoveredBlock => {
  const what = `block ${String(number)}`
  if (crc32(String(body)) !== checksum) return refuseDamaged(what)
  const block = valueOf(blockFromJson(body), what)
  return block.number === number ? block : refuseDamaged(what)
}

const select = `SELECT number, body, checksum FROM block WHERE number > ? AND number <= ? AND length(body) <= ${maxLength}
  ORDER BY number LIMIT ${blocksAtOnce}`

/** Next blocks above one number up to another, and where the following ones start; `null` for none. */
const blocksUnsafe = (database: DatabaseSync, after: number, to: number) => {
  const blocks = database.prepare(select).all(after, to).map(blockOf)
  return { blocks, next: blocks.length < blocksAtOnce ? null : blocks.at(-1)!.number }
}

const isOf = (subject: Subject, found: Subject): boolean => pathOf("", subject) === pathOf("", found)

/** Inconsistency with the rest of the state; `null` for none. */
const issueOf = (
  { addresses, chainId }: Subject,
  { closing, opening, segment, settled, wallets, ...state }: DiscoveryState.DiscoveryState,
): string | null => {
  const isSame = wallets.length === addresses.length && wallets.every(({ address }, at) => address === addresses[at])
  if (state.chainId !== chainId || !isSame) return "its wallets"
  if (settled < opening || settled > closing.number) return "its blocks"
  if (segment === null) return null
  const isWithin = segment.wallets.length === wallets.length && segment.to > settled && segment.to <= closing.number
  return isWithin && state.isLocated ? null : "its open blocks"
}

/** Reads and verifies the saved data; throws SQLite errors. */
const readUnsafe = (database: DatabaseSync, subject: Subject): StoredDiscovery | null => {
  const [row] = database
    .prepare(`SELECT details, state, checksum FROM discovery WHERE length(details) + length(state) <= ${maxLength}`)
    .all()
  if (row === undefined)
    return numberOf(database, "SELECT count(*) FROM discovery") === 0 ? null : refuseDamaged("its length")
  const { checksum, details: text, state: json } = row
  if (crc32(`${String(text)}${String(json)}`) !== checksum) return refuseDamaged("its state")
  const { blocks: count, calls, hasTraces, ledgerRevision, ...found } = valueOf(detailsFromJson(text), "its details")
  if (!isOf(subject, found)) throw new Refused({ reason: "belongs to another search", advice: moveAway })
  const state = valueOf(DiscoveryState.fromJson(json), "its state")
  const issue = issueOf(subject, state)
  if (issue !== null) return refuseDamaged(issue)
  const { closing, opening, segment, settled } = state
  const waiting: Array<DiscoveredBlock> = []
  let stored = 0
  for (let after: number | null = opening; after !== null;) {
    const { blocks, next } = blocksUnsafe(database, after, closing.number)
    stored += blocks.length
    waiting.push(...blocks.filter(({ number }) => number > settled))
    after = next
  }
  const fetched = new Set(waiting.map(({ number }) => number))
  if (stored !== count || segment?.fetched.some((block) => !fetched.has(block)) === true)
    return refuseDamaged("its blocks")
  // They were verified, and the file is used exclusively, so a failure is a defect.
  const parts = Stream.paginate(opening, (after) =>
    Effect.sync(() => {
      const { blocks, next } = blocksUnsafe(database, after, settled)
      return [blocks, Option.fromNullishOr(next)] as const
    }),
  )
  return { state, settled: parts, waiting, details: { calls, hasTraces, ledgerRevision } }
}

/** Runs statements in one transaction; throws SQLite errors, and closing the file then rolls back. */
const transactUnsafe = (database: DatabaseSync, work: () => void): void => {
  database.exec("BEGIN")
  work()
  database.exec("COMMIT")
}

const writeUnsafe = (
  database: DatabaseSync,
  subject: Subject,
  state: DiscoveryState.DiscoveryState,
  fetched: ReadonlyArray<DiscoveredBlock>,
  details: Details,
): void =>
  transactUnsafe(database, () => {
    const insert = database.prepare("INSERT OR REPLACE INTO block (number, body, checksum) VALUES (?, ?, ?)")
    for (const block of fetched) {
      const body = blockToJson(block)
      insert.run(block.number, body, crc32(body))
    }
    const blocks = numberOf(database, "SELECT count(*) FROM block")
    const [text, json] = [JSON.stringify({ ...subject, ...details, blocks }), DiscoveryState.toJson(state)]
    database.exec("DELETE FROM discovery")
    database
      .prepare("INSERT INTO discovery (details, state, checksum) VALUES (?, ?, ?)")
      .run(text, json, crc32(`${text}${json}`))
  })

const clearUnsafe = (database: DatabaseSync): void =>
  transactUnsafe(database, () => database.exec("DELETE FROM discovery; DELETE FROM block"))

/**
 * Opens the file of a subject until the scope ends.
 *
 * **Errors**
 * - `DiscoveryFileError`: the file cannot be written, is used by another process, is damaged, or belongs to another subject. It is left
 *   unchanged.
 */
export const open = (file: string, subject: Subject): Effect.Effect<DiscoveryFile, DiscoveryFileError, Scope.Scope> =>
  Effect.gen(function* () {
    const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (cause) => toError(file, cause) })
    let isRemoved = false
    const database = yield* Effect.acquireRelease(
      attempt(() => openUnsafe(file)),
      (opened) =>
        Effect.sync(() => {
          opened.close()
          if (isRemoved) for (const path of [file, `${file}-journal`]) rmSync(path, { force: true })
        }),
    )
    const kept = yield* attempt(() => readUnsafe(database, subject))
    return {
      path: file,
      kept,
      write: (state, fetched, details) => attempt(() => writeUnsafe(database, subject, state, fetched, details)),
      clear: attempt(() => clearUnsafe(database)),
      removeAtEnd: Effect.sync(() => void (isRemoved = true)),
    }
  })
