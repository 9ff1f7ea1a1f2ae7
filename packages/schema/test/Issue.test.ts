import { visible } from "../src/VisibleText.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Issue from "../src/Issue.ts"
import * as RpcMethod from "../src/RpcMethod.ts"
import * as Receipt from "../src/Receipt.ts"
import * as Transaction from "../src/Transaction.ts"
import * as WalletPage from "../src/WalletPage.ts"
import * as Hash from "../src/Hash.ts"
import * as fixture from "./fixture.ts"

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
const ShortText = Schema.String.check(Schema.isMaxLength(42))

const record = fixture.walletTransaction
const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const pageOf = (rows: ReadonlyArray<unknown>) => ({ ...fixture.walletPage, result: rows })
const messagesOf = (schema: Schema.Codec<unknown, unknown>, wire: unknown) =>
  Issue.find(schema, wire).map((issue) => Issue.format("response", issue))

/** The issues of a value that does not decode if unknown keys are rejected. */
const strictIssuesOf = (schema: Schema.Codec<unknown, unknown>, value: unknown, show?: Issue.Show) => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value)
  return Issue.fromError(Result.getOrThrow(Result.flip(decoded)), value, show)
}

describe("find", () => {
  it("find: returns no issue for a value that decodes", () => {
    expect(Issue.find(WalletPage.WalletPage, fixture.walletPage)).toEqual([])
  })

  it("find: returns every issue with its path, the expected and the received value", () => {
    const broken = { ...record, nonce: -1, gas: undefined, logs: [record.logs[0], { ...record.logs[0], data: "0x0" }] }
    const { hash: _, ...row } = broken
    expect(messagesOf(WalletPage.WalletPage, pageOf([record, row]))).toEqual([
      'Invalid response "result[1].hash": expected a hash of 32 bytes in hex, received nothing.',
      'Invalid response "result[1].nonce": expected decimal digits of a safe integer such as 12, received -1.',
      'Invalid response "result[1].gas": expected decimal digits of at most 256 bits such as 21000, received nothing.',
      'Invalid response "result[1].logs[1].data": expected hex bytes such as 0xa9059cbb, received "0x0".',
    ])
  })

  it("find: omits the index from the path if a single object is accepted for its array", () => {
    const wire = { ...fixture.walletPage, result: { ...record, value: "1.5" } }
    expect(messagesOf(WalletPage.WalletPage, wire)).toEqual([
      'Invalid response "result.value": expected decimal digits of at most 256 bits such as 21000, received "1.5".',
    ])
  })

  it("find: names every alternative of a union if none accepts the kind of value", () => {
    expect(messagesOf(RpcMethod.StateBlock, "newest")).toEqual([
      'Invalid response: expected a hash of 32 bytes in hex; or a block number in hex such as 0x1b4, or one of latest, earliest, pending, safe, finalized, received "newest".',
    ])
  })

  it("find: prefers the alternative of a union of which a value has the keys", () => {
    const union = Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])
    const pathsOf = (value: unknown) => Issue.find(union, value).map(({ path }) => path)

    expect([pathsOf({ b: 5 }), pathsOf({ a: 5 }), pathsOf({})]).toEqual([["b"], ["a"], ["a"]])
  })

  it("find: reports the issue inside the alternative of a union that accepts the kind of value", () => {
    expect(messagesOf(RpcMethod.StateBlock, { blockHash: "0x1" })).toEqual([
      'Invalid response "blockHash": expected a hash of 32 bytes in hex, received "0x1".',
    ])
  })

  it("find: reports a value that is not an object", () => {
    expect(messagesOf(Transaction.Transaction, "x")).toEqual([
      'Invalid response: expected a transaction object, received "x".',
    ])
  })
})

describe("fromError", () => {
  it("fromError: returns the first issue of an error without all of them", () => {
    const wire = { ...fixture.log, logIndex: "x", data: 1 }
    const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(Receipt.Log)(wire)))
    expect(Issue.fromError(error, wire)).toEqual([
      { path: "data", expected: "hex bytes such as 0xa9059cbb", received: "1" },
    ])
  })

  it("fromError: lists the accepted keys for an unknown key, without its value", () => {
    expect(strictIssuesOf(RpcMethod.TraceOptions, { tracr: "secret", tracer: "callTracer" })).toEqual([
      { path: "tracr", expected: "one of the keys tracer, timeout", received: "an unknown key" },
    ])
  })

  it("fromError: names what a missing key has to hold", () => {
    const Options = Schema.Struct({ url: Schema.String, retry: Schema.Struct({ times: Schema.Number }) })
    expect([strictIssuesOf(Options, { retry: {} }), strictIssuesOf(Options, { url: "", retry: {} })]).toEqual([
      [{ path: "url", expected: "a string", received: "nothing" }],
      [{ path: "retry.times", expected: "a number", received: "nothing" }],
    ])
  })

  it("fromError: lists the kinds of values as in a sentence", () => {
    const expectedOf = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
      strictIssuesOf(schema, value)[0]?.expected
    expect([
      expectedOf(RpcMethod.all.eth_getBlockByNumber.params, ["latest", 1]),
      expectedOf(RpcMethod.LogFilter, { topics: 1 }),
      expectedOf(RpcMethod.LogFilter, 1),
      expectedOf(Schema.NullOr(Schema.String), 1),
    ]).toEqual(["a boolean", "an array or null", "an object", "a string or null"])
  })

  it("fromError: states the count of items if an array is too short or too long", () => {
    const { params } = RpcMethod.all.eth_getBlockByNumber
    expect([
      strictIssuesOf(Schema.NonEmptyArray(Schema.String), []),
      strictIssuesOf(params, ["latest", true, 1]),
    ]).toEqual([
      [{ path: "", expected: "at least 1 item", received: "an empty array" }],
      [{ path: "", expected: "at most 2 items", received: "an array of 3 items" }],
    ])
  })

  it("fromError: uses the message of a filter as the expected value", () => {
    const Even = Schema.Number.check(Schema.makeFilter((value) => value % 2 === 0 || "Expected an even number"))
    expect(strictIssuesOf(Even, 3)).toEqual([{ path: "", expected: "an even number", received: "3" }])
  })

  it("fromError: passes the value and its path to a function that shows values", () => {
    const Config = Schema.Struct({ rpc: Schema.Array(Schema.Number) })
    const show: Issue.Show = (value, path) => `${String(value)} at ${path.length} keys`
    expect(strictIssuesOf(Config, { rpc: [1, "x"] }, show)).toEqual([
      { path: "rpc[1]", expected: "a number", received: "x at 2 keys" },
    ])
  })

  it("fromError: shortens a key that may be a secret like a value", () => {
    expect(strictIssuesOf(RpcMethod.LogFilter, { ["f".repeat(64)]: 1 })[0]?.path).toBe("ffffffffff…")
  })
})

describe("formatPath", () => {
  it("formatPath: joins keys with dots and puts indexes into brackets", () => {
    expect(Issue.formatPath(["chains", "my chain", "rpc", 0])).toBe("chains.my chain.rpc[0]")
    expect(Issue.formatPath([])).toBe("")
  })

  it.prop("formatPath: leads to the value that does not decode", [Index, Index], ([row, log]) => {
    const logs = Array.from({ length: log + 1 }, (_, at) => ({ ...record.logs[0], data: at === log ? "0x0" : "0x" }))
    const rows = Array.from({ length: row + 1 }, (_, at) => (at === row ? { ...record, logs } : record))
    const [issue, ...others] = Issue.find(WalletPage.WalletPage, pageOf(rows))
    expect(issue?.path).toBe(Issue.formatPath(["result", row, "logs", log, "data"]))
    expect(others).toEqual([])
  })
})

describe("format", () => {
  it("format: omits an empty path", () => {
    expect(Issue.format("query", { path: "", expected: "an object", received: "7" })).toBe(
      "Invalid query: expected an object, received 7.",
    )
  })

  it("format: has fewer than 300 characters for a page of 300 kB with one bad field", () => {
    const rows = Array.from({ length: 250 }, () => record)
    const wire = pageOf([...rows, { ...record, logs: [{ ...record.logs[0], topic0: `0x${"f".repeat(50_000)}` }] }])
    expect(JSON.stringify(wire).length).toBeGreaterThan(300_000)

    const [message, ...others] = messagesOf(WalletPage.WalletPage, wire)
    expect(others).toEqual([])
    expect(message).toMatch(
      /^Invalid response "result\[250\]\.logs\[0\]\.topic0": expected a hash of 32 bytes in hex.* received "0xfff/,
    )
    expect(message!.length).toBeLessThan(300)
    const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(WalletPage.WalletPage)(wire)))
    expect(error.message.length).toBeLessThan(300)
  })

  it.prop(
    "format: writes one line of fewer than 300 characters for any texts",
    [Schema.String, Schema.String, Schema.String, Schema.String],
    ([what, path, expected, received]) => {
      const message = Issue.format(what, { path, expected, received })
      expect(message).not.toMatch(/[\n\r\u2028\u2029]/)
      expect(message.length).toBeLessThan(300)
    },
  )

  it("format: writes one short line for keys and values of a thousand line breaks", () => {
    const nasty = "\n\u2028".repeat(500)
    const message = Issue.format(nasty, { path: nasty, expected: nasty, received: nasty })
    expect(message).not.toMatch(/[\n\u2028]/)
    expect(message.length).toBeLessThan(300)
  })
})

describe("quote", () => {
  it("quote: shows a text up to the length of an address in full", () => {
    const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
    expect([Issue.quote("0x12"), Issue.quote("a\nb"), Issue.quote(address)]).toEqual([
      '"0x12"',
      '"a\\nb"',
      `"${address}"`,
    ])
  })

  it.prop("quote: JSON.parse returns the visible form of a text that is shown in full", [ShortText], ([text]) => {
    expect(JSON.parse(Issue.quote(text))).toBe(visible(text))
  })

  it("quote: shows ten characters of a text that may be a private key, in hex or in base64", () => {
    const digits = key.slice(2)
    expect([digits, key, Buffer.from(digits, "hex").toString("base64url")].map(Issue.quote)).toEqual([
      '"ac0974bec3…" (64 characters)',
      '"0xac0974be…" (66 characters)',
      '"rAl0vsOaF-…" (43 characters)',
    ])
  })
})

describe("describe", () => {
  it("describe: names the kind and the size of every kind of value", () => {
    const values = [null, undefined, true, 7, "", [], [1], [1, 2], {}, { a: 1, b: 2 }, new Date(0), 5n, () => 1]
    expect(values.map(Issue.describe)).toEqual([
      "null",
      "nothing",
      "true",
      "7",
      "an empty string",
      "an empty array",
      "an array of 1 item",
      "an array of 2 items",
      "an empty object",
      "an object with a, b",
      "a Date of 1970-01-01T00:00:00.000Z",
      "5n",
      "a function",
    ])
  })

  it.prop("describe: never contains a private key, wherever a value holds it", [Hash.Hash], ([secret]) => {
    const bare = secret.slice(2)
    const values = [secret, bare, [secret], { [secret]: 1 }, { key: secret }, BigInt(secret), { a: { b: [bare] } }]
    for (const value of values) {
      const text = Issue.describe(value)
      expect(text).not.toContain(bare)
      expect(text).not.toContain(bare.slice(0, 12))
      expect(text.length).toBeLessThan(250)
    }
  })

  it("describe: shortens long texts, keys, numbers and byte arrays", () => {
    expect([key, { [key]: key, to: key }, [key], BigInt(key), new Uint8Array(32)].map(Issue.describe)).toEqual([
      '"0xac0974be…" (66 characters)',
      "an object with 0xac0974be…, to",
      "an array of 1 item",
      "7781451732…n (77 digits)",
      "32 bytes",
    ])
  })

  it("format: leaves the expected value all remaining characters, up to 299", () => {
    const [long, short] = ["long ".repeat(200), "short"]
    const lengthOf = (what: string, path: string, expected: string, received: string) =>
      Issue.format(what, { path, expected, received }).length

    for (const length of [
      lengthOf("option", long, long, long),
      lengthOf("option", short, long, short),
      lengthOf(long, "", long, long),
    ]) {
      // A text that is shortened in its middle may have an odd character left.
      expect([298, 299]).toContain(length)
    }
    expect(Issue.format("option", { path: "a.b", expected: short, received: "7" })).toBe(
      'Invalid option "a.b": expected short, received 7.',
    )
  })
})
