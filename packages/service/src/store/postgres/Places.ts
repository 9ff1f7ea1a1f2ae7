/**
 * Finds the blocks and transactions of ledger positions: those of a page in two statements, and long texts one by one.
 */
import * as Effect from "effect/Effect"
import * as Movement from "../../ledger/Movement.ts"
import type { Place, Position } from "../ChainReader.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"

/** Blocks and transactions of positions: as many as the bytes read for them allow, and at least one. */
export const read = Effect.fnUntraced(function* (
  at: At,
  positions: ReadonlyArray<Position>,
  maxBytes: number,
): Effect.fn.Return<ReadonlyArray<Place>, StoreError> {
  const { name } = at.chain
  const blocks = yield* Blocks.byNumber(at, [...new Set(positions.map(({ block }) => block))])
  const ids = positions.filter(({ index }) => index !== Movement.blockLevelIndex)
  const stored = yield* Documents.byId(
    at,
    ids.map(({ block, index }) => RowId.make(block, index)),
  )
  const places: Array<Place> = []
  let bytes = 0
  for (const { block: number, index } of positions) {
    if (places.length > 0 && bytes > maxBytes) break
    const found = blocks.get(number)
    if (found === undefined) return yield* Checksum.damaged(name, number, "the block of a ledger is not stored")
    if (found.isDamaged) return yield* Checksum.damaged(name, number, "it does not match its checksum")
    const { hash, parentHash, timestamp } = found
    const block = { number, hash, parentHash, timestamp }
    if (index === Movement.blockLevelIndex) {
      places.push({ block, transactionHash: null })
      continue
    }
    const columns = stored.get(RowId.make(number, index))
    if (columns === undefined) return yield* Checksum.damaged(name, number, "a transaction of a ledger is not stored")
    const { body } = yield* Documents.texts(at, columns, false)
    bytes += DocumentRow.bytesOf(columns, false)
    places.push({ block, transactionHash: DocumentRow.hashOf(columns, body) })
  }
  return places
})
