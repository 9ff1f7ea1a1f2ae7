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

const named = (server: Server, method: string) => server.calls.filter(([name]) => name === method)

describe("Node", () => {
  it.live("head, header, block: read from the node", () =>
    Effect.gen(function* () {
      const chain = yield* node([yield* start(healthy())])

      const expected = { number: 100, hash: blockHash, parentHash: hash("a"), timestamp: 1_620_385_715 }
      expect(yield* chain.head).toEqual(expected)
      expect(yield* chain.header(100)).toEqual(expected)
      expect((yield* chain.block(100))?.transactions.map((transaction) => transaction.hash)).toEqual([
        hash("1"),
        hash("2"),
      ])
      expect(chain.isLocal).toBe(true)
    }),
  )

  it.live("header, block, receipts: return null for a block that does not exist", () =>
    Effect.gen(function* () {
      const chain = yield* node([
        yield* start({ ...healthy(), eth_getBlockByNumber: of(null), eth_getBlockReceipts: of(null) }),
      ])

      expect([yield* chain.header(7), yield* chain.block(7), yield* chain.receipts(ref)]).toEqual([null, null, null])
    }),
  )

  it.live("header, block, lenientBlock: return null if the node reports by an error that it has none", () =>
    Effect.gen(function* () {
      for (const message of ["cannot query unfinalized data", "header not found", "invalid block height: 7"]) {
        const eth_getBlockByNumber = error(-32000, message)
        const chain = yield* node([yield* start({ ...healthy(), eth_getBlockByNumber })])

        expect([yield* chain.header(7), yield* chain.block(7), yield* chain.lenientBlock(7)]).toEqual([
          null,
          null,
          null,
        ])
        expect((yield* Effect.flip(chain.head)).message).toContain(message)
      }
    }),
  )

  it.live("head: names the configuration key if the URL or its credentials are wrong", () =>
    Effect.gen(function* () {
      const messageOf = Effect.fnUntraced(function* (status: number) {
        const server = yield* start({ ...healthy(), eth_chainId: () => FakeNode.status(status) })
        const chain = yield* Node.make({ urls: [server.url], chainId: 1, where: "chains.eth.rpc" })
        return (yield* Effect.flip(chain.head)).message.replace(server.host, "HOST")
      })

      expect(yield* messageOf(404)).toMatch(
        /^No JSON-RPC endpoint at the URL of chains\.eth\.rpc: HOST responded with 404.*\. Correct the URL\.$/,
      )
      expect(yield* messageOf(401)).toBe(
        "HOST rejects the credentials (401). Correct the URL or the headers of chains.eth.rpc.",
      )
    }),
  )

  describe("chain id", () => {
    it.live(
      "head: verifies the chain id once; if it differs, fails with both ids and calls nothing else until it matches",
      () =>
        Effect.gen(function* () {
          const server = yield* start({ ...healthy(), eth_chainId: of("0x89") })
          const chain = yield* node([server])

          const failed = yield* Effect.flip(chain.head)
          expect([failed._tag, failed.message]).toEqual([
            "WrongChain",
            `Wrong chain at ${server.host}: expected chain id 1 (0x1), received 137 (0x89). Correct the URL of the node or the id of the chain.`,
          ])
          yield* Effect.flip(chain.head)
          expect(named(server, "eth_getBlockByNumber").length).toBe(1)
          server.answers["eth_chainId"] = of("0x1")
          yield* chain.head
          yield* chain.head
          expect(named(server, "eth_chainId").length).toBe(3)
        }),
    )

    it.live("checkChain: verifies the chain id again", () =>
      Effect.gen(function* () {
        const server = yield* start(healthy())
        const chain = yield* node([server])
        yield* chain.head
        server.answers["eth_chainId"] = of("0x5")

        expect((yield* Effect.flip(chain.checkChain))._tag).toBe("WrongChain")
      }),
    )
  })

  describe("failover", () => {
    it.live("head: fails over to the next node and keeps using it", () =>
      Effect.gen(function* () {
        const broken = yield* start({ ...healthy(), eth_getBlockByNumber: () => FakeNode.disconnect })
        const good = yield* start(healthy())
        const chain = yield* node([broken, good])

        expect((yield* chain.head).number).toBe(100)
        const before = broken.calls.length
        yield* chain.head
        expect(broken.calls.length).toBe(before)
      }),
    )

    it.live("head: skips a node of another chain", () =>
      Effect.gen(function* () {
        const other = yield* start({ ...healthy(), eth_chainId: of("0x2") })
        const chain = yield* node([other, yield* start(healthy())])

        expect((yield* chain.head).number).toBe(100)
        yield* chain.block(7)
        expect(named(other, "eth_getBlockByNumber")).toEqual([["eth_getBlockByNumber", ["latest", false]]])
      }),
    )

    it.live("head: repeats the error of the last node, without the key in its URL", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), eth_chainId: error(-32000, "sorry") })
        const chain = yield* Node.make({ urls: [`${server.url}v3/canary0key`], chainId: 1 })

        const failed = yield* Effect.flip(chain.head)
        expect(failed._tag).toBe("NodeFailed")
        expect(failed.message).toContain("sorry")
        expect(JSON.stringify(failed) + failed.message + failed.stack).not.toContain("canary0key")
      }),
    )
  })

  describe("receipts", () => {
    it.live("receipts: are requested by the hash of the block", () =>
      Effect.gen(function* () {
        const server = yield* start(healthy())
        const chain = yield* node([server])

        expect((yield* chain.receipts(ref))?.length).toBe(2)
        expect(named(server, "eth_getBlockReceipts")).toEqual([["eth_getBlockReceipts", [blockHash]]])
      }),
    )

    it.live("receipts: are requested by number once the node has rejected a hash", () =>
      Effect.gen(function* () {
        const byNumber: Response = ([id]) =>
          id === "0x64"
            ? { result: receipts }
            : { error: { code: -32602, message: "invalid argument 0: hex number > 64 bits" } }
        const server = yield* start({ ...healthy(), eth_getBlockReceipts: byNumber })
        const chain = yield* node([server])

        expect((yield* chain.receipts(ref))?.length).toBe(2)
        yield* chain.receipts(ref)
        expect(named(server, "eth_getBlockReceipts").map(([, [id]]) => id)).toEqual([blockHash, "0x64", "0x64"])
      }),
    )

    it.live("receipts: are null for a hash that the node does not know", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), eth_getBlockReceipts: error(-32000, "block not found") })
        const chain = yield* node([server])

        expect(yield* chain.receipts(ref)).toBe(null)
        expect(named(server, "eth_getBlockReceipts").length).toBe(1)
      }),
    )

    const receiptOf: Response = ([asked]) => ({
      result: receipts.find((one) => one["transactionHash"] === asked) ?? null,
    })
    const methodsOf = (server: Server) =>
      server.calls.map(([method]) => method).filter((method) => /Receipt/.test(method))

    it.live.each<readonly [string, Response]>([
      ["-32601", missing],
      ["-32600", error(-32600, "method eth_getBlockReceipts not found")],
      ["-32000", error(-32000, "The method eth_getBlockReceipts does not exist/is not available")],
      ["-32004", error(-32004, "Method not supported")],
      ["an error of only this method", error(-32099, "computer says no")],
      ["HTTP 403", () => FakeNode.status(403)],
    ])(
      "receipts: are requested one by one, in one request, once the node has rejected the method by %s",
      ([, refusal]) =>
        Effect.gen(function* () {
          const server = yield* start({
            ...healthy(),
            eth_getBlockReceipts: refusal,
            eth_getTransactionReceipt: receiptOf,
          })
          const chain = yield* node([server])
          const first = yield* chain.receipts(ref)
          server.calls.length = server.requests.length = 0
          const second = yield* chain.receipts(ref)

          expect(first?.map(({ transactionHash }) => transactionHash)).toEqual(ref.transactions)
          expect(second).toEqual(first)
          expect(methodsOf(server)).toEqual(["eth_getTransactionReceipt", "eth_getTransactionReceipt"])
          expect(server.requests).toEqual([2])
        }),
    )

    it.live(
      "receipts: are requested one by one for a block whose receipts exceed a limit, and by block afterwards",
      () =>
        Effect.gen(function* () {
          const server = yield* start({
            ...healthy(),
            eth_getBlockReceipts: error(-32000, "response size exceeded"),
            eth_getTransactionReceipt: receiptOf,
          })
          const chain = yield* node([server])
          expect((yield* chain.receipts(ref))?.length).toBe(2)
          server.answers["eth_getBlockReceipts"] = of(receipts)
          server.calls.length = 0

          expect((yield* chain.receipts(ref))?.length).toBe(2)
          expect(methodsOf(server)).toEqual(["eth_getBlockReceipts"])
        }),
    )

    it.live("receipts: are null after one call if a node without the method has pruned them", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), eth_getTransactionReceipt: of(null) })
        delete server.answers["eth_getBlockReceipts"]
        const chain = yield* node([server])
        expect(yield* chain.receipts(ref)).toBe(null)
        server.calls.length = 0

        expect(yield* chain.receipts(ref)).toBe(null)
        expect(methodsOf(server)).toEqual(["eth_getTransactionReceipt"])
      }),
    )

    it.live("receipts: fail with host and methods if the node supports neither", () =>
      Effect.gen(function* () {
        const server = yield* start({ ...healthy(), eth_getBlockReceipts: missing })
        const chain = yield* node([server])

        expect(yield* Effect.flip(chain.receipts(ref))).toMatchObject({
          _tag: "NodeFailed",
          isMisconfigured: true,
          message: `${server.host} supports neither eth_getBlockReceipts nor eth_getTransactionReceipt; indexing needs one of them. Use another node.`,
        })
      }),
    )

    it.live("receipts: fail with the node's error if the connection breaks while they are requested one by one", () =>
      Effect.gen(function* () {
        const server = yield* start({
          ...healthy(),
          eth_getBlockReceipts: missing,
          eth_getTransactionReceipt: () => FakeNode.disconnect,
        })
        const failed = yield* Effect.flip((yield* node([server])).receipts(ref))

        expect(failed).toMatchObject({ _tag: "NodeFailed", isMisconfigured: false })
        expect(failed.message).toContain("The connection")
      }),
    )
  })

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

  describe("finalized block", () => {
    const finalized = (answer: Response): Record<string, Response> => ({
      ...healthy(),
      eth_getBlockByNumber: (params) =>
        params[0] === "finalized" ? answer(params) : healthy()["eth_getBlockByNumber"]!(params),
    })

    it.live("finalized: returns the finalized block", () =>
      Effect.gen(function* () {
        const chain = yield* node([yield* start(finalized(of({ ...header, number: "0x40", transactions: [] })))])

        expect(yield* chain.finalized).toMatchObject({ number: 64, hash: header.hash })
      }),
    )

    it.live("finalized: returns null if the node returns null or rejects the tag", () =>
      Effect.gen(function* () {
        for (const answer of [
          of(null),
          error(-39001, "Unknown block"),
          error(-32602, "invalid argument 0: hex string without 0x"),
        ]) {
          const chain = yield* node([yield* start(finalized(answer))])

          expect(yield* chain.finalized).toBe(null)
        }
      }),
    )

    it.live(
      "finalized: returns null if the node repeatedly fails on the tag, which may be its only response to it",
      () =>
        Effect.gen(function* () {
          const chain = yield* node([yield* start(finalized(error(-32603, "Internal error")))])

          expect((yield* Effect.flip(chain.finalized))._tag).toBe("NodeFailed")
          expect([yield* chain.finalized, yield* chain.finalized]).toEqual([null, null])
        }),
    )

    it.live(
      "finalized: is requested again from a node without such a block, but not from one that does not know the tag",
      () =>
        Effect.gen(function* () {
          const servers = [
            yield* start(finalized(error(-39001, "Unknown block"))),
            yield* start(finalized(error(-32602, "invalid argument 0: hex string without 0x"))),
          ]
          const found: Array<number | null> = []
          for (const server of servers) {
            const chain = yield* node([server])
            yield* chain.finalized
            Object.assign(server.answers, finalized(of({ ...header, number: "0x40", transactions: [] })))
            found.push((yield* chain.finalized)?.number ?? null)
          }

          expect(found).toEqual([64, null])
        }),
    )

    it.live(
      "finalized: fails if a node that returned such a block fails, and returns null once it rejects the tag",
      () =>
        Effect.gen(function* () {
          const server = yield* start(finalized(of({ ...header, number: "0x40", transactions: [] })))
          const chain = yield* node([server])
          yield* chain.finalized

          for (const answer of [error(-32603, "Internal error"), error(-39001, "Unknown block")]) {
            Object.assign(server.answers, finalized(answer))
            expect((yield* Effect.flip(chain.finalized))._tag).toBe("NodeFailed")
          }
          Object.assign(server.answers, finalized(error(-32602, "invalid argument 0: hex string without 0x")))
          expect(yield* chain.finalized).toBe(null)
        }),
    )

    it.live("finalized: fails while the node does not respond", () =>
      Effect.gen(function* () {
        const chain = yield* node([yield* start(finalized(failing))])

        expect((yield* Effect.flip(chain.finalized))._tag).toBe("NodeFailed")
      }),
    )
  })
})
