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

  describe("names", () => {
    it.each([undefined, {}, { base: 1 }, { bsae: undefined }])("takes %j", (given) => {
      assert.isTrue(Result.isSuccess(OptionCheck.names(given, ["base", "cap"], "retry")))
    })

    it.each([
      [{ bsae: "s3cret" }, `The option "retry.bsae" is not known. Known are base, cap.`],
      [3, `The option "retry" takes an object of base, cap; a number came.`],
      ["s3cret", `The option "retry" takes an object of base, cap; text came.`],
      [[1], `The option "retry" takes an object of base, cap; a list came.`],
    ])("refuses %j", (given, expected) => {
      assert.strictEqual(problemOf(OptionCheck.names(given, ["base", "cap"], "retry")), expected)
    })
  })
})
