import { describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import * as Selection from "../../src/cli/Selection.ts"
import { ChainReorganized } from "../../src/node/CallsError.ts"

describe("Selection.parseBlock", () => {
  it.effect.each([
    ["0", 0],
    ["60", 60],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ] as const)("parseBlock: parses %s", ([text, block]) =>
    Effect.gen(function* () {
      expect(yield* Selection.parseBlock(Option.some(text))).toBe(block)
    }),
  )

  it.effect("parseBlock: returns undefined without the flag", () =>
    Effect.gen(function* () {
      expect(yield* Selection.parseBlock(Option.none())).toBe(undefined)
    }),
  )

  it.effect.each(["-5", "0x10", "1.5", "1e3", "", " 7", "9007199254740992", "9".repeat(60)])(
    "parseBlock: rejects %j",
    (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Selection.parseBlock(Option.some(text)))

        expect(error.message).toMatch(
          /^Invalid option "--from": expected a block number in decimal digits from 0 to 9007199254740991, received ".*\.$/,
        )
      }),
  )
})

describe("Selection.adviseFinalBlock", () => {
  it.effect("adviseFinalBlock: states --at if the chain was reorganised, which the error itself does not", () =>
    Effect.gen(function* () {
      const reorg = new ChainReorganized({ block: 7, expected: "0xa", received: "0xb" })
      const replaced = "Block 7 was replaced by a reorg: expected 0xa, received 0xb."

      expect(reorg.message).toBe(replaced)
      expect((yield* Effect.flip(Selection.adviseFinalBlock(Effect.fail(reorg)))).message).toBe(
        `${replaced} Run the command again, with --at a final block.`,
      )
      expect(yield* Effect.flip(Selection.adviseFinalBlock(Effect.fail("other")))).toBe("other")
    }),
  )
})
