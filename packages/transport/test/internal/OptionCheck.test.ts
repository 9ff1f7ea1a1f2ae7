import { describe, expect, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import * as OptionCheck from "../../src/internal/OptionCheck.ts"

const messageOf = <A>(result: Result.Result<A, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : expect.unreachable("the option must be invalid")

const kinds: ReadonlyArray<OptionCheck.Kind> = [
  "boolean",
  "function",
  "record",
  "signal",
  "count",
  "rate",
  "cost",
  "fraction",
  "duration",
  "wait",
]

describe("OptionCheck", () => {
  describe("text", () => {
    it.each([
      ["http://host/a", "http://host/a"],
      [Redacted.make("http://host/a"), "http://host/a"],
      [new URL("http://host/a"), "http://host/a"],
    ])("text: accepts %s", (given, expected) => {
      expect(Result.getOrThrow(OptionCheck.text("url", "a URL", given))).toBe(expected)
    })

    it.each([
      [undefined, `Invalid option "key": expected a string, received nothing.`],
      [null, `Invalid option "key": expected a string, received null.`],
      [Redacted.make(undefined), `Invalid option "key": expected a string, received nothing.`],
      [12_345, `Invalid option "key": expected a string, received a number.`],
      [{ secret: "s3cret" }, `Invalid option "key": expected a string, received an object.`],
    ])("text: rejects %s without showing it", (given, expected) => {
      expect(messageOf(OptionCheck.text("key", "a string", given))).toBe(expected)
    })
  })

  describe("baseUrl", () => {
    it.each([
      ["http://host/a?s3cret=1", "query"],
      [new URL("http://host/a#s3cret"), "fragment"],
    ])("baseUrl: rejects %s without showing it", (given, part) => {
      expect(messageOf(OptionCheck.baseUrl("url", "a URL", given))).toBe(
        `Invalid option "url": expected a URL, received a URL with a ${part}.`,
      )
    })

    it("baseUrl: accepts a path", () => {
      expect(Result.getOrThrow(OptionCheck.baseUrl("url", "a URL", "http://host/a"))).toBe("http://host/a")
    })
  })

  it("isSignal: distinguishes a signal from objects with some of its properties", () => {
    expect(OptionCheck.isSignal(new AbortController().signal)).toBe(true)
    expect(OptionCheck.isSignal(new AbortController())).toBe(false)
    expect(OptionCheck.isSignal({ aborted: false })).toBe(false)
    expect(OptionCheck.isSignal(null)).toBe(false)
  })

  describe("member", () => {
    const valid: ReadonlyArray<readonly [OptionCheck.Kind, unknown]> = [
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
    it.each(valid)("member: accepts as %s: %s", (kind, given) => {
      expect(Result.isSuccess(OptionCheck.member("it", kind, given))).toBe(true)
    })

    const forms = `in milliseconds or as text such as "10 seconds"`
    const invalid: ReadonlyArray<readonly [OptionCheck.Kind, unknown, string]> = [
      ["boolean", "no", `expected a boolean, received "no".`],
      ["function", {}, "expected a function, received an object."],
      ["text", 5, "expected a string, received 5."],
      ["record", [1], "expected a plain object, received an array."],
      ["record", new Headers(), "expected a plain object, received a Headers object."],
      ["record", "a-long-s3cret-text", "expected a plain object, received a string."],
      ["signal", new AbortController(), "expected an AbortSignal, received an object."],
      ["count", 1.5, "expected a whole number above 0, received 1.5."],
      ["count", null, "expected a whole number above 0, received null."],
      ["count", 3n, "expected a whole number above 0, received 3n."],
      ["rate", 0, "expected a number above 0, received 0."],
      ["cost", -1, "expected a number of at least 0, received -1."],
      ["cost", Number.NaN, "expected a number of at least 0, received NaN."],
      ["fraction", "0.5", `expected a number from 0 to 1, received "0.5".`],
      ["duration", 0, `expected a duration above zero ${forms}, received 0.`],
      ["duration", true, `expected a duration above zero ${forms}, received true.`],
      ["wait", -1, `expected a duration ${forms}, received -1.`],
      ["wait", Number.NaN, `expected a duration ${forms}, received NaN.`],
      ["wait", () => 1, `expected a duration ${forms}, received a function.`],
      ["count", "", "expected a whole number above 0, received an empty string."],
    ]
    it.each(invalid)("member: rejects as %s: %s", (kind, given, rest) => {
      expect(messageOf(OptionCheck.member("it", kind, given))).toBe(`Invalid option "it": ${rest}`)
    })

    it.prop(
      "law: no message shows a text of 13 or more characters, which may be a key",
      [Schema.String.check(Schema.isMinLength(13)), Schema.Literals(kinds)],
      ([text, kind]) => {
        const result = OptionCheck.member("it", kind, text)

        if (Result.isFailure(result)) expect(result.failure.received).toBe("a string")
      },
    )
  })

  describe("members", () => {
    const names = { base: "wait", cap: "wait" } as const
    it.each([undefined, null, {}, { base: 1 }, { bsae: undefined }])("members: accepts %j", (given) => {
      expect(Result.isSuccess(OptionCheck.members(given, names))).toBe(true)
    })

    it.each([
      [{ bsae: "s3cret" }, `Invalid option "retry.bsae": expected one of the keys base, cap, received an unknown key.`],
      [
        { toString: 1 },
        `Invalid option "retry.toString": expected one of the keys base, cap, received an unknown key.`,
      ],
      [
        { cap: -1 },
        `Invalid option "retry.cap": expected a duration in milliseconds or as text such as "10 seconds", received -1.`,
      ],
      [null, `Invalid option "retry": expected an object with base, cap, received null.`],
      [3, `Invalid option "retry": expected an object with base, cap, received a number.`],
      ["s3cret", `Invalid option "retry": expected an object with base, cap, received a string.`],
      [[1], `Invalid option "retry": expected an object with base, cap, received an array.`],
    ])("members: rejects %j", (given, expected) => {
      expect(messageOf(OptionCheck.members(given, names, "retry"))).toBe(expected)
    })
  })
})
