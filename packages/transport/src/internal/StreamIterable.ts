/** A stream as a value that programs which use promises iterate. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CallerStack from "./CallerStack.ts"

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

/** Iterates a stream until it ends or the signal is aborted; errors keep their stack. */
export const untraced = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  Stream.toAsyncIterable(
    signal === undefined
      ? stream
      : Stream.suspend(() =>
          signal.aborted ? Stream.die(signal.reason) : Stream.interruptWhen(stream, aborted(signal)),
        ),
  )

/** Iterates the values of a stream until it ends or the signal is aborted. */
export const values = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  traced(untraced(stream, signal))
