import { createMPT } from "@ethereumjs/mpt"
import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Rlp from "ox/Rlp"
import { expect } from "vitest"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))
const keyOf = (index: number) => {
  const digits = index.toString(16)
  return bytesOf(Rlp.fromHex(index === 0 ? "0x" : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`))
}

/** Root by ethereumjs, which builds the trie. */
const builtRoot = async (values: ReadonlyArray<`0x${string}`>) => {
  const trie = await createMPT()
  for (const [index, value] of values.entries()) await trie.put(keyOf(index), bytesOf(value))
  return `0x${Buffer.from(trie.root()).toString("hex")}`
}

const Value = Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-f]{2}){1,60}$/)).pipe(
  Schema.refine((text): text is `0x${string}` => text.startsWith("0x")),
)

describe("TrieRoot", () => {
  describe("of", () => {
    it("of: returns the known root of an empty list", () => {
      expect(TrieRoot.fromValues([])).toBe("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")
    })

    it.each([1, 2, 3, 16, 17, 127, 128, 129, 255, 256, 257, 300])(
      "of: equals the root built by ethereumjs for %i values, short and long",
      async (count) => {
        const values = Array.from(
          { length: count },
          (_, index): `0x${string}` =>
            `0x${(index + 1)
              .toString(16)
              .padStart(2 + 2 * (index % 40), "0")
              .replace(/^(.)(?=(..)*$)/, "0$1")}`,
        )

        expect(TrieRoot.fromValues(values)).toBe(await builtRoot(values))
      },
    )

    it.effect.prop("of: equals the root built by ethereumjs for any list", [Schema.Array(Value)], ([values]) =>
      Effect.gen(function* () {
        if (values.length === 0) return
        expect(TrieRoot.fromValues(values)).toBe(yield* Effect.promise(() => builtRoot(values)))
      }),
    )
  })
})
