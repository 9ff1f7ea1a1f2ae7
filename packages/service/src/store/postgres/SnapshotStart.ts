/**
 * The first statement of a snapshot: the checkpoint, plus what most pages read next. If it also reads the rows of a page, it is the page's
 * only statement: one statement sees one state, and the page takes a single round trip.
 *
 * Source: decision 0051.
 */
import * as Effect from "effect/Effect"
import { type Checkpoint, gapKinds } from "../../block/BlockRows.ts"
import type { ExpectedReads, GapCounts, PageQuery } from "../ChainReader.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as PageFit from "../rows/PageFit.ts"
import type * as ProjectionRow from "../rows/ProjectionRow.ts"
import type * as ReconciledRow from "../rows/ReconciledRow.ts"
import { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Marks from "./Marks.ts"
import { type Session, toSetting } from "./Pool.ts"
import * as Values from "./Values.ts"

/** Rows of a wallet that were read with the snapshot, in the order of their page. */
export interface PageRead {
  readonly query: PageQuery
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
}

/** One committed state of a chain, and what is known about it. */
export interface State extends At {
  readonly serial: number
  /** `null` if the index is empty. */
  readonly checkpoint: Checkpoint | null
  readonly gapCounts: GapCounts
  /** What was read with the checkpoint, and its rows if they are stored. */
  readonly expected: ExpectedReads
  readonly reconciled: ReconciledRow.Columns | undefined
  readonly projection: ProjectionRow.Columns | undefined
  /** Rows of blocks that were read; `null` for those that are not stored. */
  readonly blocks: Map<number, BlockRow.StoredHeader | null>
  readonly page: PageRead | undefined
}

/** A read needs something that the only statement of a snapshot did not read: no other statement has its state. */
export const beyond = new StoreError({
  message: "Read beyond the statement of a page. Read it in a transaction.",
  isRetryable: true,
  cause: undefined,
})

type Row = readonly [
  ...CheckpointRow.Row,
  counted: ReadonlyArray<string>,
  counts: ReadonlyArray<number>,
  isDistributed: boolean,
  ...Array<unknown>,
]

const [reconciledAt, projectionAt, nextAt] = [13, 18, 24] as const
/** Number of transaction columns; those of a block follow. */
const documentColumns = 9
const blockColumns = 7

/** Columns of a joined row; undefined if there is none. */
const joined = <Columns extends ReadonlyArray<unknown>>(
  row: ReadonlyArray<unknown>,
  from: number,
  to?: number,
): Columns | undefined =>
  // Sound: the statement names these columns there.
  row[from] === null ? undefined : (row.slice(from, to) as unknown as Columns)

const nothing: ReadonlyArray<number> = []

/** The state named in a checkpoint row. */
const stateOf = Effect.fnUntraced(function* (
  at: At,
  row: Row | undefined,
  expected: ExpectedReads,
): Effect.fn.Return<State & { readonly isDistributed: boolean }, StoreError> {
  const { blocks: numbers = nothing } = expected
  const columns = yield* Checkpoints.fromRow(at.chain, row)
  // Sound: without a row there is no checkpoint.
  const [counted, counts, isDistributed] = [row![10], row![11], row![12]]
  const countOf = (name: string) => counts[counted.indexOf(name)] ?? 0
  return {
    ...at,
    isDistributed,
    serial: columns.serial,
    checkpoint: CheckpointRow.toCheckpoint(columns),
    // Sound: the keys are the kinds.
    gapCounts: Object.fromEntries(gapKinds.map((kind) => [kind, countOf(kind)])) as GapCounts,
    expected,
    reconciled: joined(row!, reconciledAt, projectionAt),
    projection: joined(row!, projectionAt, nextAt),
    blocks: new Map(numbers.map((number) => [number, null])),
    page: undefined,
  }
})

/** Parameters of both statements. */
const paramsOf = ({ blocks = nothing, projection, wallet }: ExpectedReads): ReadonlyArray<Values.Value> => [
  Values.bytes(wallet === undefined ? null : fromHex(wallet)),
  Values.bigs(blocks),
  Values.text(projection ?? null),
]

/** Begins a snapshot: its statements see the state of this one, and share its time limit on the server. */
export const read = Effect.fnUntraced(function* (
  at: At,
  statementMillis: number,
  expected: ExpectedReads = {},
): Effect.fn.Return<State, StoreError> {
  const { chain, session } = at
  const rows = yield* session.rows<Row>(chain.sql.beginSnapshot, [
    ...paramsOf(expected),
    Values.text(toSetting(statementMillis)),
  ])
  const { isDistributed, ...state } = yield* stateOf(at, rows[0], expected)
  for (const row of rows) Blocks.know(state.blocks, joined<BlockRow.Columns>(row, nextAt, nextAt + blockColumns))
  if (!isDistributed) return state
  const { sql } = chain.distributed
  return {
    ...state,
    chain: { ...chain, sql, isDistributed },
    session: Marks.proving(chain, session, state.serial),
  }
})

/** The session after the only statement. */
const noSession: Session = { rows: () => Effect.fail(beyond) }

/** Parameters of a page's rows. */
export const pageParams = (
  { key, limit }: PageQuery,
  { first, last }: ReturnType<typeof PageFit.rangeOf>,
): ReadonlyArray<Values.Value> =>
  [Appearances.keyOf(key), first, last, limit + PageFit.lookahead, limit].map(Values.big)

/**
 * A snapshot with the single statement that also reads its page.
 *
 * **Errors**
 * - `beyond`, here or in its reads: something else is read, or the rows of the chain are on several nodes.
 */
export const readWithPage = Effect.fnUntraced(function* (
  { chain, session }: At,
  expected: ExpectedReads,
  query: PageQuery,
): Effect.fn.Return<State, StoreError> {
  const statement = query.order === "ASC" ? chain.sql.snapshotWithPageUp : chain.sql.snapshotWithPageDown
  const rows = yield* session.rows<ReadonlyArray<unknown>>(statement, [
    ...paramsOf(expected),
    ...pageParams(query, PageFit.rangeOf(query)),
  ])
  // Sound: only the row of the checkpoint has its columns.
  const start = rows.find(([chainId]) => chainId !== null) as Row | undefined
  const { isDistributed, ...state } = yield* stateOf({ chain, session: noSession }, start, expected)
  if (isDistributed) return yield* beyond
  const pageRows: Array<ReadonlyArray<unknown>> = []
  for (const row of rows) {
    Blocks.know(state.blocks, joined<BlockRow.Columns>(row, nextAt + documentColumns))
    if (row[nextAt] !== null) pageRows.push(row.slice(nextAt, nextAt + documentColumns))
  }
  const sign = query.order === "ASC" ? 1 : -1
  // Sound: they begin with their row ids.
  pageRows.sort(([one], [other]) => sign * ((one as number) - (other as number)))
  return { ...state, page: { query, rows: pageRows } }
})

/** Rows of a query that were read with the snapshot; undefined if others were, or none. */
export const pageRead = (
  { checkpoint, page }: State,
  query: PageQuery,
): ReadonlyArray<ReadonlyArray<unknown>> | undefined => {
  if (page === undefined || checkpoint === null) return undefined
  const { first, head } = checkpoint
  // A snapshot has no rows outside its blocks.
  const rangeOf = ({ from, to, ...rest }: PageQuery) =>
    PageFit.rangeOf({ ...rest, from: Math.max(from, first), to: Math.min(to, head.number) })
  const [read, asked] = [rangeOf(page.query), rangeOf(query)]
  const isSame =
    page.query.key === query.key &&
    page.query.order === query.order &&
    page.query.limit === query.limit &&
    read.first === asked.first &&
    read.last === asked.last
  return isSame ? page.rows : undefined
}
