import { describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { blockOf } from "../../src/cli/maintenance.ts"

describe("Commands", () => {
  describe("blockOf", () => {
    it.effect.each([
      ["0", 0],
      ["60", 60],
      ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ] as const)("reads %s", ([text, block]) =>
      Effect.gen(function* () {
        expect(yield* blockOf(Option.some(text), "Nothing is removed")).toBe(block)
      }),
    )

    it.effect("is undefined where it is not given", () =>
      Effect.gen(function* () {
        expect(yield* blockOf(Option.none(), "Nothing is removed")).toBe(undefined)
      }),
    )

    it.effect.each(["-5", "0x10", "1.5", "1e3", "", " 7", "9007199254740992", "9".repeat(60)])("refuses %j", (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(blockOf(Option.some(text), "Nothing is removed"))

        expect(error.message).toMatch(
          /^Nothing is removed: "--from" is ".*; accepted: a block number in decimal digits, 0 or more and at most 9007199254740991\.$/,
        )
      }),
    )
  })
})
