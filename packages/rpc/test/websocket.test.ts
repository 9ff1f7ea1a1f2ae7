/** The client over a WebSocket: calls, batches, subscriptions, and connections that end. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as WebSocketClient from "../src/WebSocketClient.ts"
import { createWebSocketClient } from "../src/websocket.ts"
import { address, answerBlocks, countOf, header, make, retry, until, url, word } from "./chainServer.ts"
import * as MemorySocket from "./memorySocket.ts"

const log = (number: number, removed = false) => ({
  address,
  topics: [],
  data: "0x",
  blockNumber: `0x${number.toString(16)}`,
  blockHash: word(`a${number}`),
  transactionHash: word("9"),
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed,
})

const movementEvent = (cursor: number, type = "covered") => ({
  type,
  timestamp: "2026-11-24T10:00:00.000Z",
  data: { chain: "eth", cursor: `c${cursor}`, number: String(cursor), hash: word(String(cursor)) },
})

/** Advances the test clock until a condition is true. */
const advanceUntil = (isTrue: () => boolean, step = 100) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 10_000 && !isTrue(); turn++) {
      yield* TestClock.adjust(step)
      yield* Effect.promise(() => new Promise(setImmediate))
    }
  })

const transient = (subscription: string) => ({
  jsonrpc: "2.0",
  method: "eth_subscription",
  params: { subscription, error: { code: -32002, message: "The index cannot be read now. Retry later." } },
})

describe("WebSocketClient", () => {
  it.live("calls: each receives its own reply on one connection, whatever the order of the replies", () =>
    Effect.gen(function* () {
      const waiting: Array<() => void> = []
      const { client, sockets, urls } = make(
        ({ id, params }, socket) => {
          waiting.unshift(() => MemorySocket.reply(socket, id, params[0]))
          if (waiting.length === 3) for (const send of waiting) send()
        },
        { batch: false },
      )
      const results = yield* Effect.all(
        ["0x1", "0x2", "0x3"].map((value) => client.request({ method: "test_echo", params: [value] })),
        { concurrency: "unbounded" },
      )

      expect(results).toEqual(["0x1", "0x2", "0x3"])
      expect([urls, sockets.length]).toEqual([[url], 1])
    }),
  )

  it.live("calls: a batch is one message, and an error without an id belongs to it", () =>
    Effect.gen(function* () {
      let messages = 0
      const { client } = make((message, socket) => {
        const calls = message as unknown as ReadonlyArray<{ readonly id: number; readonly method: string }>
        messages++
        if (messages === 1)
          return socket.send({ jsonrpc: "2.0", id: null, error: { code: -32005, message: "limit exceeded" } })
        const resultOf = (method: string) => (method === "eth_gasPrice" ? "0x0" : "0x1")
        socket.send(calls.toReversed().map(({ id, method }) => ({ jsonrpc: "2.0", id, result: resultOf(method) })))
      })
      const [one, two] = yield* client.batch([{ method: "eth_blockNumber" }, { method: "eth_gasPrice" }])

      expect([Result.getOrThrow(one), Result.getOrThrow(two)]).toEqual([1n, 0n])
      expect(messages).toBe(2)
    }),
  )

  it.live("calls: one that is aborted while the connection opens is not sent", () =>
    Effect.gen(function* () {
      const opening = yield* Deferred.make<void>()
      const opened = Effect.runPromise(Deferred.await(opening))
      const server = MemorySocket.make(({ id }, socket) => MemorySocket.reply(socket, id, "0x7"), opened)
      const client = createWebSocketClient({ url, webSocket: server.webSocket })
      const controller = new AbortController()
      const call = { method: "eth_sendTransaction", params: [{}] }
      const aborted = client.with({ signal: controller.signal }).request(call)
      const other = client.eth_blockNumber()
      yield* until(() => server.urls.length === 1, "the connection is opened")
      controller.abort(new Error("cancelled"))
      yield* Effect.promise(() => expect(aborted).rejects.toThrow())
      yield* Deferred.succeed(opening, undefined)

      expect(yield* Effect.promise(() => other)).toBe(7n)
      expect(server.sockets[0]!.received.map(({ method }) => method)).toEqual(["eth_blockNumber"])
    }),
  )

  it.live("calls: pending calls of a connection that ends are repeated on another one, within the retry policy", () =>
    Effect.gen(function* () {
      const { client, sockets, state } = make(({ id }, socket, number) =>
        number < 3 ? socket.close(1001, "The service stops") : MemorySocket.reply(socket, id, "0x7"),
      )
      const height = yield* client.eth_blockNumber()
      sockets.at(-1)!.close()
      state.isDown = true
      const error = yield* Effect.flip(client.eth_blockNumber())

      expect([height, sockets.length]).toEqual([7n, 3])
      expect(error).toMatchObject({ _tag: "TransportError", host: "n.example", isRetryable: true })
      expect(error.message).not.toContain("secret")
    }),
  )

  it.live("calls: the error of a lost connection is not that of one that was never made", () =>
    Effect.gen(function* () {
      const { client, state } = make((_message, socket) => socket.close(1001, "The service stops"))
      const lost = yield* Effect.flip(client.eth_blockNumber())
      state.isDown = true
      const refused = yield* Effect.flip(client.eth_blockNumber())

      expect(lost).toMatchObject({ _tag: "TransportError", phase: "headers" })
      expect(lost.message).toContain("failed before a response was received: ECONNRESET: The service stops.")
      expect(refused).toMatchObject({ _tag: "TransportError", phase: "connect" })
    }),
  )

  it.live(
    "calls: the error of a rejected connection names a wrong key, or the response where the platform reports it",
    () =>
      Effect.gen(function* () {
        const { client, state } = make(() => undefined)
        state.isDown = true
        const plain = yield* Effect.flip(client.eth_blockNumber())
        state.message = "Unexpected server response: 401 for secret-key-1"
        const reported = yield* Effect.flip(client.eth_blockNumber())

        expect(plain.message).toContain("rejects the WebSocket, for example because of a wrong key or chain")
        expect(reported.message).toContain("Unexpected server response: 401 for <redacted>")
      }),
  )

  it.live("calls: an interrupted, oversized or binary reply is an error of its call, and of no other", () =>
    Effect.gen(function* () {
      const { client } = make(
        ({ id, method }, socket) => {
          if (method === "test_large") MemorySocket.reply(socket, id, "x".repeat(2_000))
          if (method === "eth_gasPrice") MemorySocket.reply(socket, id, "0x5")
        },
        { maxBytes: 1_000, timeout: 300 },
      )
      const large = yield* Effect.flip(client.request({ method: "test_large" }))
      const [price, late] = yield* Effect.all(
        [client.eth_gasPrice(), Effect.flip(client.request({ method: "test_never" }))],
        {
          concurrency: 2,
        },
      )

      expect([large._tag, price, late._tag]).toEqual(["InvalidResponse", 5n, "TimeoutError"])
    }),
  )

  it.live("calls: a message of deeply nested arrays answers no call, and the connection continues", () =>
    Effect.gen(function* () {
      const { client, sockets } = make(({ id }, socket) => {
        socket.send(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)
        socket.send([[{ jsonrpc: "2.0", id, result: "0x1" }]])
        MemorySocket.reply(socket, id, "0x7")
      })
      const height = yield* client.eth_blockNumber()

      expect([height, sockets.length]).toEqual([7n, 1])
    }),
  )

  it.live("newHeads: continues after a server was down for more attempts than a call has", () =>
    Effect.gen(function* () {
      const { client, state, urls } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: number === 1 ? 10 : 11 })) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        if (message.method !== "eth_subscribe") return
        MemorySocket.notify(socket, `0xs${number}`, header(number === 1 ? 11 : 12))
        if (number !== 1) return
        state.isDown = true
        socket.close()
      })
      const heads = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.newHeads, 2)))
      yield* until(() => urls.length > 20, "connections to a server that is down")
      state.isDown = false
      const given = yield* Fiber.join(heads)

      expect(Array.from(given, (one) => ("_tag" in one ? one._tag : one.number))).toEqual([11n, 12n])
    }),
  )

  it.live(
    "logs: returns logs and removed ones, and a gap that begins with the last block of which logs were returned",
    () =>
      Effect.gen(function* () {
        const { client, sockets } = make((message, socket, number) => {
          if (answerBlocks(message, socket, { head: number === 1 ? 10 : 20 })) return
          MemorySocket.reply(socket, message.id, `0xs${number}`)
          if (message.method !== "eth_subscribe") return
          if (number === 2) return MemorySocket.notify(socket, "0xs2", log(21))
          for (const one of [log(11), log(12), log(13), log(13, true)]) MemorySocket.notify(socket, "0xs1", one)
          socket.close()
        })
        const given = yield* Stream.runCollect(Stream.take(client.logs({ address }), 6))

        expect(Array.from(given, (one) => ("_tag" in one ? one : [one.blockNumber, one.removed]))).toEqual([
          [11n, false],
          [12n, false],
          [13n, false],
          [13n, true],
          { _tag: "Gap", fromBlock: 12n, toBlock: 20n },
          [21n, false],
        ])
        const { received } = sockets[1]!
        yield* client.request({ method: "test_any" })
        expect(sockets[0]!.received.find(({ method }) => method === "eth_subscribe")?.params).toEqual([
          "logs",
          { address },
        ])
        expect(received.at(-2)).toMatchObject({ method: "eth_unsubscribe", params: ["0xs2"] })
      }),
  )

  it.live(
    "newHeads: subscriptions to which a server assigns the same id each receive its heads, and the last one ends it",
    () =>
      Effect.gen(function* () {
        let subscribed = 0
        const { client, sockets } = make((message, socket) => {
          if (answerBlocks(message, socket, { head: 10 + subscribed })) return
          MemorySocket.reply(socket, message.id, "0xs")
          if (message.method === "eth_subscribe") MemorySocket.notify(socket, "0xs", header(++subscribed + 10))
        })
        const given: Record<string, Array<unknown>> = { first: [], second: [] }
        const collect = (name: string, count: number) =>
          Stream.runForEach(Stream.take(client.newHeads, count), (head) =>
            Effect.sync(() => given[name]!.push("number" in head && head.number)),
          )
        const first = yield* Effect.forkChild(collect("first", 2))
        yield* until(() => given["first"]!.length === 1, "the first subscription has a head")
        yield* collect("second", 1)
        yield* Fiber.join(first)
        yield* client.request({ method: "test_any" })

        expect(given).toEqual({ first: [11n, 12n], second: [12n] })
        expect(countOf(sockets, "eth_unsubscribe")).toBe(1)
      }),
  )

  it.effect(
    "logs: continues over any number of connections that were open for 30 seconds, and over few shorter ones",
    () =>
      Effect.gen(function* () {
        const { client, sockets } = make((message, socket, number) => {
          if (!answerBlocks(message, socket, { head: 10 })) MemorySocket.reply(socket, message.id, `0xs${number}`)
        })
        const reading = yield* Effect.forkChild(Effect.flip(Stream.runDrain(client.logs())))
        for (let number = 1; number <= 6; number++) {
          yield* advanceUntil(() => countOf(sockets, "eth_subscribe") === number)
          // A reply to a later call: the reply to the subscription was read before.
          yield* advanceUntil(() => countOf(sockets, "eth_getBlockByNumber") === 1 + 2 * (number - 1))
          yield* TestClock.adjust("30 seconds")
          sockets.at(-1)!.close()
        }
        yield* advanceUntil(() => {
          const isSubscribed = countOf(sockets, "eth_subscribe") === sockets.length
          if (isSubscribed && countOf(sockets, "eth_getBlockByNumber") === 2 * sockets.length - 1)
            sockets.at(-1)?.close()
          return reading.pollUnsafe() !== undefined
        }, 10)
        const error = yield* Fiber.join(reading)

        expect(error._tag).toBe("TransportError")
        expect(sockets).toHaveLength(10)
      }),
  )

  it.live(
    "newHeads: fails with SubscriptionOverflow if the program does not read what is queued, after the preceding heads",
    () =>
      Effect.gen(function* () {
        const { client, sockets } = make(
          (message, socket) => {
            if (answerBlocks(message, socket, { head: 1 })) return
            MemorySocket.reply(socket, message.id, "0xs")
            for (let number = 2; number < 9; number++) MemorySocket.notify(socket, "0xs", header(number))
          },
          { maxQueued: 5 },
        )
        const given: Array<bigint> = []
        const error = yield* Effect.flip(
          Stream.runForEach(client.newHeads, (one) => Effect.sync(() => "_tag" in one || given.push(one.number))),
        )

        expect(given).toEqual([2n, 3n, 4n, 5n, 6n])
        expect(error._tag).toBe("SubscriptionOverflow")
        expect(sockets[0]!.received.at(-1)).toMatchObject({ method: "eth_unsubscribe" })
      }),
  )

  it.live("movements: sends members of any name, so that the server rejects misspelt and missing ones", () =>
    Effect.gen(function* () {
      const received: Array<unknown> = []
      const { client } = make(({ id, params }, socket) => {
        received.push(params[1])
        socket.send({ jsonrpc: "2.0", id, error: { code: -32602, message: "no" } })
      })
      for (const query of [{ address, form: 5 }, undefined]) {
        const error = yield* Effect.flip(Stream.runDrain(client.movements(query as never)))
        expect(error).toMatchObject({ _tag: "RpcError", kind: "invalidParams" })
      }

      expect(received).toEqual([{ address, form: 5, from: "now" }, { from: "now" }])
    }),
  )

  it.live(
    "movements: continues from the cursor of the last event over connections, overflows and transient errors",
    () =>
      Effect.gen(function* () {
        const froms: Array<unknown> = []
        const { client } = make(
          ({ id, method, params }, socket, number) => {
            if (method !== "eth_subscribe") return
            const { from } = params[1] as { readonly from: string }
            froms.push(from)
            MemorySocket.reply(socket, id, `0x${froms.length}`)
            const next = from.startsWith("c") ? Number(from.slice(1)) + 1 : 1
            for (let at = next; at < next + 4; at++)
              MemorySocket.notify(socket, `0x${froms.length}`, movementEvent(at, at === 2 ? "later.type" : "covered"))
            if (froms.length === 2) {
              const error = { code: -32002, message: "The index cannot be read now. Retry later." }
              socket.send({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x2", error } })
            }
            if (number === 1 && froms.length === 3) socket.close()
          },
          { maxQueued: 3 },
        )
        const given = yield* Stream.runCollect(Stream.take(client.movements({ address, from: 5n }), 10))

        expect(Array.from(given, ({ data }) => data.cursor)).toEqual([
          "c1",
          "c3",
          "c4",
          "c5",
          "c6",
          "c7",
          "c8",
          "c9",
          "c10",
          "c11",
        ])
        expect(froms.slice(0, 3)).toEqual(["5", "c3", "c6"])
      }),
  )

  it.effect("movements: events before a transient error are returned before the wait for another subscription", () =>
    Effect.gen(function* () {
      const { client, sockets } = make(({ id, method, params }, socket) => {
        if (method !== "eth_subscribe") return
        const { from } = params[1] as { readonly from: string }
        const next = from === "now" ? 1 : Number(from.slice(1)) + 1
        MemorySocket.reply(socket, id, `0x${next}`)
        MemorySocket.notify(socket, `0x${next}`, movementEvent(next))
        socket.send(transient(`0x${next}`))
      })
      const given: Array<string> = []
      const reading = yield* Effect.forkChild(
        Stream.runForEach(Stream.take(client.movements({ address }), 7), ({ data }) =>
          Effect.sync(() => given.push(data.cursor)),
        ),
      )
      yield* until(() => given.length > 0, "an event while the clock stands still")
      yield* advanceUntil(() => given.length === 7)
      yield* Fiber.join(reading)

      expect(given).toEqual(["c1", "c2", "c3", "c4", "c5", "c6", "c7"])
      const ended = sockets[0]!.received.filter(({ method }) => method === "eth_unsubscribe")
      expect(ended.slice(0, 6).map(({ params }) => params)).toEqual([1, 2, 3, 4, 5, 6].map((at) => [`0x${at}`]))
    }),
  )

  it.live("movements: sends an invalid date, and fails with the error of the service", () =>
    Effect.gen(function* () {
      const { client, sockets } = make(({ id }, socket) =>
        socket.send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid from" } }),
      )
      const error = yield* Effect.flip(Stream.runDrain(client.movements({ address, from: new Date(Number.NaN) })))

      expect(error).toMatchObject({ _tag: "RpcError", code: -32602 })
      expect(sockets[0]!.received[0]!.params[1]).toMatchObject({ from: "Invalid Date" })
    }),
  )

  it.live("movements: fails with the error of the service if it cannot continue, after the preceding events", () =>
    Effect.gen(function* () {
      const { client } = make(({ id }, socket) => {
        MemorySocket.reply(socket, id, "0x1")
        MemorySocket.notify(socket, "0x1", movementEvent(1))
        const error = { code: -32000, message: "Stale cursor", data: { code: "stale_cursor", resumeFromBlock: 6 } }
        socket.send({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", error } })
      })
      const given: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(client.movements({ address }), ({ data }) => Effect.sync(() => given.push(data.cursor))),
      )

      expect(given).toEqual(["c1"])
      expect(error).toMatchObject({ _tag: "RpcError", code: -32000, data: { resumeFromBlock: 6 } })
    }),
  )

  it.live("streams: ending a stream ends its subscription, and the connection serves others", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        if (!answerBlocks(message, socket, { head: 1 })) MemorySocket.reply(socket, message.id, "0xs")
      })
      const reading = yield* Effect.forkChild(Stream.runDrain(client.newHeads))
      const isSubscribed = () => (sockets[0]?.received ?? []).some(({ method }) => method === "eth_subscribe")
      yield* until(isSubscribed, "a subscription")
      yield* client.request({ method: "test_any" })
      yield* Fiber.interrupt(reading)
      yield* client.request({ method: "test_any" })

      expect(sockets).toHaveLength(1)
      expect(sockets[0]!.received.map(({ method }) => method)).toContain("eth_unsubscribe")
    }),
  )

  it.live("streams: subscriptions that no stream reads are ended, oldest first from the 101st", () =>
    Effect.gen(function* () {
      const { client, sockets } = make(({ id, method }, socket) =>
        MemorySocket.reply(socket, id, method === "eth_subscribe" ? `0x${countOf(sockets, method)}` : true),
      )
      for (let at = 0; at < 102; at++) yield* client.request({ method: "eth_subscribe", params: ["newHeads"] })
      yield* client.request({ method: "test_any" })

      const ended = sockets[0]!.received.filter(({ method }) => method === "eth_unsubscribe")
      expect(ended.map(({ params }) => params)).toEqual([["0x1"], ["0x2"]])
    }),
  )

  it.live("make: calls and streams after the end of the scope are interrupted, and open no connection", () =>
    Effect.gen(function* () {
      const server = MemorySocket.make((message, socket) => {
        if (!answerBlocks(message, socket, { head: 1 })) MemorySocket.reply(socket, message.id, "0xs")
      })
      const client = yield* Effect.scoped(
        Effect.gen(function* () {
          const own = yield* WebSocketClient.make({ url, webSocket: server.webSocket, retry })
          yield* own.request({ method: "test_any" })
          return own
        }),
      )
      const call = yield* Effect.exit(client.request({ method: "test_any" }))
      const stream = yield* Effect.exit(Stream.runDrain(client.newHeads))

      expect([Exit.hasInterrupts(call), Exit.hasInterrupts(stream)]).toEqual([true, true])
      expect(server.urls).toEqual([url])
    }),
  )

  it("createWebSocketClient: close ends running iterations, including a waiting one, and later calls reconnect", async () => {
    const server = MemorySocket.make((message, socket) => {
      if (answerBlocks(message, socket, { head: 1 })) return
      MemorySocket.reply(socket, message.id, "0xs")
      MemorySocket.notify(socket, "0xs", header(2))
    })
    const client = createWebSocketClient({ url, webSocket: server.webSocket, retry: { base: 600_000, cap: 600_000 } })
    const given: Array<unknown> = []
    for await (const head of client.newHeads()) {
      given.push("_tag" in head ? head : head.number)
      client.close()
    }
    const connectedBefore = server.urls.length
    for await (const head of client.newHeads()) {
      given.push("_tag" in head ? head : head.number)
      server.sockets.at(-1)!.close()
      setImmediate(client.close)
    }

    expect(given).toEqual([2n, 2n])
    expect([connectedBefore, server.urls.length]).toEqual([1, 2])
  })

  it("createWebSocketClient: iterates, ends by its signal, and states what is accepted", async () => {
    const controller = new AbortController()
    const server = MemorySocket.make((message, socket) => {
      if (answerBlocks(message, socket, { head: 1 })) return
      MemorySocket.reply(socket, message.id, "0xs")
      MemorySocket.notify(socket, "0xs", header(2))
    })
    const client = createWebSocketClient({ url, webSocket: server.webSocket, retry, signal: controller.signal })
    const given: Array<unknown> = []
    const iterating = (async () => {
      for await (const head of client.newHeads()) {
        given.push("_tag" in head ? head : head.number)
        controller.abort(new Error("enough"))
      }
    })()

    await expect(iterating).rejects.toThrow("enough")
    expect(given).toEqual([2n])
    expect(() => createWebSocketClient({ url: "ftp://n.example/secret-key-1" })).toThrow("url")
    expect(() => createWebSocketClient({ url, fetch } as never)).toThrow("fetch")
    expect(() => createWebSocketClient({ url, maxQueued: 0 })).toThrow("maxQueued")
    client.close()
  })

  it.each([
    [undefined, "url", `"url" with the complete path, or "rpcUrl" with "chain" and "apiKey"`, "nothing"],
    [{ url: "n.example" }, "url", "a ws or wss URL such as wss://host/path", "text without ws:// or wss:// before it"],
    [{ url: [url, url] }, "url", "one URL", "an array"],
  ])("createWebSocketClient: %j is an InvalidOption", (options, option, expected, received) => {
    expect(() => createWebSocketClient(options as never)).toThrow(
      expect.objectContaining({ _tag: "InvalidOption", option, expected, received }),
    )
  })
})
