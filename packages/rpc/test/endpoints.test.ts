/** Several endpoints: going on to the next, passive health, pinning, the highest block, and a rate that the client keeps to. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { RpcClient } from "../src/index.ts"
import { createRpcClient } from "../src/promise.ts"
import { gives, type Handler, refuses, replies, reply, script, success } from "./server.ts"
import { block } from "./values.ts"

const quick = { retry: { base: 1, cap: 2 } }

const reset: Handler = (_seen, _response, _number, request) => void request.socket.resetAndDestroy()
const stalled: Handler = () => undefined

const client = (servers: ReadonlyArray<{ readonly url: string }>, options: Partial<RpcClient.UrlOptions> = {}) =>
  RpcClient.make({ ...quick, ...options, url: servers.map(({ url }) => url) })

const counts = (...servers: ReadonlyArray<{ readonly seen: ReadonlyArray<unknown> }>) =>
  servers.map(({ seen }) => seen.length)

describe("endpoints", () => {
  describe("failing over", () => {
    const causes: ReadonlyArray<readonly [string, Handler]> = [
      ["a broken connection", reset],
      ["a stalled answer", stalled],
      ["a rate limit", reply("slow down", 429, { "retry-after": "60" })],
      ["a page", reply("<html>")],
      ["a refused key", reply("", 401)],
      ["a failing node", refuses(-32603, "internal")],
      ["a method it does not have", refuses(-32601, "the method does not exist")],
      ["pruned state", refuses(-32000, "missing trie node")],
      ["a block it does not know", refuses(-32000, "header not found")],
      ["a result that does not decode", gives({ a: 1 })],
    ]

    it.live.each(causes)("goes on at once after %s", ([, handler]) =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(handler), yield* script(gives("0x2a"))]
        const rpc = yield* client([bad, good], { timeout: 400 })

        expect(yield* rpc.eth_chainId()).toBe(42n)
        expect(counts(bad, good)).toEqual([1, 1])
      }),
    )

    const final: ReadonlyArray<readonly [string, Handler]> = [
      ["a revert", refuses(3, "execution reverted")],
      ["wrong parameters", refuses(-32602, "invalid argument 0")],
    ]

    it.live.each(final)("never after %s", ([, handler]) =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(handler), yield* script(gives("0x2a"))]
        const rpc = yield* client([first, second])

        expect((yield* Effect.flip(rpc.eth_chainId()))._tag).toBe("RpcError")
        expect(counts(first, second)).toEqual([1, 0])
      }),
    )

    it.live("ends with the last failure and every attempt, when all fail", () =>
      Effect.gen(function* () {
        const servers = [yield* script(refuses(-32601, "unknown method")), yield* script(reply("", 401))]
        const rpc = yield* client(servers)

        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(error._tag === "Unauthorized").toBe(true)
        expect(error._tag === "Unauthorized" && error.attempts.map(({ host, outcome }) => [host, outcome])).toEqual([
          [servers[0]?.host, "200"],
          [servers[1]?.host, "401"],
        ] as never)
      }),
    )

    it.live("tries all again, after a wait, while attempts last", () =>
      Effect.gen(function* () {
        const servers = [yield* script(reset, gives("0x2a")), yield* script(reset)]
        const rpc = yield* client(servers)

        expect(yield* rpc.eth_chainId()).toBe(42n)
        expect(counts(...servers)).toEqual([2, 1])
      }),
    )
  })

  describe("health", () => {
    it.live("is learnt from calls: what failed comes later, and no request is made to find out", () =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(reset), yield* script(gives("0x2a"))]
        const rpc = yield* client([bad, good])

        for (let at = 0; at < 4; at++) yield* rpc.with({ share: false }).eth_chainId()

        expect(counts(bad, good)).toEqual([1, 4])
      }),
    )

    it.live("remembers the methods that an endpoint does not have", () =>
      Effect.gen(function* () {
        const unsupportedMethods: Handler = (seen, response, number, request) =>
          (seen.calls[0]?.method === "eth_gasPrice" ? refuses(-32601, "no such method") : gives("0x1"))(
            seen,
            response,
            number,
            request,
          )
        const [first, second] = [yield* script(unsupportedMethods), yield* script(gives("0x2"))]
        const rpc = yield* client([first, second])

        expect([yield* rpc.eth_gasPrice(), yield* rpc.eth_gasPrice(), yield* rpc.eth_chainId()]).toEqual([2n, 2n, 1n])
        expect(counts(first, second)).toEqual([2, 2])
      }),
    )
  })

  describe("pin", () => {
    it.live("holds to the best endpoint and never fails over", () =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(reset), yield* script(gives("0x2a"), reset)]
        const rpc = yield* client([bad, good])
        yield* rpc.eth_chainId()

        const pinned = yield* rpc.pin
        const error = yield* Effect.flip(pinned.eth_chainId())

        expect(pinned.host).toBe(good.host)
        expect(error._tag).toBe("TransportError")
        expect(bad.seen.length).toBe(1)
      }),
    )

    it.live("of a fresh client finds an endpoint that answers, and asks nothing once it knows", () =>
      Effect.gen(function* () {
        const [dead, alive] = [yield* script(reset), yield* script(gives("0x2a"))]
        const rpc = yield* client([dead, alive])

        const pinned = yield* rpc.pin
        const again = yield* rpc.pin

        expect([pinned.host, again.host]).toEqual([alive.host, alive.host])
        expect(yield* pinned.eth_chainId()).toBe(42n)
        expect(counts(dead, alive)).toEqual([1, 2])
      }),
    )

    it.live("of a client whose endpoints are all down is made all the same", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(reset), yield* script(reset)]
        const rpc = yield* client([first, second])

        const error = yield* Effect.flip(Effect.flatMap(rpc.pin, (pinned) => pinned.eth_chainId()))

        expect(error._tag).toBe("TransportError")
      }),
    )

    it.live("is there for promises", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(gives("0x1")), yield* script(gives("0x2"))]
        const rpc = createRpcClient({ url: [first.url, { url: second.url, headers: { "x-key": "second only" } }] })

        const pinned = yield* Effect.promise(() => rpc.pin())

        expect(pinned.host).toBe(first.host)
        expect(yield* Effect.promise(() => pinned.eth_chainId())).toBe(1n)
      }),
    )
  })

  describe("the highest block seen", () => {
    it.live("is never gone below", () =>
      Effect.gen(function* () {
        const ahead = yield* script(gives("0x64"), reset, gives("0x65"))
        const behind = yield* script(gives("0x5f"))
        const rpc = yield* client([ahead, behind])

        const heights = [yield* rpc.eth_blockNumber(), yield* rpc.eth_blockNumber()]

        expect(heights).toEqual([100n, 101n])
        expect(behind.seen.length).toBeGreaterThanOrEqual(1)
      }),
    )

    it.live("makes a lagging endpoint's answer a typed failure when there is no other", () =>
      Effect.gen(function* () {
        const ahead = yield* script(gives("0x64"), reset)
        const behind = yield* script(gives("0x5f"))
        const rpc = yield* client([ahead, behind])
        yield* rpc.eth_blockNumber()

        const error = yield* Effect.flip(rpc.eth_blockNumber())

        expect(["InvalidResponse", "TransportError"]).toContain(error._tag)
      }),
    )

    it.live("makes a block that a lagging endpoint does not have be asked for elsewhere", () =>
      Effect.gen(function* () {
        const lagging = yield* script(gives("0x64"), gives(null))
        const other = yield* script(gives(block()))
        const rpc = yield* client([lagging, other])
        yield* rpc.eth_blockNumber()

        expect((yield* rpc.eth_getBlockByNumber(5))?.number).toBe(5n)
      }),
    )

    it.live("leaves a block null that no endpoint has", () =>
      Effect.gen(function* () {
        const servers = [yield* script(gives("0x64"), gives(null)), yield* script(gives(null))]
        const rpc = yield* client(servers)
        yield* rpc.eth_blockNumber()

        expect(yield* rpc.eth_getBlockByNumber(5)).toBe(null)
        expect(counts(...servers)).toEqual([2, 1])
      }),
    )

    it.live("does not hold for one endpoint, whose chain may be set back", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x64"), gives("0x5f"))
        const rpc = yield* RpcClient.make({ url: server.url })

        expect([yield* rpc.eth_blockNumber(), yield* rpc.eth_blockNumber()]).toEqual([100n, 95n])
      }),
    )
  })

  describe("a rate of the client's own", () => {
    const many = (rpc: RpcClient.Client, times: number) =>
      Effect.forEach(Array.from({ length: times }), () => rpc.eth_chainId(), { concurrency: "unbounded" })

    it.live("is kept by waiting", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map(({ id }) => success(id, "0x2a"))))
        const rpc = yield* RpcClient.make({
          url: server.url,
          share: false,
          batch: false,
          rateLimit: { perSecond: 50, burst: 5 },
        })
        const start = performance.now()

        yield* many(rpc, 10)

        expect(performance.now() - start).toBeGreaterThanOrEqual(90)
        expect(server.seen.length).toBe(10)
      }),
    )

    it.live("counts cost units by method, and fails at once when the wait is beyond the deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x2a"))
        const rateLimit = { perSecond: 1, burst: 10, units: { eth_chainId: 10 } }
        const rpc = yield* RpcClient.make({ url: server.url, timeout: 500, rateLimit })
        yield* rpc.eth_chainId()
        const start = performance.now()

        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(error._tag === "RateLimited" && error.scope === "call" && error.retryAfter !== undefined).toBe(true)
        expect(performance.now() - start).toBeLessThan(200)
        expect(server.seen.length).toBe(1)
      }),
    )
  })

  describe("a rate of the client's own, with several endpoints", () => {
    it.live("goes to the next endpoint instead of waiting, and fails when all are used up", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* script(gives("0x1")), yield* script(gives("0x2"))]
        const rateLimit = { perSecond: 0.1, burst: 1 }
        const rpc = yield* RpcClient.make({ url: [one.url, two.url], timeout: 500, rateLimit })

        const given = [yield* rpc.eth_chainId(), yield* rpc.eth_chainId()]
        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(given).toEqual([1n, 2n])
        expect(error._tag === "RateLimited" && error.scope === "call").toBe(true)
        expect([one.seen.length, two.seen.length]).toEqual([1, 1])
      }),
    )
  })

  describe("the scope of a client", () => {
    it.live("ends its calls, closes their sockets, and lets none begin", () =>
      Effect.gen(function* () {
        const server = yield* script(stalled)
        const scope = yield* Scope.make()
        const rpc = yield* Scope.provide(RpcClient.makeScoped({ url: server.url }), scope)
        const waiting = yield* Effect.forkChild(rpc.eth_chainId())
        while (server.seen.length === 0) yield* Effect.sleep("2 millis")

        yield* Scope.close(scope, Exit.void)
        const exit = yield* Fiber.await(waiting)
        yield* Effect.promise(() => server.closed(1))
        const late = yield* Effect.exit(rpc.eth_chainId())

        expect(Exit.isFailure(exit) && Exit.hasInterrupts(exit)).toBe(true)
        expect(Exit.isFailure(late) && Exit.hasInterrupts(late)).toBe(true)
        expect(server.seen.length).toBe(1)
      }),
    )
  })

  describe("options", () => {
    const bad: ReadonlyArray<readonly [string, Partial<RpcClient.UrlOptions>]> = [
      ["url", { url: [] }],
      ["url[1]", { url: ["http://a", "nowhere"] }],
      ["batch.window", { batch: { window: "1 hour" } }],
      ["batch.maxCalls", { batch: { maxCalls: 0 } }],
      ["batch.maxBytes", { batch: { maxBytes: 0.5 } }],
      ["maxItemBytes", { maxItemBytes: -1 }],
      ["rateLimit.perSecond", { rateLimit: { perSecond: 0 } }],
    ]

    it.effect.each(bad)("are refused: %s %j", ([option, options]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(RpcClient.make({ url: "http://a", ...options }))

        expect(error.option).toBe(option)
      }),
    )
  })
})
