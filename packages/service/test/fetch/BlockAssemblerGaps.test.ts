/** Blocks of which parts are missing, do not decode, or have no traces, and the steps in which a block is assembled. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as BlockFacts from "../../src/block/BlockFacts.ts"
import * as BlockAssembler from "../../src/fetch/BlockAssembler.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as Undecoded from "../../src/verification/Undecoded.ts"
import * as fixture from "../indexer/fixture.ts"

const { blockHash, creationReceiptWire, creationWire, hash, sender, token } = fixture
const { transferHash, transferReceiptWire, transferWire } = fixture
const decoder = KnownSignatures.decoder()

describe("BlockAssembler with index gaps", () => {
  const rules = [
    { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false, indexGaps: true },
  ] as const
  const logs = [fixture.logWire(4, 1)]
  const call = {
    type: "CALL",
    from: sender,
    to: token,
    calls: [{ type: "CALL", from: token, to: sender, value: "0x1" }],
  }
  const frames = [
    { txHash: transferHash, result: { ...call, calls: [] } },
    { txHash: fixture.creationHash, result: call },
  ]

  it.each([
    ["including that transaction", frames],
    ["of only the others", frames.slice(1)],
    ["of only the others, without hashes", frames.slice(1).map(({ result }) => ({ result }))],
  ])("assemble: omits a transaction without a receipt, with traces %s (synthetic)", (_, traced) => {
    const responses: BlockAssembler.Responses = {
      block: fixture.block(),
      receipts: fixture.receipts([{ ...creationReceiptWire, logs }]),
      traces: { _tag: "Frames", traces: fixture.frames(traced) },
    }
    const { transactions } = Result.getOrThrow(BlockAssembler.assemble(responses, { decoder, rules }))

    expect(transactions.map(({ hash, index }) => [index, hash])).toEqual([[1, fixture.creationHash]])
    expect(JSON.parse(transactions[0]!.body)).toMatchObject({ transaction_index: "1", hash: fixture.creationHash })
    expect(JSON.parse(transactions[0]!.internal!)).toHaveLength(1)
  })
})

/** The block with other responses or options. */
const assembled = (options: Partial<BlockAssembler.Options>, responses: Partial<BlockAssembler.Responses> = {}) =>
  BlockAssembler.assemble(
    { block: fixture.block(), receipts: fixture.receipts(), traces: null, ...responses },
    { decoder, ...options },
  )

const rowsOf = (...parts: Parameters<typeof assembled>) => Result.getOrThrow(assembled(...parts))

describe("BlockAssembler with parts that do not decode", () => {
  const part = (of: string | null, isLeftOut: boolean) => ({ hash: of, reason: `No ${of}.`, isLeftOut })
  const undecoded = (more: Partial<Undecoded.Undecoded>) => ({ undecoded: { ...Undecoded.none, ...more } })
  const leftOut = undecoded({ transactions: [part(hash("7"), true)] })
  const header = (field: string) => undecoded({ header: new Map([[field, `No ${field}.`]]) })

  it("assemble: records a gap with its reason for each omitted part, and none otherwise", () => {
    const parts = {
      header: new Map([["miner", "No miner."]]),
      transactions: [part(hash("7"), true), part(null, true), part(transferHash, false)],
      receipts: [part(transferHash, true)],
    }
    const receipts = fixture.receipts([{ ...creationReceiptWire, logs: [] }])

    expect(rowsOf(undecoded(parts), { receipts }).gaps).toEqual([
      { kind: "check", reason: "undecoded header fields: No miner." },
      { kind: "check", reason: `undecoded transaction fields: 1, the first one: No ${transferHash}.` },
      { kind: "transaction", transaction: hash("7"), reason: `No ${hash("7")}.` },
      { kind: "transaction", transaction: undefined, reason: "No null." },
      { kind: "receipt", transaction: transferHash, reason: `No ${transferHash}.` },
    ])
    expect("gaps" in rowsOf({})).toBe(false)
  })

  it("assemble: records why a receipt is missing, and does not mark the block for it", () => {
    const receipts = fixture.receipts([{ ...creationReceiptWire, logs: [] }])
    const gap = { kind: "receipt", transaction: transferHash }
    const indexGaps = [
      { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false, indexGaps: true },
    ] as const

    expect(rowsOf({ allowMissing: true }, { receipts }).gaps).toEqual([{ ...gap, reason: "No node has the receipt." }])
    expect(rowsOf({ allowMissing: true, missing: "Pruned." }, { receipts }).gaps).toEqual([
      { ...gap, reason: "Pruned." },
    ])
    expect(rowsOf({ rules: indexGaps }, { receipts }).gaps).toEqual([{ ...gap, reason: "No node has the receipt." }])
  })

  it("assemble: writes facts unless a field of a part or of the header that they contain does not decode", () => {
    const factsOf = (options: Partial<BlockAssembler.Options>) => rowsOf(options).facts
    const ledger = LedgerRules.fromChainId(1)

    expect(factsOf(header("extraData"))).toBeDefined()
    expect(factsOf(header("miner"))).toBeUndefined()
    expect(factsOf(undecoded({ receipts: [part(transferHash, false)] }))).toBeUndefined()
    expect(BlockFacts.fromText(factsOf(leftOut)!)?.gasFees).toBe(null)
    expect(Object.keys(rowsOf({})).includes("ledger")).toBe(false)
    expect(rowsOf({ ledger }).ledger).toBeDefined()
    expect(rowsOf({ ledger, ...header("miner") })).toMatchObject({ ledger: expect.anything() })
  })

  it("assemble: has no row for a transaction whose price needs a base fee that does not decode", () => {
    const { gasPrice: _, ...bare } = transferWire
    const { effectiveGasPrice: __, ...bareReceipt } = transferReceiptWire
    const read = (price: object, receiptPrice: object, field: string) => {
      const block = fixture.block({ transactions: [{ ...bare, ...price }, creationWire] })
      const receipts = fixture.receipts([{ ...bareReceipt, ...receiptPrice }, creationReceiptWire])
      const { gaps = [], transactions } = rowsOf(header(field), { block, receipts })
      return [transactions.map(({ index }) => index), gaps.filter(({ kind }) => kind === "transaction")]
    }
    const gap = { kind: "transaction", transaction: transferHash, reason: "No baseFeePerGas." }

    expect(read({}, {}, "baseFeePerGas")).toEqual([[1], [gap]])
    expect(read({ gasPrice: "0x1" }, {}, "baseFeePerGas")).toEqual([[0, 1], []])
    expect(read({}, { effectiveGasPrice: "0x1" }, "baseFeePerGas")).toEqual([[0, 1], []])
    expect(read({}, {}, "extraData")).toEqual([[0, 1], []])
  })

  it("assemble: matches a set-code transaction with an undecodable field to any wallet, and no other transaction", () => {
    const watch = new Set([fixture.address("1")])
    const hashesOf = (type: string, incomplete: string) => {
      const wire = { ...transferWire, type, authorizationList: [] }
      const block = fixture.block({ transactions: [wire, creationWire] })
      const options = { watch, ...undecoded({ transactions: [part(incomplete, false)] }) }
      return rowsOf(options, { block }).transactions.map((row) => row.hash)
    }

    expect(hashesOf("0x4", transferHash)).toEqual([transferHash])
    expect(hashesOf("0x4", hash("7"))).toEqual([])
    expect(hashesOf("0x2", transferHash)).toEqual([])
  })

  const frameOf = (calls: ReadonlyArray<object>) => ({ type: "CALL", from: sender, to: token, calls })
  const inner = { type: "CALL", from: token, to: sender, value: "0x1" }
  const [empty, full] = [frameOf([]), frameOf([inner])]
  const internalOf = (...parts: Parameters<typeof assembled>) =>
    rowsOf(...parts).transactions.map(
      ({ internal }) => internal && (JSON.parse(internal) as { length: number } | null)?.length,
    )
  const framesOf = (wire: ReadonlyArray<unknown>) => ({ _tag: "Frames", traces: fixture.frames(wire) }) as const

  it("assemble: omits the nested traces of an omitted transaction, by hash or else by position", () => {
    const at = { transactionIndex: "0x2" }
    const logs = [1, 2].map((index) => fixture.logWire(index, 1, at))
    const block = fixture.block({ transactions: [transferWire, { ...creationWire, ...at }] })
    const receipts = fixture.receipts([transferReceiptWire, { ...creationReceiptWire, ...at, logs }])
    const named = [
      { txHash: transferHash, result: empty },
      { txHash: hash("7"), result: empty },
      { txHash: fixture.creationHash, result: full },
    ]
    const bare = named.map(({ result }) => ({ result }))

    expect(internalOf(leftOut, { block, receipts, traces: framesOf(named) })).toEqual([0, 1])
    expect(internalOf(leftOut, { block, receipts, traces: framesOf(bare) })).toEqual([0, 1])
  })

  it("assemble: omits the flat traces of an omitted transaction, and rejects such traces if none is omitted", () => {
    const trace = (transactionHash: string | null, traceAddress: ReadonlyArray<number>, more: object = {}) => ({
      type: "call",
      action: { callType: "call", from: sender, to: token, gas: "0x1", input: "0x", value: "0x0" },
      result: { gasUsed: "0x0", output: "0x" },
      subtraces: 0,
      traceAddress,
      transactionHash,
      blockHash,
      ...more,
    })
    const reward = { type: "reward", action: { author: sender, value: "0x1", rewardType: "block" }, result: null }
    const own = [trace(transferHash, []), trace(fixture.creationHash, []), trace(fixture.creationHash, [0])]
    const flat = (...more: ReadonlyArray<unknown>) =>
      ({ traces: { _tag: "Flat", traces: fixture.flat([...own, ...more]) } }) as const
    const other = trace(null, [], { ...reward, blockHash: hash("8") })

    expect(internalOf(leftOut, flat(trace(hash("7"), []), trace(null, [], reward)))).toEqual([0, 1])
    expect(Result.isFailure(assembled(leftOut, flat(other)))).toBe(true)
    expect(Result.isFailure(assembled({}, flat(trace(hash("7"), []))))).toBe(true)
  })

  it("assemble: records a gap for each transaction without a trace, with null internal transactions", () => {
    const some = rowsOf({}, { traces: framesOf([{ error: "no state" }, { result: full }]) })
    const none = rowsOf(leftOut, { traces: { _tag: "Untraced", reason: "No state." } })
    const gap = (transaction: string, reason: string) => ({ kind: "trace", transaction, reason })

    expect(some.gaps).toEqual([gap(transferHash, "The tracer failed: no state.")])
    expect(some.transactions.map(({ internal }) => internal === "null")).toEqual([true, false])
    expect(none.gaps?.slice(1)).toEqual([gap(transferHash, "No state."), gap(fixture.creationHash, "No state.")])
    expect(none.transactions.map(({ internal }) => internal)).toEqual(["null", "null"])
  })
})

describe("BlockAssembler in steps", () => {
  /** Number of pauses for a block whose first transaction has so many logs. */
  const pausesOf = (logs: number) => {
    const own = Array.from({ length: logs }, (_, index) => fixture.logWire(index, 0))
    const receipts = fixture.receipts([
      { ...transferReceiptWire, logs: own },
      { ...creationReceiptWire, logs: [] },
    ])
    const steps = BlockAssembler.steps({ block: fixture.block(), receipts, traces: null }, { decoder })
    let pauses = 0
    while (steps.next().done !== true) pauses++
    return pauses
  }

  it("steps: pauses after each transaction, and after every 32 logs", () => {
    expect([0, 31, 32, 63, 64].map(pausesOf)).toEqual([5, 5, 6, 6, 7])
  })
})
