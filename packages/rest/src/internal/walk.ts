/**
 * Watches over a walk by cursor: which rows of a page are new, and whether the server still makes sense. No effects, bounded memory.
 *
 * Rows come in order of their blocks. A row that came before is dropped. To know it for certain, the walk remembers every row
 * of the blocks that may still interleave (those of the current timestamp) and the latest ones before them; anything older
 * would go against the order, which is a fault of its own.
 *
 * A walk that is resumed first catches up: what lies before its position is dropped, and what was given from the page that is
 * asked for again has to come again, or the chain has changed.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"

/** What is wrong with a page. */
export type WalkFault =
  | { readonly _tag: "OutOfOrder"; readonly block: bigint; readonly after: bigint; readonly hash: string }
  | { readonly _tag: "Broken"; readonly path: string; readonly received: string; readonly expected: string }
  /** Rows that were given before the walk was resumed are no longer there. */
  | { readonly _tag: "Stale"; readonly fromBlock: bigint }

/** A page as far as it is sound and new. */
export interface Taken {
  readonly rows: ReadonlyArray<WalletTransaction>
  /** What follows the rows: the walk goes on, has ended, or is at fault. */
  readonly next: { readonly _tag: "Cursor"; readonly cursor: string } | { readonly _tag: "End" } | WalkFault
}

/** Rows remembered beyond those that may still interleave: many pages of the usual hundred. */
const rememberedRows = 2_000
const rememberedCursors = 1_000
/** Pages without any transaction, since the last new row: more than a server needs to look through a chain in steps. */
const emptyPages = 1_000
/** Pages with nothing but rows that came before, since the last new row. */
const repeatedPages = 3
/** Rows that a memory keeps, so that it can be saved: a page of the usual hundred, and some. */
const tailRows = 128

/** A row that was given. Its ids are the ends of hashes, long enough to be told apart. */
export interface Known {
  readonly id: string
  readonly blockId: string
  readonly block: bigint
}

/** What is needed to go on with a walk elsewhere. */
export interface Memory {
  /** The furthest block so far and the timestamp it belongs to. */
  readonly furthest: { readonly block: bigint; readonly timeMillis: number } | undefined
  /** The furthest block before those of the current timestamp. */
  readonly floor: bigint | undefined
  /** The latest rows, in the order given. */
  readonly tail: ReadonlyArray<Known>
  /** How many of the latest rows have to come again when the walk goes on. */
  readonly given: number
}

export const nothing: Memory = { furthest: undefined, floor: undefined, tail: [], given: 0 }

/** What a walk that catches up has found so far. */
interface CatchUp {
  /** Rows that have to come again, by id. */
  readonly awaited: Map<string, bigint>
  readonly blockIds: ReadonlyMap<bigint, string>
  /** After this block every row that was given is remembered. */
  readonly since: bigint | undefined
  /** Lowest block that is not what it was. */
  changed: bigint | undefined
}

/** The state of one walk; `take` changes it. */
export interface Walk {
  readonly order: "ASC" | "DESC"
  readonly cursors: Set<string>
  readonly rows: Map<string, Known>
  furthest: Memory["furthest"]
  floor: bigint | undefined
  tail: ReadonlyArray<Known>
  catchUp: CatchUp | undefined
  /** Pages since the last new row: without rows, and with nothing but rows that came before. */
  empty: number
  repeated: number
}

const idOf = (hash: string): string => hash.slice(-20)

const knownOf = (row: WalletTransaction): Known => ({
  id: idOf(row.hash),
  blockId: idOf(row.block_hash),
  block: row.block_number,
})

const isPast = (order: "ASC" | "DESC", block: bigint, mark: bigint): boolean =>
  order === "ASC" ? block > mark : block < mark

/** Rows that a full tail has lost may interleave with its first ones. */
const sinceOf = (order: "ASC" | "DESC", tail: ReadonlyArray<Known>): bigint | undefined =>
  tail
    .slice(0, tail.length < tailRows ? 1 : tailRows / 4)
    .reduce<bigint | undefined>(
      (furthest, { block }) => (furthest === undefined || isPast(order, block, furthest) ? block : furthest),
      undefined,
    )

const catchUpOf = (order: "ASC" | "DESC", { given, tail }: Memory): CatchUp => ({
  awaited: new Map(given === 0 ? [] : tail.slice(-given).map(({ block, id }) => [id, block])),
  blockIds: new Map(tail.map(({ block, blockId }) => [block, blockId])),
  since: sinceOf(order, tail),
  changed: undefined,
})

/** Begins a walk, or goes on with one where its memory was made. */
export const make = (order: "ASC" | "DESC", cursor: string | undefined, memory: Memory = nothing): Walk => ({
  order,
  cursors: new Set(cursor === undefined ? [] : [cursor]),
  rows: new Map(memory.tail.map((known) => [known.id, known])),
  furthest: memory.furthest,
  floor: memory.floor,
  tail: memory.tail,
  catchUp: memory.tail.length > 0 ? catchUpOf(order, memory) : undefined,
  empty: 0,
  repeated: 0,
})

export const memory = ({ floor, furthest, tail }: Walk): Memory => ({ floor, furthest, tail, given: 0 })

const lower = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other < one ? other : one)

/** Follows the blocks; the fault when a row is behind them. */
const advance = (walk: Walk, row: WalletTransaction): WalkFault | undefined => {
  const { floor, furthest, order } = walk
  const block = row.block_number
  const timeMillis = row.block_timestamp.getTime()
  if (furthest === undefined) {
    walk.furthest = { block, timeMillis }
    return undefined
  }
  if (isPast(order, block, furthest.block)) {
    if (timeMillis !== furthest.timeMillis) walk.floor = furthest.block
    walk.furthest = { block, timeMillis }
    return undefined
  }
  if (block === furthest.block) return undefined
  if (timeMillis === furthest.timeMillis && (floor === undefined || isPast(order, block, floor))) return undefined
  return { _tag: "OutOfOrder", block, after: furthest.block, hash: row.hash }
}

const forget = (walk: Walk) => {
  for (const [id, { block }] of walk.rows) {
    if (walk.rows.size <= rememberedRows) return
    if (walk.floor === undefined || isPast(walk.order, block, walk.floor)) return
    walk.rows.delete(id)
  }
}

const keep = (walk: Walk, rows: ReadonlyArray<Known>) => {
  walk.tail = [...walk.tail, ...rows].slice(-tailRows)
}

/** Ends the catching up at the first row after the position, or with the walk. */
const caughtUp = (walk: Walk): WalkFault | undefined => {
  const { catchUp } = walk
  if (catchUp === undefined) return undefined
  let { changed } = catchUp
  for (const block of catchUp.awaited.values()) changed = lower(changed, block)
  walk.catchUp = undefined
  return changed === undefined ? undefined : { _tag: "Stale", fromBlock: changed }
}

/** Notes a row before the position that was not given, or not as it is now. */
const noteChange = (walk: Walk, catchUp: CatchUp, row: Known) => {
  const known = walk.rows.get(row.id)
  if (known !== undefined) {
    catchUp.awaited.delete(row.id)
    catchUp.changed = lower(lower(catchUp.changed, known.block), row.block)
  }
  const blockId = catchUp.blockIds.get(row.block)
  const isOther = blockId !== undefined && blockId !== row.blockId
  const isBetween = catchUp.since !== undefined && isPast(walk.order, row.block, catchUp.since)
  if (isOther || (isBetween && known === undefined)) catchUp.changed = lower(catchUp.changed, row.block)
}

const movedFault = (at: number, row: WalletTransaction, known: Known): WalkFault => ({
  _tag: "Broken",
  path: `result[${at}].block_hash`,
  received: `block ${row.block_number} for a transaction that this walk had in another block, ${known.block}`,
  expected: "each transaction once; the chain may have reorganised",
})

const takeRows = (walk: Walk, result: ReadonlyArray<WalletTransaction>) => {
  const rows: Array<WalletTransaction> = []
  const given: Array<Known> = []
  const end = (fault: WalkFault | undefined) => {
    keep(walk, given)
    return { rows, fault }
  }
  for (const [at, row] of result.entries()) {
    const { catchUp } = walk
    const one = knownOf(row)
    const known = walk.rows.get(one.id)
    if (known !== undefined && known.blockId === one.blockId) {
      catchUp?.awaited.delete(one.id)
      continue
    }
    if (known !== undefined && catchUp === undefined) return end(movedFault(at, row, known))
    if (catchUp !== undefined) {
      const isOther = (catchUp.blockIds.get(one.block) ?? one.blockId) !== one.blockId
      if (known !== undefined || isOther) {
        noteChange(walk, catchUp, one)
        continue
      }
    }
    const fault = advance(walk, row)
    if (fault !== undefined && catchUp !== undefined) {
      noteChange(walk, catchUp, one)
      continue
    }
    const change = fault ?? caughtUp(walk)
    if (change !== undefined) return end(change)
    walk.rows.set(one.id, one)
    given.push(one)
    rows.push(row)
  }
  forget(walk)
  return end(undefined)
}

const cursorFault = (walk: Walk, cursor: string): WalkFault | undefined => {
  if (walk.cursors.has(cursor)) {
    const received = "a cursor that this walk has followed before"
    return { _tag: "Broken", path: "cursor", received, expected: "a new one, or null on the last page" }
  }
  if (walk.empty >= emptyPages || walk.repeated >= repeatedPages) {
    const [what, pages] =
      walk.repeated >= repeatedPages ? ["rows that came before", walk.repeated] : ["empty", walk.empty]
    const received = `${what} on ${pages} pages since the last new row`
    return { _tag: "Broken", path: "result", received, expected: "new rows, or null as the cursor" }
  }
  walk.cursors.add(cursor)
  if (walk.cursors.size > rememberedCursors) {
    for (const oldest of walk.cursors) {
      walk.cursors.delete(oldest)
      break
    }
  }
  return undefined
}

/** Takes the next page of a walk. */
export const take = (walk: Walk, page: WalletPage): Taken => {
  const { fault, rows } = takeRows(walk, page.result)
  if (fault !== undefined) return { rows, next: fault }
  if (rows.length > 0) walk.empty = walk.repeated = 0
  else if (page.result.length === 0 || walk.catchUp !== undefined) walk.empty++
  else walk.repeated++
  const { cursor } = page
  if (cursor === null) return { rows, next: caughtUp(walk) ?? { _tag: "End" } }
  return { rows, next: cursorFault(walk, cursor) ?? { _tag: "Cursor", cursor } }
}

/** The memory in the middle of a page: what was before it, and the rows that were given from it. */
export const within = (order: "ASC" | "DESC", before: Memory, rows: ReadonlyArray<WalletTransaction>): Memory => {
  const walk = make(order, undefined, { ...before, given: 0 })
  for (const row of rows) advance(walk, row)
  keep(walk, rows.map(knownOf))
  return { ...memory(walk), given: Math.min(before.given + rows.length, tailRows) }
}

/**
 * Where a finished ascending walk goes on when there is more: at its latest rows, which have to come again. Undefined when it
 * gave none.
 */
export const beyond = (finished: Memory): { readonly from: bigint; readonly memory: Memory } | undefined => {
  const from = finished.tail.reduce<bigint | undefined>((lowest, { block }) => lower(lowest, block), undefined)
  return from === undefined ? undefined : { from, memory: { ...finished, given: finished.tail.length } }
}
