/** A stream of rows as a value for programs that use promises: awaited it gives the first page, iterated all rows. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RowsReverted } from "../Client.ts"
import type { Page } from "../Operation.ts"
import { isReverted, type PageStep, type Step } from "./Pagination.ts"

const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const stop = () => resume(Effect.die(signal.reason))
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

/** Iterates a stream until it ends or the signal is aborted. */
export const iterate = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  Stream.toAsyncIterable(
    signal === undefined
      ? stream
      : Stream.suspend(() =>
          signal.aborted ? Stream.die(signal.reason) : Stream.interruptWhen(stream, aborted(signal)),
        ),
  )

/** Rows that can be iterated, or awaited for their first page. */
export interface RowIterable<Row, P> extends AsyncIterable<Row | RowsReverted>, PromiseLike<P> {
  /** Position after the last row that was given; undefined before the first page. */
  readonly position: () => string | undefined
}

interface Run<Row, P> extends AsyncIterator<Row | RowsReverted, undefined> {
  readonly firstPage: () => Promise<P>
  readonly position: () => string | undefined
}

const makeRun = <Row, P extends Page<Row>>(steps: AsyncIterator<Step<P>>, emptyPage: P): Run<Row, P> => {
  /** Steps that were read before the iteration reached them. */
  const seen: Array<Step<P>> = []
  let held: PageStep<P> | undefined
  let given = 0
  let isOver = false
  let latest: Promise<unknown> = Promise.resolve()

  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const turn = latest.then(work)
    latest = turn.catch(() => undefined)
    return turn
  }
  const pull = async (): Promise<Step<P> | undefined> => {
    const step = await steps.next()
    return step.done === true ? undefined : step.value
  }
  const advance = async (): Promise<IteratorResult<Row | RowsReverted, undefined>> => {
    while (!isOver) {
      const value = held?.page.page.result[given]
      if (value !== undefined) {
        given++
        return { done: false, value }
      }
      const step = seen.shift() ?? (await pull())
      if (step === undefined) break
      if (isReverted(step)) return { done: false, value: step }
      held = step
      given = 0
    }
    isOver = true
    return { done: true, value: undefined }
  }
  const firstPage = async (): Promise<P> => {
    for (;;) {
      const page = seen.find((step) => !isReverted(step))
      if (page !== undefined && !isReverted(page)) return page.page.page
      const step = await pull()
      if (step === undefined) return emptyPage
      seen.push(step)
    }
  }
  return {
    position: () => held?.positionAfter(given),
    firstPage: () => inTurn(firstPage),
    next: () => inTurn(advance),
    return: async () => {
      isOver = true
      await steps.return?.()
      return { done: true, value: undefined }
    },
  }
}

/**
 * Makes the rows of a stream iterable. Each iteration starts a new query, but the first one after an `await` continues from the page
 * that was awaited. `emptyPage` is given when nothing is left to read.
 */
export const make = <Row, P extends Page<Row>, E>(
  stream: Stream.Stream<Step<P>, E>,
  emptyPage: P,
  signal: AbortSignal | undefined,
): RowIterable<Row, P> => {
  const steps = iterate(stream, signal)
  let waiting: Run<Row, P> | undefined
  let latest: Run<Row, P> | undefined
  const begin = (): Run<Row, P> => makeRun(steps[Symbol.asyncIterator](), emptyPage)
  return {
    position: () => latest?.position(),
    // oxlint-disable-next-line unicorn/no-thenable
    then: (onFulfilled, onRejected) => {
      waiting ??= begin()
      return waiting.firstPage().then(onFulfilled, onRejected)
    },
    [Symbol.asyncIterator]: () => {
      const run = waiting ?? begin()
      waiting = undefined
      latest = run
      return run
    },
  }
}
