/** A walk as a value for programs that use promises: awaited it gives the first page, iterated all rows. */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RowsReverted } from "../Client.ts"
import { isVoid, type PageStep, type Step } from "./pages.ts"

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

type Value = WalletTransaction | RowsReverted

interface Run extends AsyncIterator<Value, undefined> {
  readonly firstPage: () => Promise<WalletPage>
  readonly position: () => string | undefined
}

/** What a walk that has nothing left answers when it is asked for a page. */
const noPage: WalletPage = { cursor: null, page: 0, page_size: 0, result: [] }

const runOf = (steps: AsyncIterator<Step>): Run => {
  /** Steps that were looked at before the iteration came to them. */
  const seen: Array<Step> = []
  let held: PageStep | undefined
  let given = 0
  let isOver = false
  let latest: Promise<unknown> = Promise.resolve()

  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const turn = latest.then(work)
    latest = turn.catch(() => undefined)
    return turn
  }
  const pull = async (): Promise<Step | undefined> => {
    const step = await steps.next()
    return step.done === true ? undefined : step.value
  }
  const advance = async (): Promise<IteratorResult<Value, undefined>> => {
    while (!isOver) {
      const value = held?.page.page.result[given]
      if (value !== undefined) {
        given++
        return { done: false, value }
      }
      const step = seen.shift() ?? (await pull())
      if (step === undefined) break
      if (isVoid(step)) return { done: false, value: step }
      held = step
      given = 0
    }
    isOver = true
    return { done: true, value: undefined }
  }
  const firstPage = async (): Promise<WalletPage> => {
    for (;;) {
      const page = seen.find((step) => !isVoid(step))
      if (page !== undefined && !isVoid(page)) return page.page.page
      const step = await pull()
      if (step === undefined) return noPage
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

export interface Rows extends AsyncIterable<Value>, PromiseLike<WalletPage> {
  readonly position: () => string | undefined
}

/** Each iteration walks anew, but the first one after an `await` goes on from the page that was awaited. */
export const rows = <E>(stream: Stream.Stream<Step, E>, signal: AbortSignal | undefined): Rows => {
  const steps = iterate(stream, signal)
  let waiting: Run | undefined
  let latest: Run | undefined
  const begin = (): Run => runOf(steps[Symbol.asyncIterator]())
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
