/**
 * The journal of a chain's schema, and the hashes of removed blocks. Each function runs in the transaction of its caller.
 *
 * Source: decision 0073.
 */
import { randomInt } from "node:crypto"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChangesRead } from "../ChainReader.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Journal from "../Journal.ts"
import * as JournalRow from "../rows/JournalRow.ts"
import type * as WritePlan from "../rows/WritePlan.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { At, Chain } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Documents from "./Documents.ts"
import * as Marks from "./Marks.ts"
import * as Values from "./Values.ts"

/**
 * Adds the change of a write with the next number, and writes the checkpoint after it. Serials follow the clock, so that a standby does not
 * reuse those of the lost primary that it replaces.
 */
export const advance = Effect.fnUntraced(function* (
  at: At,
  { clock, isDistributed }: Checkpoints.Locked,
  write: WritePlan.Write,
  nodes: Marks.Change = "changed",
): Effect.fn.Return<void, StoreError> {
  const { chain, session } = at
  const next = Math.max(write.columns.serial + 1, clock)
  const { columns, row } = JournalRow.advance(write, next, randomInt(Journal.maxMark))
  if (isDistributed && columns.serial === next) yield* Marks.move(at, next, nodes)
  const [, kind, lowest, highest, hash, , mark, checksum] = row
  yield* session.rows(chain.sql.advance, [
    ...Checkpoints.valuesOf(CheckpointRow.make(chain.ref.id, columns)),
    Values.int(kind),
    Values.big(lowest),
    Values.big(highest),
    Values.bytes(hash),
    Values.big(mark),
    Values.int(checksum),
    Values.big(columns.change - JournalRow.keptChanges),
    Values.text(chain.schema),
  ])
})

/** Adds a change that leaves the head and the first block unchanged. */
export const record = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  kind: "rewrite" | "clear",
  lowest: number,
  highest: number,
): Effect.fn.Return<void, StoreError> {
  const [block] = yield* Blocks.headers(at, highest, highest)
  const hash = block === undefined ? null : fromHex(block.hash)
  yield* advance(at, locked, { change: { kind, lowest, highest, hash }, columns: locked.columns })
})

/**
 * Remembers the blocks from `lowest` on, which the change after the checkpoint removes, and forgets the lowest ones beyond the limit.
 */
export const remember = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  { change }: CheckpointRow.Columns,
  lowest: number,
  limit: number,
) {
  yield* session.rows(sql.rememberRemoved, [Values.big(change + 1), Values.big(lowest), Values.big(limit)])
  yield* session.rows(sql.forgetRemoved, [Values.big(limit)])
})

/** The lowest block that was removed since a given block was, including that block; `null` if the removal is not remembered. */
export const lowestReorged = (
  { chain: { sql }, session }: At,
  { hash, number }: BlockRef,
): Effect.Effect<number | null, StoreError> =>
  Effect.map(
    session.rows<readonly [number | null]>(sql.lowestReorgedBlock, [Values.big(number), Values.bytes(fromHex(hash))]),
    ([row]) => row?.[0] ?? null,
  )

type Bounds = readonly [oldest: number | null, newest: number, newestMark: number | null, mark: number | null]

const toChanges = ({ name }: Chain, rows: ReadonlyArray<JournalRow.Columns>) =>
  Documents.attempt(() => rows.map((row) => JournalRow.fromColumns(name, row)))

/** Changes after a position, oldest first; `null` starts at the oldest that are kept. */
export const read = Effect.fnUntraced(function* (
  { chain, session }: At,
  after: Journal.Position | null,
  limit: number,
): Effect.fn.Return<ChangesRead, StoreError> {
  const { sql } = chain
  const from = after?.change ?? 0
  const [bounds] = yield* session.rows<Bounds>(sql.journalBounds, [Values.big(from)])
  const [oldest, newest, newestMark, mark] = bounds ?? [null, 0, null, null]
  const kept = { oldest: oldest ?? 1, newest: { change: newest, mark: newestMark ?? Journal.start.mark } }
  const state = after === null ? "kept" : JournalRow.locate(after, { oldest: kept.oldest, newest, mark })
  if (state !== "kept") return { ...kept, isLost: state === "lost", changes: [] }
  const rows = yield* session.rows<JournalRow.Columns>(sql.changesAfter, [Values.big(from), Values.big(limit)])
  return { ...kept, isLost: false, changes: yield* toChanges(chain, rows) }
})

/** Blocks that a change removed, highest first. */
export const removed = (
  { chain: { sql }, session }: At,
  change: number,
  below: number,
  limit: number,
): Effect.Effect<ReadonlyArray<BlockRef>, StoreError> =>
  Effect.map(
    session.rows<readonly [number: number, hash: Uint8Array]>(sql.removedBy, [
      Values.big(change),
      Values.big(below),
      Values.big(limit),
    ]),
    (rows) => rows.map(([number, hash]) => ({ number, hash: toHex(hash) })),
  )
