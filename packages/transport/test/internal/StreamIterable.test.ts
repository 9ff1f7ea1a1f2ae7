import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as StreamIterable from "../../src/internal/StreamIterable.ts"

/** A stream of 1, 2 and then nothing, which records when it is closed. */
const held = () => {
  const closed: Array<string> = []
  const stream = Stream.ensuring(
    Stream.concat(Stream.make(1, 2), Stream.never),
    Effect.sync(() => void closed.push("closed")),
  )
  return { stream, closed }
}

describe("StreamIterable", () => {
  it("values: an abort between two values closes the stream, and the next value is rejected with its reason", async () => {
    const { closed, stream } = held()
    const controller = new AbortController()
    const values = StreamIterable.values(stream, controller.signal)[Symbol.asyncIterator]()
    expect(await values.next()).toEqual({ done: false, value: 1 })

    controller.abort("enough")
    await expect(values.next()).rejects.toBe("enough")

    expect(closed).toEqual(["closed"])
    expect(await values.next()).toEqual({ done: true, value: undefined })
  })

  it("values: an iterator that is never advanced does not listen to a signal", () => {
    let listeners = 0
    const { signal } = new AbortController()
    signal.addEventListener = () => void listeners++
    StreamIterable.values(held().stream, signal)[Symbol.asyncIterator]()

    expect(listeners).toBe(0)
  })

  it("values: an abort while a value is awaited rejects it with the reason, and closes the stream", async () => {
    const { closed, stream } = held()
    const controller = new AbortController()
    const values = StreamIterable.values(stream, controller.signal)[Symbol.asyncIterator]()
    await values.next()
    await values.next()
    const awaited = values.next()

    controller.abort("enough")
    await expect(awaited).rejects.toBe("enough")

    expect(closed).toEqual(["closed"])
  })

  it("values: handles a signal that is aborted before the first value, and one that is aborted after the last one", async () => {
    const before = StreamIterable.values(Stream.make(1), AbortSignal.abort("early"))[Symbol.asyncIterator]()
    await expect(before.next()).rejects.toBe("early")

    const controller = new AbortController()
    const values = StreamIterable.values(Stream.make(1), controller.signal)[Symbol.asyncIterator]()
    expect(await values.next()).toEqual({ done: false, value: 1 })
    expect(await values.next()).toEqual({ done: true, value: undefined })
    controller.abort("late")
    expect(await values.next()).toEqual({ done: true, value: undefined })
  })

  it("values: an error of the stream is unchanged with a signal, and leaving the loop closes the stream", async () => {
    const { signal } = new AbortController()
    const failing = StreamIterable.values(Stream.fail("broken"), signal)[Symbol.asyncIterator]()
    await expect(failing.next()).rejects.toBe("broken")

    const { closed, stream } = held()
    for await (const value of StreamIterable.values(stream, signal)) if (value === 2) break
    expect(closed).toEqual(["closed"])
  })
})
