/** Blocks and receipts with parts that do not decode, read as far as they do, and verified. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Block from "@daybook/schema/Block"
import * as LenientBlock from "../../src/node/LenientBlock.ts"
import * as LenientReceipts from "../../src/node/LenientReceipts.ts"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as Deviation from "../../src/block/Deviation.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Undecoded from "../../src/verification/Undecoded.ts"
import * as fixture from "../indexer/fixture.ts"
import * as forged from "../indexer/forgedChain.ts"

type Wire = Readonly<Record<string, unknown>>

const { block: blockWire, receipts: receiptsWire } = forged.blockOf(7, fixture.hash("0"))
const [transactionWire] = blockWire["transactions"] as ReadonlyArray<Wire>
const [receiptWire] = receiptsWire

/** Result of verifying a block and its receipts in full: the issue, otherwise the deviations. */
const verify = (block: Wire, receipts: ReadonlyArray<unknown> = receiptsWire) => {
  const read = Result.getOrThrow(LenientBlock.read(block))
  const found = LenientReceipts.read(receipts)
  const undecoded = { ...read.undecoded, receipts: found.undecoded }
  const options = { checks: "full", rules: HashRules.ethereum, undecoded } as const
  const outcome = BlockVerifier.verify(read.block, found.receipts, options)
  if (Result.isFailure(outcome)) return outcome.failure.what
  return Deviation.find(read.block, found.receipts, options).map(({ detail, kind }) => `${kind}: ${detail}`)
}

const withTransaction = (change: Wire): Wire => ({ ...blockWire, transactions: [{ ...transactionWire, ...change }] })

describe("LenientBlock", () => {
  it("read: returns the same as the schema if everything decodes", () => {
    const { block, undecoded } = Result.getOrThrow(LenientBlock.read(blockWire))

    expect(block).toEqual(Schema.decodeUnknownSync(Block.HydratedBlock)(blockWire))
    expect(undecoded).toEqual(Undecoded.none)
    expect(verify(blockWire)).toEqual([])
  })

  it("read: keeps the position of transactions after an omitted one", () => {
    const { transactionIndex: _, ...second } = { ...transactionWire }
    const { block, undecoded } = Result.getOrThrow(LenientBlock.read({ ...blockWire, transactions: [{}, second] }))

    expect(block.transactions.map(({ transactionIndex }) => transactionIndex)).toEqual([1])
    expect(undecoded.transactions).toMatchObject([{ hash: null, isLeftOut: true }])
  })

  it.prop(
    "read: returns no transaction with a field that differs from what was received",
    {
      field: Schema.Literals([
        "hash",
        "from",
        "to",
        "value",
        "input",
        "gas",
        "nonce",
        "type",
        "accessList",
        "v",
        "maxFeePerGas",
      ]),
      value: Schema.Union([Schema.Json, Schema.Literals(["0x0", "0x1", "0x2", "0x7e", "0x7f", "0x55", "0x"])]),
    },
    ({ field, value }) => {
      const { block, undecoded } = Result.getOrThrow(LenientBlock.read(withTransaction({ [field]: value })))
      const shown = ["hash", "from", "to", "value", "input", "gas", "nonce"]
      const own = Schema.decodeUnknownSync(Block.HydratedBlock)(blockWire).transactions[0] as unknown as Wire
      const [read] = block.transactions as unknown as ReadonlyArray<Wire>

      expect(block.transactions.length + Undecoded.leftOut(undecoded)).toBe(1)
      if (read === undefined) return
      for (const key of shown) if (key !== field) expect(String(read[key])).toBe(String(own[key]))
      if (read[field] === undefined) expect(shown).not.toContain(field)
    },
  )

  const outcomes: ReadonlyArray<readonly [string, Wire, string | ReadonlyArray<string>]> = [
    ["a header field that is not hashed", { ...blockWire, size: "small" }, []],
    [
      "that field, and a wrong one",
      { ...blockWire, size: "small", stateRoot: fixture.hash("9") },
      "header hash: expected",
    ],
    [
      "a hashed header field",
      { ...blockWire, gasLimit: "much" },
      ['undecoded header fields: Invalid block "gasLimit"'],
    ],
    [
      "a field of a transaction",
      withTransaction({ accessList: 7 }),
      ['undecoded transaction fields: 1, the first one: Invalid transaction 0 "accessList"'],
    ],
    ["a transaction", withTransaction({ value: "lots" }), []],
  ]

  it.each(outcomes)("verify: checks what can be computed if a part does not decode: %s", (_, block, expected) => {
    const found = verify(block)
    expect(typeof found).toBe(typeof expected)
    for (const [at, text] of [found].flat().entries()) expect(text).toContain([expected].flat()[at])
    expect([found].flat().length).toBe([expected].flat().length)
  })

  const leftOut = withTransaction({ value: "lots" })
  const changed: ReadonlyArray<readonly [string, Wire, string]> = [
    ["status", { ...receiptWire, status: "0x0" }, "receipts root: expected"],
    ["logs", { ...receiptWire, logs: [] }, "the bloom of receipt 0"],
  ]

  it.each(changed)("verify: rejects a changed receipt of an omitted transaction: %s", (_, receipt, expected) => {
    expect(verify(leftOut)).toEqual([])
    expect(verify(leftOut, [receipt])).toContain(expected)
  })

  it("verify: accepts wrong blooms only if the root proves the logs", () => {
    const logsBloom = `0x${"0".repeat(512)}`
    const { block, receipts } = forged.blockOf(7, fixture.hash("0"), { bloom: () => logsBloom })
    const outcome = (wire: ReadonlyArray<Wire>, checks: HashRules.Level) =>
      BlockVerifier.verify(fixture.block(block), fixture.receipts(wire), { checks, rules: HashRules.ethereum })
    const unmet = [{ kind: "blooms", detail: "the bloom of the block does not match its logs" }]

    expect(outcome(receipts, "standard")).toMatchObject({ success: { unmet } })
    expect(outcome(receipts, "full")).toMatchObject({ success: { unmet } })
    expect(outcome([{ ...receipts[0], logsBloom }], "standard")).toMatchObject({
      success: { unmet: [{ kind: "blooms", detail: "the bloom of receipt 0 does not match its logs" }] },
    })
    expect(outcome([{ ...receipts[0], status: "0x0" }], "standard")).toMatchObject({ failure: { isOfRules: true } })
  })
})
