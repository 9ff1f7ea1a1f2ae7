import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { Query } from "../src/index.ts"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
const parametersOf = (query: Omit<Query.Query, "address">) =>
  Result.getOrThrow(Query.write({ address, ...query })).parameters
const problemOf = (query: Readonly<Record<string, unknown>>) =>
  Result.getOrThrow(Result.flip(Query.write({ address, ...query })))

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

describe("Query", () => {
  describe("write", () => {
    it("writes nothing but the address when nothing else is asked", () => {
      const written = Result.getOrThrow(Query.write({ address: " 0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045 " }))

      assert.deepStrictEqual<unknown>(written, { address, parameters: {} })
    })
    it("writes every parameter in the interface's spelling", () => {
      const parameters = parametersOf({
        chain: "ETH",
        from_block: 5n,
        to_block: 900,
        from_date: new Date("2024-01-31T12:00:00Z"),
        to_date: "31 January 2025",
        cursor: "abc",
        include: "internal_transactions",
        limit: 25,
        order: "ASC",
      })

      assert.deepStrictEqual(parameters, {
        chain: "eth",
        from_block: "5",
        to_block: "900",
        from_date: "2024-01-31T12:00:00.000Z",
        to_date: "31 January 2025",
        cursor: "abc",
        include: "internal_transactions",
        limit: "25",
        order: "ASC",
      })
    })
    it("leaves out what is undefined", () => {
      assert.deepStrictEqual(parametersOf({ chain: undefined, limit: undefined, cursor: undefined }), {})
    })

    const chains: ReadonlyArray<readonly [given: string | number | bigint, sent: string]> = [
      ["Polygon-Amoy", "polygon amoy"],
      ["amoy", "polygon amoy"],
      ["optimism testnet", "optimism sepolia"],
      ["0x1", "eth"],
      ["1", "eth"],
      ["eip155:137", "polygon"],
      [1, "eth"],
      [80_002n, "polygon amoy"],
      [59_144, "linea"],
      ["0xe705", "0xe705"],
      [59_141n, "0xe705"],
      ["linea sepolia", "linea sepolia"],
      ["arbitrum sepolia", "arbitrum sepolia"],
      ["zksync", "zksync"],
      ["0x7a69", "0x7a69"],
      [31_337, "0x7a69"],
    ]
    for (const [given, sent] of chains) {
      it(`sends the chain ${typeof given} ${given} as ${sent}`, () => {
        assert.strictEqual(parametersOf({ chain: given }).chain, sent)
      })
    }

    it("takes Effect's DateTime, with and without a zone", () => {
      const utc = DateTime.makeUnsafe("2024-01-31T12:00:00Z")
      const zoned = DateTime.setZoneNamedUnsafe(utc, "Europe/Berlin")

      assert.deepStrictEqual(parametersOf({ from_date: utc, to_date: zoned }), {
        from_date: "2024-01-31T12:00:00.000Z",
        to_date: "2024-01-31T12:00:00.000Z",
      })
    })
    it("takes a date that a block beats, and a block after that date's place", () => {
      const parameters = parametersOf({ from_block: 9, from_date: new Date(8), to_date: new Date(0) })

      assert.deepStrictEqual(parameters, {
        from_block: "9",
        from_date: "1970-01-01T00:00:00.008Z",
        to_date: "1970-01-01T00:00:00.000Z",
      })
    })

    const wrong: ReadonlyArray<readonly [parameter: string, value: unknown, received: string]> = [
      ["address", "0x12", `"0x12" came.`],
      ["address", undefined, "nothing came."],
      ["address", 7, "7 came."],
      ["chain", "  ", `"  " came.`],
      ["chain", -1, "-1 came."],
      ["chain", 1.5, "1.5 came."],
      ["chain", "eip155:abc", `"eip155:abc" came.`],
      ["chain", {}, "an empty object came."],
      ["from_block", -1n, "-1n came."],
      ["from_block", "12", `"12" came.`],
      ["to_block", Number.NaN, "NaN came."],
      ["to_block", 2 ** 53, "9007199254740992 came."],
      ["from_date", new Date(Number.NaN), "an invalid Date came."],
      ["from_date", "", "an empty string came."],
      ["to_date", 1_700_000_000, "1700000000 came."],
      ["to_date", new Date("+010000-01-01T00:00:00Z"), "+010000-01-01T00:00:00.000Z came."],
      ["cursor", null, "null came."],
      ["cursor", "", "an empty string came."],
      ["include", "logs", `"logs" came.`],
      ["limit", 0, "0 came."],
      ["limit", 2.5, "2.5 came."],
      ["limit", "10", `"10" came.`],
      ["order", "newest", `"newest" came.`],
      ["order", ["ASC"], "an array of 1 item came."],
      ["address", privateKey, `"0xac0974be..." (66 characters) came.`],
      ["address", { privateKey }, "an object with privateKey came."],
      ["order", privateKey.slice(2), `"ac0974bec3..." (64 characters) came.`],
    ]
    for (const [parameter, value, received] of wrong) {
      it(`fails on ${parameter} ${typeof value} ${received}`, () => {
        const issue = problemOf({ [parameter]: value })

        assert.strictEqual(issue.parameter, parameter)
        assert.match(issue.detail, /^takes /)
        assert.isTrue(issue.detail.endsWith(received), issue.detail)
      })
    }

    it("fails on a parameter that the operation does not have", () => {
      const issue = problemOf({ fromBlock: 5 })

      assert.strictEqual(issue.parameter, "fromBlock")
      assert.match(issue.detail, /^is none of the wallet operation; it takes address, chain, from_block,/)
    })
    it("fails on a range of blocks that ends before it begins", () => {
      assert.deepStrictEqual(problemOf({ from_block: 9, to_block: 8n }), {
        parameter: "from_block",
        detail: "takes a block that is not after to_block 8; 9 came.",
      })
    })
    it("fails on a range of dates that ends before it begins", () => {
      assert.deepStrictEqual(problemOf({ from_date: new Date(1), to_date: new Date(0) }), {
        parameter: "from_date",
        detail: "takes an instant that is not after to_date 1970-01-01T00:00:00.000Z; 1970-01-01T00:00:00.001Z came.",
      })
    })
    it("shows no more than the beginning of a long value", () => {
      assert.isBelow(problemOf({ order: "x".repeat(10_000) }).detail.length, 120)
    })
  })
})
