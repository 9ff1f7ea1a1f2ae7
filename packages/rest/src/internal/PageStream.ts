/**
 * Streams the pages of a query: interprets the steps of `Pagination` and prefetches the next page. At most two pages are held: the emitted
 * one and the prefetched one.
 */
import * as Issue from "@daybook/schema/Issue"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as Retry from "@daybook/transport/internal/Retry"
import type { RetryPolicy } from "@daybook/transport/RetryPolicy"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { BadRow, PageResponse, RowsReverted, StreamOptions, StreamPage } from "../Client.ts"
import type { EncodedQuery, Operation, Page } from "../Operation.ts"
import { BadRequest, type RestError } from "../RestError.ts"
import * as ChangeSignal from "./ChangeSignal.ts"
import * as Pagination from "./Pagination.ts"
import * as Position from "./Position.ts"

/** How one page of an operation is requested, and how the options of its streams are checked. */
export interface Source<Query, Row, P extends Page<Row>> {
  readonly host: string
  readonly policy: RetryPolicy
  readonly operation: Operation<Query, Row, P>
  readonly encode: (query: Query) => Effect.Effect<EncodedQuery, BadRequest>
  readonly request: (query: EncodedQuery, options: StreamOptions) => Effect.Effect<PageResponse<P>, RestError>
  readonly checkOptions: (options: StreamOptions | undefined) => Effect.Effect<StreamOptions, BadRequest>
  /** Events that report changes to the rows of a query; undefined if there are none. */
  readonly changes: (query: EncodedQuery, options: StreamOptions) => Stream.Stream<WalletEvent, RestError> | undefined
}

const invalidOption = (host: string, path: string, expected: string, received: string) =>
  Effect.fail(new BadRequest({ host, what: "option", issue: { path, expected, received } }))

/** Parameters that set the start of a range. */
const begun = ["from_block", "from_date", "cursor"] as const

/** Parameters that exclude newer rows; a cursor continues a list as it was at its first page. */
const ended = ["to_block", "to_date", "cursor"] as const

/** Checks what the kinds of options do not cover. */
const checkWith = (host: string, query: EncodedQuery, options: StreamOptions): Effect.Effect<void, BadRequest> => {
  const { follow, from, onStaleCursor = "fail", resume } = options
  if (onStaleCursor !== "fail" && onStaleCursor !== "restart") {
    return invalidOption(host, "onStaleCursor", `"fail" or "restart"`, Issue.describe(onStaleCursor))
  }
  if (resume !== undefined && query.parameters["cursor"] !== undefined) {
    return invalidOption(host, "cursor", "either cursor or resume", "both")
  }
  if (from !== undefined) {
    if (from !== "now") return invalidOption(host, "from", `"now"`, Issue.describe(from))
    if (follow === undefined) return invalidOption(host, "from", '"now" only with follow', '"now" alone')
    const given = begun.find((name) => query.parameters[name] !== undefined)
    if (given !== undefined) {
      return invalidOption(host, given, `no ${given} with from "now"`, Issue.describe(query.parameters[given]))
    }
  }
  if (follow === undefined) return Effect.void
  const { order } = query.parameters
  if (order !== "ASC") return invalidOption(host, "order", "ASC or no order with follow", Issue.describe(order))
  const bound = ended.find((name) => query.parameters[name] !== undefined)
  return bound === undefined
    ? Effect.void
    : invalidOption(host, bound, `no ${bound} with follow, which has no end`, Issue.describe(query.parameters[bound]))
}

/** A query that is followed is ascending by default. */
const ordered = (query: EncodedQuery, { follow }: StreamOptions): EncodedQuery =>
  follow === undefined ? query : { ...query, parameters: { order: "ASC", ...query.parameters } }

/** The query from the block after the last indexed one or, when resumed, from the block at which the original stream started. */
const fromNow = Effect.fnUntraced(function* <Query, Row, P extends Page<Row>>(
  { host, request }: Source<Query, Row, P>,
  query: EncodedQuery,
  { resume, ...options }: StreamOptions,
): Effect.fn.Return<EncodedQuery, RestError> {
  const { parameters } = query
  if (resume !== undefined) {
    const from_block = Position.fromBlockOf(resume)
    return from_block === undefined ? query : { ...query, parameters: { ...parameters, from_block } }
  }
  const { indexCoverage } = yield* request(
    { ...query, parameters: { ...parameters, order: "DESC", limit: "1" } },
    options,
  )
  const { indexedTo } = indexCoverage
  if (indexedTo === null) {
    return yield* invalidOption(host, "from", "a server that states its indexed blocks", "one that does not")
  }
  return { ...query, parameters: { ...parameters, from_block: String(indexedTo + 1n) } }
})

/** Makes the configuration and initial state of a query. */
const start = Effect.fnUntraced(function* <Query, Row, P extends Page<Row>>(
  source: Source<Query, Row, P>,
  query: Query,
  options: StreamOptions,
): Effect.fn.Return<readonly [Pagination.Config<Row>, Pagination.State], RestError> {
  const { encode, host, operation } = source
  const given = ordered(yield* encode(query), options)
  yield* checkWith(host, given, options)
  const ranged = options.from === undefined ? given : yield* fromNow(source, given, options)
  const encoded = { ...ranged, operation: operation.contract.name }
  const { maxRows = Number.POSITIVE_INFINITY, onStaleCursor = "fail", resume } = options
  const order = encoded.parameters["order"] === "ASC" ? "ASC" : "DESC"
  const position =
    resume === undefined
      ? Result.succeed(Pagination.startOf(encoded, order))
      : Position.parse(resume, Position.queryOf(encoded, order))
  if (Result.isFailure(position)) {
    const { expected, received } = position.failure
    return yield* invalidOption(host, "resume", expected, received)
  }
  const config = { host, query: encoded, order, maxRows, onStaleCursor, locate: operation.locate } as const
  return [config, Pagination.initial(position.success)]
})

/** A state and the request prefetched for it. */
interface Current<P> {
  readonly state: Pagination.State
  readonly ahead: Fiber.Fiber<PageResponse<P>, RestError> | undefined
  /** The query has reached its end once and is followed: empty pages are no longer emitted. */
  readonly isFollowing: boolean
}

/** A step to emit, if any, and what follows it. */
type Turn<P> = readonly [step: Pagination.Step<P> | undefined, current: Current<P>]

const ignore = () => undefined

/** Number of invalid rows that a stream remembers, and the number of characters by which each is identified. */
const [maxReported, idCharacters] = [1_000, 1_000]

/** Reports the invalid rows of a page and returns them. A query that is followed receives its latest rows repeatedly; each is reported once. */
const reporter = (onBadRow: StreamOptions["onBadRow"] = ignore) => {
  const reported = new Set<string>()
  return (rows: ReadonlyArray<BadRow>, isFollowing: boolean): ReadonlyArray<BadRow> =>
    rows.filter((bad) => {
      const id = JSON.stringify(bad.row).slice(0, idCharacters)
      if (isFollowing && reported.has(id)) return false
      if (reported.size === maxReported) reported.clear()
      reported.add(id)
      onBadRow(bad)
      return true
    })
}

const interpreter = <Query, Row, P extends Page<Row>>(
  source: Source<Query, Row, P>,
  config: Pagination.Config<Row>,
  options: StreamOptions,
  scope: Scope.Scope,
) => {
  const { follow, onBadRow, onProgress, prefetch = true } = options
  const mayHaveMore =
    follow === undefined
      ? Effect.void
      : ChangeSignal.make(source.changes(config.query, options), Duration.fromInputUnsafe(follow), scope)

  const report = reporter(onBadRow)
  // A prefetched page is reported when it is taken.
  const quiet = onBadRow === undefined ? options : { ...options, onBadRow: ignore }

  const request = (query: EncodedQuery, isFollowing: boolean) => {
    const call = source.request(query, quiet)
    return isFollowing ? Retry.untilDeadline(source.policy, call) : call
  }

  /** Prefetches the next page, from the second page on, since a caller may only want the first. */
  const requestAhead = (state: Pagination.State, isFollowing: boolean): Effect.Effect<Current<P>> => {
    const action = Pagination.next(config, state)
    return prefetch && state.turns >= 2 && action._tag === "Request"
      ? Effect.map(Effect.forkIn(request(action.query, isFollowing), scope), (ahead) => ({
          state,
          ahead,
          isFollowing,
        }))
      : Effect.succeed({ state, ahead: undefined, isFollowing })
  }

  const takePage = Effect.fnUntraced(function* (
    { isFollowing, state }: Current<P>,
    response: PageResponse<P>,
  ): Effect.fn.Return<Turn<P>> {
    const badRows = report(response.badRows, isFollowing)
    const [after, step] = Pagination.onPage(config, state, { ...response, badRows })
    const { page, progress } = step.page
    if (onProgress !== undefined) onProgress(progress)
    const isGiven = !isFollowing || page.result.length > 0 || badRows.length > 0
    return [isGiven ? step : undefined, yield* requestAhead(after, isFollowing)]
  })

  const restart = ({ isFollowing, state }: Current<P>, error: Parameters<typeof Pagination.onStale>[2]) =>
    Effect.map(Effect.fromResult(Pagination.onStale(config, state, error)), ([after, step]): Turn<P> => [
      step,
      { state: after, ahead: undefined, isFollowing },
    ])

  /** Continues when there may be newer rows, if the query is followed and the newest row differs from the last one. */
  const end = Effect.fnUntraced(function* (state: Pagination.State): Effect.fn.Return<Turn<P> | undefined, RestError> {
    const after = follow === undefined ? undefined : Pagination.onEnd(config, state)
    if (follow === undefined || after === undefined) return undefined
    yield* mayHaveMore
    const newer: Current<P> = { state: after, ahead: undefined, isFollowing: true }
    const newest = Pagination.newestRow(config, state, after)
    if (newest === undefined) return [undefined, newer]
    const { indexCoverage, page } = yield* request(newest, true)
    const isUnchanged = Pagination.isUnchanged(config, after, page)
    return [undefined, isUnchanged ? { ...newer, state: { ...state, finalized: indexCoverage.finalizedTo } } : newer]
  })

  return (current: Current<P>): Effect.Effect<Turn<P> | undefined, RestError> => {
    const { ahead, isFollowing, state } = current
    const action = Pagination.next(config, state)
    switch (action._tag) {
      case "End":
        return end(state)
      case "Fail":
        return Effect.fail(action.error)
      case "Restart":
        return restart(current, action.error)
      case "Request":
        return Effect.flatMap(
          ahead === undefined ? request(action.query, isFollowing) : Fiber.join(ahead),
          (response) => takePage(current, response),
        ).pipe(Effect.catchTag("StaleCursor", (error) => restart(current, error)))
    }
  }
}

/** Streams the pages of a query, and a marker when rows are reverted. */
export const make = <Query, Row, P extends Page<Row>>(
  source: Source<Query, Row, P>,
  query: Query,
  given?: StreamOptions,
): Stream.Stream<Pagination.Step<P>, RestError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* source.checkOptions(given)
      const [config, state] = yield* start(source, query, options)
      const turn = interpreter(source, config, options, yield* Effect.scope)
      const first: Current<P> = { state, ahead: undefined, isFollowing: false }
      return Stream.paginate(first, (current) =>
        Effect.map(turn(current), (taken): readonly [ReadonlyArray<Pagination.Step<P>>, Option.Option<Current<P>>] => {
          if (taken === undefined) return [[], Option.none()]
          const [step, next] = taken
          return [step === undefined ? [] : [step], Option.some(next)]
        }),
      )
    }),
  )

/** Streams the rows of the pages; `RowsReverted` only with `onStaleCursor: "restart"`. */
export const rows = <Query, Row, P extends Page<Row>>(
  source: Source<Query, Row, P>,
  query: Query,
  options?: StreamOptions,
): Stream.Stream<Row | RowsReverted, RestError> =>
  // `Stream.flatMap` would add the queues and semaphores of its concurrent form to every bundle.
  make(source, query, options).pipe(
    Stream.map((step): ReadonlyArray<Row | RowsReverted> =>
      Pagination.isReverted(step) ? [step] : step.page.page.result,
    ),
    Stream.filter((values) => Arr.isReadonlyArrayNonEmpty(values)),
    Stream.flattenArray,
  )

/** Streams the pages with their responses; `RowsReverted` only with `onStaleCursor: "restart"`. */
export const pages = <Query, Row, P extends Page<Row>>(
  source: Source<Query, Row, P>,
  query: Query,
  options?: StreamOptions,
): Stream.Stream<StreamPage<P> | RowsReverted, RestError> =>
  Stream.map(make(source, query, options), (step) => (Pagination.isReverted(step) ? step : step.page))
