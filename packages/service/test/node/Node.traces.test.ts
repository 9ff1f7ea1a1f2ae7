/**
 * The calls that several nodes with different tracers receive, and when a block counts as one that no node can trace.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { failing, missing, type Response, type Server, start } from "./server.ts"

const { blockHash, hash } = fixture
const ref = { number: 100, hash: blockHash }
const { transactions: _, ...header } = fixture.blockWire

const healthy: Record<string, Response> = {
  eth_chainId: () => ({ result: "0x1" }),
  eth_getBlockByNumber: ([number]) => ({
    result: { ...header, number: number === "latest" ? header.number : number, transactions: [hash("1"), hash("2")] },
  }),
}

const none: Response = () => ({ result: [] })

/** A node that traces every block except block 100. */
const withoutState: Response = ([number]) =>
  number === "0x64" ? { error: { code: -32000, message: "missing trie node" } } : { result: [] }

const node = (servers: ReadonlyArray<Server>) => Node.make({ urls: servers.map(({ url }) => url), chainId: 1 })

const named = ({ calls }: Server, method: string) => calls.filter(([name]) => name === method).length

describe("Node: traces of several nodes", () => {
  it.live("traces: wait, but not indefinitely, while a node that may trace the block does not respond", () =>
    Effect.gen(function* () {
      const lacking = yield* start({ ...healthy, trace_block: withoutState })
      const other = yield* start({ ...healthy, trace_block: none })
      const chain = yield* node([lacking, other])
      yield* chain.head
      yield* chain.traces({ ...ref, number: 99 })
      other.answers["trace_block"] = failing

      expect((yield* Effect.flip(chain.traces(ref, 0)))._tag).toBe("NodeFailed")
      expect((yield* Effect.flip(chain.traces(ref, 7)))._tag).toBe("NodeFailed")
      expect(yield* chain.traces(ref, 8)).toMatchObject({ _tag: "Untraced" })
      other.answers["trace_block"] = none
      expect(yield* chain.traces(ref, 0)).toMatchObject({ _tag: "Flat" })
    }),
  )

  it.live("traces, transactionTrace: are not requested from a node without a tracer", () =>
    Effect.gen(function* () {
      const bare = yield* start(healthy)
      const tracing = yield* start({ ...healthy, trace_block: none, trace_transaction: none })
      const chain = yield* node([bare, tracing])
      yield* chain.head
      yield* chain.traces(ref)
      const before = bare.calls.length
      yield* chain.traces({ ...ref, number: 101 })
      yield* chain.transactionTrace(hash("1"), ref)

      expect(bare.calls.slice(before)).toEqual([])
    }),
  )

  it.live("transactionTrace: uses the known kind of tracer first, and requests a missing method only once", () =>
    Effect.gen(function* () {
      const flat = yield* start({ ...healthy, trace_block: none, trace_transaction: none })
      const refusing = yield* start({ ...healthy, trace_block: withoutState, trace_transaction: missing })
      const [ofFlat, ofRefusing] = [yield* node([flat]), yield* node([refusing])]
      yield* ofFlat.traceSource
      yield* ofRefusing.traceSource
      expect(yield* ofFlat.transactionTrace(hash("1"), ref)).toEqual({ _tag: "Flat", traces: [] })
      for (let times = 0; times < 3; times++) yield* Effect.flip(ofRefusing.transactionTrace(hash("1"), ref))

      expect(named(flat, "debug_traceTransaction")).toBe(0)
      expect(named(refusing, "trace_transaction") + named(refusing, "debug_traceTransaction")).toBe(4)
    }),
  )

  it.live("traces: use the gas in the receipt of a transfer if the node reports the block's gas beside the steps", () =>
    Effect.gen(function* () {
      const transfer = { ...fixture.transferWire, to: fixture.address("e"), input: "0x" }
      const steps: Response = (params) => {
        const [, options] = params as readonly [string, object]
        if ("tracer" in options) return { error: { code: -32602, message: "Only the default tracer is supported" } }
        return { result: { gas: 300_000, failed: false, structLogs: [] } }
      }
      const stepping = yield* start({
        ...healthy,
        eth_getBlockByNumber: () => ({ result: { ...header, number: "0x64", transactions: [transfer] } }),
        eth_getTransactionReceipt: () => ({ result: { ...fixture.transferReceiptWire, gasUsed: "0x5208" } }),
        debug_traceTransaction: (params) => steps(params),
      })
      const chain = yield* node([stepping])

      const found = yield* chain.traces(ref)

      expect(found).toMatchObject({ _tag: "Frames", traces: [{ result: { type: "CALL" } }] })
      expect(named(stepping, "eth_getTransactionReceipt")).toBe(1)
    }),
  )
})
