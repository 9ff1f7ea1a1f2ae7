import { describe, expect, it } from "vitest"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as LargeResponses from "../../../src/server/relay/LargeResponses.ts"
import { Schema } from "effect"

const mebibyte = 1024 * 1024

const make = () => {
  const bounds = Bounds.make(
    Schema.decodeSync(Limits)({}),
    Turns.make(() => performance.now()),
  )
  return { bounds, sharing: LargeResponses.make(bounds)("", "") }
}

const { signal } = new AbortController()

/** Begins to hold a response of this many bytes; reports whether it may be read further. */
const begin = (sharing: ReturnType<LargeResponses.SharingOf>, bytes: number, until: AbortSignal = signal) => {
  const held = sharing.hold()
  const state = { isAdmitted: false, ...held, added: held.add(bytes, until) }
  state.added.then(
    () => (state.isAdmitted = true),
    () => undefined,
  )
  return state
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("LargeResponses", () => {
  it("hold: reads four responses above a mebibyte at a time, and the next one after one of them was read", async () => {
    const { sharing } = make()
    const small = Array.from({ length: 10 }, () => begin(sharing, mebibyte))
    const large = Array.from({ length: 6 }, () => begin(sharing, mebibyte + 1))
    await settled()
    const admitted = () => large.map(({ isAdmitted }) => isAdmitted)

    expect(small.every(({ isAdmitted }) => isAdmitted)).toBe(true)
    expect(admitted()).toEqual([true, true, true, true, false, false])
    await large[0]!.add(32 * mebibyte, signal)
    large[1]!.release()
    await settled()
    expect(admitted()).toEqual([true, true, true, true, true, false])
    for (const { release } of [large[0]!, large[2]!, large[3]!, large[4]!]) release()
    await settled()
    expect(admitted()).toEqual([true, true, true, true, true, true])
  })

  it("hold: a response that is aborted while it waits fails with the reason, and takes no slot", async () => {
    const { sharing } = make()
    const open = Array.from({ length: 4 }, () => begin(sharing, mebibyte + 1))
    const abort = new AbortController()
    const given = begin(sharing, mebibyte + 1, abort.signal)
    const next = begin(sharing, mebibyte + 1)
    abort.abort(new Error("given up"))

    await expect(given.added).rejects.toThrow("given up")
    given.release()
    await settled()
    expect(next.isAdmitted).toBe(false)
    open[0]!.release()
    await settled()
    expect(next.isAdmitted).toBe(true)
  })

  it("hold: a response that was aborted before it has to wait takes no slot", async () => {
    const { sharing } = make()
    const given = begin(sharing, mebibyte + 1, AbortSignal.abort(new Error("given up")))
    const open = Array.from({ length: 5 }, () => begin(sharing, mebibyte + 1))

    await expect(given.added).rejects.toThrow("given up")
    given.release()
    await settled()
    expect(open.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true, true, false])
  })

  it("hold: counts the bytes of all responses until they are released", () => {
    const { bounds, sharing } = make()
    const [one, other] = [begin(sharing, 300_000), begin(sharing, 2 * mebibyte)]

    expect(bounds.nodeResponses.total()).toBe(300_000 + 2 * mebibyte)
    other.release()
    expect(bounds.nodeResponses.total()).toBe(300_000)
    one.release()
    expect(bounds.nodeResponses.total()).toBe(0)
  })
})
