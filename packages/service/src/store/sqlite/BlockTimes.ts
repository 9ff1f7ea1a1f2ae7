/**
 * Finds blocks by number and time. The time index has no checksum, so each result is compared with the blocks themselves. Functions named
 * `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged block or index.
 *
 * Source: decision 0034.
 */
import type { Checkpoint } from "../../block/BlockRows.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import * as Blocks from "./Blocks.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as TimeSearch from "../rows/TimeSearch.ts"
import type { Connection } from "./Connection.ts"
import * as Facts from "./Facts.ts"
import * as Statements from "./Statements.ts"

/** A chain's file in one committed state. */
export interface State {
  readonly connection: Connection
  readonly chain: number
  readonly checkpoint: Checkpoint | null
  /** Blocks that were read; `null` for those that are not stored. */
  readonly blocks: Map<number, BlockRow.StoredHeader | null>
}

/** Reads and remembers blocks, in one statement if there are several. */
export const knowUnsafe = ({ blocks, chain, connection }: State, numbers: Iterable<number>): void => {
  const unknown = new Set(numbers)
  for (const number of blocks.keys()) unknown.delete(number)
  if (unknown.size === 0) return
  for (const number of unknown) blocks.set(number, null)
  for (const block of Blocks.ofNumbersUnsafe(connection, chain, [...unknown])) blocks.set(block.number, block)
}

const headerUnsafe = ({ blocks, chain, checkpoint, connection }: State, number: number) => {
  const known = blocks.get(number)
  const found =
    known === undefined ? Blocks.findUnsafe(connection, chain, number) : Blocks.soundUnsafe(connection, known)
  blocks.set(number, found)
  if (found !== null) return found
  if (checkpoint !== null && number >= checkpoint.first && number <= checkpoint.head.number) {
    throw Checksum.damaged(connection.name, number, "it is not stored")
  }
  return null
}

/** The stored block with a number; null outside the index. */
export const blockUnsafe = (state: State, number: number) => {
  const found = headerUnsafe(state, number)
  return found === null ? null : { number, hash: found.hash, parentHash: found.parentHash, timestamp: found.timestamp }
}

/** The facts of the block with a number; null outside the index, and for a block without facts. */
export const factsUnsafe = (state: State, number: number): string | null => {
  const found = headerUnsafe(state, number)
  return found === null ? null : Facts.findUnsafe(state.connection, found)
}

const findUnsafe = ({ chain, connection }: State, sql: string, timestamp: number) =>
  connection.valuesUnsafe<readonly [number]>(sql, [chain, timestamp])[0]?.[0] ?? null

const damaged = ({ connection }: State, number: number) =>
  Checksum.damaged(connection.name, number, "the index of block times does not match it")

/** Number of the first block at or after a time in seconds; `null` if all are before it. */
export const firstAtOrAfterUnsafe = (state: State, timestamp: number): number | null => {
  const { checkpoint } = state
  if (checkpoint === null) return null
  const found = findUnsafe(state, Statements.firstAtOrAfter, timestamp)
  if (found === null) {
    if (checkpoint.headTimestamp >= timestamp) throw damaged(state, checkpoint.head.number)
    return null
  }
  const block = blockUnsafe(state, found)
  const before = found > checkpoint.first ? blockUnsafe(state, found - 1) : null
  if (!TimeSearch.isFirst(block, before, timestamp)) throw damaged(state, found)
  return found
}

/** Number of the last block at or before a time in seconds; `null` if all are after it. */
export const lastAtOrBeforeUnsafe = (state: State, timestamp: number): number | null => {
  const { checkpoint } = state
  if (checkpoint === null) return null
  const found = findUnsafe(state, Statements.lastAtOrBefore, timestamp)
  if (found === null) {
    if ((blockUnsafe(state, checkpoint.first)?.timestamp ?? timestamp) <= timestamp)
      throw damaged(state, checkpoint.first)
    return null
  }
  const block = blockUnsafe(state, found)
  const after = found < checkpoint.head.number ? blockUnsafe(state, found + 1) : null
  if (!TimeSearch.isLast(block, after, timestamp)) throw damaged(state, found)
  return found
}
