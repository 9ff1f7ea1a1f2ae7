/** Calls that come together, identical calls, and batches that a server refuses. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createRpcClient } from "../src/promise.ts"
import { RpcClient } from "../src/index.ts"
import { type CallContext, failure, type Handler, replies, reply, script, success } from "./server.ts"

const quick = { retry: { base: 1, cap: 2 } }

const valueOf = (call: CallContext): string => (call.method === "eth_getBalance" ? String(call.params[1]) : "0x2a")

const right: Handler = replies((calls) => calls.map((call) => success(call.id, valueOf(call))))

const account = `0x${"1".repeat(40)}`

const balances = (client: RpcClient.Client, count: number, from = 0) =>
  Effect.forEach(
    Array.from({ length: count }, (_, at) => from + at),
    (at) => client.eth_getBalance(account, at),
    { concurrency: "unbounded" },
  )

const numbers = (count: number): ReadonlyArray<bigint> => Array.from({ length: count }, (_, at) => BigInt(at))

const sizes = (server: { readonly seen: ReadonlyArray<{ readonly calls: ReadonlyArray<CallContext> }> }) =>
  server.seen.map(({ calls }) => calls.length)

/** Refuses batches above a size with this answer. */
const refusing =
  (most: number, refusal: Handler): Handler =>
  (seen, response, number, request) =>
    (seen.calls.length > most ? refusal : right)(seen, response, number, request)

describe("batching", () => {
  describe("by itself", () => {
    it.live("puts calls of the same turn into one request", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })

        expect(yield* balances(client, 5)).toEqual(numbers(5))
        expect(sizes(server)).toEqual([5])
      }),
    )

    it.live("does so for promises too", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = createRpcClient({ url: server.url })

        const found = yield* Effect.promise(() =>
          Promise.all([
            client.eth_chainId(),
            client.eth_getBalance(account, 7),
            client.request({ method: "eth_gasPrice" }),
          ]),
        )

        expect(found).toEqual([42n, 7n, "0x2a"])
        expect(sizes(server)).toEqual([3])
      }),
    )

    it.live("sends a call that is alone without an array and without waiting", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })

        yield* client.eth_chainId()

        expect(server.seen[0]?.body.startsWith("{")).toBe(true)
      }),
    )

    it.live("keeps the limit of calls", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, batch: { maxCalls: 4 } })

        expect(yield* balances(client, 10)).toEqual(numbers(10))
        expect(sizes(server).toSorted((a, b) => a - b)).toEqual([2, 4, 4])
      }),
    )

    it.live("keeps the limit of bytes", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, batch: { maxBytes: 400 } })

        expect(yield* balances(client, 8)).toEqual(numbers(8))
        for (const { body } of server.seen) expect(body.length).toBeLessThanOrEqual(400)
        expect(server.seen.length).toBeLessThan(8)
      }),
    )

    it.live("waits for the window", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, batch: { window: "60 millis" } })

        const first = yield* Effect.forkChild(client.eth_chainId())
        yield* Effect.sleep("15 millis")
        yield* client.eth_blockNumber()
        yield* Fiber.join(first)

        expect(sizes(server)).toEqual([2])
      }),
    )

    it.live("can be turned off, for the client and for some calls", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const off = yield* RpcClient.make({ url: server.url, batch: false })
        const on = yield* RpcClient.make({ url: server.url })

        yield* balances(off, 3)
        yield* balances(on.with({ batch: false }), 3)

        expect(sizes(server)).toEqual([1, 1, 1, 1, 1, 1])
      }),
    )

    it.live("leaves heavy and unknown methods alone", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map((call) => success(call.id, null))))
        const client = yield* RpcClient.make({ url: server.url })

        yield* Effect.all([client.trace_block(1), client.trace_block(2), client.request({ method: "evm_mine" })], {
          concurrency: "unbounded",
        })

        expect(sizes(server)).toEqual([1, 1, 1])
      }),
    )

    it.live("gives the text of each result", () =>
      Effect.gen(function* () {
        const server = yield* script((seen, response) => {
          const items = seen.calls.map(
            ({ id, method }) => `{"id": ${id}, "result" : [ "${method}", 1.0 ] ,"jsonrpc":"2.0"}`,
          )
          response.end(`[ ${items.toReversed().join(" , ")} ]`)
        })
        const client = yield* RpcClient.make({ url: server.url })

        const texts = yield* Effect.all([client.requestText("eth_chainId"), client.requestText("eth_gasPrice")], {
          concurrency: "unbounded",
        })

        expect(texts).toEqual(['[ "eth_chainId", 1.0 ]', '[ "eth_gasPrice", 1.0 ]'])
        expect(sizes(server)).toEqual([2])
      }),
    )
  })

  describe("sharing", () => {
    it.live("sends identical calls once, and gives each caller a value of its own", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map((call) => success(call.id, { list: [1] }))))
        const client = yield* RpcClient.make({ url: server.url })
        const call = client.request({ method: "eth_getLogs", params: [{ fromBlock: "0x1" }] })

        const [one, other] = yield* Effect.all([call, call], { concurrency: "unbounded" })

        expect(sizes(server)).toEqual([1])
        expect(one).toEqual(other)
        expect(one).not.toBe(other)
      }),
    )

    it.live("joins a call that is on its way, and outlives the caller who began it", () =>
      Effect.gen(function* () {
        const server = yield* script((seen, response, number, request) => {
          setTimeout(() => right(seen, response, number, request), 60)
        })
        const client = yield* RpcClient.make({ url: server.url })

        const first = yield* Effect.forkChild(client.eth_chainId())
        while (server.seen.length === 0) yield* Effect.sleep("2 millis")
        const second = yield* Effect.forkChild(client.eth_chainId())
        yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(first)

        expect(yield* Fiber.join(second)).toBe(42n)
        expect(sizes(server)).toEqual([1])
      }),
    )

    it.live("ends a caller at its own deadline, and not the other", () =>
      Effect.gen(function* () {
        const server = yield* script((seen, response, number, request) => {
          setTimeout(() => right(seen, response, number, request), 150)
        })
        const client = yield* RpcClient.make({ url: server.url })

        const [short, long] = yield* Effect.all(
          [Effect.flip(client.with({ timeout: 40 }).eth_chainId()), client.eth_chainId()],
          { concurrency: "unbounded" },
        )

        expect(short._tag).toBe("TimeoutError")
        expect(long).toBe(42n)
        expect(sizes(server)).toEqual([1])
      }),
    )

    it.live("can be turned off", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, share: false })

        yield* Effect.all([client.eth_chainId(), client.eth_chainId()], { concurrency: "unbounded" })

        expect(sizes(server)).toEqual([2])
      }),
    )

    it.live("does not share what may change something", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })
        const mine = client.request({ method: "evm_mine" })

        yield* Effect.all([mine, mine], { concurrency: "unbounded" })

        expect(sizes(server)).toEqual([1, 1])
      }),
    )
  })

  describe("a refused batch", () => {
    const refusals: ReadonlyArray<readonly [string, number, Handler, ReadonlyArray<number>]> = [
      ["by status 413", 3, reply("Request Entity Too Large", 413), [12, 6, 6, 3, 3, 3, 3]],
      ["by code", 6, reply(() => failure(null, -32003, "batch too large")), [12, 6, 6]],
      [
        "by words with the limit",
        5,
        reply(() => failure(null, -32000, "batch limit 5 exceeded, 12 sent")),
        [12, 2, 5, 5],
      ],
      [
        "because there are none",
        1,
        reply(() => failure(null, -32202, "batch requests are disabled")),
        [12, ...Array.from({ length: 12 }, () => 1)],
      ],
    ]

    it.live.each(refusals)("%s is split, and the limit is kept", ([, most, refusal, expected]) =>
      Effect.gen(function* () {
        const server = yield* script(refusing(most, refusal))
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const first = yield* balances(client, 12)
        const before = server.seen.length
        const second = yield* balances(client, 12, 100)

        expect(first).toEqual(numbers(12))
        expect(second).toEqual(numbers(12).map((number) => number + 100n))
        expect([
          12,
          ...sizes(server)
            .slice(1, before)
            .toSorted((a, b) => a - b),
        ]).toEqual([12, ...expected.slice(1).toSorted((a, b) => a - b)])
        for (const { calls } of server.seen.slice(before)) expect(calls.length).toBeLessThanOrEqual(most)
      }),
    )

    it.live("that the server does not understand at all is sent as single calls", () =>
      Effect.gen(function* () {
        const server = yield* script(
          refusing(
            1,
            reply(() => failure(null, -32600, "Invalid Request")),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        expect(yield* balances(client, 3)).toEqual(numbers(3))
      }),
    )

    it.live("does not count as an attempt", () =>
      Effect.gen(function* () {
        const server = yield* script(refusing(1, reply("too large", 413)))
        const client = yield* RpcClient.make({ url: server.url, retry: { maxAttempts: 1 } })

        expect(yield* balances(client, 8)).toEqual(numbers(8))
      }),
    )
  })

  describe("one bad item", () => {
    const bulky: Handler = replies((calls) =>
      calls.map((call) => success(call.id, call.params[1] === "0x2" ? "x".repeat(50_000) : valueOf(call))),
    )

    it.live("that is too long fails alone, by the limit of an item", () =>
      Effect.gen(function* () {
        const server = yield* script(bulky)
        const client = yield* RpcClient.make({ url: server.url, maxItemBytes: 10_000, ...quick })

        const results = yield* client.batch(
          [0, 1, 2, 3].map((at) => ({ method: "eth_getBalance" as const, params: [account, at] as const })),
        )

        expect(
          results.map((one) => (one._tag === "Success" ? one.success : "reason" in one.failure && one.failure.reason)),
        ).toEqual([0n, 1n, "too-large", 3n])
        expect(sizes(server)).toEqual([4])
      }),
    )

    it.live("that makes the whole answer too long fails alone, after the others were asked again without it", () =>
      Effect.gen(function* () {
        const server = yield* script(bulky)
        const client = yield* RpcClient.make({ url: server.url, maxBytes: 10_000, ...quick })

        const results = yield* client.batch(
          [0, 1, 2, 3].map((at) => ({ method: "eth_getBalance" as const, params: [account, at] as const })),
        )

        expect(
          results.map((one) => (one._tag === "Success" ? one.success : "reason" in one.failure && one.failure.reason)),
        ).toEqual([0n, 1n, "too-large", 3n])
        expect(sizes(server)).toEqual([4, 1, 1, 1, 1])
      }),
    )

    it.live("that does not decode fails alone", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) =>
            calls.map((call) => success(call.id, call.params[1] === "0x1" ? { a: 1 } : valueOf(call))),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const results = yield* Effect.forEach([0, 1, 2], (at) => Effect.result(client.eth_getBalance(account, at)), {
          concurrency: "unbounded",
        })

        expect(results.map((one) => (one._tag === "Success" ? one.success : one.failure._tag))).toEqual([
          0n,
          "InvalidResponse",
          2n,
        ])
        expect(sizes(server)).toEqual([3])
      }),
    )
  })

  describe("interruption", () => {
    it.live("closes the socket when the last caller of a request leaves, and not before", () =>
      Effect.gen(function* () {
        const server = yield* script(() => undefined)
        const client = yield* RpcClient.make({ url: server.url })

        const one = yield* Effect.forkChild(client.eth_chainId())
        const other = yield* Effect.forkChild(client.eth_blockNumber())
        while (server.seen.length === 0) yield* Effect.sleep("2 millis")
        let isClosed = false
        const closing = server.closed(1).then(() => (isClosed = true))
        yield* Fiber.interrupt(one)
        yield* Effect.sleep("30 millis")
        expect(isClosed).toBe(false)
        yield* Fiber.interrupt(other)
        yield* Effect.promise(() => closing)

        expect(sizes(server)).toEqual([2])
      }),
    )
  })
})
