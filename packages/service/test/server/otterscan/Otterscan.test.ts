/** What the methods make of a node's responses. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import { NotDerived, NotTraced, Stale } from "../../../src/query/QueryError.ts"
import type * as IndexReads from "../../../src/server/otterscan/IndexReads.ts"
import * as Otterscan from "../../../src/server/otterscan/Otterscan.ts"
import * as LocalMethod from "../../../src/server/relay/LocalMethod.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"

const hash = Rows.hashOf("transaction")

const noMethod = LocalMethod.failed("the method does not exist", -32_601)

type Responses = Readonly<Record<string, (params: ReadonlyArray<Json>) => unknown>>

/** The result of a method, or the message of its failure, with an index that returns an error. */
const askWith = (
  index: Effect.Effect<never, IndexReads.ReadError>,
  responses: Responses,
  name: string,
  ...params: ReadonlyArray<unknown>
) => {
  const method = Otterscan.methods.get(name)!
  const chain = { id: 1, name: "eth", config: {}, reader: { snapshot: () => index } }
  // Sound: nothing else is read of the chain.
  const call = {
    chain,
    node: (asked: string, given: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        const response = responses[asked]?.(given) ?? null
        return response instanceof LocalMethod.CallFailed
          ? Effect.fail(response)
          : Effect.succeed(JSON.parse(JSON.stringify(response)))
      }),
    inTurn: (work: unknown) => work,
  } as unknown as LocalMethod.LocalCall
  return method.run(Result.getOrThrow(method.decode(params)), call).pipe(
    Effect.map((result): Json => result),
    Effect.catchTag("CallFailed", ({ failure }) => Effect.succeed(failure.message)),
  )
}

const receipt = (more: object = {}) => ({
  transactionHash: hash,
  blockNumber: "0x1",
  blockHash: Rows.blockHash(1),
  from: Rows.alice,
  gasUsed: "0x5",
  effectiveGasPrice: "0x3",
  status: "0x1",
  ...more,
})

const frame = (type: string, value: string | undefined, more: object = {}) => ({
  type,
  from: Rows.alice,
  to: Rows.bob,
  value,
  ...more,
})

/** A call with calls of each kind below it. */
const nested = frame("CALL", "0x9", {
  input: "0x1234",
  output: "0x56",
  calls: [
    frame("CALL", "0x1", { calls: [frame("staticcall", undefined, { output: "0x07" }), frame("CREATE2", "0x0")] }),
    frame("CALL", "0x2", { error: "out of gas", calls: [frame("CALL", "0x3")] }),
    frame("DELEGATECALL", "0x9", { error: "" }),
    frame("SUICIDE", "0x4"),
    frame("CALL", "0x0"),
  ],
})

const flat = (traceAddress: ReadonlyArray<number>, type: string, action: object, more: object = {}) => ({
  action: { from: Rows.alice, to: Rows.bob, value: "0x1", input: "0x12", ...action },
  result: { output: "0x34" },
  traceAddress,
  subtraces: 0,
  type,
  transactionHash: hash,
  ...more,
})

/** The same as a flat list, in which failed calls end with those below them. */
const listed = [
  flat([], "call", { callType: "call" }),
  flat([0], "call", { callType: "call", value: "0x2" }, { error: "Reverted", result: null }),
  flat([0, 0], "call", { callType: "call", value: "0x3" }),
  flat([1], "call", { callType: "delegatecall" }),
  flat([1, 0], "create", { init: "0x60", to: undefined }, { result: { address: Rows.contract, code: "0x61" } }),
  flat([2], "create", { creationMethod: "CREATE2", init: "0x62", to: undefined }, { result: null }),
  flat([3], "suicide", {
    address: Rows.contract,
    refundAddress: Rows.bob,
    balance: "0x8",
    from: undefined,
    to: undefined,
  }),
  flat([4], "call", { callType: "call", value: "0x0" }),
  flat([4, 0], "call", { callType: "call", value: "0x5" }, { error: "Reverted", result: null }),
  flat([4, 1], "call", { callType: "call", value: "0x6" }),
]

const traced = (trace: unknown, status = "0x1"): Responses => ({
  eth_getTransactionReceipt: ([asked]) => (asked === hash ? receipt({ status }) : null),
  debug_traceTransaction: () => (Array.isArray(trace) ? noMethod : trace),
  trace_transaction: () => trace,
})

const ask = (responses: Responses, name: string, ...params: ReadonlyArray<unknown>) =>
  askWith(Effect.fail(new NotTraced({ chain: "eth" })), responses, name, ...params)

describe("Otterscan", () => {
  it.effect(
    "ots_traceTransaction: lists calls before those below them, and omits the value of calls that move none",
    () =>
      Effect.gen(function* () {
        const calls = (yield* ask(traced(nested), "ots_traceTransaction", hash)).map((one: Json) => [
          one.depth,
          one.type,
          one.value,
        ])

        expect(calls).toEqual([
          [0, "CALL", "0x9"],
          [1, "CALL", "0x1"],
          [2, "STATICCALL", null],
          [2, "CREATE2", "0x0"],
          [1, "CALL", "0x2"],
          [2, "CALL", "0x3"],
          [1, "DELEGATECALL", null],
          [1, "SELFDESTRUCT", "0x4"],
          [1, "CALL", "0x0"],
        ])
        expect((yield* ask(traced(nested), "ots_traceTransaction", hash))[0]).toMatchObject({
          from: Rows.alice,
          to: Rows.bob,
          input: "0x1234",
          output: "0x56",
        })
        expect(yield* ask(traced(nested), "ots_traceTransaction", Rows.hashOf("other"))).toContain("not found")
      }),
  )

  it.effect("ots_traceTransaction: reads the list of a node without another tracer", () =>
    Effect.gen(function* () {
      const calls = yield* ask(traced(listed), "ots_traceTransaction", hash)

      expect(
        calls.map((one: Json) => [one.depth, one.type, one.from, one.to, one.value, one.input, one.output]),
      ).toEqual([
        [0, "CALL", Rows.alice, Rows.bob, "0x1", "0x12", "0x34"],
        [1, "CALL", Rows.alice, Rows.bob, "0x2", "0x12", "0x"],
        [2, "CALL", Rows.alice, Rows.bob, "0x3", "0x12", "0x34"],
        [1, "DELEGATECALL", Rows.alice, Rows.bob, null, "0x12", "0x34"],
        [2, "CREATE", Rows.alice, Rows.contract, "0x1", "0x60", "0x61"],
        [1, "CREATE2", Rows.alice, null, "0x1", "0x62", "0x"],
        [1, "SELFDESTRUCT", Rows.contract, Rows.bob, "0x8", "0x", "0x"],
        [1, "CALL", Rows.alice, Rows.bob, "0x0", "0x12", "0x34"],
        [2, "CALL", Rows.alice, Rows.bob, "0x5", "0x12", "0x"],
        [2, "CALL", Rows.alice, Rows.bob, "0x6", "0x12", "0x34"],
      ])
      expect(yield* ask(traced([]), "ots_traceTransaction", hash)).toContain("expected the calls of a transaction")
      const failing = (code: number, trace: unknown = listed) => ({
        ...traced(trace),
        debug_traceTransaction: () => LocalMethod.failed("no such tracer", code),
      })
      expect(yield* ask(failing(-32_004), "ots_traceTransaction", hash)).toHaveLength(listed.length)
      expect(yield* ask(failing(-32_000), "ots_traceTransaction", hash)).toBe("no such tracer")
      const ended = [flat([], "selfdestruct", { address: Rows.contract, refundAddress: Rows.bob, balance: "0x8" })]
      expect((yield* ask(traced(ended), "ots_traceTransaction", hash))[0]).toMatchObject({
        type: "SELFDESTRUCT",
        from: Rows.contract,
        value: "0x8",
      })
      const neither = failing(-32_004, LocalMethod.failed("not allowed"))
      expect(yield* ask(neither, "ots_traceTransaction", hash)).toBe("no such tracer")
    }),
  )

  it.effect("ots_getInternalOperations: contains successful transfers and creations below the transaction", () =>
    Effect.gen(function* () {
      const operations = (trace: unknown) =>
        Effect.map(ask(traced(trace), "ots_getInternalOperations", hash), (found) =>
          found.map((one: Json) => [one.type, one.value, one.from]),
        )

      expect(yield* operations(nested)).toEqual([
        [0, "0x1", Rows.alice],
        [3, "0x0", Rows.alice],
        [1, "0x4", Rows.alice],
      ])
      expect(yield* operations(listed)).toEqual([
        [2, "0x1", Rows.alice],
        [3, "0x1", Rows.alice],
        [1, "0x8", Rows.contract],
        [0, "0x6", Rows.alice],
      ])
    }),
  )

  it.effect("ots_getTransactionError: returns the data that a failed transaction returned", () =>
    Effect.gen(function* () {
      const failed = { ...nested, error: "execution reverted" }

      expect(yield* ask(traced(failed, "0x0"), "ots_getTransactionError", hash)).toBe("0x56")
      expect(yield* ask(traced(failed, "0x1"), "ots_getTransactionError", hash)).toBe("0x")
      expect(yield* ask(traced(nested, "0x0"), "ots_getTransactionError", hash)).toBe("0x")
    }),
  )

  /** A block with transactions of which each has a receipt. */
  const transactions = Array.from({ length: 5 }, (_, nonce) => ({
    hash: Rows.hashOf(String(nonce)),
    blockHash: Rows.blockHash(1),
    from: Rows.alice,
    nonce: `0x${nonce}`,
    input: "0xa9059cbb0000",
    value: "0x1",
  }))
  const block = {
    number: "0x64",
    hash: Rows.blockHash(1),
    difficulty: "0x5",
    timestamp: "0x1",
    logsBloom: "0x1",
    uncles: [Rows.hashOf("uncle")],
  }
  const ofBlock: Responses = {
    eth_getBlockByNumber: ([tag, isHydrated]) => {
      if (tag !== "0x64") return null
      return { ...block, transactions: isHydrated === true ? transactions : transactions.map((one) => one.hash) }
    },
    eth_getBlockByHash: () => ({ ...block, uncles: [], transactions: [] }),
    eth_getBlockReceipts: () =>
      transactions.map((one) => receipt({ transactionHash: one.hash, logs: [1], logsBloom: "0x1" })),
    eth_getUncleByBlockNumberAndIndex: ([number, index]) =>
      number === "0x64" && index === "0x0" ? { number: "0x62" } : null,
  }
  const ether = 10n ** 18n
  const quantity = (value: bigint) => `0x${value.toString(16)}`

  it.effect("ots_getBlockDetails: has the fees of the receipts, and the issuance of a proof-of-work block", () =>
    Effect.gen(function* () {
      const [blockReward, uncleReward] = [5n * ether + (5n * ether) / 32n, (5n * ether * 6n) / 8n]
      const details = yield* ask(ofBlock, "ots_getBlockDetails", 100)

      expect(details).toEqual({
        block: { ...block, logsBloom: null, transactionCount: 5 },
        issuance: {
          blockReward: quantity(blockReward),
          uncleReward: quantity(uncleReward),
          issuance: quantity(blockReward + uncleReward),
        },
        totalFees: "0x4b",
      })
      expect(yield* ask(ofBlock, "ots_getBlockDetails", 101)).toBeNull()
      expect(yield* ask(ofBlock, "ots_getBlockDetailsByHash", block.hash)).toMatchObject({
        issuance: { blockReward: quantity(5n * ether), uncleReward: "0x0" },
        totalFees: "0x0",
      })
      const staked = { ...ofBlock, eth_getBlockByHash: () => ({ ...block, difficulty: "0x0", transactions: [] }) }
      expect((yield* ask(staked, "ots_getBlockDetailsByHash", block.hash)).issuance.issuance).toBe("0x0")
      expect(yield* ask(ofBlock, "ots_getHeaderByNumber", 100)).toEqual(block)
      expect(yield* ask(ofBlock, "erigon_getHeaderByNumber", 101)).toBeNull()
    }),
  )

  it.effect("ots_getBlockDetails: names what the node's response lacks", () =>
    Effect.gen(function* () {
      const detailsWith = (change: Responses) => ask({ ...ofBlock, ...change }, "ots_getBlockDetails", 100)
      const lacking = (what: string) =>
        `Invalid response of the node: expected ${what}. Retry later, or use another node.`

      expect(yield* detailsWith({ eth_getUncleByBlockNumberAndIndex: () => null })).toBe(lacking("a number"))
      expect(yield* detailsWith({ eth_getBlockReceipts: () => null })).toBe(lacking("the receipts of a block"))
      expect(yield* detailsWith({ eth_getBlockReceipts: () => [null] })).toBe(lacking("the receipts of a block"))
      expect(yield* detailsWith({ eth_getBlockReceipts: () => [{}] })).toBe(lacking("a receipt"))
      expect(yield* detailsWith({ eth_getBlockByNumber: () => ({}) })).toBe(lacking("a block"))
    }),
  )

  it.effect(
    "ots_getBlockTransactions: counts pages from the end of a block, and shortens inputs to their selectors",
    () =>
      Effect.gen(function* () {
        const pageOf = (number: number, responses = ofBlock) =>
          Effect.map(ask(responses, "ots_getBlockTransactions", 100, number, 2), (page) =>
            typeof page === "string"
              ? page
              : [page.fullblock.transactions, page.receipts].map((all) =>
                  all.map((one: Json) => one.hash ?? one.transactionHash),
                ),
          )
        const hashes = transactions.map((one) => one.hash)
        const first = yield* ask(ofBlock, "ots_getBlockTransactions", 100, 0, 1)

        expect(yield* pageOf(0)).toEqual([hashes.slice(3), hashes.slice(3)])
        expect(yield* pageOf(1)).toEqual([hashes.slice(1, 3), hashes.slice(1, 3)])
        expect(yield* pageOf(2)).toEqual([hashes.slice(0, 1), hashes.slice(0, 1)])
        expect(yield* pageOf(3, { ...ofBlock, eth_getBlockReceipts: () => null })).toEqual([[], []])
        const withoutLast = transactions.slice(0, 4).map((one) => receipt({ transactionHash: one.hash }))
        expect(yield* pageOf(0, { ...ofBlock, eth_getBlockReceipts: () => withoutLast })).toContain(
          "receipts of a block",
        )
        expect(first).toEqual({
          fullblock: {
            ...block,
            logsBloom: null,
            transactionCount: 5,
            transactions: [{ ...transactions[4], input: "0xa9059cbb" }],
          },
          receipts: [receipt({ transactionHash: hashes[4], logs: null, logsBloom: null })],
        })
        expect(yield* ask(ofBlock, "ots_getBlockTransactions", 101, 0, 1)).toBeNull()
      }),
  )

  it.effect(
    "ots_getContractCreator: with a node, finds the call that created the contract, and none that was reverted",
    () =>
      Effect.gen(function* () {
        const created = (more: object = {}) => frame("CREATE2", "0x0", { from: Rows.bob, to: Rows.contract, ...more })
        const creatorIn = (...roots: ReadonlyArray<object>) =>
          ask(
            {
              ...ofBlock,
              eth_blockNumber: () => "0x64",
              eth_getCode: ([, at]) => (at === "latest" || BigInt(String(at)) >= 100n ? "0x60" : "0x"),
              debug_traceBlockByNumber: () => roots.map((result, at) => ({ txHash: transactions[at]!.hash, result })),
            },
            "ots_getContractCreator",
            Rows.contract,
          )
        const whole = frame("CALL", "0x0", { calls: [created()] })
        const second = { hash: transactions[1]!.hash, creator: Rows.bob }

        expect(
          yield* creatorIn(frame("CALL", "0x0", { error: "execution reverted", calls: [created()] }), whole),
        ).toEqual(second)
        expect(yield* creatorIn(frame("CALL", "0x0", { calls: [created({ error: "out of gas" })] }), whole)).toEqual(
          second,
        )
        expect(yield* creatorIn(frame("CALL", "0x0"))).toBeNull()
      }),
  )

  it.effect(
    "ots_searchTransactionsBefore: states why the index cannot be read, and repeats a search after a reorg",
    () =>
      Effect.gen(function* () {
        const searchWith = (error: IndexReads.ReadError) => {
          let reads = 0
          const index = Effect.suspend(() => (reads++, Effect.fail(error)))
          return Effect.map(askWith(index, {}, "ots_searchTransactionsBefore", Rows.alice, 0, 1), (message) => [
            reads,
            message,
          ])
        }
        const head = { number: 9, hash: "0x9" }
        const checkpoint = { first: 3, head, headTimestamp: 9, finalized: null }
        const ofStore = (more: object) =>
          new StoreError({ message: "Database damaged: eth.db.", isRetryable: false, cause: null, ...more })
        const derived = (from: number) => [
          1,
          `Not indexed: rows of this kind are not derived yet from block ${from} of eth on`,
        ]

        expect(yield* searchWith(new Stale({ resumeFromBlock: 1, checkpoint }))).toEqual([
          4,
          "The chain is reorganizing. Retry later.",
        ])
        expect(yield* searchWith(new NotDerived({ chain: "eth", next: 5, checkpoint }))).toEqual(derived(5))
        expect(yield* searchWith(new NotDerived({ chain: "eth", next: null, checkpoint }))).toEqual(derived(3))
        expect(yield* searchWith(ofStore({ isRetryable: true }))).toEqual([
          1,
          "The index cannot be read now. Retry later.",
        ])
        expect(yield* searchWith(ofStore({ damagedBlock: 7 }))).toEqual([1, "Not indexed: block 7 cannot be read"])
        expect(yield* searchWith(ofStore({}))).toEqual([
          1,
          "Database damaged. The log of the server states where, and what to do.",
        ])
      }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("ots_searchTransactionsBefore, ots_searchTransactionsAfter: reject pages of more than 25", () =>
    Effect.gen(function* () {
      for (const name of ["ots_searchTransactionsBefore", "ots_searchTransactionsAfter"]) {
        expect(yield* ask({}, name, Rows.alice, 0, 26)).toBe("max allowed page size: 25")
        expect(yield* ask({}, name, Rows.alice, 0, 25)).toBe("Not indexed: no block of eth has traces")
      }
    }),
  )
})
