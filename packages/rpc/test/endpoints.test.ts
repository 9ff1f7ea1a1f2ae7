/** Several endpoints: failover, passive health checks, pinning, the highest block seen, and the rate limit of the client. */
import { describe, expect, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import type { Fetch } from "@daybook/transport/Fetch"
import { Duration, Effect, Exit, Fiber, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { RpcClient } from "../src/index.ts"
import { createRpcClient } from "../src/promise.ts"
import { memoryNode, results } from "./memoryNode.ts"
import { gives, type Handler, type ReceivedCall, refuses, reply, script } from "./server.ts"
import { block } from "./values.ts"

const quick = { retry: { base: 1, cap: 2 } }

const reset: Handler = (_seen, _response, _number, request) => void request.socket.resetAndDestroy()
const stalled: Handler = () => undefined

const client = (servers: ReadonlyArray<{ readonly url: string }>, options: Partial<RpcClient.UrlOptions> = {}) =>
  RpcClient.make({ ...quick, ...options, url: servers.map(({ url }) => url) })

const counts = (...servers: ReadonlyArray<{ readonly seen: ReadonlyArray<unknown> }>) =>
  servers.map(({ seen }) => seen.length)

describe("endpoints", () => {
  describe("failover", () => {
    const causes: ReadonlyArray<readonly [string, Handler]> = [
      ["a broken connection", reset],
      ["a rate limit", reply("slow down", 429, { "retry-after": "60" })],
      ["an HTML page", reply("<html>")],
      ["a rejected key", reply("", 401)],
      ["an internal error", refuses(-32603, "internal")],
      ["an unsupported method", refuses(-32601, "the method does not exist")],
      ["pruned state", refuses(-32000, "missing trie node")],
      ["an unknown block", refuses(-32000, "header not found")],
      ["a result that does not decode", gives({ a: 1 })],
    ]

    it.live.each(causes)("failover: uses the next endpoint at once after %s", ([, handler]) =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(handler), yield* script(gives("0x2a"))]
        const rpc = yield* client([bad, good])

        expect(yield* rpc.eth_chainId()).toBe(42n)
        expect(counts(bad, good)).toEqual([1, 1])
      }),
    )

    it.live("failover: an endpoint that rejected a parameter of one call as unsupported is used first again", () =>
      Effect.gen(function* () {
        const [first, second] = [
          yield* script(refuses(-32000, "transaction type not supported"), gives("0x1")),
          yield* script(gives("0x2")),
        ]
        const rpc = yield* client([first, second])

        expect([yield* rpc.eth_chainId(), yield* rpc.eth_chainId()]).toEqual([2n, 1n])
        expect(counts(first, second)).toEqual([2, 1])
      }),
    )

    it.effect("failover: uses the next endpoint once a response has stalled for its share of the time", () =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(stalled), yield* script(gives("0x2a"))]
        const rpc = yield* client([bad, good], { timeout: "1 minute" })
        const called = yield* Effect.forkChild(rpc.eth_chainId())
        yield* Eventually.untilEffect(Effect.sync(() => bad.seen.length === 1))
        yield* TestClock.adjust("30 seconds")
        // The steps before the next request may take a few milliseconds.
        const isAsked = Effect.map(TestClock.adjust("1 millis"), () => good.seen.length === 1)
        yield* Eventually.untilEffect(isAsked)

        expect(yield* Fiber.join(called)).toBe(42n)
        expect(counts(bad, good)).toEqual([1, 1])
      }),
    )

    const final: ReadonlyArray<readonly [string, Handler]> = [
      ["a revert", refuses(3, "execution reverted")],
      ["invalid parameters", refuses(-32602, "invalid argument 0")],
    ]

    it.live.each(final)("failover: uses no other endpoint after %s", ([, handler]) =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(handler), yield* script(gives("0x2a"))]
        const rpc = yield* client([first, second])

        expect((yield* Effect.flip(rpc.eth_chainId()))._tag).toBe("RpcError")
        expect(counts(first, second)).toEqual([1, 0])
      }),
    )

    it.live("failover: fails with the last error and every attempt when all endpoints fail", () =>
      Effect.gen(function* () {
        const servers = [yield* script(refuses(-32601, "unknown method")), yield* script(reply("", 401))]
        const rpc = yield* client(servers)

        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(error).toMatchObject({
          _tag: "Unauthorized",
          attempts: [
            { host: servers[0]?.host, outcome: "200" },
            { host: servers[1]?.host, outcome: "401" },
          ],
        })
      }),
    )

    it.live("failover: uses all endpoints again after a wait while attempts remain", () =>
      Effect.gen(function* () {
        const servers = [yield* script(reset, gives("0x2a")), yield* script(reset)]
        const rpc = yield* client(servers)

        expect(yield* rpc.eth_chainId()).toBe(42n)
        expect(counts(...servers)).toEqual([2, 1])
      }),
    )
  })

  describe("health", () => {
    it.live("health: uses a failed endpoint last, and probes none", () =>
      Effect.gen(function* () {
        const [bad, good] = [yield* script(reset), yield* script(gives("0x2a"))]
        const rpc = yield* client([bad, good])

        for (let at = 0; at < 4; at++) yield* rpc.with({ share: false }).eth_chainId()

        expect(counts(bad, good)).toEqual([1, 4])
      }),
    )

    it.live("health: remembers the methods that an endpoint does not support", () =>
      Effect.gen(function* () {
        const withoutGasPrice: Handler = (seen, response, number, request) =>
          (seen.calls[0]?.method === "eth_gasPrice" ? refuses(-32601, "no such method") : gives("0x1"))(
            seen,
            response,
            number,
            request,
          )
        const [first, second] = [yield* script(withoutGasPrice), yield* script(gives("0x2"))]
        const rpc = yield* client([first, second])

        expect([yield* rpc.eth_gasPrice(), yield* rpc.eth_gasPrice(), yield* rpc.eth_chainId()]).toEqual([2n, 2n, 1n])
        expect(counts(first, second)).toEqual([2, 2])
      }),
    )
  })

  describe("pin", () => {
    it.live("pin: stays with the best endpoint and never fails over", () =>
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

    it.live("pin: finds a healthy endpoint with one call, and makes none once it knows one", () =>
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

    it.live("pin: returns a client even when every endpoint is down", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(reset), yield* script(reset)]
        const rpc = yield* client([first, second])

        const error = yield* Effect.flip(Effect.flatMap(rpc.pin, (pinned) => pinned.eth_chainId()))

        expect(error._tag).toBe("TransportError")
      }),
    )

    it.live("pin: returns a promise client", () =>
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
    it.live("the highest block: a lagging endpoint is never the source of a head", () =>
      Effect.gen(function* () {
        const ahead = yield* script(gives("0x64"), reset, gives("0x65"))
        const behind = yield* script(gives("0x5f"))
        const rpc = yield* client([ahead, behind])

        const heights = [yield* rpc.eth_blockNumber(), yield* rpc.eth_blockNumber()]

        expect(heights).toEqual([100n, 101n])
        expect(behind.seen.length).toBeGreaterThanOrEqual(1)
      }),
    )

    it.live("the highest block: a lagging head is a typed error when no other endpoint answers", () =>
      Effect.gen(function* () {
        const ahead = yield* script(gives("0x64"), reset)
        const behind = yield* script(gives("0x5f"))
        const rpc = yield* client([ahead, behind])
        yield* rpc.eth_blockNumber()

        const error = yield* Effect.flip(rpc.eth_blockNumber())

        expect(["InvalidResponse", "TransportError"]).toContain(error._tag)
      }),
    )

    it.effect("the highest block: a wrong head of one endpoint disables the others for a minute at most", () =>
      Effect.gen(function* () {
        const fetch: Fetch = async (target, { body = "" }) => {
          const { id } = JSON.parse(body) as ReceivedCall
          const isWrong = new URL(target).host === "wrong.example"
          if (isWrong && id > 1) throw new TypeError("fetch failed")
          return Response.json({ jsonrpc: "2.0", id, result: isWrong ? "0xffffffffffff" : "0x64" })
        }
        const url = ["http://wrong.example", "http://right.example"]
        const rpc = yield* RpcClient.make({ url, fetch, retry: { maxAttempts: 2, base: 1, cap: 1 } })
        const height = (waited: Duration.Input) =>
          Effect.gen(function* () {
            yield* TestClock.adjust(waited)
            const called = yield* Effect.forkChild(Effect.option(rpc.eth_blockNumber()))
            yield* TestClock.adjust("10 millis")
            return yield* Fiber.join(called)
          })

        expect([yield* height(0), yield* height(0), yield* height("61 seconds")]).toEqual([
          Option.some(0xffff_ffff_ffffn),
          Option.none(),
          Option.some(100n),
        ])
      }),
    )

    it.live("the highest block: a block that a lagging endpoint does not have is requested elsewhere", () =>
      Effect.gen(function* () {
        const lagging = yield* script(gives("0x64"), gives(null))
        const other = yield* script(gives(block()))
        const rpc = yield* client([lagging, other])
        yield* rpc.eth_blockNumber()

        expect((yield* rpc.eth_getBlockByNumber(5))?.number).toBe(5n)
      }),
    )

    it.live("the highest block: a block that no endpoint has is null", () =>
      Effect.gen(function* () {
        const servers = [yield* script(gives("0x64"), gives(null)), yield* script(gives(null))]
        const rpc = yield* client(servers)
        yield* rpc.eth_blockNumber()

        expect(yield* rpc.eth_getBlockByNumber(5)).toBe(null)
        expect(counts(...servers)).toEqual([2, 1])
      }),
    )

    it.live("the highest block: does not apply to one endpoint, whose chain may be reset", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x64"), gives("0x5f"))
        const rpc = yield* RpcClient.make({ url: server.url })

        expect([yield* rpc.eth_blockNumber(), yield* rpc.eth_blockNumber()]).toEqual([100n, 95n])
      }),
    )
  })

  describe("maxPause", () => {
    it.effect("maxPause: calls a server again before the end of a longer pause that it requested", () =>
      Effect.gen(function* () {
        const node = memoryNode(() => new Response("slow down", { status: 429, headers: { "retry-after": "86400" } }))
        const url = "http://node.example"
        const rpc = yield* RpcClient.make({ fetch: node.fetch, url, timeout: 500, maxPause: "1 minute" })
        const attempt = Effect.result(rpc.eth_chainId())
        yield* attempt
        yield* attempt
        expect(node.requests.length).toBe(1)
        yield* TestClock.adjust("59 seconds")
        yield* attempt
        expect(node.requests.length).toBe(1)
        yield* TestClock.adjust("1 second")
        yield* attempt

        expect(node.requests.length).toBe(2)
      }),
    )
  })

  describe("rateLimit", () => {
    const url = "http://node.example"

    it.effect("rateLimit: calls beyond the burst wait for their turn", () =>
      Effect.gen(function* () {
        const node = memoryNode(results("0x2a"))
        const rpc = yield* RpcClient.make({
          fetch: node.fetch,
          url,
          share: false,
          batch: false,
          rateLimit: { perSecond: 50, burst: 5 },
        })
        const calls = Array.from({ length: 10 }, () => rpc.eth_chainId())

        const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
        yield* node.received(5)
        yield* TestClock.adjust("19 millis")
        expect(node.requests.length).toBe(5)
        yield* TestClock.adjust("1 millis")
        yield* node.received(6)
        yield* TestClock.adjust("80 millis")
        yield* Fiber.join(fiber)

        expect(node.requests.length).toBe(10)
      }),
    )

    it.effect("rateLimit: counts units by method, and fails at once when the wait exceeds the deadline", () =>
      Effect.gen(function* () {
        const node = memoryNode(results("0x2a"))
        const rateLimit = { perSecond: 1, burst: 10, units: { eth_chainId: 10 } }
        const rpc = yield* RpcClient.make({ fetch: node.fetch, url, timeout: 500, rateLimit })
        yield* rpc.eth_chainId()

        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(error).toMatchObject({ _tag: "RateLimited", scope: "call", retryAfter: Duration.seconds(10) })
        expect(node.requests.length).toBe(1)
      }),
    )

    it.effect("rateLimit: uses the next endpoint instead of waiting, and fails if every endpoint is used up", () =>
      Effect.gen(function* () {
        const node = memoryNode(results("0x2a"))
        const hosts: Array<string> = []
        const fetch: typeof node.fetch = (to, init) => {
          hosts.push(new URL(to).host)
          return node.fetch(to, init)
        }
        const rateLimit = { perSecond: 0.1, burst: 1 }
        const rpc = yield* RpcClient.make({ fetch, url: ["http://a", "http://b"], timeout: 500, rateLimit })

        yield* rpc.eth_chainId()
        yield* rpc.eth_chainId()
        const error = yield* Effect.flip(rpc.eth_chainId())

        expect(error).toMatchObject({ _tag: "RateLimited", scope: "call" })
        expect(hosts).toEqual(["a", "b"])
      }),
    )
  })

  describe("makeScoped", () => {
    it.live(
      "makeScoped: interrupts calls and closes their sockets when the scope closes, and starts no further ones",
      () =>
        Effect.gen(function* () {
          const server = yield* script(stalled)
          const scope = yield* Scope.make()
          const rpc = yield* Scope.provide(RpcClient.makeScoped({ url: server.url }), scope)
          const waiting = yield* Effect.forkChild(rpc.eth_chainId())
          yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))

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
      ["maxPause", { maxPause: "soon" as "1 second" }],
      ["rateLimit.perSecond", { rateLimit: { perSecond: 0 } }],
    ]

    it.effect.each(bad)("options: rejects an invalid %s: %j", ([option, options]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(RpcClient.make({ url: "http://a", ...options }))

        expect(error.option).toBe(option)
      }),
    )
  })
})
