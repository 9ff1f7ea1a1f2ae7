import * as Transaction from "@daybook/schema/Transaction"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as StateSync from "../../src/verification/StateSync.ts"
import * as fixture from "../indexer/fixture.ts"

const zero = fixture.address("0")

const decode = (more: object) => Schema.decodeUnknownSync(Transaction.Transaction)({ ...fixture.creationWire, ...more })

describe("StateSync", () => {
  it.each([
    ["between zero addresses", { from: zero, to: zero, value: "0x0" }, true, true],
    ["of type 0x7f", { type: "0x7f" }, true, false],
    ["between zero addresses with a value", { from: zero, to: zero, value: "0x1" }, false, false],
    ["from the zero address to another", { from: zero, to: fixture.token, value: "0x0" }, false, false],
    ["of a wallet", {}, false, false],
  ])("isStateSync, isUntyped: classify a transaction %s", (_, fields, isStateSync, isUntyped) => {
    const transaction = decode(fields)

    expect([StateSync.isStateSync(transaction), StateSync.isUntyped(transaction)]).toEqual([isStateSync, isUntyped])
  })

  it.each([
    ["of type 0x7f if the rule covers it", { type: "0x7f", from: zero, to: zero, value: "0x0" }, true, false],
    ["of type 0x7f without a rule", { type: "0x7f", from: zero, to: zero, value: "0x0" }, undefined, false],
    ["of type 0x7f if the rule does not cover it", { type: "0x7f" }, false, true],
    ["without a type if the rule does not cover it", { from: zero, to: zero, value: "0x0" }, false, true],
    ["without a type and without a rule", { from: zero, to: zero, value: "0x0" }, undefined, true],
    ["of a wallet if the rule does not cover state sync", {}, false, false],
  ])("isUncovered: classifies a last transaction %s", (_, fields, isCovered, expected) => {
    expect(StateSync.isUncovered(decode(fields), isCovered)).toBe(expected)
  })
})
