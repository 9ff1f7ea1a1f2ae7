/** Batches against a scripted node. */
import { FakeNode } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { type Response, missing, type Server, start } from "./server.ts"

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
const hex = (number: number) => `0x${number.toString(16)}`
const head = 1_000

const block: Response = ([asked, hydrated]) => {
  const number = asked === "latest" ? head : Number(asked)
  const transactions = hydrated === true ? fixture.blockWire["transactions"] : []
  return { result: { ...fixture.blockWire, number: hex(number), hash: hashOf(number), transactions } }
}

const healthy = (): Record<string, Response> => ({
  eth_chainId: () => ({ result: "0x1" }),
  eth_getBlockByNumber: block,
  eth_getBlockReceipts: () => ({ result: [fixture.transferReceiptWire] }),
  trace_block: () => ({ result: [] }),
})

/** A flat trace of a block. */
const traceOf = (number: number) => ({
  type: "reward",
  action: {},
  subtraces: 0,
  traceAddress: [],
  blockHash: hashOf(number),
})

/** A node whose receipts and traces name their block, by its hash or its number. */
const byNumber = (): Record<string, Response> => ({
  ...healthy(),
  eth_getBlockReceipts: ([asked]) => ({
    result: [{ ...fixture.transferReceiptWire, blockHash: hashOf(Number(asked)) }],
  }),
  trace_block: ([asked]) => ({ result: [traceOf(Number(asked))] }),
})

/** A node that has been polled; requests and calls are recorded after that. */
const polled = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, traces: "auto" | "off" = "auto") {
  const node = yield* Node.make({ urls: servers.map(({ url }) => url), chainId: 1, traces })
  yield* node.head
  yield* node.traceSource
  for (const { calls, requests } of servers) calls.length = requests.length = 0
  return node
})

/** A node that has been polled, and has returned a whole range. */
const proven = Effect.fnUntraced(function* (server: Server) {
  const node = yield* polled([server])
  yield* (yield* node.batchFetcher(1)).parts(refs([1]))
  server.calls.length = server.requests.length = 0
  return node
})

const refs = (numbers: ReadonlyArray<number>) =>
  numbers.map((number) => ({ number, hash: hashOf(number), transactions: [`${hashOf(number).slice(0, -1)}f`] }))

describe("BatchFetcher", () => {
  it.live("blocks, parts: fetch the blocks in one request, and receipts by hash with stored traces in another", () =>
    Effect.gen(function* () {
      const server = yield* start(healthy())
      const bulk = yield* (yield* polled([server])).batchFetcher(5)
      const blocks = yield* bulk.blocks([5, 6, 7])
      const parts = yield* bulk.parts(refs([5, 7]))

      expect(blocks.map((found) => found?.number)).toEqual([5n, 6n, 7n])
      expect(parts.map((part) => [part?.receipts.length, part?.traces?._tag])).toEqual([
        [1, "Flat"],
        [1, "Flat"],
      ])
      expect(server.requests).toEqual([3, 4])
      expect(server.calls.slice(3)).toEqual([
        ["eth_getBlockReceipts", [hashOf(5)]],
        ["eth_getBlockReceipts", [hashOf(7)]],
        ["trace_block", ["0x5"]],
        ["trace_block", ["0x7"]],
      ])
    }),
  )

  it.live(
    "blocks: requests blocks, receipts and traces by number in one request, if the parts belong to the blocks",
    () =>
      Effect.gen(function* () {
        const server = yield* start(byNumber())
        const bulk = yield* (yield* proven(server)).batchFetcher(5)
        const blocks = yield* bulk.blocks([5, 6, 7])
        const parts = yield* bulk.parts(refs([5, 7]))

        expect(blocks.map((found) => found?.number)).toEqual([5n, 6n, 7n])
        expect(parts.map((part) => [part?.receipts[0]?.blockHash, part?.traces?._tag])).toEqual([
          [hashOf(5), "Flat"],
          [hashOf(7), "Flat"],
        ])
        expect(server.requests).toEqual([9])
        expect(server.calls.slice(2, 5)).toEqual([
          ["eth_getBlockByNumber", ["0x7", true]],
          ["eth_getBlockReceipts", ["0x5"]],
          ["eth_getBlockReceipts", ["0x6"]],
        ])
      }),
  )

  it.live("parts: are requested again by hash if those by number name another block", () =>
    Effect.gen(function* () {
      const orphan = { ...fixture.transferReceiptWire, blockHash: hashOf(99) }
      const { eth_getBlockReceipts, trace_block } = byNumber()
      let traced = 0
      const server = yield* start({
        ...byNumber(),
        eth_getBlockReceipts: (params) => (params[0] === "0x5" ? { result: [orphan] } : eth_getBlockReceipts!(params)),
        trace_block: (params) =>
          params[0] === "0x8" && traced++ === 0 ? { result: [traceOf(98)] } : trace_block!(params),
      })
      const bulk = yield* (yield* proven(server)).batchFetcher(5)
      yield* bulk.blocks([5, 6, 7, 8, 9])
      const parts = yield* bulk.parts(refs([5, 6, 7, 8, 9]))

      expect(parts.map((part) => part?.receipts[0]?.blockHash)).toEqual([5, 6, 7, 8, 9].map(hashOf))
      expect(server.requests).toEqual([15, 4])
      expect(server.calls.slice(15).map(([, [asked]]) => asked)).toEqual([hashOf(5), hashOf(8), "0x5", "0x8"])
    }),
  )

  it.live("blocks, parts: request each part once from a node that lacks one, and the next ranges in two requests", () =>
    Effect.gen(function* () {
      const server = yield* start(byNumber())
      const node = yield* proven(server)
      const { eth_getBlockReceipts } = byNumber()
      server.answers["eth_getBlockReceipts"] = (params) =>
        params[0] === "0x6" ? { result: null } : eth_getBlockReceipts!(params)
      const lacking = yield* node.batchFetcher(5)
      yield* lacking.blocks([5, 6])
      const parts = yield* lacking.parts(refs([5, 6]))
      const ranges: Array<ReadonlyArray<number>> = []
      for (let at = 0; at < 17; at++) {
        const number = 2 * at + 100
        server.requests.length = 0
        const bulk = yield* node.batchFetcher(number)
        yield* bulk.blocks([number, number + 1])
        yield* bulk.parts(refs([number, number + 1]))
        ranges.push([...server.requests])
      }

      expect(parts.map((part) => part === null)).toEqual([false, true])
      expect(
        server.calls.filter(([method, [asked]]) => method === "eth_getBlockReceipts" && asked === "0x6"),
      ).toHaveLength(1)
      expect(server.calls.slice(0, 6).map(([, [asked]]) => asked)).toEqual(["0x5", "0x6", "0x5", "0x6", "0x5", "0x6"])
      expect(server.calls[6]).toEqual(["eth_getBlockByNumber", ["0x64", true]])
      expect(ranges.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => [2, 4]))
      expect(ranges[16]).toEqual([6])
    }),
  )

  it.live("blocks: requests only blocks from a node that has not yet returned a whole range", () =>
    Effect.gen(function* () {
      const server = yield* start({
        ...byNumber(),
        eth_getBlockByNumber: ([asked]) => (asked === "latest" ? block(["latest", false]) : { result: null }),
      })
      const bulk = yield* (yield* polled([server])).batchFetcher(5)
      yield* bulk.blocks([5, 6, 7])

      expect(server.calls.map(([method]) => method)).toEqual(Array.from({ length: 3 }, () => "eth_getBlockByNumber"))
    }),
  )

  it.live("blocks: requests only blocks near the head, and from a node that does not store traces", () =>
    Effect.gen(function* () {
      const server = yield* start(byNumber())
      const near = yield* (yield* polled([server])).batchFetcher(head - 64)
      yield* near.blocks([head - 65, head - 64])
      expect(server.requests).toEqual([2])

      const other = yield* start({ ...byNumber(), trace_block: missing })
      const far = yield* (yield* polled([other])).batchFetcher(5)
      yield* far.blocks([5, 6])
      expect(other.requests).toEqual([2])
    }),
  )

  it.live("parts: sends no request without blocks, and requests no traces if they are off", () =>
    Effect.gen(function* () {
      const server = yield* start(healthy())
      const bulk = yield* (yield* polled([server], "off")).batchFetcher(5)
      expect(yield* bulk.parts([])).toEqual([])
      expect(server.requests).toEqual([])

      expect((yield* bulk.parts(refs([5])))[0]).toMatchObject({ traces: null })
      expect(server.calls.map(([method]) => method)).toEqual(["eth_getBlockReceipts"])
    }),
  )

  it.live("parts: traces each block in a separate request if the node does not store traces", () =>
    Effect.gen(function* () {
      const server = yield* start({
        ...healthy(),
        trace_block: missing,
        debug_traceBlockByHash: () => ({ result: [] }),
      })
      const bulk = yield* (yield* polled([server])).batchFetcher(5)
      const parts = yield* bulk.parts(refs([5, 6]))

      expect(parts.map((part) => part?.traces?._tag)).toEqual(["Frames", "Frames"])
      expect(server.requests.toSorted((one, other) => one - other)).toEqual([1, 1, 2])
    }),
  )

  it.live("parts: weighs traces of single blocks, and traces no more blocks than fit a range", () =>
    Effect.gen(function* () {
      let [open, most] = [0, 0]
      const frame = {
        type: "CALL",
        from: hashOf(1).slice(0, 42),
        to: hashOf(2).slice(0, 42),
        value: "0x0",
      }
      const large = { ...frame, gas: "0x1", gasUsed: "0x1", input: `0x${"00".repeat(300_000)}`, output: "0x" }
      const server = yield* start({
        ...healthy(),
        trace_block: missing,
        debug_traceBlockByHash: async () => {
          most = Math.max(most, ++open)
          await new Promise((resolve) => void setImmediate(resolve))
          open -= 1
          return { result: [{ txHash: hashOf(1), result: large }] }
        },
      })
      const node = yield* polled([server])
      const numbers = Array.from({ length: 16 }, (_, at) => at + 5)
      const parts = yield* (yield* node.batchFetcher(5)).parts(refs(numbers))
      const traced = server.calls.filter(([method]) => method === "debug_traceBlockByHash").length

      expect(most).toBeLessThanOrEqual(4)
      expect(traced).toBeGreaterThanOrEqual(4)
      expect(traced).toBeLessThan(9)
      expect(parts.filter((part) => part !== null)).toHaveLength(traced)
      expect((yield* node.batchFetcher(5)).size).toBeLessThan(10)
    }),
  )

  it.live("parts: fetches receipts one by one in the same request once the node has rejected receipts by block", () =>
    Effect.gen(function* () {
      const server = yield* start({
        ...healthy(),
        eth_getBlockReceipts: missing,
        eth_getTransactionReceipt: ([asked]) => ({
          result: asked === hashOf(0x7f) ? null : { ...fixture.transferReceiptWire, transactionHash: asked },
        }),
      })
      const node = yield* polled([server])
      yield* node.receipts(refs([5])[0]!)
      const bulk = yield* node.batchFetcher(5)
      server.calls.length = server.requests.length = 0
      const two = { number: 5, hash: hashOf(5), transactions: [hashOf(0x51), hashOf(0x52)] }
      const parts = yield* bulk.parts([two, { number: 7, hash: hashOf(7), transactions: [hashOf(0x7f)] }])

      expect(parts.map((part) => part?.receipts.map(({ transactionHash }) => transactionHash))).toEqual([
        two.transactions,
        undefined,
      ])
      expect(server.requests).toEqual([5])
    }),
  )

  it.live("blocks, parts: return null for what the node does not have, fails on or returns as null", () =>
    Effect.gen(function* () {
      const server = yield* start(healthy())
      const bulk = yield* (yield* polled([server])).batchFetcher(5)
      server.answers["eth_getBlockByNumber"] = (params) => (params[0] === "0x6" ? { result: null } : block(params))
      server.answers["eth_getBlockReceipts"] = ([hash]) =>
        hash === hashOf(5) ? { error: { code: -32000, message: "header not found" } } : { result: [] }
      server.answers["trace_block"] = ([number]) => ({ result: number === "0x7" ? null : [] })

      expect((yield* bulk.blocks([5, 6])).map((found) => found?.number)).toEqual([5n, undefined])
      expect((yield* bulk.parts(refs([5, 6, 7]))).map((part) => part !== null)).toEqual([false, true, false])
    }),
  )

  it.live("batchFetcher: fetches nothing from a node of another chain", () =>
    Effect.gen(function* () {
      const server = yield* start({ ...healthy(), eth_chainId: () => ({ result: "0x5" }) })
      const node = yield* Node.make({ urls: [server.url], chainId: 1 })
      const bulk = yield* node.batchFetcher(5)

      expect(bulk.size).toBe(1)
      expect([yield* bulk.blocks([5]), yield* bulk.parts(refs([5]))]).toEqual([[null], [null]])
      expect(server.calls.map(([method]) => method)).toEqual(["eth_chainId"])
    }),
  )

  it.live("size: grows while the node is fast, and shrinks when it rejects a request", () =>
    Effect.gen(function* () {
      const server = yield* start(healthy())
      const node = yield* polled([server])
      const size = Effect.map(node.batchFetcher(5), (bulk) => bulk.size)
      expect(yield* size).toBe(4)
      yield* (yield* node.batchFetcher(5)).blocks([5, 6, 7, 8])
      expect(yield* size).toBe(16)
      server.answers["eth_getBlockByNumber"] = () => FakeNode.status(503)
      yield* (yield* node.batchFetcher(5)).blocks([5, 6, 7, 8])

      expect(yield* size).toBe(2)
    }),
  )

  it.live("batchFetcher: uses all nodes in turn far below the head, and the preferred one near it", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy()), yield* start(healthy())]
      const node = yield* polled([one, two])
      for (const number of [4, 8, 16, 32]) yield* (yield* node.batchFetcher(number)).blocks([number])
      const deep = [one, two].map(({ calls }) => calls.filter(([method]) => method === "eth_getBlockByNumber").length)
      for (const number of [990, 992]) yield* (yield* node.batchFetcher(number)).blocks([number])
      const both = [one, two].map(({ calls }) => calls.filter(([method]) => method === "eth_getBlockByNumber").length)

      expect(deep).toEqual([2, 2])
      expect(both).toEqual([4, 2])
    }),
  )

  it.live("batchFetcher: uses the other nodes while a failed one cools down", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* start(healthy()), yield* start(healthy())]
      const node = yield* polled([one, two])
      two.answers["eth_getBlockByNumber"] = () => FakeNode.disconnect
      const received = yield* Effect.forEach([4, 8, 16, 32], (number) =>
        Effect.flatMap(node.batchFetcher(number), (bulk) => bulk.blocks([number])),
      )

      expect(received.flat().map((found) => found !== null)).toEqual([true, false, true, true])
      expect(one.calls).toHaveLength(3)
    }),
  )
})
