import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import * as OptionCheck from "../src/OptionCheck.ts"

const problemOf = <A>(result: Result.Result<A, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : assert.fail("it should have been refused")

describe("OptionCheck", () => {
  describe("text", () => {
    it.each([
      ["http://host/a", "http://host/a"],
      [Redacted.make("http://host/a"), "http://host/a"],
      [new URL("http://host/a"), "http://host/a"],
    ])("reads %s", (given, expected) => {
      assert.strictEqual(Result.getOrThrow(OptionCheck.text("url", "a URL", given)), expected)
    })

    it.each([
      [undefined, `The option "key" is missing. It takes text.`],
      [null, `The option "key" is missing. It takes text.`],
      [Redacted.make(undefined), `The option "key" is missing. It takes text.`],
      [12_345, `The option "key" is a number. It takes text.`],
      [{ secret: "s3cret" }, `The option "key" is an object. It takes text.`],
    ])("refuses %s without showing it", (given, expected) => {
      assert.strictEqual(problemOf(OptionCheck.text("key", "text", given)), expected)
    })
  })

  describe("baseUrl", () => {
    it.each([
      ["http://host/a?s3cret=1", "query"],
      [new URL("http://host/a#s3cret"), "fragment"],
    ])("refuses %s without showing it", (given, part) => {
      assert.strictEqual(
        problemOf(OptionCheck.baseUrl("url", "a URL", given)),
        `The option "url" has a ${part}, which has no meaning there. It takes a URL; what was given is not shown.`,
      )
    })

    it("takes a path", () => {
      assert.strictEqual(Result.getOrThrow(OptionCheck.baseUrl("url", "a URL", "http://host/a")), "http://host/a")
    })
  })

  describe("isSignal", () => {
    it("tells a signal from what looks a little like one", () => {
      assert.isTrue(OptionCheck.isSignal(new AbortController().signal))
      assert.isFalse(OptionCheck.isSignal(new AbortController()))
      assert.isFalse(OptionCheck.isSignal({ aborted: false }))
      assert.isFalse(OptionCheck.isSignal(null))
    })
  })

  describe("member", () => {
    const right: ReadonlyArray<readonly [OptionCheck.Kind, unknown]> = [
      ["any", Symbol.iterator],
      ["boolean", false],
      ["function", () => 1],
      ["text", ""],
      ["record", { a: 1 }],
      ["signal", AbortSignal.abort()],
      ["count", 1],
      ["rate", 0.5],
      ["cost", 0],
      ["fraction", 1],
      ["duration", "10 seconds"],
      ["duration", Infinity],
      ["wait", 0],
      ["wait", undefined],
    ]
    it.each(right)("takes a %s: %s", (kind, given) => {
      assert.isTrue(Result.isSuccess(OptionCheck.member("it", kind, given)))
    })

    const durations = `in milliseconds or as text such as "10 seconds"`
    const wrong: ReadonlyArray<readonly [OptionCheck.Kind, unknown, string]> = [
      ["boolean", "no", `takes true or false; "no" came.`],
      ["function", {}, "takes a function; an object came."],
      ["text", 5, "takes text; 5 came."],
      ["record", [1], "takes a plain object; a list came."],
      ["record", new Headers(), "takes a plain object; a Headers came."],
      ["record", "a-long-s3cret-text", "takes a plain object; text came."],
      ["signal", new AbortController(), "takes an AbortSignal; an object came."],
      ["count", 1.5, "takes a whole number above 0; 1.5 came."],
      ["count", null, "takes a whole number above 0; null came."],
      ["rate", 0, "takes a number above 0; 0 came."],
      ["cost", -1, "takes a number of at least 0; -1 came."],
      ["cost", Number.NaN, "takes a number of at least 0; NaN came."],
      ["fraction", "0.5", `takes a number from 0 to 1; "0.5" came.`],
      ["duration", 0, `takes a duration above zero ${durations}; 0 came.`],
      ["duration", true, `takes a duration above zero ${durations}; true came.`],
      ["wait", -1, `takes a duration ${durations}; -1 came.`],
      ["wait", Number.NaN, `takes a duration ${durations}; NaN came.`],
      ["wait", () => 1, `takes a duration ${durations}; a function came.`],
    ]
    it.each(wrong)("says what a %s is: %s", (kind, given, issue) => {
      assert.strictEqual(problemOf(OptionCheck.member("it", kind, given)), `The option "it" ${issue}`)
    })
  })

  describe("members", () => {
    const kinds = { base: "wait", cap: "wait" } as const
    it.each([undefined, null, {}, { base: 1 }, { bsae: undefined }])("takes %j", (given) => {
      assert.isTrue(Result.isSuccess(OptionCheck.members(given, kinds)))
    })

    it.each([
      [{ bsae: "s3cret" }, `The option "retry.bsae" is not known. Known are base, cap.`],
      [{ toString: 1 }, `The option "retry.toString" is not known. Known are base, cap.`],
      [
        { cap: -1 },
        `The option "retry.cap" takes a duration in milliseconds or as text such as "10 seconds"; -1 came.`,
      ],
      [null, `The option "retry" takes an object of base, cap; null came.`],
      [3, `The option "retry" takes an object of base, cap; a number came.`],
      ["s3cret", `The option "retry" takes an object of base, cap; text came.`],
      [[1], `The option "retry" takes an object of base, cap; a list came.`],
    ])("refuses %j", (given, expected) => {
      assert.strictEqual(problemOf(OptionCheck.members(given, kinds, "retry")), expected)
    })
  })
})
