import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as schema from "../../src/index.ts"
import { coderOf, unread } from "../../src/internal/coder.ts"
import * as fixture from "../fixture.ts"

const resources = {
  Block: schema.Block.Block,
  HydratedBlock: schema.Block.HydratedBlock,
  Transaction: schema.Transaction.Transaction,
  Receipt: schema.Receipt.Receipt,
  CallFrame: schema.Trace.CallFrame,
  TransactionTrace: schema.Trace.TransactionTrace,
  FlatTrace: schema.Trace.FlatTrace,
  WalletPage: schema.WalletPage.WalletPage,
  Request: schema.JsonRpc.Request,
  Response: schema.JsonRpc.Response,
}

describe("coder", () => {
  it.each(Object.entries(resources))("is there for %s", (_, resource) => {
    expect(coderOf(resource)).toBeDefined()
  })

  it("answers as the parser does where it answers", () => {
    const page = Schema.decodeUnknownSync(schema.WalletPage.WalletPage)(fixture.walletPage)
    // Any option that the coder does not know makes the parser do the work.
    const parsed = Schema.decodeUnknownSync(schema.WalletPage.WalletPage, { disableChecks: true })(fixture.walletPage)
    expect(page).toEqual(parsed)
    expect(JSON.stringify(Schema.encodeUnknownSync(schema.WalletPage.WalletPage)(page))).toBe(
      JSON.stringify(Schema.encodeUnknownSync(schema.WalletPage.WalletPage, { disableChecks: true })(parsed)),
    )
  })

  it("keeps the order of keys, and unknown ones at their place", () => {
    const wire = { step: 1, ...fixture.log, extra: [1, { deep: null }] }
    const log = Schema.decodeUnknownSync(schema.Receipt.Log)(wire)
    expect(JSON.stringify(Schema.encodeUnknownSync(schema.Receipt.Log)(log))).toBe(JSON.stringify(wire))
  })

  it("does not share a Date between two values", () => {
    const [first, second] = [fixture.walletLog, fixture.walletLog].map((log) =>
      Schema.decodeUnknownSync(schema.Log.Log)(log),
    )
    first!.block_timestamp.setTime(0)

    expect(second!.block_timestamp).toEqual(new Date("2023-02-15T14:51:23.000Z"))
    expect(Schema.decodeUnknownSync(schema.Log.Log)(fixture.walletLog).block_timestamp.getTime()).not.toBe(0)
  })

  it("does not change what it reads", () => {
    const wire = structuredClone(fixture.walletPage)
    Schema.decodeUnknownSync(schema.WalletPage.WalletPage)(wire)
    expect(wire).toEqual(fixture.walletPage)
  })

  it("refuses an own undefined where the key is optional, as the parser does", () => {
    const coder = coderOf(schema.Receipt.Log)!
    expect(coder.read({ ...fixture.log, removed: undefined })).toBe(unread)
  })
})
