/**
 * Copies a chain's file while it is being written, in steps: each reads some blocks in a short transaction of the original and writes them
 * in a transaction of the copy. The original's log is not held, and its writer does not wait for a step. An existing copy is updated: the
 * journal shows what has changed since.
 *
 * Source: decision 0045.
 */
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../../../supervision/MonotonicClock.ts"
import type { ChainRef } from "../../ChainRef.ts"
import type { CopyOptions } from "../../Database.ts"
import { StoreError } from "../../StoreError.ts"
import * as BlockCopy from "./BlockCopy.ts"
import * as ChainFile from "../ChainFile.ts"
import type { Connection } from "../Connection.ts"
import * as CopyPlan from "./CopyPlan.ts"
import * as CopyState from "./CopyState.ts"
import * as Statements from "./CopyStatements.ts"
import * as Histories from "../Histories.ts"
import * as Journal from "../Journal.ts"
import type * as ReadPool from "../ReadPool.ts"
import * as RowId from "../../rows/RowId.ts"
import * as WalletKey from "../../rows/WalletKey.ts"

/** Maximum that a step reads. Steps are short because the writer of the original waits for the disk meanwhile. */
export const defaultLimits: CopyPlan.Limits = {
  blocks: 500,
  transactions: 5_000,
  bytes: 2 ** 23,
  entries: 25_000,
  changes: 100_000,
}

/** Number of random history entries that are looked up after a step to measure how long a disk read takes. */
const lookups = 8

/** Number of lookups made by an append of many transactions; the pause between steps is at least as long as they take. */
const lookupsOfAppend = 200

/** Maximum number of blocks that one step removes from a copy. */
const truncatedBlocks = 1_000

/** The result of a copy. */
export interface Copied {
  /** Number of copied blocks, and bytes of their rows. */
  readonly blocks: number
  readonly copiedBytes: number
  /** Last block of the copy; `null` for an empty index. */
  readonly head: number | null
  /** Size of the copy in bytes. */
  readonly bytes: number
}

const refuse = (message: string) => new StoreError({ message, isRetryable: false, cause: undefined })

/** Rejects an original with tables that this program never creates, which could answer a query with anything. */
const checkOriginal = (original: Connection): void => {
  const [name] = original.valuesUnsafe<readonly [string]>(Statements.foreignTables, [])[0] ?? []
  if (name !== undefined) throw refuse(`Foreign table in database file ${original.name}: ${name}. Do not use the file.`)
}

const checkCopy = ({ connection }: ChainFile.ChainFile, copy: CopyState.CopyState, now: number): void => {
  if (copy.leaseUntil !== null && copy.leaseUntil > now) {
    throw refuse(`Copy in use: an indexer writes ${connection.name}. Stop it, or name another folder.`)
  }
}

const messageOf = (
  { isRestore }: Position,
  nowMillis: number,
  head: number | null,
  copying: CopyState.Copying | null,
): string => {
  if (copying !== null) {
    return `Unfinished copy: it has the blocks up to ${head ?? "none"}, but lacks those up to ${copying.goal} or their histories. Rerun the command that created it.`
  }
  const at = `${new Date(nowMillis).toISOString().slice(0, 19)}Z`
  if (isRestore) return `Restored at ${at} from a backup. Start "daybook serve".`
  return `This is a backup of ${at}. To use it instead of the database, name its folder as "database" and start "daybook serve".`
}

/** Position of a copy between two steps. */
interface Position extends CopyPlan.Position {
  readonly file: ChainFile.ChainFile
  readonly limits: CopyPlan.Limits
  /** True if the copy is the database of a configuration rather than a backup. */
  readonly isRestore: boolean
}

/**
 * Whether the histories of a copy are copied after its blocks, in key order: that is much faster than inserting each entry at a random
 * position.
 */
const copiesHistories = ({ copy }: CopyPlan.CopyPlan): boolean =>
  copy.checkpoint === null || copy.copying?.hasHistories === true

/** Selects the history entries that a copy has for its blocks; `null` if there are none. */
const entriesOf = (plan: CopyPlan.CopyPlan, { cursor }: Position): BlockCopy.IsCopied | null => {
  const [end] = RowId.range(CopyState.historiesEnd(plan.original), CopyState.historiesEnd(plan.original))
  if (!copiesHistories(plan)) return ([, id]) => id < end
  return cursor[1] < 0 ? null : (entry) => entry[1] < end && CopyPlan.compareEntries(entry, cursor) <= 0
}

/** Whether a step copies the last entries of the histories. */
const endsHistories = ({ step }: CopyPlan.CopyPlan): boolean => step._tag === "Histories" && step.cursor === null

/**
 * Block at which a copy is complete, after a step that ended at a block. Blocks appended meanwhile are copied before the histories, which
 * are expensive to derive for later blocks. This continues while the copy catches up with the writer: each round copies less than half of
 * the blocks of the previous one.
 */
const goalAfter = (plan: CopyPlan.CopyPlan, { goal, limits, lastAdvance }: Position, head: number | null): number => {
  const last = plan.original.checkpoint?.head.number ?? -1
  if (goal === null || endsHistories(plan)) return last
  const isReached = plan.step._tag === "Append" && copiesHistories(plan) && head !== null && head >= goal
  const gap = last - goal
  return isReached && gap > limits.blocks && gap < lastAdvance / 2 ? last : goal
}

/** What remains to be copied after a step that ended at a block. */
const copyingAfter = (plan: CopyPlan.CopyPlan, position: Position, head: number | null): CopyState.Copying | null => {
  const { original, step } = plan
  const last = original.checkpoint?.head.number ?? -1
  const goal = goalAfter(plan, position, head)
  const hasHistories = copiesHistories(plan) && !endsHistories(plan)
  const isWhole = step._tag === "Append" || endsHistories(plan)
  const isFinished = isWhole && !hasHistories && head !== null && head >= Math.min(goal, last)
  return step._tag === "Done" || isFinished ? null : { goal, hasHistories }
}

/** Writes the rows of a step; returns the blocks of the copy after it. */
const writeRows = (plan: CopyPlan.CopyPlan, position: Position): readonly [first: number, head: number] | null => {
  const { file } = position
  const { checkpoint } = plan.copy
  const range = checkpoint === null ? null : ([checkpoint.first, checkpoint.head.number] as const)
  switch (plan.step._tag) {
    case "Done":
      return range
    case "Truncate": {
      const [first, head] = range!
      const from = Math.max(plan.step.lowest, first, head - truncatedBlocks + 1)
      BlockCopy.removeUnsafe(file, from, head)
      return from === first ? null : [first, from - 1]
    }
    case "Replace":
      for (const { copied, kind } of plan.step.replacements) {
        const { from, to } = copied
        if (kind === "clear") Histories.removeRangeUnsafe(file.connection, ...RowId.range(from, to))
        BlockCopy.removeUnsafe(file, from, to)
        BlockCopy.insertUnsafe(file, copied, entriesOf(plan, position))
      }
      return range
    case "Append":
      BlockCopy.insertUnsafe(file, plan.step.copied, entriesOf(plan, position))
      return [range?.[0] ?? plan.step.copied.from, plan.step.copied.to]
    case "Prepend":
      BlockCopy.insertUnsafe(file, plan.step.copied, entriesOf(plan, position))
      return [plan.step.copied.from, range![1]]
    case "Histories":
      Histories.insertUnsafe(file.connection, plan.step.entries)
      return range
  }
}

const writeLog = ({ connection }: ChainFile.ChainFile, { after, changes }: CopyPlan.Log): CopyPlan.Log["after"] => {
  Journal.removeAfterUnsafe(connection, after.change)
  Journal.copyUnsafe(connection, changes)
  return changes.at(-1) ?? after
}

/** Writes a step; returns the blocks of the copy after it. */
const writeUnsafe = (plan: CopyPlan.CopyPlan, position: Position, nowMillis: number) => {
  const { file } = position
  const { copy, original, step } = plan
  const range = writeRows(plan, position)
  const newest = step._tag === "Truncate" ? copy : writeLog(file, step.log)
  if (step._tag !== "Truncate" && step.log.removed !== null) CopyState.writeRemovedUnsafe(file, step.log.removed)
  const copying = copyingAfter(plan, position, range?.[1] ?? null)
  const message = messageOf(position, nowMillis, range?.[1] ?? null, copying)
  CopyState.writeUnsafe(file, { state: original, newest, range, copying, message, nowMillis })
  return { range, copying }
}

/** Whether a copy has everything from its original, so nothing is written. */
const isCurrent = ({ copy, original, step }: CopyPlan.CopyPlan): boolean =>
  step._tag === "Done" &&
  step.log.changes.length === 0 &&
  copy.copying === null &&
  (copy.status === null) === (original.status === null) &&
  copy.watch === original.watch &&
  copy.checkpoint?.finalized === original.checkpoint?.finalized &&
  JSON.stringify(copy.projections) === JSON.stringify(original.projections)

const blocksOf = ({ step }: CopyPlan.CopyPlan): ReadonlyArray<BlockCopy.Copied> => {
  if (step._tag === "Append" || step._tag === "Prepend") return [step.copied]
  return step._tag === "Replace" ? step.replacements.map(({ copied }) => copied) : []
}

/** Size of a history entry and its duplicate, in bytes. */
const entryBytes = 36

const bytesOf = (plan: CopyPlan.CopyPlan): number => {
  const entries = plan.step._tag === "Histories" ? plan.step.entries.length : 0
  return blocksOf(plan).reduce((sum, { bytes }) => sum + bytes, entries * entryBytes)
}

/** Runs one step in a transaction of the copy; returns its plan and the position after it, or `null` if the copy is complete. */
const takeStep = Effect.fnUntraced(function* (
  pool: ReadPool.ReadPool,
  position: Position,
): Effect.fn.Return<readonly [CopyPlan.CopyPlan, Position | null], StoreError> {
  const { file, limits } = position
  const { connection, ref, transaction } = file
  const nowMillis = yield* Clock.currentTimeMillis
  return yield* transaction(
    Effect.gen(function* () {
      const plan = yield* pool.once((original) => CopyPlan.readUnsafe(original, connection, ref.id, position, limits))
      const { step } = plan
      const written = yield* connection.attempt(() => {
        checkCopy(file, plan.copy, nowMillis)
        return isCurrent(plan) ? null : writeUnsafe(plan, position, nowMillis)
      })
      if (written === null || written.copying === null) return [plan, null] as const
      const { goal } = written.copying
      const cursor = step._tag === "Histories" ? (step.cursor ?? position.cursor) : position.cursor
      const floor = position.floor ?? plan.original.checkpoint?.first ?? null
      const lastAdvance = goal === position.goal ? position.lastAdvance : goal - (position.goal ?? floor ?? 0)
      const next = { goal, lastAdvance, floor, cursor: written.range === null ? CopyPlan.start : cursor }
      return [plan, { ...position, ...next }] as const
    }),
  )
})

/** Milliseconds that an append to the original would wait for disk reads, estimated from a few lookups of the same kind. */
const appendMillis = (pool: ReadPool.ReadPool): Effect.Effect<number, StoreError> =>
  Effect.gen(function* () {
    const startedAt = yield* MonotonicClock.millis
    yield* pool.once((original) => {
      for (let lookup = 0; lookup < lookups; lookup++) {
        Histories.lookUpUnsafe(original, lookup % 2 === 0 ? 0 : 1, randomBytes(WalletKey.bytes))
      }
    })
    return (((yield* MonotonicClock.millis) - startedAt) / lookups) * lookupsOfAppend
  })

/** Whether a copy is an unfinished first copy. */
const isFirst = ({ checkpoint, copying }: CopyState.CopyState): boolean =>
  checkpoint === null || copying?.hasHistories === true

/**
 * Writes a file with a rollback journal while it only grows: new pages are then written once, while a write-ahead log writes them twice. A
 * file opened elsewhere is left unchanged.
 */
const growUnsafe = (connection: Connection): void => {
  const [mode] = connection.valuesUnsafe<readonly [string]>("PRAGMA journal_mode=TRUNCATE", [])[0] ?? []
  if (mode === "truncate") connection.rowsUnsafe("PRAGMA synchronous=FULL", [])
}

/** Returns a file to its write-ahead log. */
const endGrowthUnsafe = (connection: Connection): void => {
  connection.rowsUnsafe("PRAGMA journal_mode=WAL", [])
  connection.rowsUnsafe("PRAGMA synchronous=NORMAL", [])
}

/**
 * Copies the file of a pool to another file, which is created, continued or updated; completes when the copy has the blocks that the
 * original had at the start.
 *
 * **Errors**
 * - `StoreError`: the original is damaged, the copy belongs to another file, was itself indexed or is in use, or the disk is full. The copy
 *   is a sound index up to some block, and the same call continues it.
 */
export const run = Effect.fn("Backup.run")(function* (
  pool: ReadPool.ReadPool,
  target: string,
  ref: ChainRef,
  options: CopyOptions & { readonly limits?: CopyPlan.Limits; readonly isRestore?: boolean },
): Effect.fn.Return<Copied, StoreError, Scope.Scope> {
  const { isPaced = false, isRestore = false, limits = defaultLimits, onProgress } = options
  yield* pool.once(checkOriginal)
  const file = yield* ChainFile.open(target, ref, "zstd")
  const { connection } = file
  const isGrowing = yield* connection.attempt(() => isFirst(CopyState.readUnsafe(connection, ref.id)))
  if (isGrowing) yield* Effect.ignore(connection.attempt(() => growUnsafe(connection)))
  const cursor = yield* connection.attempt(() => CopyPlan.cursorUnsafe(connection))
  let position: Position = { file, limits, isRestore, goal: null, lastAdvance: 0, cursor, floor: null }
  let [blocks, copiedBytes] = [0, 0]
  for (;;) {
    const startedAt = yield* MonotonicClock.millis
    const [plan, next]: readonly [CopyPlan.CopyPlan, Position | null] = yield* takeStep(pool, position)
    blocks += blocksOf(plan).reduce((sum, copied) => sum + copied.blocks, 0)
    copiedBytes += bytesOf(plan)
    const { bytes, checkpoint } = yield* connection.attempt(() => CopyState.readUnsafe(connection, ref.id))
    const head = checkpoint?.head.number ?? null
    if (next === null) {
      if (isGrowing) yield* connection.attempt(() => endGrowthUnsafe(connection))
      return { blocks, copiedBytes, head, bytes }
    }
    position = next
    if (onProgress !== undefined) {
      const goal = next.goal ?? 0
      yield* onProgress({ chain: ref.name, block: head, goal, bytes, totalBytes: plan.original.bytes })
    }
    const millis = (yield* MonotonicClock.millis) - startedAt
    yield* isPaced ? Effect.sleep(Math.max(millis, yield* appendMillis(pool))) : Effect.yieldNow
  }
})
