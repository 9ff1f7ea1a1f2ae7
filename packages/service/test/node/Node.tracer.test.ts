import { FakeNode } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { type Response, failing, missing, type Server, start } from "./server.ts"

const { blockHash, hash } = fixture
const ref = { number: 100, hash: blockHash, transactions: [hash("1"), hash("2")] }
const { transactions: _, ...header } = fixture.blockWire
const receipts = [fixture.transferReceiptWire, fixture.creationReceiptWire]

const of =
  (result: unknown): Response =>
  () => ({ result })
const error =
  (code: number, message: string): Response =>
  () => ({ error: { code, message } })

const healthy = (): Record<string, Response> => ({
  eth_chainId: of("0x1"),
  eth_getBlockByNumber: ([, hydrated]) => ({
    result: { ...header, transactions: hydrated === true ? fixture.blockWire["transactions"] : [hash("1"), hash("2")] },
  }),
  eth_getBlockReceipts: of(receipts),
})

const node = (servers: ReadonlyArray<Server>, traces: "auto" | "off" = "auto") =>
  Node.make({ urls: servers.map(({ url }) => url), chainId: 1, traces })

describe("Node", () => {
  describe("tracer", () => {
    const frames: Response = () => ({ result: [{ txHash: hash("1"), result: { type: "CALL", from: fixture.sender } }] })

    const isKnown = ([found]: ReadonlyArray<unknown>) => found !== `0x${"0".repeat(64)}`
    const traceOne: Response = (params) =>
      isKnown(params) ? { result: { type: "CALL", from: fixture.sender } } : error(-32000, "not found")(params)
    const stepsOf: Response = (params) => {
      const [, options] = params as readonly [string, object]
      if ("tracer" in options) return error(-32602, "Only the default tracer is supported")(params)
      const structLogs = [{ op: "STOP", depth: 1, gas: 1, gasCost: 0, stack: [] }]
      return isKnown(params) ? { result: { gas: 21_000, structLogs } } : error(-32000, "not found")(params)
    }

    const cases: ReadonlyArray<
      readonly [name: string, answers: Record<string, Response>, source: string, shape: string | null]
    > = [
      [
        "trace_block, which is preferred",
        { trace_block: of([]), debug_traceBlockByHash: frames },
        "trace_block",
        "Flat",
      ],
      ["debug_traceBlockByHash", { debug_traceBlockByHash: frames }, "debug_traceBlock", "Frames"],
      ["debug_traceBlockByNumber", { debug_traceBlockByNumber: frames }, "debug_traceBlock", "Frames"],
      ["debug_traceTransaction", { debug_traceTransaction: (p) => traceOne(p) }, "debug_traceTransaction", "Frames"],
      [
        "debug_traceTransaction of a node without a call tracer",
        { debug_traceTransaction: (p) => stepsOf(p) },
        "debug_traceTransaction",
        "Frames",
      ],
      ["none", {}, "off", null],
      [
        "none for this key",
        {
          trace_block: error(-32000, "trace_block is not available on the Free tier"),
          debug_traceBlockByHash: () => FakeNode.status(403),
          debug_traceBlockByNumber: error(-32600, "method debug_traceBlockByNumber is disabled"),
        },
        "off",
        null,
      ],
    ]
    it.live.each(cases)("traceSource: is %s", ([, answers, source, shape]) =>
      Effect.gen(function* () {
        const chain = yield* node([yield* start({ ...healthy(), ...answers })])

        expect(yield* chain.traceSource).toBe(source)
        expect((yield* chain.traces(ref))?._tag ?? null).toBe(shape)
      }),
    )

    it.live("traceSource: sends no request if traces are off", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), trace_block: of([]) })
        const chain = yield* node([server], "off")

        expect(yield* chain.traceSource).toBe("off")
        expect(yield* chain.traces(ref)).toBe(null)
        expect(server.calls).toEqual([])
      }),
    )

    it.live("traceSource: fails while the node does not respond, and detects the tracer afterwards", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), trace_block: failing })
        const chain = yield* node([server])

        expect((yield* Effect.flip(chain.traceSource))._tag).toBe("NodeFailed")
        server.answers["trace_block"] = of([])
        expect(yield* chain.traceSource).toBe("trace_block")
      }),
    )

    it.live("traces: fail for every block until traceSource detects that the tracer is missing", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), trace_block: error(-32000, "missing trie node") })
        const chain = yield* node([server])
        expect(yield* chain.traceSource).toBe("trace_block")
        server.answers["trace_block"] = missing

        const first = yield* Effect.flip(chain.traces(ref))
        const second = yield* Effect.flip(chain.traces({ ...ref, number: 101 }))

        expect([first._tag, second._tag]).toEqual(["NodeFailed", "NodeFailed"])
        expect(yield* chain.traceSource).toBe("off")
        expect(yield* chain.traces(ref)).toBe(null)
        server.answers["trace_block"] = of([])
        expect(yield* chain.traceSource).toBe("off")
        yield* chain.forgetMissingTracer
        expect(yield* chain.traceSource).toBe("trace_block")
      }),
    )

    it.live("traceSource: detects a tracer even if the node cannot trace the latest block", () =>
      Effect.gen(function* () {
        const chain = yield* node([
          yield* start({ ...healthy(), debug_traceBlockByHash: error(-32000, "genesis is not traceable") }),
        ])

        expect(yield* chain.traceSource).toBe("debug_traceBlock")
        expect(yield* chain.traces(ref)).toMatchObject({ _tag: "Untraced" })
      }),
    )

    it.live("traces: returns a failure that would repeat as the reason, and any other only after a while", () =>
      Effect.gen(function* () {
        const refusing = (reply: Response) =>
          Effect.flatMap(start({ ...healthy(), trace_block: reply }), (one) => node([one]))
        const pruned = yield* refusing(error(-32000, "missing trie node"))
        const broken = yield* refusing(error(-32603, "internal error"))
        const next = { ...ref, number: 101 }
        const failingOnce = yield* refusing(([block]) =>
          block === "0x65" ? { error: { code: -32603, message: "internal error" } } : { result: [] },
        )

        expect(yield* pruned.traces(ref)).toEqual({
          _tag: "Untraced",
          reason: `${pruned.hosts[0]} failed: missing trie node`,
        })
        expect((yield* Effect.flip(failingOnce.traces(next, 7)))._tag).toBe("NodeFailed")
        expect(yield* failingOnce.traces(next, 8)).toMatchObject({
          reason: `${failingOnce.hosts[0]} failed: internal error`,
        })
        // Nothing shows that the tracer works at all.
        expect((yield* Effect.flip(broken.traces(next, 8)))._tag).toBe("NodeFailed")
      }),
    )

    it.live("traces: returns the failure of the node with a tracer as the reason, whatever the others lack", () =>
      Effect.gen(function* () {
        const lacking = yield* start({ ...healthy(), trace_block: error(-32000, "missing trie node") })
        const bare = yield* start(healthy())
        for (const servers of [
          [lacking, bare],
          [bare, lacking],
        ]) {
          const chain = yield* node(servers)
          yield* chain.head

          expect(yield* chain.traces(ref)).toEqual({
            _tag: "Untraced",
            reason: `${lacking.host} failed: missing trie node`,
          })
        }
      }),
    )

    it.live("traces: are requested from the second node if the first has no tracer", () =>
      Effect.gen(function* () {
        const bare = yield* start(healthy())
        const chain = yield* node([bare, yield* start({ ...healthy(), trace_block: of([]) })])

        expect(yield* chain.traceSource).toBe("trace_block")
        expect((yield* chain.traces(ref))?._tag).toBe("Flat")
      }),
    )
  })

  it.live("receipts: omit the receipt of the block itself, which Celo appends (synthetic)", () =>
    Effect.gen(function* () {
      const ofBlock = { ...fixture.creationReceiptWire, transactionHash: blockHash, transactionIndex: "0x2" }
      const chain = yield* node([yield* start({ ...healthy(), eth_getBlockReceipts: of([...receipts, ofBlock]) })])
      const alone = yield* chain.receipts(ref)
      const [together] = yield* (yield* chain.batchFetcher(100)).parts([ref])

      expect(alone?.map(({ transactionHash }) => transactionHash)).toEqual([hash("1"), hash("2")])
      expect(together?.receipts).toEqual(alone)
    }),
  )

  it.live("lacking: names what is missing according to the responses", () =>
    Effect.gen(function* () {
      const whole = yield* node([yield* start({ ...healthy(), trace_block: of([]) })])
      yield* whole.traceSource
      const server = yield* start({
        ...healthy(),
        eth_getBlockReceipts: missing,
        eth_getTransactionReceipt: ([found]) => ({ result: receipts[found === hash("1") ? 0 : 1] }),
      })
      const bare = yield* node([server])
      yield* bare.receipts(ref)
      yield* bare.traceSource
      const both = yield* node([server, yield* start({ ...healthy(), trace_block: of([]) })])
      yield* both.receipts(ref)

      expect(whole.lacking()).toBe(null)
      expect(bare.lacking()).toBe("receipts one by one, no tracer")
      expect(both.lacking()).toBe(`${server.host}: receipts one by one`)
    }),
  )
})
