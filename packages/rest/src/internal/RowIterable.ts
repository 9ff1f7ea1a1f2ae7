/** The streams of an operation as values that programs which use promises iterate. */
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RowsReverted, StreamOptions, StreamPage } from "../Client.ts"
import type { Page } from "../Operation.ts"
import * as PageStream from "./PageStream.ts"
import { isReverted, type PageStep, type Step } from "./Pagination.ts"

const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const stop = () => resume(Effect.die(signal.reason))
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

/** Iterates the same values; errors name the place where the value was requested. */
const traced = <A>(values: AsyncIterable<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = values[Symbol.asyncIterator]()
    return {
      next: () => CallerStack.keep(iterator.next()),
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }
  },
})

/** Iterates a stream until it ends or the signal is aborted. */
const iterateUntraced = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  Stream.toAsyncIterable(
    signal === undefined
      ? stream
      : Stream.suspend(() =>
          signal.aborted ? Stream.die(signal.reason) : Stream.interruptWhen(stream, aborted(signal)),
        ),
  )

/** Iterates the values of a stream until it ends or the signal is aborted. */
export const values = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  traced(iterateUntraced(stream, signal))

/** Iterates the pages of a query until they end or the signal is aborted. */
export const pages = <Query, Row, P extends Page<Row>>(
  source: PageStream.Source<Query, Row, P>,
  query: Query,
  options: StreamOptions | undefined,
  signal: AbortSignal | undefined,
): AsyncIterable<StreamPage<P> | RowsReverted> => values(PageStream.pages(source, query, options), signal)

/** Rows that can be iterated. */
export interface RowIterable<Row> extends AsyncIterable<Row | RowsReverted> {
  /** Position after the last row or marker that was given; undefined before the first page. */
  readonly position: () => string | undefined
}

interface Run<Row> extends AsyncIterator<Row | RowsReverted, undefined> {
  readonly position: () => string | undefined
}

const makeRun = <Row, P extends Page<Row>>(steps: AsyncIterator<Step<P>>): Run<Row> => {
  let held: PageStep<P> | undefined
  let given = 0
  let reverted: RowsReverted | undefined
  let isOver = false
  let latest: Promise<unknown> = Promise.resolve()

  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const turn = latest.then(work)
    latest = turn.catch(() => undefined)
    return turn
  }
  const advance = async (): Promise<IteratorResult<Row | RowsReverted, undefined>> => {
    while (!isOver) {
      const value = held?.page.page.result[given]
      if (value !== undefined) {
        given++
        return { done: false, value }
      }
      const step = await steps.next()
      if (step.done === true) break
      if (isReverted(step.value)) {
        reverted = step.value
        return { done: false, value: reverted }
      }
      reverted = undefined
      held = step.value
      given = 0
    }
    isOver = true
    return { done: true, value: undefined }
  }
  return {
    position: () => reverted?.position ?? held?.positionAfter(given),
    // A row of a page that has been received cannot fail.
    next: () => (held?.page.page.result[given] === undefined ? CallerStack.keep(inTurn(advance)) : inTurn(advance)),
    return: async () => {
      isOver = true
      await steps.return?.()
      return { done: true, value: undefined }
    },
  }
}

/** Iterates the rows of a query until they end or the signal is aborted. Each iteration starts a new query. */
export const rows = <Query, Row, P extends Page<Row>>(
  source: PageStream.Source<Query, Row, P>,
  query: Query,
  options: StreamOptions | undefined,
  signal: AbortSignal | undefined,
): RowIterable<Row> => {
  const steps = iterateUntraced(PageStream.make(source, query, options), signal)
  let latest: Run<Row> | undefined
  return {
    position: () => latest?.position(),
    [Symbol.asyncIterator]: () => {
      latest = makeRun<Row, P>(steps[Symbol.asyncIterator]())
      return latest
    },
  }
}
