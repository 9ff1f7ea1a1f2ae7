/**
 * Finds blocks by number and time in one committed state, and compares each result with the neighbouring blocks.
 */
import * as Effect from "effect/Effect"
import type { LinkedBlock } from "../../block/BlockRows.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as TimeSearch from "../rows/TimeSearch.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { State } from "./SnapshotStart.ts"
import * as Values from "./Values.ts"

/** The stored row of a block; `null` outside the index. Fails if it is missing within the index. */
export const header = Effect.fnUntraced(function* (state: State, number: number) {
  const { blocks, chain, checkpoint } = state
  const known = blocks.get(number)
  const found = yield* known === undefined ? Blocks.find(state, number) : Blocks.sound(state, known)
  if (found !== null) return found
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return null
  return yield* Checksum.damaged(chain.name, number, "it is not stored")
})

/** The stored block with a number; `null` outside the index. */
export const block = (state: State, number: number): Effect.Effect<LinkedBlock | null, StoreError> =>
  Effect.map(header(state, number), (found) =>
    found === null ? null : { number, hash: found.hash, parentHash: found.parentHash, timestamp: found.timestamp },
  )

const find = ({ session }: State, sql: string, timestamp: number) =>
  Effect.map(session.rows<readonly [number: number]>(sql, [Values.big(timestamp)]), ([row]) => row?.[0] ?? null)

const damaged = ({ chain }: State, number: number) =>
  Checksum.damaged(chain.name, number, "the index of block times does not match it")

/** Number of the first block at or after a time in seconds; `null` if all are before it. */
export const firstAtOrAfter = Effect.fnUntraced(function* (
  state: State,
  timestamp: number,
): Effect.fn.Return<number | null, StoreError> {
  const { chain, checkpoint } = state
  if (checkpoint === null) return null
  const found = yield* find(state, chain.sql.firstAtOrAfter, timestamp)
  if (found === null) {
    if (checkpoint.headTimestamp >= timestamp) return yield* damaged(state, checkpoint.head.number)
    return null
  }
  const own = yield* block(state, found)
  const before = found > checkpoint.first ? yield* block(state, found - 1) : null
  if (!TimeSearch.isFirst(own, before, timestamp)) return yield* damaged(state, found)
  return found
})

/** Number of the last block at or before a time in seconds; `null` if all are after it. */
export const lastAtOrBefore = Effect.fnUntraced(function* (
  state: State,
  timestamp: number,
): Effect.fn.Return<number | null, StoreError> {
  const { chain, checkpoint } = state
  if (checkpoint === null) return null
  const found = yield* find(state, chain.sql.lastAtOrBefore, timestamp)
  if (found === null) {
    const first = yield* block(state, checkpoint.first)
    if ((first?.timestamp ?? timestamp) <= timestamp) return yield* damaged(state, checkpoint.first)
    return null
  }
  const own = yield* block(state, found)
  const after = found < checkpoint.head.number ? yield* block(state, found + 1) : null
  if (!TimeSearch.isLast(own, after, timestamp)) return yield* damaged(state, found)
  return found
})
