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
  ])("isStateSync, isUntyped: judge a transaction %s", (_, fields, isStateSync, isUntyped) => {
    const transaction = decode(fields)

    expect([StateSync.isStateSync(transaction), StateSync.isUntyped(transaction)]).toEqual([isStateSync, isUntyped])
  })
})
