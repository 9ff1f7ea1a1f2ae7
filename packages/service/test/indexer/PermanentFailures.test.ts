/** Nodes that respond but cannot provide what indexing needs: few calls, few log lines, and a message with a remedy. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger, References } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "./chain.ts"
import * as fixture from "./fixture.ts"
import { hashOf, head, healthy, traceOf } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

const error = (code: number, message: string): ScriptedFetch.Reply => ({ error: { code, message } })

/** Answers some methods differently, for block 0 or for every block. */
const refusing =
  (replies: Readonly<Record<string, ScriptedFetch.Reply>>): ScriptedFetch.Handler =>
  (method, params) =>
    params[0] === "latest" ? healthy(method, params) : (replies[method] ?? healthy(method, params))

const run = Effect.fnUntraced(function* (answer: ScriptedFetch.Handler) {
  const scripted = ScriptedFetch.make(answer)
  const store = yield* openStore
  const { fetch } = scripted
  const node = yield* Node.make({ urls: ["http://node.example:8545"], chainId: 31337, fetch, where: "chains.test.rpc" })
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const options = { chain: store.ref.name, chainId: store.ref.id, owner: "me", decoder, checks: "links" } as const
  const fiber = yield* ChainIndexer.run(node, options).pipe(
    Effect.provideService(Engine, store.database),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.forkScoped,
  )
  const perMinute: Array<number> = []
  const minutes = Effect.fnUntraced(function* (count: number) {
    for (let minute = 0; minute < count; minute++) {
      const before = scripted.calls.length
      yield* ScriptedFetch.advance(scripted, 60)
      perMinute.push(scripted.calls.length - before)
    }
  })
  return { scripted, store, lines, perMinute, minutes, stop: Fiber.interrupt(fiber) }
})

const none: ScriptedFetch.Reply = { result: null }
const history =
  'Pruned? Use a node with full history, or begin later with "fromBlock" in the configuration of "daybook serve".'
const historical = "required historical state unavailable (reexec=128)"

const cases: ReadonlyArray<readonly [string, ScriptedFetch.Handler, string, string]> = [
  [
    "receipts that are null",
    refusing({ eth_getBlockReceipts: none, eth_getTransactionReceipt: none }),
    "misconfigured",
    `node.example:8545 has no receipts of block 0. ${history}`,
  ],
  [
    "receipts that are null, one by one",
    refusing({ eth_getBlockReceipts: error(-32601, "method not found"), eth_getTransactionReceipt: none }),
    "misconfigured",
    `node.example:8545 has no receipts of block 0. ${history}`,
  ],
  [
    "receipts that are an error",
    refusing({ eth_getBlockReceipts: error(-32000, "missing trie node"), eth_getTransactionReceipt: none }),
    "misconfigured",
    `node.example:8545 cannot return the receipts of block 0 ("missing trie node"). ${history}`,
  ],
  [
    "no method for receipts",
    refusing({
      eth_getBlockReceipts: error(-32601, "method not found"),
      eth_getTransactionReceipt: error(-32601, "method not found"),
    }),
    "misconfigured",
    "node.example:8545 supports neither eth_getBlockReceipts nor eth_getTransactionReceipt; indexing needs one of them. Use another node.",
  ],
  [
    "blocks that are null",
    refusing({ eth_getBlockByNumber: none }),
    "misconfigured",
    `node.example:8545 has no block 0. ${history}`,
  ],
  [
    "a tracer that fails for every block",
    refusing({ trace_block: error(-32603, "internal error") }),
    "waiting",
    'node.example:8545 cannot trace a block ("internal error"). Use an archive node, or "traces": "off" in the configuration of "daybook serve".',
  ],
  [
    "a tracer that is HTTP 500 for every block",
    refusing({ trace_block: { status: 500 } }),
    "waiting",
    "node.example:8545",
  ],
  [
    "another chain",
    (method, params) => (method === "eth_chainId" ? { result: "0x1" } : healthy(method, params)),
    "misconfigured",
    "Wrong chain at node.example:8545",
  ],
  ["rejected credentials", () => ({ status: 401 }), "misconfigured", "node.example:8545 rejects the credentials"],
  ["HTTP 503 for everything", () => ({ status: 503 }), "waiting", "node.example:8545"],
  [
    "HTTP 429 with a wait of a day",
    () => ({ status: 429, headers: { "retry-after": "86400" } }),
    "waiting",
    "node.example:8545 limits the request rate",
  ],
]

/** Ranges that an indexer fetches at the same time from a node without latency. */
const rangesInFlight = 8

/** Minutes of the test clock are many turns of the event loop. */
const timeout = 180_000

describe("ChainIndexer with a node that cannot provide what it needs", () => {
  it.effect.each(cases)(
    "run: sends at most 10 calls and logs at most one line a minute: %s",
    ([, answer, state, message]) =>
      Effect.gen(function* () {
        const { lines, minutes, perMinute, stop, store } = yield* run(answer)
        yield* minutes(3)
        const status = yield* store.readStatus
        yield* stop

        expect(status?.state).toBe(state)
        expect(status?.message).toContain(message)
        expect(Math.max(...perMinute.slice(1))).toBeLessThanOrEqual(10)
        expect(Math.min(...perMinute.slice(1))).toBeGreaterThan(0)
        expect(lines.length).toBeGreaterThanOrEqual(2)
        expect(lines.length).toBeLessThanOrEqual(5)
      }),
    timeout,
  )

  it.effect(
    "run: requests no receipts and no traces from a node without blocks",
    () =>
      Effect.gen(function* () {
        const { minutes, scripted, stop } = yield* run(refusing({ eth_getBlockByNumber: none }))
        yield* minutes(1)
        yield* stop

        // One call detects the tracer.
        expect(scripted.calls.filter((method) => method === "trace_block")).toHaveLength(1)
        expect(scripted.calls).not.toContain("eth_getBlockReceipts")
      }),
    timeout,
  )

  it.effect(
    "run: requests receipts a second time for at most one block of each range in flight from a node without receipts",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const answer = refusing({ eth_getBlockReceipts: none, eth_getTransactionReceipt: none })
        const { minutes, stop } = yield* run((method, params) => {
          if (method === "eth_getBlockReceipts") asked.push(String(Number(params[0])))
          return answer(method, params)
        })
        yield* minutes(1)
        yield* stop
        const others = asked.filter((number) => number !== "0")
        const repeated = others.length - new Set(others).size

        expect(others.length).toBeGreaterThan(rangesInFlight)
        expect(repeated).toBeLessThan(rangesInFlight)
      }),
    timeout,
  )

  const untraceable: ReadonlyArray<readonly [string, ScriptedFetch.Reply, string]> = [
    ["without state", error(-32000, historical), historical],
    ["that fails", error(-32603, "internal error"), "internal error"],
    ["that is HTTP 500", { status: 500 }, "500"],
    ["that does not decode", { result: [{ type: 7 }] }, "expected"],
    ["that is an empty list", { result: [] }, "has no trace"],
    ["that has each entry twice", { result: [traceOf(5), traceOf(5)] }, "two traces with the trace address []"],
  ]

  it.effect.each(untraceable)(
    "run: stores a block with a trace %s, and the trace as a gap",
    ([, reply, reason]) =>
      Effect.gen(function* () {
        const { minutes, stop, store } = yield* run((method, params) =>
          method === "trace_block" && params[0] === "0x5" ? reply : healthy(method, params),
        )
        yield* minutes(2)
        const gaps = yield* store.gaps({ from: 0, to: head, limit: 10 })
        const [stored] = yield* store.headers(head, head)
        yield* stop

        expect(stored?.number).toBe(head)
        expect(gaps).toMatchObject([{ block: 5, kind: "trace", transaction: hashOf(5 + 0x10000) }])
        expect(gaps[0]?.reason).toContain(reason)
      }),
    timeout,
  )

  it.effect(
    "run: traces transactions one by one if the node cannot trace their block",
    () =>
      Effect.gen(function* () {
        const { minutes, stop, store } = yield* run((method, params) => {
          if (method === "trace_transaction") return { result: [traceOf(Number(params[0]) - 0x10000)] }
          return method === "trace_block" && params[0] === "0x5" ? error(-32000, historical) : healthy(method, params)
        })
        yield* minutes(1)
        const counts = yield* store.snapshot((snapshot) => snapshot.gapCounts)
        const [stored] = yield* store.headers(head, head)
        yield* stop

        expect(stored?.number).toBe(head)
        expect(counts).toEqual({ trace: 0, receipt: 0, transaction: 0, check: 0 })
      }),
    timeout,
  )

  /** A node with a call tracer: the traces of each block, and of each transaction. */
  const callTracing =
    (tracesOf: (frames: ReadonlyArray<object>) => ReadonlyArray<object>): ScriptedFetch.Handler =>
    (method, params) => {
      const frame = { type: "CALL", from: fixture.sender, to: fixture.token, gas: "0x1", gasUsed: "0x1", input: "0x" }
      switch (method) {
        case "trace_block":
          return error(-32601, "the method does not exist")
        case "debug_traceBlockByHash":
          return { result: tracesOf([{ txHash: hashOf(Number(params[0]) + 0x10000), result: frame }]) }
        case "debug_traceTransaction":
          return { result: frame }
        default:
          return healthy(method, params)
      }
    }

  /**
   * What the traces of each block do, and the time by which block 3 is reached: otherwise, the first block alone takes
   * 13 seconds.
   */
  const incomplete: ReadonlyArray<readonly [string, ScriptedFetch.Handler, seconds: number]> = [
    ["lack some", callTracing(() => []), 1],
    ["have others too", callTracing((frames) => [...frames, ...frames]), 18],
  ]

  it.effect.each(incomplete)(
    "run: traces transactions one by one if the traces of each block %s, without a delay per block",
    ([, answer, seconds]) =>
      Effect.gen(function* () {
        const { scripted, stop, store } = yield* run(answer)
        yield* ScriptedFetch.advance(scripted, seconds)
        const counts = yield* store.snapshot((snapshot) => snapshot.gapCounts)
        const [stored] = yield* store.headers(3, 3)
        yield* stop

        expect(stored?.number).toBe(3)
        expect(counts.trace).toBe(0)
      }),
    timeout,
  )

  const withoutReceipts: ReadonlyArray<readonly [string, ScriptedFetch.Reply]> = [
    ["that are null", none],
    ["that are an error", error(-32000, "missing receipt")],
  ]

  it.effect.each(withoutReceipts)(
    "run: stores a block with receipts %s, and each receipt as a gap",
    ([, reply]) =>
      Effect.gen(function* () {
        const { minutes, stop, store } = yield* run((method, params) => {
          const number = Number(params[0])
          if (method === "eth_getBlockReceipts" && number === 5) return reply
          return method === "eth_getTransactionReceipt" && number === 0x10005 ? reply : healthy(method, params)
        })
        yield* minutes(2)
        const gaps = yield* store.gaps({ from: 0, to: head, limit: 10 })
        const [stored] = yield* store.headers(head, head)
        yield* stop

        expect(stored?.number).toBe(head)
        expect(gaps).toEqual([
          { block: 5, kind: "receipt", transaction: hashOf(0x10005), reason: "No node has the receipt." },
        ])
      }),
    timeout,
  )

  it.effect(
    "run: indexes within a minute once the node recovers",
    () =>
      Effect.gen(function* () {
        const { minutes, scripted, stop, store } = yield* run(
          refusing({ eth_getBlockReceipts: none, eth_getTransactionReceipt: none }),
        )
        yield* minutes(5)
        expect((yield* store.headers(0, 0)).length).toBe(0)
        scripted.answer = healthy
        yield* minutes(1)
        yield* stop

        expect((yield* store.headers(0, 0)).length).toBe(1)
      }),
    timeout,
  )
})
