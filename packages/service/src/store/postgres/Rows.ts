/**
 * Inserts, reads and removes whole blocks.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { BlockRows } from "../../block/BlockRows.ts"
import type * as DocumentRow from "../rows/DocumentRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import * as RowId from "../rows/RowId.ts"
import { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"

/** Approximate number of transactions that one statement inserts: while the server inserts them, those of the next one are compressed. */
const partTransactions = 200

/** Blocks in parts with a number of transactions each. */
const partsOf = (blocks: ReadonlyArray<BlockRows>): ReadonlyArray<ReadonlyArray<BlockRows>> => {
  const parts: Array<Array<BlockRows>> = []
  let room = 0
  for (const block of blocks) {
    if (room <= 0) {
      parts.push([])
      room = partTransactions
    }
    parts.at(-1)!.push(block)
    room -= block.transactions.length
  }
  return parts
}

/** Inserts blocks and their transactions; what projections derive from them is inserted separately. */
export const insert = Effect.fnUntraced(function* (
  at: At,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  yield* Blocks.insert(at, blocks, codec)
  let sent: Fiber.Fiber<void, StoreError> | undefined
  for (const part of partsOf(blocks)) {
    const rows = part.flatMap((block) => PreparedBlock.documentsOf(block, codec))
    if (sent !== undefined) yield* Fiber.join(sent)
    sent = yield* Effect.forkChild(Documents.insert(at, rows), { startImmediately: true })
  }
  if (sent !== undefined) yield* Fiber.join(sent)
})

/** Stored blocks of a range, inclusive, as appended; without their facts unless requested. */
export const read = Effect.fnUntraced(function* (
  at: At,
  from: number,
  to: number,
  wantsFacts: boolean,
): Effect.fn.Return<ReadonlyArray<BlockRows>, StoreError> {
  const transactions = new Map<number, Array<DocumentRow.StoredRow>>()
  for (const [id, row] of yield* Documents.list(at, from, to)) {
    if (row instanceof StoreError) return yield* row
    const { block } = RowId.toPosition(id)
    const own = transactions.get(block)
    if (own === undefined) transactions.set(block, [row])
    else own.push(row)
  }
  const blocks = yield* Blocks.range(at, from, to)
  const facts = yield* Blocks.factsOf(at, wantsFacts ? blocks : [])
  return yield* Effect.forEach(
    blocks,
    Effect.fnUntraced(function* ({ hash, number, parentHash, timestamp }): Effect.fn.Return<BlockRows, StoreError> {
      const rows = transactions.get(number) ?? []
      const text = facts.get(number)
      if (text instanceof StoreError) return yield* text
      const own = text === undefined ? {} : { facts: text }
      const decoderRevision = rows[0]?.decoderRevision ?? 0
      return { number, hash, parentHash, timestamp, decoderRevision, transactions: rows, ...own }
    }),
  )
})

/** Removes the rows of a range of blocks, inclusive, except derived ones. */
export const remove = (at: At, from: number, to: number): Effect.Effect<void, StoreError> =>
  Effect.andThen(Documents.remove(at, from, to), Blocks.remove(at, from, to))
