/** Iterables of a query whose code is loaded when one is iterated. */
import { load } from "#streams"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import type { RowIterable } from "./RowIterable.ts"

type Streams = Awaited<ReturnType<typeof load>>

/** Makes an iterable by `open` when it is first iterated. */
export const iterable = <A>(open: (streams: Streams) => AsyncIterable<A>): AsyncIterable<A> => {
  let opening: Promise<AsyncIterable<A>> | undefined
  let opened: AsyncIterable<A> | undefined
  const start = async (): Promise<AsyncIterator<A>> => {
    opened = await (opening ??= load().then(open))
    return opened[Symbol.asyncIterator]()
  }
  /** An iteration that began before the code was loaded. */
  const deferred = (): AsyncIterator<A> => {
    let starting: Promise<AsyncIterator<A>> | undefined
    let started: AsyncIterator<A> | undefined
    const first = async () => {
      started = await (starting ??= start())
      return started.next()
    }
    return {
      next: () => started?.next() ?? CallerStack.of(first()),
      return: async () =>
        (await (await (starting ??= start())).return?.()) ?? { done: true as const, value: undefined },
    }
  }
  return { [Symbol.asyncIterator]: () => opened?.[Symbol.asyncIterator]() ?? deferred() }
}

/** Makes rows by `open` when they are first iterated. */
export const rows = <Row>(open: (streams: Streams) => RowIterable<Row>): RowIterable<Row> => {
  let opened: RowIterable<Row> | undefined
  return { ...iterable((streams) => (opened = open(streams))), position: () => opened?.position() }
}
