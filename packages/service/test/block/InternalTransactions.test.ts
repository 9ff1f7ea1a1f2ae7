import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as InternalTransactions from "../../src/block/InternalTransactions.ts"
import * as fixture from "../indexer/fixture.ts"

const { address, blockHash, creationHash, transferHash } = fixture
const { block } = Result.getOrThrow(BlockVerifier.verify(fixture.block(), fixture.receipts()))
const [wallet, router, pool, child] = [address("1"), address("2"), address("3"), address("4")]

const call = (from: string, to: string, more: object = {}) => ({
  type: "CALL",
  from,
  to,
  value: "0x0",
  gas: "0x64",
  gasUsed: "0xa",
  input: "0x",
  ...more,
})

/** Answers of the nested tracer: `root` for the first transaction, nothing below the second. */
const nested = (root: object) =>
  fixture.frames([
    { txHash: transferHash, result: call(wallet, router, root) },
    { txHash: creationHash, result: call(wallet, child, { type: "CREATE" }) },
  ])

const flatOf = (path: ReadonlyArray<number>, type: string, action: object, more: object = {}) => ({
  type,
  action: { from: router, gas: "0x64", value: "0x0", ...action },
  result: { gasUsed: "0xa", output: "0x" },
  subtraces: 0,
  traceAddress: path,
  transactionHash: transferHash,
  transactionPosition: 0,
  blockHash,
  blockNumber: 100,
  ...more,
})

const flatCall = (path: ReadonlyArray<number>, action: object = {}, more: object = {}) =>
  flatOf(path, "call", { callType: "call", to: pool, input: "0x", ...action }, more)

const creationRoot = flatOf([], "create", { init: "0x6001" }, { transactionHash: creationHash, transactionPosition: 1 })

/** Answers of the flat tracer: these entries for the first transaction, only the root for the second. */
const flat = (...entries: ReadonlyArray<object>) => fixture.flat([flatCall([]), ...entries, creationRoot])

const row = (type: string, from: string, to: string | null, more: object = {}) => ({
  transaction_hash: transferHash,
  block_number: 100,
  block_hash: blockHash,
  type,
  from,
  to,
  value: "0",
  gas: "100",
  gas_used: "10",
  input: "0x",
  output: "0x",
  ...more,
})

const rowsOf = (outcome: ReturnType<typeof InternalTransactions.fromFlat>) => {
  const rows = Result.getOrThrow(outcome)[0]
  return rows === undefined || InternalTransactions.isUntraced(rows) ? undefined : rows
}
const issueOf = (outcome: ReturnType<typeof InternalTransactions.fromFlat>) =>
  Result.isFailure(outcome) ? [outcome.failure._tag, outcome.failure.what] : "none"

describe("InternalTransactions", () => {
  describe("fromFrames", () => {
    const tree = {
      calls: [
        call(router, pool, {
          value: "0x5",
          input: "0x01",
          output: "0x02",
          calls: [
            { ...call(pool, wallet), type: "STATICCALL", value: undefined },
            call(pool, child, { type: "CREATE2", input: "0x03", output: "0x04" }),
          ],
        }),
        call(router, pool, { type: "DELEGATECALL", value: "0x5", calls: [call(router, wallet, { value: "0x1" })] }),
        { type: "SELFDESTRUCT", from: router, to: wallet, value: "0x9", gas: "0x0", gasUsed: "0x0", input: "0x" },
      ],
    }
    const traces = nested(JSON.parse(JSON.stringify(tree)))

    it("fromFrames: lists the frames below the root that move value, depth first, including those under a delegate call", () => {
      expect(rowsOf(InternalTransactions.fromFrames(block, traces))).toEqual([
        row("CALL", router, pool, { value: "5", input: "0x01", output: "0x02" }),
        row("CREATE2", pool, child, { input: "0x03", output: "0x04" }),
        row("CALL", router, wallet, { value: "1" }),
        row("SELFDESTRUCT", router, wallet, { value: "9", gas: "0", gas_used: "0" }),
      ])
    })

    it("fromFrames: treats a null error as none, as ZK Stack nodes report it", () => {
      const none = { error: null, revertReason: null }
      const root = { ...none, type: "Call", calls: [call(router, pool, { ...none, type: "Call", value: "0x1" })] }

      expect(rowsOf(InternalTransactions.fromFrames(block, nested(root)))).toEqual([
        row("CALL", router, pool, { value: "1" }),
      ])
    })

    it("fromFrames: lists static and delegate calls with value 0 when all frames are wanted", () => {
      const rows = rowsOf(InternalTransactions.fromFrames(block, traces, { allFrames: true }))
      expect(rows?.map(({ type, value }) => [type, value])).toEqual([
        ["CALL", "5"],
        ["STATICCALL", "0"],
        ["CREATE2", "0"],
        ["DELEGATECALL", "0"],
        ["CALL", "1"],
        ["SELFDESTRUCT", "9"],
      ])
    })

    it("fromFrames: returns a list for each transaction, empty if nothing was called", () => {
      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, nested({})))).toEqual([[], []])
    })

    it("fromFrames: marks a failed frame and those below it, and no others", () => {
      const failed = nested({
        calls: [
          call(router, pool, { error: "execution reverted", output: "0x08c379a0", calls: [call(pool, wallet)] }),
          call(router, wallet),
        ],
      })
      expect(rowsOf(InternalTransactions.fromFrames(block, failed))).toEqual([
        row("CALL", router, pool, { output: "0x08c379a0", error: "execution reverted" }),
        row("CALL", pool, wallet, { error: "execution reverted" }),
        row("CALL", router, wallet),
      ])
    })

    it("fromFrames: marks every frame of a failed transaction", () => {
      const failed = nested({ error: "out of gas", calls: [call(router, pool)] })
      expect(rowsOf(InternalTransactions.fromFrames(block, failed))).toEqual([
        row("CALL", router, pool, { error: "out of gas" }),
      ])
    })

    it("fromFrames: leaves a failed creation without an address, and uses 0 for missing gas", () => {
      const { gas: _, gasUsed: __, value: ___, ...bare } = call(router, child)
      const failed = nested({ calls: [{ ...bare, type: "CREATE", error: "contract address collision" }] })
      expect(rowsOf(InternalTransactions.fromFrames(block, failed))).toEqual([
        row("CREATE", router, null, { gas: "0", gas_used: "0", error: "contract address collision" }),
      ])
    })

    it("fromFrames: leaves a transaction untraced for which the tracer failed inside a successful response", () => {
      const traces = fixture.frames([
        { txHash: transferHash, result: call(wallet, router) },
        { error: "missing trie node" },
      ])
      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, traces))).toEqual([
        [],
        { reason: "The tracer failed: missing trie node." },
      ])
    })

    it("fromFrames: reads the error of a tracer that is an object, as in traces of Erigon", () => {
      const error = { code: -32000, message: "execution timeout" }
      const failed = fixture.frames([transferHash, creationHash].map((txHash) => ({ txHash, result: null, error })))
      const untraced = { reason: "The tracer failed: execution timeout." }

      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, failed))).toEqual([untraced, untraced])
    })

    it("fromFrames: leaves transactions untraced that the tracer omits, if it names the others", () => {
      const [first, second] = nested({})
      const lacking = { reason: "The traces of the block do not include the transaction." }

      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, [first!]))).toEqual([[], lacking])
      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, [second!]))).toEqual([lacking, []])
      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, []))).toEqual([lacking, lacking])
    })

    it("fromFrames: leaves a transaction untraced that has an empty entry", () => {
      const traces = fixture.frames([{}, {}])
      const untraced = { reason: "The tracer failed: no result." }
      expect(Result.getOrThrow(InternalTransactions.fromFrames(block, traces))).toEqual([untraced, untraced])
    })

    it("fromFrames: fails on traces of other transactions, or too few without their hashes", () => {
      const [first, second] = nested({})
      const { txHash: _, ...unnamed } = first!
      const other = { ...first!, txHash: fixture.hash("9") as never }
      for (const traces of [[unnamed], [other]]) {
        expect(issueOf(InternalTransactions.fromFrames(block, traces))).toEqual([
          "InvalidBlock",
          "traces: expected 2, received 1",
        ])
      }
      expect(issueOf(InternalTransactions.fromFrames(block, [second!, first!]))).toEqual([
        "InvalidBlock",
        `transaction of trace 0: expected ${transferHash}, received ${creationHash}`,
      ])
    })
  })

  describe("fromFlat", () => {
    it("fromFlat: orders by trace address and names each type", () => {
      const traces = flat(
        flatOf(
          [10],
          "suicide",
          { from: null, address: router, refundAddress: wallet, balance: "0x9", gas: null, value: null },
          { result: null },
        ),
        flatOf(
          [0, 1],
          "create",
          { from: pool, init: "0x03", creationMethod: "create2" },
          { result: { gasUsed: "0xa", address: child, code: "0x04" } },
        ),
        flatCall([0], { value: "0x5", input: "0x01" }, { result: { gasUsed: "0xa", output: "0x02" } }),
        flatCall([2], { callType: "callcode", value: "0x7" }),
        flatCall([0, 0], { callType: "staticcall" }),
        flatCall([1], { callType: "delegatecall", value: "0x5" }),
      )
      expect(rowsOf(InternalTransactions.fromFlat(block, traces))).toEqual([
        row("CALL", router, pool, { value: "5", input: "0x01", output: "0x02" }),
        row("CREATE2", pool, child, { input: "0x03", output: "0x04" }),
        row("CALLCODE", router, pool, { value: "7" }),
        row("SELFDESTRUCT", router, wallet, { value: "9", gas: "0", gas_used: "0" }),
      ])
      const all = rowsOf(InternalTransactions.fromFlat(block, traces, { allFrames: true }))
      expect(all?.map(({ type, value }) => `${type} ${value}`)).toEqual([
        "CALL 5",
        "STATICCALL 0",
        "CREATE2 0",
        "DELEGATECALL 0",
        "CALLCODE 7",
        "SELFDESTRUCT 9",
      ])
    })

    it("fromFlat: names a creation CREATE if the node omits its method", () => {
      const traces = flat(
        flatOf([0], "create", { init: "0x03" }, { result: { gasUsed: "0xa", address: child, code: "0x" } }),
      )
      expect(rowsOf(InternalTransactions.fromFlat(block, traces))).toEqual([
        row("CREATE", router, child, { input: "0x03" }),
      ])
    })

    it("fromFlat: marks a failed frame and those below it with the messages of the other tracer, and no others", () => {
      const traces = flat(
        flatCall([0], {}, { error: "Reverted", result: { gasUsed: "0xa", output: "0x08c379a0" } }),
        flatCall([0, 0], { to: wallet }),
        flatCall([0, 0, 0], { to: wallet }, { error: "Out of gas", result: null }),
        flatCall([0, 1], { to: wallet }),
        flatCall([1], { to: wallet }),
      )
      expect(rowsOf(InternalTransactions.fromFlat(block, traces))).toEqual([
        row("CALL", router, pool, { output: "0x08c379a0", error: "execution reverted" }),
        row("CALL", router, wallet, { error: "execution reverted" }),
        row("CALL", router, wallet, { gas_used: "100", error: "out of gas" }),
        row("CALL", router, wallet, { error: "execution reverted" }),
        row("CALL", router, wallet),
      ])
    })

    it("fromFlat: marks every frame of a failed transaction", () => {
      const traces = fixture.flat([flatCall([], {}, { error: "Reverted", result: null }), flatCall([0]), creationRoot])
      expect(rowsOf(InternalTransactions.fromFlat(block, traces))).toEqual([
        row("CALL", router, pool, { error: "execution reverted" }),
      ])
    })

    it.each([
      ["Reverted", "execution reverted", "0"],
      ["execution reverted", "execution reverted", "0"],
      ["Out of gas", "out of gas", "100"],
      ["out of gas: not enough gas for reentrancy sentry", "out of gas", "100"],
      ["contract creation code storage out of gas", "out of gas", "100"],
      ["Bad instruction", "invalid opcode", "100"],
      ["invalid opcode: opcode 0xfe not defined", "invalid opcode", "100"],
      ["Bad jump destination", "invalid jump destination", "100"],
      ["Stack underflow", "stack underflow", "100"],
      ["Out of stack", "stack overflow", "100"],
      ["stack limit reached 1024 (1023)", "stack overflow", "100"],
      ["Out of bounds", "return data out of bounds", "100"],
      ["Built-in failed", "precompile failed", "100"],
      ["insufficient balance for transfer", "insufficient balance for transfer", "0"],
    ])("fromFlat: reports %s as %s, with the gas used if the node omits it", (received, error, gas_used) => {
      const traces = flat(flatCall([0], {}, { error: received, result: null }))
      expect(rowsOf(InternalTransactions.fromFlat(block, traces))).toEqual([
        row("CALL", router, pool, { gas_used, error }),
      ])
    })

    it("fromFlat: omits block rewards", () => {
      const reward = {
        ...flatOf([], "reward", { author: wallet, rewardType: "block", value: "0x1" }),
        result: null,
        transactionHash: null,
        transactionPosition: null,
      }
      expect(Result.getOrThrow(InternalTransactions.fromFlat(block, flat(reward)))).toEqual([[], []])
    })

    it("fromFlat: fails on a trace of another block, of another transaction, or without a sender", () => {
      expect(
        issueOf(InternalTransactions.fromFlat(block, flat(flatCall([0], {}, { blockHash: fixture.hash("7") })))),
      ).toEqual(["InvalidBlock", `block hash of a trace: expected ${fixture.blockHash}, received ${fixture.hash("7")}`])
      expect(
        issueOf(InternalTransactions.fromFlat(block, flat(flatCall([0], {}, { transactionHash: fixture.hash("7") })))),
      ).toEqual(["InvalidBlock", `a trace belongs to transaction ${fixture.hash("7")}, which is not in the block`])
      expect(issueOf(InternalTransactions.fromFlat(block, flat(flatCall([0], { from: null }))))).toEqual([
        "InvalidBlock",
        `a trace of transaction ${transferHash} has no sender`,
      ])
    })

    it("fromFlat: fails on an empty list, which a node without the block returns", () => {
      expect(issueOf(InternalTransactions.fromFlat(block, []))).toEqual([
        "InvalidBlock",
        `transaction ${transferHash} has no trace`,
      ])
    })

    it("fromFlat: fails if two entries of a transaction have the same trace address", () => {
      const twice = flat(flatCall([0]), flatCall([0, 1]), flatCall([0, 1]))

      expect(issueOf(InternalTransactions.fromFlat(block, twice))).toEqual([
        "InvalidBlock",
        `transaction ${transferHash} has two traces with the trace address [0, 1]`,
      ])
      const all = flat(flatCall([0]))
      expect(issueOf(InternalTransactions.fromFlat(block, [...all, ...all]))[0]).toBe("InvalidBlock")
    })

    it("fromFlat: fails if the root of a transaction is missing", () => {
      expect(issueOf(InternalTransactions.fromFlat(block, fixture.flat([flatCall([0]), creationRoot])))).toEqual([
        "InvalidBlock",
        `transaction ${transferHash} has no trace`,
      ])
    })

    it("fromFrames: accepts bare frames if their number equals that of the transactions (synthetic)", () => {
      const child = call(router, pool, { value: "0x1" })
      const frame = call(wallet, router, { error: "execution reverted", calls: [child] })
      const bare = [frame, call(wallet, router)]

      expect(rowsOf(InternalTransactions.fromFrames(block, fixture.frames(bare)))).toEqual([
        row("CALL", router, pool, { value: "1", error: "execution reverted" }),
      ])
      expect(issueOf(InternalTransactions.fromFrames(block, fixture.frames([frame])))).toEqual([
        "InvalidBlock",
        "traces: expected 2, received 1",
      ])
      expect(
        Result.getOrThrow(InternalTransactions.fromFrames(block, fixture.frames([{ error: "timeout" }, frame])))[0],
      ).toEqual({ reason: "The tracer failed: timeout." })
    })

    it("fromFrames: accepts frames without that of a last state-sync transaction (synthetic)", () => {
      const zero = address("0")
      const transactions = [fixture.transferWire, { ...fixture.creationWire, from: zero, to: zero, value: "0x0" }]
      const { block: polygon } = Result.getOrThrow(
        BlockVerifier.verify(fixture.block({ transactions }), fixture.receipts()),
      )
      const only = fixture.frames([{ txHash: transferHash, result: call(wallet, router) }])

      const unnamed = fixture.frames([{ result: call(wallet, router) }])

      expect(Result.getOrThrow(InternalTransactions.fromFrames(polygon, only))).toEqual([[], []])
      expect(Result.getOrThrow(InternalTransactions.fromFrames(polygon, unnamed))).toEqual([[], []])
      expect(issueOf(InternalTransactions.fromFrames(block, unnamed))).toEqual([
        "InvalidBlock",
        "traces: expected 2, received 1",
      ])
    })

    it("fromFlat: accepts a state-sync transaction of Polygon without a trace", () => {
      const zero = address("0")
      const transactions = [fixture.transferWire, { ...fixture.creationWire, from: zero, to: zero, value: "0x0" }]
      const { block: polygon } = Result.getOrThrow(
        BlockVerifier.verify(fixture.block({ transactions }), fixture.receipts()),
      )
      expect(Result.getOrThrow(InternalTransactions.fromFlat(polygon, fixture.flat([flatCall([])])))).toEqual([[], []])
    })
  })
})
