import type { Fetch } from "@daybook/transport/Fetch"
import { describe, expect, it } from "vitest"
import * as TimedFetch from "../../src/node/TimedFetch.ts"

const init: Parameters<Fetch>[1] = {
  method: "POST",
  headers: {},
  redirect: "manual",
  signal: new AbortController().signal,
}

const outcomes = async (fetch: Fetch) => {
  const found: Array<string> = []
  const timed = TimedFetch.make(
    fetch,
    (outcome, seconds) => found.push(seconds >= 0 ? outcome : "before"),
    () => performance.now(),
  )
  await timed("http://127.0.0.1:1", init).catch((cause: unknown) => found.push(String(cause)))
  return found
}

describe("TimedFetch", () => {
  it.each([
    [200, "2xx"],
    [302, "3xx"],
    [404, "4xx"],
    [429, "429"],
    [503, "5xx"],
  ])("make: reports a response of status %d as %s, once", async (status, outcome) => {
    const found = await outcomes(() => Promise.resolve({ status, headers: new Headers() }))

    expect(found).toEqual([outcome])
  })

  it("make: measures the time to the headers of a response with the given clock", async () => {
    let nowMillis = 5_000
    const found: Array<number> = []
    const respond = () => {
      nowMillis += 1_500
      return Promise.resolve({ status: 200, headers: new Headers() })
    }
    await TimedFetch.make(
      respond,
      (_, seconds) => found.push(seconds),
      () => nowMillis,
    )("http://127.0.0.1:1", init)

    expect(found).toEqual([1.5])
  })

  it("make: reports a request without a response, and fails with its error", async () => {
    const found = await outcomes(() => Promise.reject(new TypeError("closed")))

    expect(found).toEqual(["none", "TypeError: closed"])
  })
})
