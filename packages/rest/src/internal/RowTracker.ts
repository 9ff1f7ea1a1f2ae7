/**
 * Tracks the rows of a paginated query: which rows of a page are new, and whether pages and cursors are consistent. Pure, with bounded
 * memory.
 *
 * Rows are ordered by block. A repeated row is dropped. To recognise repeats reliably, the tracker keeps every row of the blocks that may
 * still interleave (those of the current timestamp) and the latest rows before them. An older row would be out of order, which is a
 * separate error.
 *
 * A resumed query first catches up: rows before its position are dropped. The page of the position is requested again and must contain the
 * rows that were emitted from it; otherwise the chain has changed.
 */
import type { Page, RowPosition } from "../Operation.ts"

export type Order = "ASC" | "DESC"

/** Why a page is invalid. */
export type PageFault =
  | { readonly _tag: "OutOfOrder"; readonly block: bigint; readonly after: bigint; readonly hash: string }
  | { readonly _tag: "Broken"; readonly path: string; readonly received: string; readonly expected: string }
  /** Rows emitted before the query was resumed are no longer on the chain. */
  | { readonly _tag: "Stale"; readonly fromBlock: bigint }

/** What follows a page: another page, the end, or a failure. */
export type Next = { readonly _tag: "Cursor"; readonly cursor: string } | { readonly _tag: "End" } | PageFault

/** The new rows of a page and what follows it. */
export interface Taken<Row> {
  readonly tracker: RowTracker
  readonly rows: ReadonlyArray<Row>
  readonly next: Next
}

/** Rows kept in addition to those that may still interleave: many pages of 100. */
const maxRows = 2_000
/** Maximum number of rows kept for one timestamp: more than any wallet has. */
const maxSameTime = 100_000
const maxCursors = 1_000
/** Pages without rows since the last new row: more than a server needs to search a chain in steps. */
const maxEmptyPages = 1_000
/** Pages with only repeated rows since the last new row. */
const maxRepeatedPages = 3
/** Rows in a saved memory: more than one page of 100. */
const tailRows = 128

/** A row that was emitted. Ids are the ends of keys, long enough to be unique. */
export interface Known {
  readonly id: string
  readonly blockId: string
  readonly block: bigint
}

/** State required to continue a query in another process. */
export interface Memory {
  /** Furthest block so far and its timestamp. */
  readonly furthest: { readonly block: bigint; readonly timeMillis: number } | undefined
  /** Furthest block before those of the current timestamp. */
  readonly floor: bigint | undefined
  /** The latest rows, in the order emitted. */
  readonly tail: ReadonlyArray<Known>
  /** Furthest block with an emitted row that the tail no longer holds: rows up to it may have been emitted. */
  readonly lost: bigint | undefined
  /** How many of the latest rows must be on the page that is requested again. */
  readonly given: number
}

export const emptyMemory: Memory = { furthest: undefined, floor: undefined, tail: [], lost: undefined, given: 0 }

/** State of a resumed query until its first new row. */
interface CatchUp {
  /** Rows that must be received again, by id. */
  readonly awaited: Map<string, bigint>
  readonly blockIds: ReadonlyMap<bigint, string>
  /** For blocks after this one, the memory has every emitted row. */
  readonly since: bigint | undefined
  /** Lowest changed block. */
  changed: bigint | undefined
  /** Highest block with a row that was received again unchanged, before any changed one: up to it the chain is the same. */
  proved: bigint | undefined
  /** The server does not verify that the rows before the requested ones are on the chain, as it does with a cursor. */
  readonly isUnverified: boolean
}

/** State of a query. `take` returns the next state and leaves this one unchanged. */
export interface RowTracker {
  readonly order: Order
  readonly cursors: ReadonlySet<string>
  readonly rows: ReadonlyMap<string, Known>
  readonly furthest: Memory["furthest"]
  readonly floor: bigint | undefined
  readonly tail: ReadonlyArray<Known>
  readonly lost: bigint | undefined
  readonly catchUp: Readonly<CatchUp> | undefined
  /** The memory has rows that the server did not verify at the first request. */
  readonly isUnverified: boolean
  /** Pages since the last new row: empty ones, and ones with only repeated rows. */
  readonly empty: number
  readonly repeated: number
}

/** A copy that `take` mutates before returning it. */
interface Draft {
  readonly order: Order
  readonly cursors: Set<string>
  readonly rows: Map<string, Known>
  furthest: Memory["furthest"]
  floor: bigint | undefined
  tail: ReadonlyArray<Known>
  lost: bigint | undefined
  catchUp: CatchUp | undefined
  readonly isUnverified: boolean
  empty: number
  repeated: number
}

const draftOf = (tracker: RowTracker): Draft => {
  const { catchUp } = tracker
  return {
    ...tracker,
    cursors: new Set(tracker.cursors),
    rows: new Map(tracker.rows),
    catchUp: catchUp === undefined ? undefined : { ...catchUp, awaited: new Map(catchUp.awaited) },
  }
}

/** Offset into a hash: an id consists of its last 80 bits and what follows. */
const idFrom = 46

const idOf = (key: string): string => key.slice(idFrom)

const knownOf = ({ block, blockHash, key }: RowPosition): Known => ({ id: idOf(key), blockId: idOf(blockHash), block })

/** True for a row emitted before, in the same block. */
export const isSame = (known: Known, row: RowPosition): boolean =>
  known.id === idOf(row.key) && known.blockId === idOf(row.blockHash)

const isPast = (order: Order, block: bigint, mark: bigint): boolean => (order === "ASC" ? block > mark : block < mark)

/** The further of two blocks, either of which may be undefined. */
const further = (order: Order, one: bigint | undefined, other: bigint): bigint =>
  one === undefined || isPast(order, other, one) ? other : one

/** The tail may lack rows of its first block, within which a query may have started, and rows that it has dropped. */
const sinceOf = (order: Order, { lost, tail: [first] }: Memory): bigint | undefined =>
  first === undefined ? lost : further(order, lost, first.block)

const catchUpOf = (order: Order, cursor: string | undefined, memory: Memory): CatchUp => ({
  awaited: new Map(memory.given === 0 ? [] : memory.tail.slice(-memory.given).map(({ block, id }) => [id, block])),
  blockIds: new Map(memory.tail.map(({ block, blockId }) => [block, blockId])),
  since: sinceOf(order, memory),
  changed: undefined,
  proved: undefined,
  isUnverified: cursor === undefined,
})

/** Starts a query, or continues one from its memory. */
export const make = (order: Order, cursor: string | undefined, memory: Memory = emptyMemory): RowTracker => ({
  order,
  cursors: new Set(cursor === undefined ? [] : [cursor]),
  rows: new Map(memory.tail.map((known) => [known.id, known])),
  furthest: memory.furthest,
  floor: memory.floor,
  tail: memory.tail,
  lost: memory.lost,
  catchUp: memory.tail.length > 0 ? catchUpOf(order, cursor, memory) : undefined,
  isUnverified: cursor === undefined && memory.tail.length > 0,
  empty: 0,
  repeated: 0,
})

export const memory = ({ floor, furthest, lost, tail }: RowTracker): Memory => ({
  floor,
  furthest,
  tail,
  lost,
  given: 0,
})

/** The lower of two blocks, either of which may be undefined. */
export const lower = (one: bigint | undefined, other: bigint): bigint =>
  one === undefined || other < one ? other : one

/** Advances the furthest block, or returns the fault of a row behind it. */
const advance = (draft: Draft, { block, key, timeMillis }: RowPosition): PageFault | undefined => {
  const { floor, furthest, order } = draft
  if (furthest === undefined) {
    draft.furthest = { block, timeMillis }
    return undefined
  }
  if (isPast(order, block, furthest.block)) {
    if (timeMillis !== furthest.timeMillis) draft.floor = furthest.block
    draft.furthest = { block, timeMillis }
    return undefined
  }
  if (block === furthest.block) return undefined
  if (timeMillis === furthest.timeMillis && (floor === undefined || isPast(order, block, floor))) return undefined
  return { _tag: "OutOfOrder", block, after: furthest.block, hash: key }
}

const forgetOldRows = (draft: Draft) => {
  for (const [id, { block }] of draft.rows) {
    if (draft.rows.size <= maxRows) return
    if (draft.floor === undefined || isPast(draft.order, block, draft.floor)) return
    draft.rows.delete(id)
  }
}

const addToTail = (draft: Draft, rows: ReadonlyArray<Known>) => {
  const all = [...draft.tail, ...rows]
  for (const { block } of all.slice(0, -tailRows)) draft.lost = further(draft.order, draft.lost, block)
  draft.tail = all.slice(-tailRows)
}

/**
 * First block to read again after a block changed. Between the last proved block and the changed one, the new chain may have rows in blocks
 * that had none, and an ascending query without a cursor would never receive them.
 */
const firstReverted = (order: Order, { isUnverified, proved }: CatchUp, changed: bigint): bigint => {
  if (order === "DESC" || !isUnverified) return changed
  return proved === undefined ? 0n : lower(changed, proved + 1n)
}

/** First block to read again, from the changes detected while a query catches up; undefined if there are none. */
export const changedFrom = ({ catchUp, order }: RowTracker): bigint | undefined =>
  catchUp?.changed === undefined ? undefined : firstReverted(order, catchUp, catchUp.changed)

/** Ends the catch-up at the first row after the position, or at the end. */
const endCatchUp = (draft: Draft): PageFault | undefined => {
  const { catchUp } = draft
  if (catchUp === undefined) return undefined
  let { changed } = catchUp
  for (const block of catchUp.awaited.values()) changed = lower(changed, block)
  draft.catchUp = undefined
  return changed === undefined ? undefined : { _tag: "Stale", fromBlock: firstReverted(draft.order, catchUp, changed) }
}

/** Records a row before the position that was not emitted, or not in this block. */
const recordChange = (draft: Draft, catchUp: CatchUp, row: Known) => {
  const known = draft.rows.get(row.id)
  if (known !== undefined) {
    catchUp.awaited.delete(row.id)
    catchUp.changed = lower(lower(catchUp.changed, known.block), row.block)
  }
  const blockId = catchUp.blockIds.get(row.block)
  const isOther = blockId !== undefined && blockId !== row.blockId
  const isBetween = catchUp.since !== undefined && isPast(draft.order, row.block, catchUp.since)
  if (isOther || (isBetween && known === undefined)) catchUp.changed = lower(catchUp.changed, row.block)
}

/**
 * Fault of a row that was emitted in another block. If the rows of the memory are not verified, the chain has changed at an unknown depth
 * below the request.
 */
const movedFault = (draft: Draft, at: number, { block }: RowPosition, known: Known): PageFault =>
  draft.isUnverified
    ? { _tag: "Stale", fromBlock: draft.order === "ASC" ? 0n : lower(block, known.block) }
    : {
        _tag: "Broken",
        path: `result[${at}].block_hash`,
        received: `block ${block} for a transaction that an earlier row had in block ${known.block}`,
        expected: "each transaction once; the chain may have reorganised",
      }

/** True for a row before ones that must be received again: either the tail has dropped it, or the chain has changed. */
const isBehind = ({ catchUp, furthest, order }: Draft, block: bigint): boolean =>
  catchUp !== undefined && catchUp.awaited.size > 0 && furthest !== undefined && !isPast(order, block, furthest.block)

/** Takes one row: new, repeated (or before the position), or a fault. */
const takeRow = (draft: Draft, at: number, place: RowPosition): "new" | "dropped" | PageFault => {
  const { catchUp } = draft
  const row = knownOf(place)
  const known = draft.rows.get(row.id)
  if (known !== undefined && known.blockId === row.blockId) {
    if (catchUp !== undefined) {
      catchUp.awaited.delete(row.id)
      if (catchUp.changed === undefined) catchUp.proved = row.block
    }
    return "dropped"
  }
  if (known !== undefined && catchUp === undefined) return movedFault(draft, at, place, known)
  const isOther = catchUp !== undefined && (catchUp.blockIds.get(row.block) ?? row.blockId) !== row.blockId
  const isEarlier = known !== undefined || isOther || isBehind(draft, row.block)
  const fault = isEarlier ? undefined : advance(draft, place)
  if (catchUp !== undefined && (isEarlier || fault !== undefined)) {
    recordChange(draft, catchUp, row)
    return "dropped"
  }
  const issue = fault ?? endCatchUp(draft)
  if (issue !== undefined) return issue
  draft.rows.set(row.id, row)
  return "new"
}

const cursorFault = (draft: Draft, cursor: string): PageFault | undefined => {
  if (draft.cursors.has(cursor)) {
    const received = "a cursor that was requested before"
    return { _tag: "Broken", path: "cursor", received, expected: "a new one, or null on the last page" }
  }
  if (draft.empty >= maxEmptyPages || draft.repeated >= maxRepeatedPages) {
    const [what, pages] =
      draft.repeated >= maxRepeatedPages ? ["repeated rows", draft.repeated] : ["no rows", draft.empty]
    const received = `${what} on ${pages} pages since the last new row`
    return { _tag: "Broken", path: "result", received, expected: "new rows, or null as the cursor" }
  }
  if (draft.rows.size > maxSameTime) {
    const expected = `at most ${maxSameTime} rows with the same timestamp`
    return { _tag: "Broken", path: "result", received: "more", expected }
  }
  draft.cursors.add(cursor)
  const [oldest = cursor] = draft.cursors
  if (draft.cursors.size > maxCursors) draft.cursors.delete(oldest)
  return undefined
}

/** Takes the next page. */
export const take = <Row>(tracker: RowTracker, page: Page<Row>, locate: (row: Row) => RowPosition): Taken<Row> => {
  const draft = draftOf(tracker)
  const rows: Array<Row> = []
  const added: Array<Known> = []
  let fault: PageFault | undefined
  for (const [at, row] of page.result.entries()) {
    const place = locate(row)
    const outcome = takeRow(draft, at, place)
    if (outcome === "dropped") continue
    if (outcome !== "new") {
      fault = outcome
      break
    }
    rows.push(row)
    added.push(knownOf(place))
  }
  addToTail(draft, added)
  if (fault !== undefined) return { tracker: draft, rows, next: fault }
  forgetOldRows(draft)
  if (rows.length > 0) draft.empty = draft.repeated = 0
  else if (page.result.length === 0 || draft.catchUp !== undefined) draft.empty++
  else draft.repeated++
  const { cursor } = page
  const next: Next =
    cursor === null
      ? (endCatchUp(draft) ?? { _tag: "End" })
      : (cursorFault(draft, cursor) ?? { _tag: "Cursor", cursor })
  return { tracker: draft, rows, next }
}

/** Memory in the middle of a page: the memory before the page, and the rows emitted from it. */
export const within = (order: Order, before: Memory, rows: ReadonlyArray<RowPosition>): Memory => {
  const draft = draftOf(make(order, undefined, { ...before, given: 0 }))
  for (const row of rows) advance(draft, row)
  addToTail(draft, rows.map(knownOf))
  return { ...memory(draft), given: Math.min(before.given + rows.length, tailRows) }
}

/** Memory without the rows that no reorg can revert, except those of the last such block: a request that starts there verifies it. */
export const recent = (finished: Memory, finalized: bigint | null): Memory => {
  const { block: anchor } = finished.tail.findLast(({ block }) => finalized !== null && block <= finalized) ?? {}
  return anchor === undefined ? finished : { ...finished, tail: finished.tail.filter(({ block }) => block >= anchor) }
}

/**
 * Where a finished ascending query continues for newer rows: at its latest rows, which must be received again. Undefined if it emitted
 * none.
 */
export const beyond = (finished: Memory): { readonly from: bigint; readonly memory: Memory } | undefined => {
  const from = finished.tail.reduce<bigint | undefined>((lowest, { block }) => lower(lowest, block), undefined)
  return from === undefined ? undefined : { from, memory: { ...finished, given: finished.tail.length } }
}
