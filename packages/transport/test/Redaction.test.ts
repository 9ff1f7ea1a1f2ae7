import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { Redaction } from "../src/index.ts"

describe("Redaction", () => {
  describe("scrubber", () => {
    const scrub = Redaction.scrubber(["p@ss word/1", 'quo"te', "abc"])
    it("replaces a secret wherever it stands", () =>
      assert.strictEqual(scrub("a p@ss word/1 b p@ss word/1"), "a <redacted> b <redacted>"))
    it("replaces the percent-encoded spelling", () =>
      assert.strictEqual(scrub("GET /v3/p%40ss%20word%2F1/x"), "GET /v3/<redacted>/x"))
    it("replaces the spelling inside JSON", () =>
      assert.strictEqual(scrub('{"message":"quo\\"te"}'), '{"message":"<redacted>"}'))
    it("replaces the longest secret first", () =>
      assert.strictEqual(Redaction.scrubber(["abcd", "abcdefgh"])("abcdefgh"), "<redacted>"))
    it("leaves texts of fewer than four characters alone", () => assert.strictEqual(scrub("abc"), "abc"))
    it("knows the plain form of an encoded secret", () =>
      assert.strictEqual(Redaction.scrubber(["my%20key"])("bad key: my key"), "bad key: <redacted>"))
  })
  describe("headers", () => {
    it("blanks the values of headers that carry credentials", () =>
      assert.deepStrictEqual(
        Redaction.headers({ "X-API-Key": "k", Authorization: "Basic x", cookie: "a=b", accept: "application/json" }),
        { "X-API-Key": "<redacted>", Authorization: "<redacted>", cookie: "<redacted>", accept: "application/json" },
      ))
  })
  describe("shorten", () => {
    it("leaves a short text", () => assert.strictEqual(Redaction.shorten("a b"), "a b"))
    it("puts lines and control characters on one line", () =>
      assert.strictEqual(Redaction.shorten("a\n\t\u0000 b\u001b[31m"), "a b [31m"))
    it("says how long the whole was", () =>
      assert.strictEqual(Redaction.shorten("x".repeat(50), 10), "xxxxxxxxxx... (50 characters)"))
  })
  describe("fromKey", () => {
    it("wraps text", () => {
      const key = Redaction.fromKey("secret")

      assert.strictEqual(JSON.stringify(key), '"<redacted>"')
      assert.strictEqual(Redacted.value(key), "secret")
    })
  })
})
