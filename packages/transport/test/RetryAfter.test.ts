import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { RetryAfter } from "../src/index.ts"

const now = Date.UTC(2026, 10, 20, 12, 0, 0)
const millis = (headers: Record<string, string>) => {
  const wait = RetryAfter.fromHeaders(headers, now)
  return wait === undefined ? undefined : Duration.toMillis(wait)
}

describe("RetryAfter", () => {
  describe("fromHeaders", () => {
    it("reads whole seconds", () => assert.strictEqual(millis({ "retry-after": "120" }), 120_000))
    it("reads a fraction of a second", () => assert.strictEqual(millis({ "retry-after": " 1.5 " }), 1_500))
    it("reads zero", () => assert.strictEqual(millis({ "retry-after": "0" }), 0))
    it("reads milliseconds and prefers them", () =>
      assert.strictEqual(millis({ "retry-after-ms": "250", "retry-after": "9" }), 250))
    it("falls back to seconds when the milliseconds are garbage", () =>
      assert.strictEqual(millis({ "retry-after-ms": "soon", "retry-after": "9" }), 9_000))
    it("reads the three forms of an HTTP date", () => {
      assert.strictEqual(millis({ "retry-after": "Fri, 20 Nov 2026 12:00:07 GMT" }), 7_000)
      assert.strictEqual(millis({ "retry-after": "Friday, 20-Nov-26 12:00:07 GMT" }), 7_000)
      assert.strictEqual(millis({ "retry-after": "Fri Nov 20 12:00:07 2026" }), 7_000)
    })
    it("takes a date in the past for no wait", () =>
      assert.strictEqual(millis({ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }), 0))
    it("compares a date with the server's own clock", () =>
      assert.strictEqual(
        millis({ "retry-after": "Fri, 20 Nov 2026 15:00:03 GMT", date: "Fri, 20 Nov 2026 15:00:00 GMT" }),
        3_000,
      ))
    it("cuts what is longer than a day", () => {
      assert.strictEqual(millis({ "retry-after": "99999999999999999999999999" }), 86_400_000)
      assert.strictEqual(millis({ "retry-after": "Wed, 01 Jan 2070 00:00:00 GMT" }), 86_400_000)
    })
    for (const garbage of [
      "",
      "soon",
      "-5",
      "1e3",
      "0x10",
      "5, 10",
      "2026-11-20T12:00:07Z",
      "Fri, 31 Feb 2026 12:00:00 GMT",
      "Fri, 20 Xyz 2026 12:00:00 GMT",
      "Fri, 20 Nov 2026 29:00:00 GMT",
      "NaN",
      "Infinity",
    ]) {
      it(`does not understand ${JSON.stringify(garbage)}`, () =>
        assert.strictEqual(millis({ "retry-after": garbage }), undefined))
    }
    it("says nothing when the server said nothing", () => assert.strictEqual(millis({}), undefined))
  })
})
