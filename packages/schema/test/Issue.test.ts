import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Issue from "../src/Issue.ts"
import * as RpcMethod from "../src/RpcMethod.ts"
import * as Receipt from "../src/Receipt.ts"
import * as Transaction from "../src/Transaction.ts"
import * as WalletPage from "../src/WalletPage.ts"
import * as fixture from "./fixture.ts"

const record = fixture.walletTransaction
const pageOf = (rows: ReadonlyArray<unknown>) => ({ ...fixture.walletPage, result: rows })
const linesOf = (schema: Schema.Codec<unknown, unknown>, wire: unknown) => Issue.find(schema, wire).map(Issue.toLine)

describe("Problem", () => {
  describe("find", () => {
    it("is empty for a value that decodes", () => {
      expect(Issue.find(WalletPage.WalletPage, fixture.walletPage)).toEqual([])
    })

    it("tells every problem, each with its place", () => {
      const broken = {
        ...record,
        nonce: -1,
        gas: undefined,
        logs: [record.logs[0], { ...record.logs[0], data: "0x0" }],
      }
      const { hash: _, ...rows } = broken
      expect(linesOf(WalletPage.WalletPage, pageOf([record, rows]))).toEqual([
        "result[1].hash: expected this key, got nothing",
        "result[1].nonce: expected decimal digits of a safe integer such as 12, got -1",
        "result[1].gas: expected decimal digits such as 21000, got nothing",
        'result[1].logs[1].data: expected hex bytes such as 0xa9059cbb, got "0x0"',
      ])
    })

    it("gives a single object that stands for its list no position", () => {
      expect(linesOf(WalletPage.WalletPage, { ...fixture.walletPage, result: { ...record, value: "1.5" } })).toEqual([
        'result.value: expected decimal digits such as 21000, got "1.5"',
      ])
    })

    it("tells each alternative where none fits, and what is wrong inside where one does", () => {
      const lines = (value: unknown) => linesOf(RpcMethod.StateBlock, value)
      expect(lines("newest")).toEqual([
        'expected a hash of 32 bytes in hex; or a block number in hex such as 0x1b4, or one of latest, earliest, pending, safe, finalized, got "newest"',
      ])
      expect(lines({ blockHash: "0x1" })).toEqual(['blockHash: expected a hash of 32 bytes in hex, got "0x1"'])
    })

    it("says what came for every kind of value", () => {
      const received = (value: unknown) => Issue.find(Receipt.Log, { ...fixture.log, address: value })[0]?.received
      expect(
        [null, true, 7, "", [], [1, 2], {}, { a: 1, b: 2 }, "0x".padEnd(1000, "1"), new Date(0), 5n].map(received),
      ).toEqual([
        "null",
        "true",
        "7",
        '""',
        "an empty list",
        "a list of 2",
        "an empty object",
        "an object with a, b",
        `"0x11111111..." (1000 characters)`,
        "a Date",
        "5n",
      ])
    })

    it("tells of a value that is no object at all", () => {
      expect(linesOf(Transaction.Transaction, "x")).toEqual(['expected a transaction object, got "x"'])
    })
  })

  describe("toLine", () => {
    it("stays under 300 characters for a page of 300 kB with one bad field", () => {
      const rows = Array.from({ length: 250 }, () => record)
      const wire = pageOf([...rows, { ...record, logs: [{ ...record.logs[0], topic0: `0x${"f".repeat(50_000)}` }] }])
      expect(JSON.stringify(wire).length).toBeGreaterThan(300_000)

      const lines = linesOf(WalletPage.WalletPage, wire)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/^result\[250\]\.logs\[0\]\.topic0: expected a hash of 32 bytes in hex.* got "0xfff/)
      expect(lines[0]!.length).toBeLessThan(300)
      const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(WalletPage.WalletPage)(wire)))
      expect(error.message.length).toBeLessThan(300)
    })

    it("is one short line whatever a server puts into keys and values", () => {
      const nasty = "\n\u2028".repeat(500)
      const line = Issue.toLine({ path: nasty, expected: nasty, received: nasty })
      expect(line).not.toMatch(/[\n\u2028]/)
      expect(line.length).toBeLessThan(300)
    })
  })

  describe("quote", () => {
    it("quotes what is no longer than an address whole", () => {
      const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
      expect([Issue.quote("0x12"), Issue.quote("a\nb"), Issue.quote(address)]).toEqual([
        '"0x12"',
        '"a\\nb"',
        `"${address}"`,
      ])
    })

    it("shows ten characters of what may be a private key, in hex or in base64", () => {
      const key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
      expect([key, `0x${key}`, Buffer.from(key, "hex").toString("base64url")].map(Issue.quote)).toEqual([
        '"ac0974bec3..." (64 characters)',
        '"0xac0974be..." (66 characters)',
        '"rAl0vsOaF-..." (43 characters)',
      ])
    })
  })

  describe("describe", () => {
    it("shows no more of a long text, key, number or run of bytes", () => {
      const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
      expect([key, { [key]: key, to: key }, [key], BigInt(key), new Uint8Array(32)].map(Issue.describe)).toEqual([
        '"0xac0974be..." (66 characters)',
        "an object with 0xac0974be..., to",
        "a list of 1",
        "7781451732...n (77 digits)",
        "32 bytes",
      ])
    })
  })

  describe("fromError", () => {
    it("lists the keys that are known where one is not, and names kinds of values in plain words", () => {
      const problemOf = (schema: Schema.Codec<unknown, unknown>, value: unknown) => {
        const error = Result.flip(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value))
        return Issue.fromError(Result.getOrThrow(error), value)[0]
      }
      expect(problemOf(RpcMethod.TraceOptions, { tracr: 1, tracer: "callTracer" })).toEqual({
        path: "tracr",
        expected: "one of the keys tracer, timeout",
        received: "1",
      })
      expect(problemOf(RpcMethod.all.eth_getBlockByNumber.params, ["latest", 1])?.expected).toBe("true or false")
      expect(problemOf(RpcMethod.LogFilter, { topics: 1 })?.expected).toBe("a list")
      expect(problemOf(RpcMethod.LogFilter, 1)?.expected).toBe("an object")
    })

    it("shows a key that may be a secret no further than a value", () => {
      const value = { ["f".repeat(64)]: 1 }
      const error = Result.flip(Schema.decodeUnknownResult(RpcMethod.LogFilter, { onExcessProperty: "error" })(value))
      expect(Issue.fromError(Result.getOrThrow(error), value)[0]?.path).toBe("ffffffffff...")
    })

    it("reads the first problem of an error", () => {
      const wire = { ...fixture.log, logIndex: "x", data: 1 }
      const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(Receipt.Log)(wire)))
      expect(Issue.fromError(error, wire)).toEqual([
        { path: "data", expected: "hex bytes such as 0xa9059cbb", received: "1" },
      ])
    })
  })
})
