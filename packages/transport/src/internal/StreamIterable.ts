/** Streams as async iterables for programs that use promises. */
import * as Stream from "effect/Stream"
import * as CallerStack from "./CallerStack.ts"

/**
 * Iterates the same values until the signal is aborted, which interrupts the stream and releases its resources. Written with iterators
 * because `Stream.interruptWhen` would add the queues of merged streams to every bundle.
 */
const interruptible = <A>(values: AsyncIterable<A>, signal: AbortSignal): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = values[Symbol.asyncIterator]()
    let isOver = false
    let isWatched = false
    const abort = () => void iterator.return?.().catch(() => undefined)
    const end = () => {
      isOver = true
      signal.removeEventListener("abort", abort)
    }
    const watch = () => {
      if (isWatched) return
      isWatched = true
      signal.addEventListener("abort", abort, { once: true })
    }
    const advance = async (): Promise<IteratorResult<A, undefined>> => {
      const result = await iterator.next()
      if (result.done !== true) return result
      if (!isOver) signal.throwIfAborted()
      end()
      return { done: true, value: undefined }
    }
    return {
      next: async () => {
        try {
          if (!isOver) {
            signal.throwIfAborted()
            watch()
          }
          return await advance()
        } catch (error) {
          end()
          throw signal.aborted ? signal.reason : error
        }
      },
      return: async () => {
        end()
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})

/** Iterates the same values; the stack of an error shows where the value was requested. */
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
export const untraced = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> => {
  const values = Stream.toAsyncIterable(stream)
  return signal === undefined ? values : interruptible(values, signal)
}

/** Iterates the values of a stream until it ends or the signal is aborted. */
export const values = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  traced(untraced(stream, signal))
