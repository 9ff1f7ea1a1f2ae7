/**
 * The next step of a backup: compares the journal of a copy with that of its original, and reads what the step writes. After
 * each step the copy is a sound index that ends at some block of the original. Functions named `Unsafe` throw what SQLite throws, and a
 * `StoreError` for a copy of another file.
 *
 * Source: decision 0045.
 */
import { StoreError } from "../../StoreError.ts"
import * as BlockCopy from "./BlockCopy.ts"
import * as Checksum from "../../rows/Checksum.ts"
import type { Connection } from "../Connection.ts"
import * as CopyState from "./CopyState.ts"
import * as Statements from "./CopyStatements.ts"
import * as Histories from "../Histories.ts"
import * as Journal from "../Journal.ts"
import * as RowId from "../../rows/RowId.ts"
import type { Change, Kind } from "../../Journal.ts"

/** State of both files before a step. */
interface Files {
  readonly original: CopyState.CopyState
  readonly copy: CopyState.CopyState
}

/** The copy's journal after a step: its changes up to one, and those that the step adds. */
export interface Log {
  readonly after: Pick<Change, "change" | "serial">
  readonly changes: ReadonlyArray<Change>
  /** Removed blocks that the original remembers; `null` if the copy has them. */
  readonly removed: CopyState.Removed | null
}

/** Blocks that a change rewrote, in their current form. */
export interface Replacement {
  readonly kind: Kind
  readonly copied: BlockCopy.Copied
}

/** What a step does. */
export type Step =
  | { readonly _tag: "Done"; readonly log: Log }
  /** Removes the blocks of the copy from a number on. */
  | { readonly _tag: "Truncate"; readonly lowest: number }
  | { readonly _tag: "Replace"; readonly log: Log; readonly replacements: ReadonlyArray<Replacement> }
  | { readonly _tag: "Append" | "Prepend"; readonly log: Log; readonly copied: BlockCopy.Copied }
  | {
      readonly _tag: "Histories"
      readonly log: Log
      readonly entries: ReadonlyArray<Histories.Entry>
      /** The last entry that was read; `null` if there are no more. */
      readonly cursor: Histories.Entry | null
    }

/** The next step. */
export type CopyPlan = Files & { readonly step: Step }

/** Position of a copy, apart from the contents of its file. */
export interface Position {
  /** Block at which the copy is complete; `null` for the last one that the original has now. */
  readonly goal: number | null
  /** Number of blocks by which the goal last advanced. */
  readonly lastAdvance: number
  /** The last history entry that was copied. */
  readonly cursor: Histories.Entry
  /** The first block of the original when the copy was begun or continued; `null` before the first step. */
  readonly floor: number | null
}

/** How much a step reads. */
export interface Limits extends BlockCopy.Budget {
  /** Number of history entries. */
  readonly entries: number
  /** Number of changes of the log. */
  readonly changes: number
}

/** Number of changes of a copy that are compared with its original, newest first. */
const compared = 10_000

const notACopy = (name: string) =>
  new StoreError({
    message: `Not a recent copy of this database: ${name} has other changes, or they are too old. Name an empty folder.`,
    isRetryable: false,
    cause: undefined,
  })

const indexedSince = (name: string) =>
  new StoreError({
    message: `Copy indexed independently: an indexer wrote ${name} after it was copied. Name an empty folder.`,
    isRetryable: false,
    cause: undefined,
  })

/** The last change that both files have. */
const commonUnsafe = (original: Connection, copy: Connection): Change => {
  const last = Journal.lastUnsafe(copy)
  if (last !== null && Journal.hasUnsafe(original, last)) return last
  const found = Journal.newestUnsafe(copy, compared).find((change) => Journal.hasUnsafe(original, change))
  if (found === undefined) throw notACopy(copy.name)
  return found
}

const lowestOf = (changes: ReadonlyArray<Change>): number =>
  changes
    .filter(({ kind }) => kind !== "final")
    .reduce((lowest, change) => Math.min(lowest, change.lowest), Number.POSITIVE_INFINITY)

/** Reads the changed blocks that the copy has, oldest change first; returns the number of a block that does not fit into a step. */
const replacementsUnsafe = (
  original: Connection,
  chain: number,
  [first, head]: readonly [number, number],
  log: Log,
  limits: Limits,
): Extract<Step, { readonly _tag: "Replace" | "Truncate" }> => {
  const replacements: Array<Replacement> = []
  let bytes = 0
  for (const [at, { highest, kind, lowest }] of log.changes.entries()) {
    const [from, to] = [Math.max(lowest, first), Math.min(highest, head)]
    if ((kind !== "rewrite" && kind !== "clear") || from > to) continue
    const copied = BlockCopy.readUnsafe(original, chain, from, to, limits)
    bytes += copied.bytes
    if (replacements.length > 0 && (bytes > limits.bytes || replacements.length >= limits.blocks)) {
      return { _tag: "Replace", replacements, log: { ...log, changes: log.changes.slice(0, at) } }
    }
    if (copied.to < to) return { _tag: "Truncate", lowest: from }
    replacements.push({ kind, copied })
  }
  return { _tag: "Replace", replacements, log }
}

/** Compares history entries in table order. */
export const compareEntries = ([key, id]: Histories.Entry, [otherKey, otherId]: Histories.Entry): number =>
  Buffer.compare(key, otherKey) || id - otherId

const isSame = (entry: Histories.Entry | undefined, other: Histories.Entry | undefined): boolean =>
  entry !== undefined && other !== undefined && compareEntries(entry, other) === 0

/** Reads the next history entries for the blocks of the copy. */
const historiesUnsafe = (
  original: Connection,
  [first, head]: readonly [number, number],
  after: Histories.Entry,
  limit: number,
) => {
  const entries = Histories.afterUnsafe(original, 0, after, limit)
  const copies = Histories.afterUnsafe(original, 1, after, limit)
  for (let at = 0; at < Math.max(entries.length, copies.length); at++) {
    if (isSame(entries[at], copies[at])) continue
    const [first] = [entries[at], copies[at]].filter((entry) => entry !== undefined).toSorted(compareEntries)
    const { block } = RowId.toPosition(first![1])
    throw Checksum.damaged(original.name, block, "the history of a wallet differs from its copy")
  }
  const [start, end] = RowId.range(first, head)
  return {
    entries: entries.filter(([, id]) => id >= start && id < end),
    cursor: entries.length < limit ? null : entries.at(-1)!,
  }
}

/** The next changes of the original that the copy lacks. */
const logUnsafe = (original: Connection, copy: Connection, limit: number): Log => {
  const after = commonUnsafe(original, copy)
  const changes = Journal.afterUnsafe(original, after.change, limit)
  if (changes.some(({ change }, at) => change !== after.change + at + 1)) throw notACopy(copy.name)
  const hasRemoved = changes.some(({ kind }) => kind === "remove")
  return { after, changes, removed: hasRemoved ? CopyState.removedUnsafe(original) : null }
}

/** The step of a copy that has blocks. */
const stepUnsafe = (
  original: Connection,
  copy: Connection,
  chain: number,
  files: Files,
  range: readonly [first: number, head: number],
  { cursor, floor, goal }: Position,
  limits: Limits,
): Step => {
  const [first, head] = range
  const log = logUnsafe(original, copy, limits.changes)
  const own = Journal.afterUnsafe(copy, log.after.change, compared)
  if (own.length > 0 && files.copy.leases > 0) throw indexedSince(copy.name)
  const originalHead = files.original.checkpoint?.head.number ?? -1
  const removed = Journal.lowestRemovedUnsafe(original, log.after.change) ?? originalHead + 1
  const lowest = Math.min(lowestOf(own), removed, originalHead + 1)
  if (lowest <= head) return { _tag: "Truncate", lowest }
  const replaced = replacementsUnsafe(original, chain, range, log, limits)
  const hasMore = log.changes.length === limits.changes
  if (hasMore || replaced._tag === "Truncate" || replaced.replacements.length > 0) return replaced
  const lowestOriginal = files.original.checkpoint?.first ?? first
  if (Math.max(floor ?? lowestOriginal, lowestOriginal) < first) {
    const copied = BlockCopy.readBelowUnsafe(original, chain, lowestOriginal, first - 1, limits)
    return { _tag: "Prepend", log, copied }
  }
  if (head < Math.min(goal ?? originalHead, originalHead)) {
    return { _tag: "Append", log, copied: BlockCopy.readUnsafe(original, chain, head + 1, originalHead, limits) }
  }
  return files.copy.copying?.hasHistories === true
    ? { _tag: "Histories", log, ...historiesUnsafe(original, range, cursor, limits.entries) }
    : { _tag: "Done", log }
}

/** Reads the next step. */
export const readUnsafe = (
  original: Connection,
  copy: Connection,
  chain: number,
  position: Position,
  limits: Limits,
): CopyPlan => {
  const files = { original: CopyState.readUnsafe(original, chain), copy: CopyState.readUnsafe(copy, chain) }
  const { checkpoint } = files.copy
  if (checkpoint !== null) {
    const range = [checkpoint.first, checkpoint.head.number] as const
    return { ...files, step: stepUnsafe(original, copy, chain, files, range, position, limits) }
  }
  const log = {
    after: { change: 0, serial: 0 },
    changes: Journal.newestUnsafe(original, compared).toReversed(),
    removed: CopyState.removedUnsafe(original),
  }
  if (files.original.checkpoint === null) return { ...files, step: { _tag: "Done", log } }
  const { first, head } = files.original.checkpoint
  return {
    ...files,
    step: { _tag: "Append", log, copied: BlockCopy.readUnsafe(original, chain, first, head.number, limits) },
  }
}

/** Position before the first history entry. */
export const start: Histories.Entry = [Buffer.alloc(0), -1]

/** The last history entry of a copy. */
export const cursorUnsafe = (copy: Connection): Histories.Entry =>
  copy.valuesUnsafe<Histories.Entry>(Statements.lastHistory, [])[0] ?? start
