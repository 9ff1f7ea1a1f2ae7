import { describe, expect, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { DateTime, Result, Schema } from "effect"
import { Query } from "../src/index.ts"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
const parametersOf = (query: Omit<Query.Query, "address">) =>
  Result.getOrThrow(Query.encode({ address, ...query })).parameters
const issueOf = (query: Readonly<Record<string, unknown>>) =>
  Result.getOrThrow(Result.flip(Query.encode({ address, ...query })))

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

describe("Query", () => {
  describe("encode", () => {
    it("encode: contains only the address if nothing else is given", () => {
      const written = Result.getOrThrow(Query.encode({ address: " 0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045 " }))

      expect(written).toStrictEqual({ params: { address }, parameters: {} })
    })
    it("encode: writes every parameter in the spelling of the interface", () => {
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

      expect(parameters).toStrictEqual({
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
    it("encode: treats a null cursor, as the last page has it, as the first page", () => {
      expect(parametersOf({ cursor: null, limit: 5 })).toStrictEqual({ limit: "5" })
    })
    it("encode: omits undefined parameters", () => {
      expect(parametersOf({ chain: undefined, limit: undefined, cursor: undefined })).toStrictEqual({})
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
      it(`encode: encodes the chain ${typeof given} ${given} as ${sent}`, () => {
        expect(parametersOf({ chain: given }).chain).toBe(sent)
      })
    }

    it("encode: accepts an Effect DateTime, with and without a zone", () => {
      const utc = DateTime.makeUnsafe("2024-01-31T12:00:00Z")
      const zoned = DateTime.setZoneNamedUnsafe(utc, "Europe/Berlin")

      expect(parametersOf({ from_date: utc, to_date: zoned })).toStrictEqual({
        from_date: "2024-01-31T12:00:00.000Z",
        to_date: "2024-01-31T12:00:00.000Z",
      })
    })
    it("encode: encodes a date that a block overrides and does not compare it with the other bound", () => {
      const parameters = parametersOf({ from_block: 9, from_date: new Date(8), to_date: new Date(0) })

      expect(parameters).toStrictEqual({
        from_block: "9",
        from_date: "1970-01-01T00:00:00.008Z",
        to_date: "1970-01-01T00:00:00.000Z",
      })
    })

    const wrong: ReadonlyArray<readonly [parameter: string, value: unknown, received: string]> = [
      ["address", "0x12", `"0x12"`],
      ["address", undefined, "nothing"],
      ["address", 7, "7"],
      ["chain", "  ", `"  "`],
      ["chain", -1, "-1"],
      ["chain", 1.5, "1.5"],
      ["chain", "eip155:abc", `"eip155:abc"`],
      ["chain", {}, "an empty object"],
      ["from_block", -1n, "-1n"],
      ["from_block", "12", `"12"`],
      ["to_block", Number.NaN, "NaN"],
      ["to_block", 2 ** 53, "9007199254740992"],
      ["from_date", new Date(Number.NaN), "an invalid Date"],
      ["from_date", "", "an empty string"],
      ["to_date", 1_700_000_000, "1700000000"],
      ["to_date", new Date("+010000-01-01T00:00:00Z"), "a Date of +010000-01-01T00:00:00.000Z"],
      ["cursor", "", "an empty string"],
      ["include", "logs", `"logs"`],
      ["limit", 0, "0"],
      ["limit", 2.5, "2.5"],
      ["limit", "10", `"10"`],
      ["order", "newest", `"newest"`],
      ["order", ["ASC"], "an array of 1 item"],
      ["address", privateKey, `"0xac0974be…" (66 characters)`],
      ["address", { privateKey }, "an object with privateKey"],
      ["order", privateKey.slice(2), `"ac0974bec3…" (64 characters)`],
    ]
    for (const [parameter, value, received] of wrong) {
      it(`encode: rejects ${parameter} ${typeof value}: received ${received}`, () => {
        const issue = issueOf({ [parameter]: value })

        expect(issue.path).toBe(parameter)
        expect(issue.received).toBe(received)
      })
    }

    it("encode: rejects an unknown parameter", () => {
      const issue = issueOf({ fromBlock: 5 })

      expect(issue.path).toBe("fromBlock")
      expect(issue.received).toBe("an unknown key")
      expect(issue.expected).toMatch(/^one of the keys address, chain, from_block,/)
    })
    it("encode: rejects a range of blocks that ends before it begins", () => {
      expect(issueOf({ from_block: 9, to_block: 8n })).toStrictEqual({
        path: "from_block",
        expected: "at most to_block (8)",
        received: "9",
      })
    })
    it("encode: rejects a range of dates that ends before it begins", () => {
      expect(issueOf({ from_date: new Date(1), to_date: new Date(0) })).toStrictEqual({
        path: "from_date",
        expected: "at most to_date (1970-01-01T00:00:00.000Z)",
        received: "1970-01-01T00:00:00.001Z",
      })
    })
    it("encode: shows only the beginning of a long value", () => {
      expect(issueOf({ order: "x".repeat(10_000) }).received.length).toBeLessThan(60)
    })
    it.prop(
      "law: the contract decodes an encoded query to the given values",
      {
        from: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 20n })),
        span: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 6n })),
        limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
        order: Schema.Literals(["ASC", "DESC"]),
        cursor: Schema.String.check(Schema.isMinLength(1)),
      },
      ({ cursor, from, limit, order, span }) => {
        const given = { from_block: from, to_block: from + span, limit, order, cursor }
        const { parameters } = Result.getOrThrow(Query.encode({ address, ...given }))
        const decoded = RestOperation.decodeQuery(RestOperation.walletTransactions, parameters)

        expect(Result.getOrThrow(decoded)).toStrictEqual(given)
      },
    )
    it.prop("law: encode never throws and names a parameter of the query, for any value", [Schema.Json], ([value]) => {
      for (const name of RestOperation.parameterNames(RestOperation.walletTransactions)) {
        const encoded = Query.encode({ address, [name]: value })

        if (Result.isFailure(encoded)) expect(encoded.failure.path).toBe(name)
      }
    })
  })

  it("encodeMovements: names the invalid kind or asset, alone or in a list", () => {
    const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
    const issueOf = (query: object) => Result.getOrThrow(Result.flip(Query.encodeMovements({ address, ...query })))

    expect(issueOf({ kind: "ERC20" })).toMatchObject({ path: "kind", received: '"ERC20"' })
    expect(issueOf({ kind: ["erc20", "nft"] })).toMatchObject({ path: "kind", received: '"nft"' })
    expect(issueOf({ kind: 7 })).toMatchObject({ path: "kind", received: "7" })
    expect(issueOf({ kind: "ERC20" }).expected.startsWith("one of ")).toBe(true)
    expect(issueOf({ asset: "USDC" })).toEqual({
      path: "asset",
      expected: "native, or the address of a token in hex",
      received: '"USDC"',
    })
  })
})
