import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as BlockAssembler from "../../src/fetch/BlockAssembler.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as LedgerSource from "../../src/ledger/LedgerSource.ts"
import { topics } from "../../src/ledger/TokenLogs.ts"
import type * as InternalTransactions from "../../src/block/InternalTransactions.ts"
import type { MinedBlock } from "../../src/verification/MinedBlock.ts"
import * as fixture from "../indexer/fixture.ts"
import { word } from "./sources.ts"

const { address, created, creationHash, creationReceiptWire, creationWire, logWire, sender, token } = fixture
const { transferHash, transferReceiptWire, transferWire } = fixture
const decoder = KnownSignatures.decoder()

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

const frameOf = ({ from, isFailed, to, type, value }: typeof Frame.Type) => {
  const frame = { type, from, to, value, gas: "0x0", gasUsed: "0x0", input: "0x" }
  return isFailed ? { ...frame, error: "execution reverted" } : frame
}

const tracesOf = (calls: ReadonlyArray<typeof Frame.Type>) => {
  const root = { type: "CALL", from: sender, to: token, value: "0x0", gas: "0x0", gasUsed: "0x0", input: "0x" }
  return fixture.frames([
    { txHash: transferHash, result: { ...root, calls: calls.map(frameOf) } },
    { txHash: creationHash, result: { ...root, type: "CREATE", to: created } },
  ])
}

describe("LedgerSource", () => {
  it.prop(
    "fromResponses, fromRows: return the same ledger",
    Generated,
    ({ calls, chainId, facts, header, isTraced, logs, status, value }) => {
      const { status: _, ...withoutStatus } = transferReceiptWire
      const receipt = status === "none" ? withoutStatus : { ...withoutStatus, status }
      const receipts = [
        { ...receipt, ...moreFacts[facts], logs: logsOf(logs) },
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

  it("fromResponses: reads unknown values as null, and omitted values as 0", () => {
    const { status: _, ...withoutStatus } = transferReceiptWire
    const [receipt, whole] = fixture.receipts([withoutStatus, transferReceiptWire])
    const block = fixture.block({ transactions: [transferWire] })
    const [transaction] = block.transactions
    const of = (internal: InternalTransactions.Rows | null, own = receipt, from = transaction!) =>
      LedgerSource.fromResponses({
        block: block as MinedBlock,
        executed: [
          {
            transaction: from,
            receipt: own!,
          },
        ],
        internal,
        facts: null,
      }).transactions[0]!
    // Sound: the gas of a transaction is a field of its own.
    const { gas, ...withoutGas } = transaction as typeof transaction & { readonly gas: bigint }

    expect(of(null)).toMatchObject({ frames: null, facts: null, status: null, gas })
    expect(of([])).toMatchObject({ frames: null })
    expect(of([{ reason: "no trace" }])).toMatchObject({ frames: null })
    expect(of([[]], whole)).toMatchObject({ frames: [], status: 1 })
    expect(of(null, receipt, withoutGas as typeof transaction)).toMatchObject({ gas: 0n })
  })

  it("fromResponses, fromRows: do not treat a called contract as created, although Hedera relays report it", () => {
    const block = fixture.block({ transactions: [transferWire, creationWire] })
    const receipts = fixture.receipts([{ ...transferReceiptWire, contractAddress: token }, creationReceiptWire])
    const rules = LedgerRules.fromChainId(1)
    const { ledger, ...stored } = Result.getOrThrow(
      BlockAssembler.assemble({ block, receipts, traces: null }, { decoder, ledger: rules }),
    )
    const source = LedgerSource.fromRows(stored)

    expect(source.transactions.map((transaction) => transaction.created)).toEqual([null, created])
    expect(ledger).toEqual(LedgerCodec.pack(Ledger.derive(source, rules)))
  })

  it("fromResponses: treats a call with an error as failed", () => {
    const responses = (calls: ReadonlyArray<typeof Frame.Type>): BlockAssembler.Responses => ({
      block: fixture.block({ transactions: [transferWire, creationWire] }),
      receipts: fixture.receipts([transferReceiptWire, creationReceiptWire]),
      traces: { _tag: "Frames", traces: tracesOf(calls) },
    })
    const call = { type: "CALL", from: sender, to: token, value: "0x7", isFailed: false } as const
    const stored = Result.getOrThrow(
      BlockAssembler.assemble(responses([call, { ...call, isFailed: true }]), { decoder }),
    )
    const [first] = LedgerSource.fromRows(stored).transactions

    expect(first!.frames?.map(({ isFailed, value }) => [value, isFailed])).toEqual([
      ["7", false],
      ["7", true],
    ])
  })
})
