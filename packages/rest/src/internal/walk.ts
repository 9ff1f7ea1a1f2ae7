/**
 * Watches over a walk by cursor: which rows of a page are new, and whether the server still makes sense. No effects, bounded memory.
 *
 * Rows come in order of their blocks. A row that came before is dropped. To know it for certain, the walk remembers every row
 * of the blocks that may still interleave (those of the current timestamp) and the latest ones before them; anything older
 * would go against the order, which is a fault of its own.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"

/** What is wrong with a page. */
export type WalkFault =
  | { readonly _tag: "OutOfOrder"; readonly block: bigint; readonly after: bigint; readonly hash: string }
  | { readonly _tag: "Broken"; readonly path: string; readonly came: string; readonly expected: string }

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

interface Remembered {
  readonly blockHash: string
  readonly block: bigint
}

/** The state of one walk; `take` changes it. */
export interface Walk {
  readonly order: "ASC" | "DESC"
  readonly cursors: Set<string>
  readonly rows: Map<string, Remembered>
  /** The furthest block so far and the timestamp it belongs to. */
  furthest: { readonly block: bigint; readonly timeMillis: number } | undefined
  /** The furthest block before those of the current timestamp. */
  floor: bigint | undefined
  /** Pages since the last new row: without rows, and with nothing but rows that came before. */
  empty: number
  repeated: number
}

export const make = (order: "ASC" | "DESC", cursor: string | undefined): Walk => ({
  order,
  cursors: new Set(cursor === undefined ? [] : [cursor]),
  rows: new Map(),
  furthest: undefined,
  floor: undefined,
  empty: 0,
  repeated: 0,
})

const isPast = (walk: Walk, block: bigint, mark: bigint): boolean =>
  walk.order === "ASC" ? block > mark : block < mark

/** Follows the blocks; the fault when a row is behind them. */
const advance = (walk: Walk, row: WalletTransaction): WalkFault | undefined => {
  const { furthest, floor } = walk
  const block = row.block_number
  const timeMillis = row.block_timestamp.getTime()
  if (furthest === undefined) {
    walk.furthest = { block, timeMillis }
    return undefined
  }
  if (isPast(walk, block, furthest.block)) {
    if (timeMillis !== furthest.timeMillis) walk.floor = furthest.block
    walk.furthest = { block, timeMillis }
    return undefined
  }
  if (block === furthest.block) return undefined
  if (timeMillis === furthest.timeMillis && (floor === undefined || isPast(walk, block, floor))) return undefined
  return { _tag: "OutOfOrder", block, after: furthest.block, hash: row.hash }
}

const forget = (walk: Walk) => {
  for (const [hash, { block }] of walk.rows) {
    if (walk.rows.size <= rememberedRows) return
    if (walk.floor === undefined || isPast(walk, block, walk.floor)) return
    walk.rows.delete(hash)
  }
}

const takeRows = (walk: Walk, result: ReadonlyArray<WalletTransaction>) => {
  const rows: Array<WalletTransaction> = []
  for (const [at, row] of result.entries()) {
    const known = walk.rows.get(row.hash)
    if (known !== undefined && known.blockHash === row.block_hash) continue
    if (known !== undefined) {
      const path = `result[${at}].block_hash`
      const came = `block ${row.block_number} for a transaction that this walk had in another block, ${known.block}`
      const fault: WalkFault = {
        _tag: "Broken",
        path,
        came,
        expected: "each transaction once; the chain may have reorganised",
      }
      return { rows, fault }
    }
    const fault = advance(walk, row)
    if (fault !== undefined) return { rows, fault }
    walk.rows.set(row.hash, { blockHash: row.block_hash, block: row.block_number })
    rows.push(row)
  }
  forget(walk)
  return { rows, fault: undefined }
}

const cursorFault = (walk: Walk, cursor: string): WalkFault | undefined => {
  if (walk.cursors.has(cursor)) {
    const came = "a cursor that this walk has followed before"
    return { _tag: "Broken", path: "cursor", came, expected: "a new one, or null on the last page" }
  }
  if (walk.empty >= emptyPages || walk.repeated >= repeatedPages) {
    const [what, pages] =
      walk.repeated >= repeatedPages ? ["rows that came before", walk.repeated] : ["empty", walk.empty]
    const came = `${what} on ${pages} pages since the last new row`
    return { _tag: "Broken", path: "result", came, expected: "new rows, or null as the cursor" }
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
  else if (page.result.length === 0) walk.empty++
  else walk.repeated++
  const { cursor } = page
  if (cursor === null) return { rows, next: { _tag: "End" } }
  return { rows, next: cursorFault(walk, cursor) ?? { _tag: "Cursor", cursor } }
}
