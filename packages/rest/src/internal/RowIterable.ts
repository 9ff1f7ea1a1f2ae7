/** Streams of an operation as async iterables, for programs that use promises. */
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as StreamIterable from "@daybook/transport/internal/StreamIterable"
import type { RowsReverted, StreamOptions, StreamPage } from "../Client.ts"
import type { Page } from "../Operation.ts"
import * as PageStream from "./PageStream.ts"
import { isReverted, type PageStep, type Step } from "./Pagination.ts"

/** Iterates the pages of a query until they end or the signal is aborted. */
export const pages = <Query, Row, P extends Page<Row>>(
  source: PageStream.Source<Query, Row, P>,
  query: Query,
  options: StreamOptions | undefined,
  signal: AbortSignal | undefined,
): AsyncIterable<StreamPage<P> | RowsReverted> =>
  StreamIterable.values(PageStream.pages(source, query, options), signal)

/** Rows as an async iterable. */
export interface RowIterable<Row> extends AsyncIterable<Row | RowsReverted> {
  /** Position after the last row or marker yielded; undefined before the first page. */
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
    // Taking a row of a page that was already received cannot fail.
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
  const steps = StreamIterable.untraced(PageStream.make(source, query, options), signal)
  let latest: Run<Row> | undefined
  return {
    position: () => latest?.position(),
    [Symbol.asyncIterator]: () => {
      latest = makeRun<Row, P>(steps[Symbol.asyncIterator]())
      return latest
    },
  }
}
