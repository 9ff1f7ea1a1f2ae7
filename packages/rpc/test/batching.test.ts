/** Automatic batching, sharing of identical calls, and batches that a server rejects. */
import { describe, expect, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { createRpcClient } from "../src/promise.ts"
import { RpcClient } from "../src/index.ts"
import { type Respond, memoryNode, results } from "./memoryNode.ts"
import { type ReceivedCall, failure, type Handler, replies, reply, script, success } from "./server.ts"

/** A required option; no request is made to it. */
const url = "http://node.example"

const quick = { retry: { base: 1, cap: 2 } }

const valueOf = (call: ReceivedCall): string => (call.method === "eth_getBalance" ? String(call.params[1]) : "0x2a")

const right: Handler = replies((calls) => calls.map((call) => success(call.id, valueOf(call))))

const account = `0x${"1".repeat(40)}`

const balances = (client: RpcClient.Client, count: number, from = 0) =>
  Effect.forEach(
    Array.from({ length: count }, (_, at) => from + at),
    (at) => client.eth_getBalance(account, at),
    { concurrency: "unbounded" },
  )

const numbers = (count: number): ReadonlyArray<bigint> => Array.from({ length: count }, (_, at) => BigInt(at))

const sizes = (server: { readonly seen: ReadonlyArray<{ readonly calls: ReadonlyArray<ReceivedCall> }> }) =>
  server.seen.map(({ calls }) => calls.length)

/** Rejects batches above a size with this response. */
const rejecting =
  (most: number, rejection: Handler): Handler =>
  (seen, response, number, request) =>
    (seen.calls.length > most ? rejection : right)(seen, response, number, request)

describe("batching", () => {
  describe("automatic batches", () => {
    it.live("batching: sends calls of the same turn in one request", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })

        expect(yield* balances(client, 5)).toEqual(numbers(5))
        expect(sizes(server)).toEqual([5])
      }),
    )

    it.live("batching: joins no calls if requests are isolated, unless enabled", () =>
      Effect.gen(function* () {
        const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator")!
        Object.defineProperty(globalThis, "navigator", {
          configurable: true,
          value: { userAgent: "Cloudflare-Workers" },
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => Object.defineProperty(globalThis, "navigator", navigator)))
        const server = yield* script(right)
        const [client, asked] = [
          yield* RpcClient.make({ url: server.url }),
          yield* RpcClient.make({ url: server.url, batch: true, share: true }),
        ]
        const same = (by: RpcClient.Client) =>
          Effect.all([by.eth_getBalance(account, 1), by.eth_getBalance(account, 1)], { concurrency: "unbounded" })

        expect(yield* same(client)).toEqual([1n, 1n])
        expect(sizes(server)).toEqual([1, 1])

        yield* same(asked)
        expect(sizes(server)).toEqual([1, 1, 1])
      }),
    )

    it.live("batching: sends promise calls of the same turn in one request", () =>
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

    it.live("batching: sends a single call as an object", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })

        yield* client.eth_chainId()

        expect(server.seen[0]?.body.startsWith("{")).toBe(true)
      }),
    )

    it.live("batching: keeps requests below maxCalls", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, batch: { maxCalls: 4 } })

        expect(yield* balances(client, 10)).toEqual(numbers(10))
        expect(sizes(server).toSorted((a, b) => a - b)).toEqual([2, 4, 4])
      }),
    )

    it.live("batching: keeps requests below maxBytes", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, batch: { maxBytes: 400 } })

        expect(yield* balances(client, 8)).toEqual(numbers(8))
        for (const { body } of server.seen) expect(body.length).toBeLessThanOrEqual(400)
        expect(server.seen.length).toBeLessThan(8)
      }),
    )

    it.effect("batching: waits for the window before it sends", () =>
      Effect.gen(function* () {
        const node = memoryNode(results("0x2a"))
        const client = yield* RpcClient.make({ fetch: node.fetch, url, batch: { window: "60 millis" } })

        const first = yield* Effect.forkChild(client.eth_chainId())
        yield* TestClock.adjust("59 millis")
        const second = yield* Effect.forkChild(client.eth_blockNumber())
        yield* TestClock.adjust(0)
        expect(node.requests).toEqual([])
        yield* TestClock.adjust("1 millis")
        yield* Effect.all([Fiber.join(first), Fiber.join(second)])

        expect(node.requests.map((calls) => calls.length)).toEqual([2])
      }),
    )

    it.live("batching: is off for a client or for some calls with batch: false", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const off = yield* RpcClient.make({ url: server.url, batch: false })
        const on = yield* RpcClient.make({ url: server.url })

        yield* balances(off, 3)
        yield* balances(on.with({ batch: false }), 3)

        expect(sizes(server)).toEqual([1, 1, 1, 1, 1, 1])
      }),
    )

    it.live("batching: sends privileged and unknown methods in separate requests", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map((call) => success(call.id, null))))
        const client = yield* RpcClient.make({ url: server.url })

        yield* Effect.all([client.trace_block(1), client.trace_block(2), client.request({ method: "evm_mine" })], {
          concurrency: "unbounded",
        })

        expect(sizes(server)).toEqual([1, 1, 1])
      }),
    )

    it.live("batching: returns the text of each result unchanged", () =>
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
    it.live("sharing: sends identical calls once, and returns to each caller its own copy of the value", () =>
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

    it.effect("sharing: joins a call in flight, which continues when its first caller leaves", () =>
      Effect.gen(function* () {
        const released = yield* Deferred.make<void>()
        const node = memoryNode((calls, number) =>
          Effect.runPromise(Effect.as(Deferred.await(released), results("0x2a")(calls, number))),
        )
        const client = yield* RpcClient.make({ fetch: node.fetch, url })

        const first = yield* Effect.forkChild(client.eth_chainId())
        yield* node.received(1)
        const second = yield* Effect.forkChild(client.eth_chainId())
        yield* TestClock.adjust(0)
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(released, undefined)

        expect(yield* Fiber.join(second)).toBe(42n)
        expect(node.requests.length).toBe(1)
      }),
    )

    it.effect("sharing: ends a caller at its own deadline and not the others", () =>
      Effect.gen(function* () {
        const released = yield* Deferred.make<void>()
        const node = memoryNode((calls, number) =>
          Effect.runPromise(Effect.as(Deferred.await(released), results("0x2a")(calls, number))),
        )
        const client = yield* RpcClient.make({ fetch: node.fetch, url })

        const short = yield* Effect.forkChild(Effect.flip(client.with({ timeout: 40 }).eth_chainId()))
        const long = yield* Effect.forkChild(client.eth_chainId())
        yield* node.received(1)
        yield* TestClock.adjust("40 millis")
        expect((yield* Fiber.join(short))._tag).toBe("TimeoutError")
        yield* Deferred.succeed(released, undefined)

        expect(yield* Fiber.join(long)).toBe(42n)
        expect(node.requests.length).toBe(1)
      }),
    )

    it.effect("sharing: repeats a call that joined a request with an earlier deadline", () =>
      Effect.gen(function* () {
        const node = memoryNode(() => undefined, results("0x2a"))
        const client = yield* RpcClient.make({ fetch: node.fetch, url, retry: { maxAttempts: 1 } })

        const short = yield* Effect.forkChild(Effect.flip(client.with({ timeout: 40 }).eth_chainId()))
        yield* node.received(1)
        yield* TestClock.adjust("10 millis")
        const long = yield* Effect.forkChild(client.eth_chainId())
        yield* TestClock.adjust("30 millis")
        yield* TestClock.adjust("3 millis")

        expect((yield* Fiber.join(short))._tag).toBe("TimeoutError")
        expect(yield* Fiber.join(long)).toBe(42n)
        expect(node.requests.length).toBe(2)
      }),
    )

    it.live("sharing: is off with share: false", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url, share: false })

        yield* Effect.all([client.eth_chainId(), client.eth_chainId()], { concurrency: "unbounded" })

        expect(sizes(server)).toEqual([2])
      }),
    )

    it.live("sharing: does not apply to unknown methods, which may have side effects", () =>
      Effect.gen(function* () {
        const server = yield* script(right)
        const client = yield* RpcClient.make({ url: server.url })
        const mine = client.request({ method: "evm_mine" })

        yield* Effect.all([mine, mine], { concurrency: "unbounded" })

        expect(sizes(server)).toEqual([1, 1])
      }),
    )
  })

  describe("a rejected batch", () => {
    const rejections: ReadonlyArray<readonly [string, number, Handler, ReadonlyArray<number>]> = [
      ["by status 413", 3, reply("Request Entity Too Large", 413), [12, 6, 6, 3, 3, 3, 3]],
      ["by code", 6, reply(() => failure(null, -32003, "batch too large")), [12, 6, 6]],
      [
        "by a message with the limit",
        5,
        reply(() => failure(null, -32000, "batch limit 5 exceeded, 12 sent")),
        [12, 2, 5, 5],
      ],
      [
        "by a server without batches",
        1,
        reply(() => failure(null, -32202, "batch requests are disabled")),
        [12, ...Array.from({ length: 12 }, () => 1)],
      ],
    ]

    it.live.each(rejections)(
      "a batch rejected %s: is split, and the limit applies to later batches",
      ([, most, rejection, expected]) =>
        Effect.gen(function* () {
          const server = yield* script(rejecting(most, rejection))
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

    it.live("a batch that the server cannot read: is sent as single calls", () =>
      Effect.gen(function* () {
        const server = yield* script(
          rejecting(
            1,
            reply(() => failure(null, -32600, "Invalid Request")),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        expect(yield* balances(client, 3)).toEqual(numbers(3))
      }),
    )

    it.live("a method that the server does not permit in batches: is sent alone, and the others stay in a batch", () =>
      Effect.gen(function* () {
        const message = "Method eth_chainId is not permitted as part of batch requests"
        const server = yield* script(
          replies((calls) =>
            calls.map((call) =>
              call.method === "eth_chainId" && calls.length > 1
                ? failure(call.id, -32007, message)
                : success(call.id, valueOf(call)),
            ),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, retry: { maxAttempts: 1 } })
        const both = Effect.all([client.eth_chainId(), balances(client, 3)], { concurrency: "unbounded" })

        expect(yield* both).toEqual([42n, numbers(3)])
        expect(yield* balances(client, 3, 10)).toEqual([10n, 11n, 12n])
        expect(sizes(server)).toEqual([4, 1, 3])
      }),
    )

    it.live("a revert whose message mentions batches: is not repeated", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) =>
            calls.map((call) =>
              call.method === "eth_call"
                ? failure(call.id, 3, "execution reverted: batch transfers are not allowed")
                : success(call.id, valueOf(call)),
            ),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })
        const reverted = Effect.flip(client.eth_call({ to: account }, "latest"))
        const [error, found] = yield* Effect.all([reverted, balances(client, 3)], { concurrency: "unbounded" })

        expect(error).toMatchObject({ _tag: "RpcError", kind: "reverted" })
        expect(found).toEqual(numbers(3))
        expect(sizes(server)).toEqual([4])
      }),
    )

    it.live("a rejected batch: does not count as an attempt", () =>
      Effect.gen(function* () {
        const server = yield* script(rejecting(1, reply("too large", 413)))
        const client = yield* RpcClient.make({ url: server.url, retry: { maxAttempts: 1 } })

        expect(yield* balances(client, 8)).toEqual(numbers(8))
      }),
    )
  })

  describe("one invalid item", () => {
    const bulky: Handler = replies((calls) =>
      calls.map((call) => success(call.id, call.params[1] === "0x2" ? "x".repeat(50_000) : valueOf(call))),
    )

    it.live("an item above maxItemBytes: fails alone", () =>
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

    it.live("an item that pushes the response above maxBytes: fails alone once the others are sent without it", () =>
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

    it.live("an item that does not decode: fails alone", () =>
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
    it.effect("interruption: aborts a request when its last caller leaves, and not before", () =>
      Effect.gen(function* () {
        const node = memoryNode(() => new Promise(() => undefined))
        const client = yield* RpcClient.make({ fetch: node.fetch, url })

        const one = yield* Effect.forkChild(client.eth_chainId())
        const other = yield* Effect.forkChild(client.eth_blockNumber())
        yield* node.received(1)
        yield* Fiber.interrupt(one)
        expect(node.aborted).toEqual([false])
        yield* Fiber.interrupt(other)

        expect(node.aborted).toEqual([true])
      }),
    )

    it.live("interruption: closes the socket of an aborted request", () =>
      Effect.gen(function* () {
        const server = yield* script(() => undefined)
        const client = yield* RpcClient.make({ url: server.url })

        const waiting = yield* Effect.forkChild(client.eth_chainId())
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 1))
        yield* Fiber.interrupt(waiting)

        yield* Effect.promise(() => server.closed(1))
      }),
    )
  })

  describe("a detected limit", () => {
    it.effect("a response that is too large: splits its calls and does not affect later batches", () =>
      Effect.gen(function* () {
        const tooLarge: Respond = (calls) =>
          calls.length > 3
            ? { jsonrpc: "2.0", id: null, error: { code: -32000, message: "response too large" } }
            : results("0x2a")(calls, 0)
        const node = memoryNode(tooLarge, tooLarge, tooLarge, results("0x2a"))
        const client = yield* RpcClient.make({ fetch: node.fetch, url })

        const first = yield* Effect.forkChild(balances(client, 6))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(first)
        const second = yield* Effect.forkChild(balances(client, 6))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(second)

        expect(node.requests.map((calls) => calls.length)).toEqual([6, 3, 3, 6])
      }),
    )
  })
})
