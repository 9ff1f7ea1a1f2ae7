import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start, type Started } from "../service.ts"

const quantity = (number: number) => `0x${number.toString(16)}`

/** As a node may write it, including spaces. */
const blockText = (number: number, hash = Rows.blockHash(number)) =>
  `{ "number":"${quantity(number)}", "hash":"${hash}", "note":"\\u00e9", "transactions":[] }`

/** Replies with the blocks of the index, by number or by hash. */
const honest = ({ method, params }: Node.Call): Node.Reply => {
  const [first] = params
  const number = Number(first)
  switch (method) {
    case "eth_getBlockByNumber":
      return Node.result(blockText(Number.isNaN(number) ? 20 : number))
    case "eth_getBlockByHash":
      return Node.result(blockText(5, String(first)))
    case "eth_getTransactionReceipt":
      return Node.result(`{"blockHash":"${Rows.blockHash(5)}","blockNumber":"0x5"}`)
    case "trace_block":
      return Node.result(`[{"blockHash":"${Rows.blockHash(number)}","blockNumber":${number}}]`)
    default:
      return Node.result(JSON.stringify(method))
  }
}

/** A service whose index holds blocks 0 to 20, final up to 10. */
const withIndex = Effect.fnUntraced(function* (
  reply: (call: Node.Call) => Node.Reply = honest,
  config: Readonly<Record<string, unknown>> = {},
) {
  const node = yield* Node.start(reply)
  const blocks = Rows.chain(0, 20)
  const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, blocks }, base: {} }, config })
  yield* Effect.orDie(service.stores["eth"]!.finalize(10))
  return { node, service }
})

const request = (method: string, params: ReadonlyArray<unknown>, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
})
const byNumber = (block: number | string, id: unknown = 1) =>
  request("eth_getBlockByNumber", [typeof block === "string" ? block : quantity(block), true], id)

/** Makes a call several times, and counts how often the node was called. */
const asked = Effect.fnUntraced(function* (node: Node.Node, service: Started, body: unknown, times = 3) {
  const before = node.calls.length
  for (let time = 0; time < times; time++) yield* service.call(body)
  return node.calls.length - before
})

/** Bytes that the cache holds, by its metric. */
const heldBytes = (service: Started) =>
  Effect.map(service.fetch("/metrics"), ({ text }) => Number(/^daybook_relay_cache_bytes (\d+)$/m.exec(text)?.[1]))

describe("RelayCache", () => {
  describe("keeps", () => {
    it.live("a final block by number: the same text under the id of each call", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withIndex()

        const first = yield* service.call(byNumber(5))
        const second = yield* service.call(byNumber("0x05", "é"))
        const batch = yield* service.call([byNumber(5, 7), byNumber(5, 8)])

        const text = blockText(5)
        expect(first.text).toBe(`{"jsonrpc":"2.0","id":1,"result":${text}}`)
        expect(second.text).toBe(`{"jsonrpc":"2.0","id":"é","result":${text}}`)
        expect(batch.text).toBe(`[{"jsonrpc":"2.0","id":7,"result":${text}},{"jsonrpc":"2.0","id":8,"result":${text}}]`)
        expect(second.headers["content-type"]).toBe("application/json")
        expect(node.calls).toHaveLength(1)
      }),
    )

    it.live("a block by hash wherever it is, a receipt of a final block, and the id of the chain", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withIndex()

        expect(yield* asked(node, service, request("eth_getBlockByHash", [Rows.hashOf("any"), true]))).toBe(1)
        expect(yield* asked(node, service, request("eth_getTransactionReceipt", [Rows.hashOf("any")]))).toBe(1)
        expect(yield* asked(node, service, request("net_version", []))).toBe(1)
        expect((yield* service.call(request("eth_chainId", []))).json.result).toBe("0x1")
      }),
    )

    it.live("what a block becomes once it is final", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withIndex()
        expect(yield* asked(node, service, byNumber(15))).toBe(3)

        yield* Effect.orDie(service.stores["eth"]!.finalize(15))

        expect(yield* asked(node, service, byNumber(15))).toBe(1)
      }),
    )
  })

  describe("does not keep", () => {
    it.live("a block that is not final, or that is requested by a tag", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withIndex()

        for (const block of [11, 20, 21, "latest", "earliest", "finalized", "safe", "pending"]) {
          expect(yield* asked(node, service, byNumber(block))).toBe(3)
        }
        expect(yield* asked(node, service, request("eth_blockNumber", []))).toBe(3)
      }),
    )

    it.live("null, an empty list, an error, or a result that names no block", () =>
      Effect.gen(function* () {
        for (const given of [
          Node.result("null"),
          Node.result(" [ ] "),
          Node.result("{}"),
          Node.result('"text"'),
          Node.error('{"code":4444,"message":"pruned"}'),
        ]) {
          const { node, service } = yield* withIndex(() => given)
          expect(yield* asked(node, service, byNumber(5))).toBe(3)
          expect(yield* asked(node, service, request("eth_getBlockByHash", [Rows.hashOf("x"), true]))).toBe(3)
          expect(yield* asked(node, service, request("eth_getLogs", [{ blockHash: Rows.hashOf("x") }]))).toBe(3)
        }
      }).pipe(Effect.scoped),
    )

    it.live("the response of a node on another fork than the index, or one that names another block", () =>
      Effect.gen(function* () {
        const fork = yield* withIndex(() => Node.result(blockText(5, Rows.blockHash(5, "b"))))
        const wrong = yield* withIndex(() => Node.result(blockText(6)))

        expect(yield* asked(fork.node, fork.service, byNumber(5))).toBe(3)
        expect(yield* asked(wrong.node, wrong.service, byNumber(5))).toBe(3)
        expect(
          yield* asked(wrong.node, wrong.service, request("eth_getBlockByHash", [Rows.hashOf("other"), true])),
        ).toBe(3)
      }),
    )

    it.live("anything by number while nothing is indexed", () =>
      Effect.gen(function* () {
        const node = yield* Node.start(honest)
        const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, isAbsent: true } } })

        expect(yield* asked(node, service, byNumber(5))).toBe(3)
      }),
    )

    it.live("anything when it is turned off", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withIndex(honest, { relay: { cacheMebibytes: 0 } })

        expect(yield* asked(node, service, byNumber(5))).toBe(3)
        expect(yield* asked(node, service, request("eth_getBlockByHash", [Rows.hashOf("any"), true]))).toBe(3)
        expect((yield* service.fetch("/metrics")).text).not.toContain("daybook_relay_cache_misses_total{")
      }),
    )
  })

  it.live("forgets a block of a branch that was abandoned below the final block, and serves the new one", () =>
    Effect.gen(function* () {
      let fork = "a"
      const { node, service } = yield* withIndex((call) =>
        Node.result(blockText(Number(call.params[0]), Rows.blockHash(Number(call.params[0]), fork))),
      )
      const store = service.stores["eth"]!
      yield* service.call(byNumber(8))
      const old = Rows.chain(0, 20)
      const ref = ({ hash, number }: (typeof old)[number]) => ({ hash, number })
      fork = "b"
      const [first, ...rest] = Rows.chain(6, 20, { fork })
      yield* Effect.orDie(store.unwind(ref(old[20]!), ref(old[5]!)))
      expect(yield* heldBytes(service)).toBeGreaterThan(0)
      const between = yield* service.call(byNumber(8))
      expect(yield* heldBytes(service)).toBe(0)
      yield* Effect.orDie(store.append(ref(old[5]!), [{ ...first!, parentHash: old[5]!.hash }, ...rest]))
      yield* Effect.orDie(store.finalize(15))

      const after = yield* service.call(byNumber(8))
      const again = yield* service.call(byNumber(8))

      expect(between.json.result.hash).toBe(Rows.blockHash(8, "b"))
      expect([after, again].map(({ json }) => json.result.hash)).toEqual([8, 8].map((at) => Rows.blockHash(at, "b")))
      expect(node.calls).toHaveLength(3)
    }),
  )

  it.live("returns nothing to a key that may not make the call", () =>
    Effect.gen(function* () {
      const { node, service } = yield* withIndex()
      const operator = yield* service.addKey({ name: "operator", operator: true })
      const trace = request("trace_block", ["0x5"])
      for (const _ of [1, 2]) expect((yield* service.call(trace, "eth", operator)).json.result).toHaveLength(1)

      const refused = yield* service.call(trace)

      expect(refused.json.error.code).toBe(-32601)
      expect((yield* service.call(byNumber(5), "eth", "dbk_wrong")).status).toBe(401)
      expect(node.calls).toHaveLength(1)
    }),
  )

  it.live("counts cached responses against the rate limit of a key, and checks parameters first", () =>
    Effect.gen(function* () {
      const { service } = yield* withIndex(honest, { rateLimit: { perSecond: 1, burst: 4 } })
      yield* service.call(byNumber(5))

      const wrong = yield* service.call(request("eth_getBlockByNumber", ["0x5"]))
      const batch = yield* service.call([byNumber(5), byNumber(5), byNumber(5)])

      expect(wrong.json.error.code).toBe(-32602)
      expect(batch.status).toBe(429)
    }),
  )

  it.live("keeps chains separate, and reports its hits at /metrics without a key", () =>
    Effect.gen(function* () {
      const { service } = yield* withIndex()
      expect(yield* heldBytes(service)).toBe(0)
      for (const _ of [1, 2, 3]) yield* service.call(byNumber(5))
      expect((yield* service.call(byNumber(5), "base")).status).toBe(503)

      const { text } = yield* service.fetch("/metrics")

      const lines = text.split("\n")
      expect(lines).toContain('daybook_relay_cache_hits_total{chain="eth"} 2')
      expect(lines).toContain('daybook_relay_cache_misses_total{chain="eth"} 1')
      expect(lines).toContain('daybook_relay_cache_misses_total{chain="base"} 1')
      expect(yield* heldBytes(service)).toBeGreaterThan(blockText(5).length)
      expect(text).not.toContain(service.key)
    }),
  )
})
