import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Collector from "../../../src/server/cluster/Collector.ts"
import type { FromPrimary } from "../../../src/server/cluster/Message.ts"

/** A process that records what it is sent. */
const makePeer = () => {
  const received: Array<FromPrimary> = []
  return { received, send: (message: FromPrimary) => void received.push(message) }
}

/** Id under which a report was requested of a process. */
const requestedId = ({ received }: ReturnType<typeof makePeer>): number => received.at(-1)!.id

describe("Collector", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("collect: sends the reports of all other processes once the last one has arrived", () => {
    const collector = Collector.make()
    const [from, second, third] = [makePeer(), makePeer(), makePeer()]
    collector.collect(from, 7, [second, third], "own")
    collector.add(second, requestedId(second), "b")
    expect(from.received).toEqual([])
    collector.add(third, requestedId(third), "c")
    expect(from.received).toEqual([{ _tag: "Collected", id: 7, texts: ["own", "b", "c"] }])
  })

  it("collect: responds at once where there is no other process", () => {
    const from = makePeer()
    Collector.make().collect(from, 1, [], "")
    expect(from.received).toEqual([{ _tag: "Collected", id: 1, texts: [] }])
  })

  it("remove: a process that ended is not waited for", () => {
    const collector = Collector.make()
    const [from, ended, good] = [makePeer(), makePeer(), makePeer()]
    collector.collect(from, 1, [ended, good], "")
    collector.add(good, requestedId(good), "good")
    collector.remove(makePeer())
    expect(from.received).toEqual([])
    collector.remove(ended)
    expect(from.received).toEqual([{ _tag: "Collected", id: 1, texts: ["good"] }])
  })

  it("collect: responds once, also after the time for it", () => {
    const collector = Collector.make()
    const [from, other] = [makePeer(), makePeer()]
    collector.collect(from, 1, [other], "")
    collector.collect(from, 2, [other], "")
    collector.remove(other)
    vi.advanceTimersByTime(10_000)
    expect(from.received.map(({ id }) => id)).toEqual([1, 2])
  })

  it("collect: leaves out a process that ended and one that does not answer within a second", () => {
    const collector = Collector.make()
    const [from, ended, silent, good] = [makePeer(), makePeer(), makePeer(), makePeer()]
    collector.collect(from, 1, [ended, silent, good], "")
    collector.remove(ended)
    collector.add(good, requestedId(good), "good")
    vi.advanceTimersByTime(999)
    expect(from.received).toEqual([])
    vi.advanceTimersByTime(1)
    expect(from.received).toEqual([{ _tag: "Collected", id: 1, texts: ["good"] }])
    collector.add(silent, requestedId(silent), "late")
    expect(from.received).toHaveLength(1)
  })

  it("add: ignores a second report and one that was not requested", () => {
    const collector = Collector.make()
    const [from, second, third, stranger] = [makePeer(), makePeer(), makePeer(), makePeer()]
    collector.collect(from, 1, [second, third], "")
    collector.add(stranger, requestedId(second), "x")
    collector.add(second, requestedId(second), "b")
    collector.add(second, requestedId(second), "b again")
    collector.add(second, 99, "y")
    collector.add(third, requestedId(third), "c")
    expect(from.received).toEqual([{ _tag: "Collected", id: 1, texts: ["b", "c"] }])
  })
})
