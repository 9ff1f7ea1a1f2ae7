/**
 * Pagination of a query as a state with pure steps: which page to request next, which of its rows are new, the position after each row, and
 * how to continue after a reorg. `PageStream` interprets it.
 */
import { InvalidResponse } from "@daybook/transport/ClientError"
import * as Result from "effect/Result"
import type { PageResponse, RowsReverted, StreamPage } from "../Client.ts"
import type { EncodedQuery, Page, RowPosition } from "../Operation.ts"
import { OutOfOrder, type RestError, StaleCursor } from "../RestError.ts"
import * as Position from "./Position.ts"
import * as RowTracker from "./RowTracker.ts"
import * as Segments from "./Segments.ts"

/** What is constant for all pages of a query. */
export interface Config<Row> {
  readonly host: string
  readonly query: Position.RowQuery
  readonly order: RowTracker.Order
  readonly maxRows: number
  readonly onStaleCursor: "fail" | "restart"
  readonly locate: (row: Row) => RowPosition
}

/** State of a query. */
export interface State {
  readonly segments: ReadonlyArray<Segments.Segment>
  readonly tracker: RowTracker.RowTracker
  readonly outermost: bigint | undefined
  readonly isInherited: boolean
  readonly pages: number
  readonly rows: number
  /** No page of the current segment has been taken. */
  readonly isSegmentNew: boolean
  /** Position to report while a resumed query catches up: the one from which it was resumed. */
  readonly held: string
  /** Pages emitted since the stream was started or resumed. */
  readonly turns: number
  /** Consecutive restarts without a row between them. */
  readonly restarts: number
  /** Last block that no reorg can revert, according to the latest response; `null` if not reported. */
  readonly finalized: bigint | null
  /** The latest rows are being requested again: once they are received, all rows emitted last belong to one chain. */
  readonly isPoll: boolean
  /** Fails the query after the rows that were emitted. */
  readonly fault: RestError | undefined
}

/** A page, and the position after each of its rows. */
export interface PageStep<P> {
  readonly page: StreamPage<P>
  readonly positionAfter: (rows: number) => string
}

export type Step<P> = PageStep<P> | RowsReverted

export const isReverted = <A extends object>(step: A | RowsReverted): step is RowsReverted =>
  "_tag" in step && step._tag === "RowsReverted"

/** What to do next. */
export type Action =
  | { readonly _tag: "Request"; readonly query: EncodedQuery }
  | { readonly _tag: "Restart"; readonly error: StaleCursor }
  | { readonly _tag: "Fail"; readonly error: RestError }
  | { readonly _tag: "End" }

/** Consecutive restarts before the query fails. */
const maxRestarts = 5

const trackerOf = (order: RowTracker.Order, segment: Segments.Segment = Segments.whole): RowTracker.RowTracker =>
  RowTracker.make(order, segment.cursor, segment.memory)

/** Position of a query that has not read anything. */
export const startOf = (query: Position.RowQuery, order: RowTracker.Order): Position.Position => {
  const { cursor } = query.parameters
  return {
    query: Position.queryOf(query, order),
    order,
    outermost: undefined,
    isInherited: cursor !== undefined,
    pages: 0,
    rows: 0,
    segments: [{ ...Segments.whole, cursor }],
  }
}

/** State before the first page, at a position. */
export const initial = (position: Position.Position): State => {
  const { isInherited, order, outermost, pages, rows, segments } = position
  return {
    segments,
    tracker: trackerOf(order, segments[0]),
    outermost,
    isInherited,
    pages,
    rows,
    isSegmentNew: true,
    held: Position.format(position),
    turns: 0,
    restarts: 0,
    finalized: null,
    isPoll: false,
    fault: undefined,
  }
}

/** Continues a query that reached its end with newer rows; `undefined` if it has emitted its maximum. */
export const onEnd = <Row>(
  { maxRows, order, query }: Config<Row>,
  { finalized, held, rows }: State,
): State | undefined => {
  if (rows >= maxRows) return undefined
  // Sound: the client itself wrote this text, for the same query.
  const position = Result.getOrThrow(Position.parse(held, Position.queryOf(query, order)))
  const [segment = Segments.whole] = position.segments
  const newer = RowTracker.beyond(RowTracker.recent(segment.memory, finalized))
  return { ...initial({ ...position, segments: [{ ...segment, ...newer }] }), held, isPoll: true }
}

/** Last row emitted by a query that is about to request newer rows. */
const lastGiven = ({ segments: [segment] }: State): RowTracker.Known | undefined => segment?.memory.tail.at(-1)

/**
 * Requests only the newest row, for a poll that would follow one that reached its end. While it equals the last emitted row, in the same
 * block, there are no newer rows and no reorg of earlier ones, because a block hash commits to all ancestors. `undefined` if no row was
 * emitted, or if the emitted rows have not been received again together, since they may belong to different chains.
 */
export const newestRow = <Row>({ query }: Config<Row>, ended: State, poll: State): EncodedQuery | undefined => {
  const last = lastGiven(poll)
  if (last === undefined || !ended.isPoll) return undefined
  const { from_date: _fromDate, ...parameters } = query.parameters
  return {
    params: query.params,
    parameters: { ...parameters, from_block: last.block.toString(), limit: "1", order: "DESC" },
  }
}

/** True if the newest row is the last one emitted. */
export const isUnchanged = <Row>({ locate }: Config<Row>, state: State, { result }: Page<Row>): boolean => {
  const [newest] = result
  const last = lastGiven(state)
  return result.length === 1 && newest !== undefined && last !== undefined && RowTracker.isSame(last, locate(newest))
}

/** Parameters of a page of a segment; the segment's bounds replace those of the query. */
const queryOf = <Row>({ maxRows, order, query }: Config<Row>, segment: Segments.Segment): EncodedQuery => {
  const { cursor, from_block, from_date, limit, order: given, to_block, to_date, ...rest } = query.parameters
  const lower = segment.from === undefined ? { from_block, from_date } : { from_block: segment.from.toString() }
  const upper = segment.to === undefined ? { to_block, to_date } : { to_block: segment.to.toString() }
  const size = maxRows < Number(limit ?? 100) ? String(maxRows) : limit
  // A first page is requested in the order against which its rows are checked; a cursor of another query has an order of its own.
  const ownOrder = cursor === undefined || segment.cursor === undefined ? order : given
  const all = { ...rest, ...lower, ...upper, limit: size, order: ownOrder, cursor: segment.cursor }
  const defined = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { params: query.params, parameters: Object.fromEntries(defined) }
}

/** Decides what to do next. */
export const next = <Row>(config: Config<Row>, { fault, rows, segments }: State): Action => {
  const [segment] = segments
  if (fault?._tag === "StaleCursor") return { _tag: "Restart", error: fault }
  if (fault !== undefined) return { _tag: "Fail", error: fault }
  if (segment === undefined || rows >= config.maxRows) return { _tag: "End" }
  return { _tag: "Request", query: queryOf(config, segment) }
}

const positionOf = <Row>(
  { order, query }: Config<Row>,
  { isInherited, outermost, pages, rows }: Pick<State, "isInherited" | "outermost" | "pages" | "rows">,
  segments: ReadonlyArray<Segments.Segment>,
): string =>
  Position.format({ query: Position.queryOf(query, order), order, outermost, isInherited, pages, rows, segments })

const replaceFirst = (
  segments: ReadonlyArray<Segments.Segment>,
  first: Partial<Segments.Segment>,
): ReadonlyArray<Segments.Segment> => segments.map((segment, at) => (at === 0 ? { ...segment, ...first } : segment))

/**
 * What remains when a query reaches its end: newer rows, if it is ascending. They follow the latest rows; if none was emitted, they are
 * those of the segment, from its start.
 */
const afterEnd = (
  order: RowTracker.Order,
  tracker: RowTracker.RowTracker,
  [segment = Segments.whole]: ReadonlyArray<Segments.Segment>,
  isInherited: boolean,
): ReadonlyArray<Segments.Segment> => {
  if (order === "DESC") return []
  const { cursor, from } = segment
  const again = { from, cursor: isInherited && from === undefined ? cursor : undefined }
  return [{ ...Segments.whole, ...(RowTracker.beyond(RowTracker.memory(tracker)) ?? again) }]
}

const outermostOf = (
  order: RowTracker.Order,
  places: ReadonlyArray<RowPosition>,
  before: bigint | undefined,
): bigint | undefined =>
  places.reduce<bigint | undefined>((found, { block }) => {
    if (found === undefined) return block
    return (order === "ASC") === block < found ? block : found
  }, before)

const errorOf = <Row>(
  fault: RowTracker.PageFault,
  { host, order }: Config<Row>,
  { attempts, requestId }: Pick<PageResponse<unknown>, "attempts" | "requestId">,
): RestError => {
  const facts = { host, requestId, attempts }
  switch (fault._tag) {
    case "OutOfOrder":
      return new OutOfOrder({ ...facts, ...fault, order })
    case "Broken":
      return new InvalidResponse({ ...facts, ...fault, reason: "content", status: 200 })
    case "Stale":
      return new StaleCursor({ ...facts, resumeFromBlock: fault.fromBlock, status: 200 })
  }
}

const isFault = (following: RowTracker.Next): following is RowTracker.PageFault =>
  following._tag !== "Cursor" && following._tag !== "End"

/** Segments after a page whose rows were all emitted. */
const segmentsAfter = (
  order: RowTracker.Order,
  { isInherited, segments }: State,
  tracker: RowTracker.RowTracker,
  following: Exclude<RowTracker.Next, RowTracker.PageFault>,
): ReadonlyArray<Segments.Segment> => {
  if (following._tag === "Cursor") {
    return replaceFirst(segments, { cursor: following.cursor, memory: RowTracker.memory(tracker) })
  }
  return segments.length > 1 ? segments.slice(1) : afterEnd(order, tracker, segments, isInherited)
}

/** Takes a page: returns the next state and the page without repeated rows. */
export const onPage = <Row, P extends Page<Row>>(
  config: Config<Row>,
  state: State,
  response: PageResponse<P>,
): readonly [State, PageStep<P>] => {
  const { maxRows, order, locate } = config
  const memory = state.isSegmentNew
    ? (state.segments[0]?.memory ?? RowTracker.emptyMemory)
    : RowTracker.memory(state.tracker)
  const { next: following, rows: fresh, tracker } = RowTracker.take(state.tracker, response.page, locate)
  const rows = fresh.slice(0, maxRows - state.rows)
  const places = rows.map(locate)
  const isWhole = rows.length === fresh.length
  const counted = {
    isInherited: state.isInherited,
    outermost: outermostOf(order, places, state.outermost),
    pages: state.pages + 1,
    rows: state.rows + rows.length,
  }
  /** Position after the first `count` rows; this page will be requested again. */
  const positionWithin = (count: number): string => {
    if (count === 0 && memory.tail.length > 0) return state.held
    const inside = { memory: RowTracker.within(order, memory, places.slice(0, count)) }
    return positionOf(config, { ...counted, rows: state.rows + count }, replaceFirst(state.segments, inside))
  }
  const left = isWhole && !isFault(following) ? segmentsAfter(order, state, tracker, following) : undefined
  const isCaughtUp = tracker.catchUp === undefined
  const held = left !== undefined && isCaughtUp ? positionOf(config, counted, left) : positionWithin(rows.length)
  const isEnded = isWhole && following._tag === "End"
  const segments = isEnded ? state.segments.slice(1) : (left ?? state.segments)
  const nextState: State = {
    ...counted,
    segments,
    tracker: isEnded ? trackerOf(order, segments[0]) : tracker,
    isSegmentNew: isEnded,
    held,
    turns: state.turns + 1,
    restarts: rows.length > 0 ? 0 : state.restarts,
    finalized: response.indexCoverage.finalizedTo,
    isPoll: state.isPoll,
    fault: isWhole && isFault(following) ? errorOf(following, config, response) : undefined,
  }
  const page =
    rows.length === response.page.result.length ? response.page : Object.assign({}, response.page, { result: rows })
  const block = places.at(-1)?.block ?? nextState.tracker.furthest?.block ?? null
  const progress = { pages: counted.pages, rows: counted.rows, block }
  return [
    nextState,
    {
      page: { ...response, page, progress, position: held },
      positionAfter: (count) => (count >= rows.length ? held : positionWithin(count)),
    },
  ]
}

const boundsOf = ({ parameters: { to_block, to_date } }: EncodedQuery): Segments.Bounds => ({
  toBlock: to_block === undefined ? undefined : BigInt(to_block),
  hasToDate: to_block === undefined && to_date !== undefined,
})

/** Error of a reorg, which may be shallower than one detected while the query caught up. */
const deepest = (error: StaleCursor, changed: bigint | undefined): StaleCursor =>
  changed === undefined || changed >= error.resumeFromBlock
    ? error
    : new StaleCursor({ ...error, resumeFromBlock: changed })

/** Continues after a reorg, or fails with the error that reports it. */
export const onStale = <Row>(
  config: Config<Row>,
  state: State,
  received: StaleCursor,
): Result.Result<readonly [State, RowsReverted], RestError> => {
  const { onStaleCursor, order, query } = config
  const error = deepest(received, RowTracker.changedFrom(state.tracker))
  if (onStaleCursor !== "restart" || state.restarts >= maxRestarts) return Result.fail(error)
  const current = replaceFirst(state.segments, { memory: RowTracker.memory(state.tracker) })
  const progress = { order, segments: current, outermost: state.outermost, isInherited: state.isInherited }
  const { revertedFrom, segments } = Segments.restart(progress, error.resumeFromBlock, boundsOf(query))
  const isInherited = state.isInherited && revertedFrom > 0n
  const held = positionOf(config, { ...state, isInherited }, segments)
  const nextState: State = {
    ...state,
    segments,
    tracker: trackerOf(order, segments[0]),
    isSegmentNew: true,
    isInherited,
    restarts: state.restarts + 1,
    isPoll: false,
    fault: undefined,
    held,
  }
  return Result.succeed([nextState, { _tag: "RowsReverted", fromBlock: revertedFrom, position: held }])
}
