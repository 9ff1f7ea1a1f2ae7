import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { History } from "../../src/history/History.ts"
import * as OpenHistories from "../../src/history/OpenHistories.ts"

/** A history with this many rows, and a list of those that were closed. */
const script = (bounds: Partial<OpenHistories.Bounds> = {}) => {
  const histories = OpenHistories.make({ maxLeft: 2, maxRows: 100, leftMillis: 1_000, ...bounds })
  const closed: Array<string> = []
  const live: Array<unknown> = []
  const open = (id: string, count = 1) =>
    histories.open(id, (signal) => {
      signal.addEventListener("abort", () => closed.push(id))
      // Sound: no other part of a history is read.
      return { snapshot: () => ({ count, rows: { past: [], live } }) } as unknown as History<unknown>
    })
  return { histories, closed, live, open }
}

describe("OpenHistories", () => {
  it("keeps a history that was left, and the rows added since", () => {
    const { closed, histories, live, open } = script()
    open("a")
    live.push(1)
    histories.leave("a")
    live.push(2, 3)

    expect(histories.added("a")).toBe(2)
    expect(histories.hold("a")).toBe(true)
    expect(histories.find("a")).toBeDefined()
    expect(histories.added("a")).toBe(0)
    expect(closed).toEqual([])
  })

  it("closes those that were left first, if there are more than the limit", () => {
    const { closed, histories, open } = script()
    for (const id of ["a", "b", "c", "d"]) open(id)
    for (const id of ["b", "a", "c"]) histories.leave(id)

    expect(closed).toEqual(["b"])
    expect(histories.hold("b")).toBe(false)
    expect(histories.find("d")).toBeDefined()
  })

  it("closes those that were left first, if they have more rows than the limit", () => {
    const { closed, histories, open } = script()
    open("a", 60)
    open("b", 60)
    for (const id of ["a", "b"]) histories.leave(id)

    expect(closed).toEqual(["a"])
  })

  it("closes a history some time after it was left, but not while it is on screen", () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { closed, histories, open } = script()
    open("a")
    open("b")
    histories.leave("a")
    histories.leave("b")
    histories.hold("b")

    vi.advanceTimersByTime(1_000)

    expect(closed).toEqual(["a"])
  })
})
