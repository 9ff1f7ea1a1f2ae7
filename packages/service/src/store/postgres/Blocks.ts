/**
 * Rows of blocks, with their facts and gaps.
 *
 * Source: decisions 0034, 0035 and 0044.
 */
import * as Effect from "effect/Effect"
import type { BlockGap, BlockRef, BlockRows, Gap } from "../../block/BlockRows.ts"
import type { GapQuery } from "../ChainReader.ts"
import * as BlockRow from "../rows/BlockRow.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as FactsRow from "../rows/FactsRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Values from "./Values.ts"

const { column } = Values

/** Inserts the rows of blocks that are not stored. */
export const insert = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  const facts = blocks.map((block) => PreparedBlock.factsOf(block, codec))
  const rows = blocks.map((block, at) => {
    const own = facts[at] ?? null
    return BlockRow.make(block, own === null ? null : Checksum.fromValues(own))
  })
  yield* session.rows(sql.insertBlocks, [
    Values.bigs(column(rows, 0)),
    Values.manyBytes(column(rows, 1)),
    Values.manyBytes(column(rows, 2)),
    Values.bigs(column(rows, 3)),
    Values.ints(column(rows, 4)),
    Values.ints(column(rows, 5)),
    Values.ints(column(rows, 6)),
  ])
  const present = facts.filter((own) => own !== null)
  if (present.length > 0) {
    yield* session.rows(sql.insertFacts, [
      Values.bigs(column(present, 0)),
      Values.ints(column(present, 1)),
      Values.ints(column(present, 2)),
      Values.manyBytes(column(present, 3)),
    ])
  }
  const gaps = blocks.flatMap((block) =>
    (block.gaps ?? []).map((gap, position) => [block.number, position, gap] as const),
  )
  if (gaps.length === 0) return
  yield* session.rows(sql.insertGaps, [
    Values.bigs(column(gaps, 0)),
    Values.ints(column(gaps, 1)),
    Values.texts(gaps.map(([, , { kind }]) => kind)),
    Values.manyBytes(gaps.map(([, , { transaction }]) => (transaction === undefined ? null : fromHex(transaction)))),
    // A reason may contain characters that PostgreSQL text cannot.
    Values.manyBytes(gaps.map(([, , { reason }]) => Buffer.from(reason))),
  ])
})

/** Removes a range of blocks, inclusive, with their facts and gaps. */
export const remove = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  from: number,
  to: number,
): Effect.fn.Return<void, StoreError> {
  const range = [Values.big(from), Values.big(to)]
  for (const statement of [sql.deleteBlocks, sql.deleteFacts, sql.deleteGaps]) yield* session.rows(statement, range)
})

/** Blocks of a range, inclusive, each with whether it is damaged. */
export const range = (
  { chain: { sql }, session }: At,
  from: number,
  to: number,
): Effect.Effect<ReadonlyArray<BlockRow.StoredHeader>, StoreError> =>
  Effect.map(session.rows<BlockRow.Columns>(sql.blocks, [Values.big(from), Values.big(to)]), (rows) =>
    rows.map((row) => BlockRow.fromColumns(row)),
  )

/** The block with a number; fails if it is damaged. */
export const sound = (
  { chain }: At,
  found: BlockRow.StoredHeader | null,
): Effect.Effect<BlockRow.StoredHeader | null, StoreError> =>
  found?.isDamaged === true
    ? Effect.fail(Checksum.damaged(chain.name, found.number, "it does not match its checksum"))
    : Effect.succeed(found)

/** The block with a number; `null` if none is stored. Fails if it is damaged. */
export const find = (at: At, number: number): Effect.Effect<BlockRow.StoredHeader | null, StoreError> =>
  Effect.flatMap(range(at, number, number), ([found]) => sound(at, found ?? null))

/** Remembers the row of a block that was read. */
export const know = (known: Map<number, BlockRow.StoredHeader | null>, row: BlockRow.Columns | undefined): void => {
  if (row !== undefined) known.set(row[0], BlockRow.fromColumns(row))
}

/** Blocks by number, each with whether it is damaged; those that are not stored are absent. */
export const byNumber = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  numbers: ReadonlyArray<number>,
): Effect.fn.Return<ReadonlyMap<number, BlockRow.StoredHeader>, StoreError> {
  const rows = yield* session.rows<BlockRow.Columns>(sql.blocksOf, [Values.bigs(numbers)])
  return new Map(rows.map((row) => [row[0], BlockRow.fromColumns(row)]))
})

type RefRow = readonly [number: number, hash: Uint8Array]

const toRef = ([number, hash]: RefRow): BlockRef => ({ number, hash: toHex(hash) })

/** Blocks of a range, inclusive, lowest first. */
export const headers = (
  { chain: { sql }, session }: At,
  from: number,
  to: number,
): Effect.Effect<ReadonlyArray<BlockRef>, StoreError> =>
  Effect.map(session.rows<RefRow>(sql.headers, [Values.big(from), Values.big(to)]), (rows) => rows.map(toRef))

/** Facts of consecutive blocks by block, including damaged ones. */
export const factsOf = Effect.fnUntraced(function* (
  { chain: { name, sql }, session }: At,
  blocks: ReadonlyArray<FactsRow.Header>,
): Effect.fn.Return<ReadonlyMap<number, string | StoreError>, StoreError> {
  const having = blocks.filter(({ factsChecksum }) => factsChecksum !== null)
  const [first, last] = [having[0], having.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const rows = yield* session.rows<FactsRow.Columns>(sql.facts, [Values.big(first.number), Values.big(last.number)])
  const byBlock = new Map(rows.map((columns) => [columns[0], columns]))
  return new Map(having.map((block) => [block.number, FactsRow.read(name, block, byBlock.get(block.number))]))
})

type GapRow = readonly [block: number, kind: BlockGap["kind"], transaction: Uint8Array | null, reason: Uint8Array]

/** Gaps in a range of blocks, by block. */
export const gaps = (
  { chain: { sql }, session }: At,
  { from, limit, to }: GapQuery,
): Effect.Effect<ReadonlyArray<Gap>, StoreError> =>
  Effect.map(session.rows<GapRow>(sql.gaps, [Values.big(from), Values.big(to), Values.big(limit)]), (rows) =>
    rows.map(([block, kind, transaction, reason]) => ({
      block,
      transaction: transaction === null ? undefined : toHex(transaction),
      kind,
      reason: Buffer.from(reason).toString(),
    })),
  )

/** Highest block up to a number with a gap of kind `trace`; `null` if there is none. */
export const lastTraceGap = ({ chain: { sql }, session }: At, to: number): Effect.Effect<number | null, StoreError> =>
  Effect.map(session.rows<readonly [block: number]>(sql.lastTraceGap, [Values.big(to)]), ([row]) => row?.[0] ?? null)
