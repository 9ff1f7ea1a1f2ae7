import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Decoder from "../../src/decode/Decoder.ts"
import * as BlockAssembler from "../../src/indexer/BlockAssembler.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as LedgerSource from "../../src/ledger/LedgerSource.ts"
import { topics } from "../../src/ledger/TokenLogs.ts"
import * as fixture from "../indexer/fixture.ts"
import { word } from "./sources.ts"

const { address, created, creationHash, creationReceiptWire, creationWire, logWire, sender, token } = fixture
const { transferHash, transferReceiptWire, transferWire } = fixture
const decoder = Decoder.make()

const amount = Schema.Literals(["0x0", "0x1", "0x7", "0xde0b6b3a7640000"])
const party = Schema.Literals([sender, token, created, address("0"), address("e")])
const Log = Schema.Struct({
  topic0: Schema.Literals(Object.values(topics)),
  indexed: Schema.Array(party),
  words: Schema.Array(amount),
})
const Frame = Schema.Struct({
  type: Schema.Literals(["CALL", "CALLCODE", "DELEGATECALL", "CREATE2", "SELFDESTRUCT"]),
  from: party,
  to: party,
  value: amount,
  isFailed: Schema.Boolean,
})
const Generated = {
  value: amount,
  status: Schema.Literals(["0x0", "0x1", "none"]),
  logs: Schema.Array(Log),
  calls: Schema.Array(Frame),
  facts: Schema.Literals([0, 1, 2, 3]),
  header: Schema.Literals([0, 1, 2, 3]),
  chainId: Schema.Literals([1, 10, 56, 100, 137, 42_161, 43_114, 31_337]),
  isTraced: Schema.Boolean,
}

const moreFacts = [{}, { l1Fee: "0x5" }, { blobGasUsed: "0x20000", blobGasPrice: "0x2" }, { feePayer: address("e") }]
const moreHeader = [{}, { difficulty: "0x5" }, { baseFeePerGas: null }, { uncles: [fixture.hash("8")] }]

const logsOf = (logs: ReadonlyArray<typeof Log.Type>) =>
  logs.map(({ indexed, topic0, words }, index) =>
    logWire(index, 0, {
      topics: [topic0, ...indexed.slice(0, 3).map((one) => `0x${word(one)}`)],
      data: `0x${words.map(word).join("")}`,
    }),
  )

const frameOf = ({ from, isFailed, to, type, value }: typeof Frame.Type) => ({
  ...{ type, from, to, value, gas: "0x0", gasUsed: "0x0", input: "0x" },
  ...(isFailed ? { error: "execution reverted" } : {}),
})

const tracesOf = (calls: ReadonlyArray<typeof Frame.Type>) => {
  const root = { type: "CALL", from: sender, to: token, value: "0x0", gas: "0x0", gasUsed: "0x0", input: "0x" }
  return fixture.frames([
    { txHash: transferHash, result: { ...root, calls: calls.map(frameOf) } },
    { txHash: creationHash, result: { ...root, type: "CREATE", to: created } },
  ])
}

describe("LedgerSource", () => {
  it.prop(
    "fromResponses, fromRows: give the same ledger",
    Generated,
    ({ calls, chainId, facts, header, isTraced, logs, status, value }) => {
      const { status: _, ...receipt } = transferReceiptWire
      const receipts = [
        { ...receipt, ...moreFacts[facts], logs: logsOf(logs), ...(status === "none" ? {} : { status }) },
        { ...creationReceiptWire, logs: [] },
      ]
      const withdrawals = [{ index: "0x1", validatorIndex: "0x2", address: address("e"), amount: "0x3" }]
      const transactions = [{ ...transferWire, value }, creationWire]
      const responses: BlockAssembler.Responses = {
        block: fixture.block({ ...moreHeader[header], withdrawals, transactions }),
        receipts: fixture.receipts(receipts),
        traces: isTraced ? { _tag: "Frames", traces: tracesOf(calls) } : null,
      }
      const rules = LedgerRules.fromChainId(chainId)
      const { ledger, ...stored } = Result.getOrThrow(BlockAssembler.assemble(responses, { decoder, ledger: rules }))

      const derived = Ledger.derive(LedgerSource.fromRows(stored), rules)
      expect(ledger).toEqual(LedgerCodec.pack(derived))
      expect(derived.length).toBeGreaterThan(3)
    },
  )
})
