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
