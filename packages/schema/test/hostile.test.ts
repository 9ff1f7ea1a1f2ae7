/** Hostile input: it decodes, or fails with a SchemaError, within the timeout of the test. */
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Issue from "../src/Issue.ts"
import * as Trace from "../src/Trace.ts"
import * as fixture from "./fixture.ts"
import { resources } from "./resources.ts"

const timeout = 20_000

const long = "f".repeat(10_000_000)
const nestedText = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
const nestedKeys = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

const values: Readonly<Record<string, unknown>> = {
  "a string of 10 MB": long,
  "hex of 10 MB": `0x${long}`,
  "hex of 10 MB with an invalid last digit": `0x${long}g`,
  "a number of 10^5 digits": "9".repeat(100_000),
  "10^5 digits and another character": `${"9".repeat(100_000)}!`,
  "a hex number of 10^5 digits": `0x${"9".repeat(100_000)}`,
  "a huge exponent": "1e1000000000",
  "an infinite number": JSON.parse("1e999"),
  "an array 10^5 levels deep": JSON.parse(nestedText(100_000)),
  "an object 10^5 levels deep": JSON.parse(nestedKeys(100_000)),
  "an array of 10^6 nulls": Array.from({ length: 1_000_000 }, () => null),
  "an object with 10^5 keys": Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at])),
  "a timestamp of 10 MB": `2023-02-15T14:51:23.${"0".repeat(10_000_000)}Z`,
}

const bases: Readonly<Record<string, object>> = {
  "Block.HydratedBlock": { ...fixture.block, transactions: [fixture.legacy] },
  "Transaction.Transaction": fixture.feeMarket,
  "Receipt.Receipt": fixture.receipt,
  "WalletPage.WalletPage": fixture.walletPage,
  "WalletTransaction.WalletTransaction": fixture.walletTransaction,
  "JsonRpc.Response": { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
}

/** Decodes a value and encodes it again; expects a short message if it does not decode. Throws for any other error. */
const expectShortError = (schema: Schema.Codec<unknown, unknown>, wire: unknown): void => {
  try {
    Schema.encodeUnknownSync(schema)(Schema.decodeUnknownSync(schema)(wire))
  } catch (error) {
    if (!Schema.isSchemaError(error)) throw error
    expect(error.message.length).toBeLessThan(1000)
    for (const issue of Issue.fromError(error, wire)) expect(Issue.format("response", issue).length).toBeLessThan(300)
  }
}

describe.each(Object.entries(bases))("%s", (name, base) => {
  it.each(Object.entries(values))(
    `${name}: decodes or rejects %s in any field, with a short message`,
    (_, value) => {
      const schema = resources[name]!
      expectShortError(schema, value)
      for (const key of Object.keys(base)) expectShortError(schema, { ...base, [key]: value })
    },
    timeout,
  )
})

describe("hostile keys", () => {
  it("decode: keeps __proto__ as a key and changes no prototype", () => {
    const wire = JSON.parse(
      JSON.stringify(fixture.log).replace(
        "{",
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
      ),
    ) as object
    const schema = resources["Receipt.Log"]!
    const value = Schema.decodeUnknownSync(schema)(wire) as object

    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.hasOwn(value, "__proto__")).toBe(true)
    expect("polluted" in {}).toBe(false)
    expect(JSON.stringify(Schema.encodeUnknownSync(schema)(value))).toBe(JSON.stringify(wire))
  })

  it("decode: reads no field from a prototype", () => {
    const { address: _, ...rest } = fixture.log
    const wire = JSON.parse(
      JSON.stringify(rest).replace("{", `{"__proto__":{"address":"${fixture.address("1")}"},`),
    ) as object
    expect(() => Schema.decodeUnknownSync(resources["Receipt.Log"]!)(wire)).toThrow("address")
  })
})

describe("hostile call frames", () => {
  const frame = (depth: number, leaf: object): object => {
    let inside: object = { type: "CALL", from: fixture.address("1"), ...leaf }
    for (let left = depth; left > 0; left--) inside = { type: "CALL", from: fixture.address("1"), calls: [inside] }
    return inside
  }

  it("CallFrame: decodes 1024 levels", () => {
    const wire = frame(1024, {})
    expect(Schema.encodeUnknownSync(Trace.CallFrame)(Schema.decodeUnknownSync(Trace.CallFrame)(wire))).toBeDefined()
  })

  it.each([
    [1025, {}],
    [100_000, {}],
    [20, { from: "0x1" }],
    [500, { from: "0x1" }],
    [1024, { from: "0x1" }],
    [100, { calls: Array.from({ length: 20_000 }, () => ({ type: "CALL", from: "0x1" })) }],
  ])(
    "CallFrame: refuses %i levels around %j with a SchemaError",
    (depth, leaf) => {
      expect(() => Schema.decodeUnknownSync(Trace.CallFrame)(frame(depth, leaf))).toThrow(/Expected/)
    },
    timeout,
  )
})
