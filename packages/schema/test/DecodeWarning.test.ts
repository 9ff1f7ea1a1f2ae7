import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as DecodeWarning from "../src/DecodeWarning.ts"
import * as Receipt from "../src/Receipt.ts"
import * as Trace from "../src/Trace.ts"
import * as Transaction from "../src/Transaction.ts"
import * as WalletPage from "../src/WalletPage.ts"
import * as fixture from "./fixture.ts"
import { refusal } from "./law.ts"
import { resources } from "./resources.ts"

const rulesOf = (schema: Schema.Codec<unknown, unknown>, wire: unknown) =>
  Result.getOrThrow(DecodeWarning.find(schema, wire)).map(({ path, received, rule }) => [
    path.join("."),
    rule,
    received,
  ])

describe("DecodeWarning", () => {
  describe("find", () => {
    it("find: returns no warning for canonical values", () => {
      expect(rulesOf(WalletPage.WalletPage, fixture.walletPage)).toEqual([])
      expect(rulesOf(Receipt.Receipt, fixture.receipt)).toEqual([])
      expect(rulesOf(Transaction.Transaction, fixture.feeMarket)).toEqual([])
    })

    it("find: returns path, rule and received value of scalars that are not canonical", () => {
      const wire = {
        ...fixture.legacy,
        nonce: "0x07",
        value: "0x",
        gas: "21000",
        gasPrice: 7,
        from: "0xA1E4380A3B1f749673E270229993eE55F35663b4",
        input: "",
        type: "0x00",
      }
      expect(rulesOf(Transaction.Transaction, wire)).toEqual([
        ["from", "upper_case", "0xA1E4380A3B1f749673E270229993eE55F35663b4"],
        ["gas", "decimal_for_hex", "21000"],
        ["gasPrice", "number_for_text", 7],
        ["input", "empty_bytes", ""],
        ["nonce", "leading_zeros", "0x07"],
        ["value", "no_digits", "0x"],
        ["type", "leading_zeros", "0x00"],
      ])
    })

    it("find: returns every warning of a wallet page", () => {
      const { cursor: _, ...page } = fixture.walletPage
      const [row] = page.result
      const wire = {
        ...page,
        page: 0,
        result: {
          ...row,
          nonce: "007",
          receipt_root: null,
          to_address_label: "",
          block_timestamp: "2023-02-15T14:51:23Z",
          internal_transactions: [{ ...row!.internal_transactions[0], block_number: "16", input: "" }],
          decoded_call: { signature: "f(bool)", label: "f", type: "function", params: [{ value: true, type: "bool" }] },
        },
      }
      expect(rulesOf(WalletPage.WalletPage, wire).map(([path, rule]) => `${path} ${rule}`)).toEqual([
        "page number_for_text",
        "result one_for_many",
        "result.nonce leading_zeros",
        "result.to_address_label empty_for_null",
        "result.receipt_root null_for_empty",
        "result.block_timestamp timestamp",
        "result.decoded_call.params.0.value boolean_for_text",
        "result.decoded_call.params.0.name missing",
        "result.internal_transactions.0.block_number text_for_number",
        "result.internal_transactions.0.input empty_bytes",
        "cursor missing",
      ])
    })

    it("find: returns a warning for null in place of an empty array", () => {
      const wire = { ...fixture.receipt, logs: null }
      expect(rulesOf(Receipt.Receipt, wire)).toEqual([["logs", "null_for_empty", null]])
    })

    it("find: returns no warning for unknown keys", () => {
      expect(rulesOf(Receipt.Log, { ...fixture.log, extra: { quantity: "0x00", "": [] } })).toEqual([])
    })

    it.prop(
      "find: returns no warning for the encoded form of a resource",
      [Schema.Literals(Object.keys(resources)), Schema.Int],
      ([name, seed]) => {
        const schema = resources[name]!
        const [value] = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1, seed: `${seed}` }))
        expect(rulesOf(schema, Schema.encodeUnknownSync(schema)(value))).toEqual([])
      },
      { timeout: 60_000 },
    )

    it("find: fails for a value that does not decode", () => {
      const result = DecodeWarning.find(Receipt.Log, { ...fixture.log, data: 1 })
      expect(Result.isFailure(result) && result.failure._tag).toBe("SchemaError")
    })
  })

  describe("strict", () => {
    it("strict: decodes and encodes canonical values", () => {
      const strict = DecodeWarning.strict(WalletPage.WalletPage)
      const value = Schema.decodeUnknownSync(strict)(fixture.walletPage)
      expect(value).toEqual(Schema.decodeUnknownSync(WalletPage.WalletPage)(fixture.walletPage))
      expect(Schema.encodeSync(strict)(value)).toEqual(fixture.walletPage)
    })

    it("strict: refuses other values with path, canonical form and rule", () => {
      expect(refusal(DecodeWarning.strict(Receipt.Receipt), { ...fixture.receipt, gasUsed: "0x05208" })).toBe(
        'Expected "0x5208" (leading zeros)\n  at ["gasUsed"]',
      )
    })

    it("strict: reports every value with errors: all", () => {
      const frame = { type: "CALL", from: fixture.address("A"), calls: [{ type: "CALL", from: fixture.address("B") }] }
      const result = Schema.decodeUnknownResult(DecodeWarning.strict(Trace.CallFrame))(frame, { errors: "all" })
      const message = Result.isFailure(result) ? result.failure.message : ""
      expect(message).toContain('at ["from"]')
      expect(message).toContain('at ["calls"][0]["from"]')
    })
  })
})
