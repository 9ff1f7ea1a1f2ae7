/** The client over a WebSocket: calls, batches, subscriptions, and connections that end. */
import { describe, expect, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Deferred, Effect, Exit, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as WebSocketClient from "../src/WebSocketClient.ts"
import { createWebSocketClient } from "../src/websocket.ts"
import * as MemorySocket from "./memorySocket.ts"

const url = "wss://n.example/rpc/eth/secret-key-1"
const retry = { base: 1, cap: 2 } as const

const word = (text: string): `0x${string}` => `0x${text.padStart(64, "0")}`
const address = `0x${"1".repeat(40)}`

const header = (number: number, branch = "a") => ({
  number: `0x${number.toString(16)}`,
  hash: word(`${branch}${number}`),
  parentHash: word(`${branch}${number - 1}`),
  sha3Uncles: word("1"),
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: word("2"),
  stateRoot: word("3"),
  receiptsRoot: word("4"),
  miner: address,
  difficulty: "0x0",
  extraData: "0x",
  gasLimit: "0x1",
  gasUsed: "0x1",
  timestamp: "0x1",
})

const block = (number: number, branch = "a") => ({
  ...header(number, branch),
  size: "0x1",
  transactions: [],
  uncles: [],
})

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

/** Answers what asks for blocks of a chain whose head is `head`, with blocks of branch b from `fork` on. */
const answerBlocks = (
  { id, method, params }: MemorySocket.ServerSocket["received"][number],
  socket: MemorySocket.ServerSocket,
  { fork = Infinity, head }: { readonly head: number; readonly fork?: number },
) => {
  const branchOf = (number: number) => (number >= fork ? "b" : "a")
  const blockOf = (number: number) => ({
    ...block(number, branchOf(number)),
    parentHash: word(`${branchOf(number - 1)}${number - 1}`),
  })
  if (method === "eth_getBlockByHash") {
    const [, branch, number] = /^0x0*([ab])(\d+)$/.exec(String(params[0])) ?? []
    MemorySocket.reply(socket, id, branch === branchOf(Number(number)) ? blockOf(Number(number)) : null)
    return true
  }
  if (method !== "eth_getBlockByNumber") return false
  MemorySocket.reply(socket, id, blockOf(params[0] === "latest" ? head : Number(params[0])))
  return true
}

const make = (respond: MemorySocket.Respond, options: Partial<WebSocketClient.Options> = {}) => {
  const server = MemorySocket.make(respond)
  const client = WebSocketClient.makeUnsafe({
    url,
    webSocket: server.webSocket,
    retry,
    ...options,
  })
  return { ...server, client }
}

/** Lets the test clock go on until a condition is true. */
const advanceUntil = (isTrue: () => boolean, step = 100) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 10_000 && !isTrue(); turn++) {
      yield* TestClock.adjust(step)
      yield* Effect.promise(() => new Promise(setImmediate))
    }
  })

const until = (isTrue: () => boolean, what: string) => Effect.promise(() => Eventually.until(isTrue, { what }))

const countOf = (sockets: ReadonlyArray<MemorySocket.ServerSocket>, wanted: string) =>
  sockets.flatMap(({ received }) => received).filter(({ method }) => method === wanted).length

const transient = (subscription: string) => ({
  jsonrpc: "2.0",
  method: "eth_subscription",
  params: { subscription, error: { code: -32002, message: "The index cannot be read now. Retry later." } },
})

describe("WebSocketClient", () => {
  it.live("calls: each has its own reply on one connection, whatever the order of the replies", () =>
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

  it.live(
    "calls: a connection that ends fails what waits, which is sent again on another one, within the retry policy",
    () =>
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

  it.live("calls: one that is interrupted, too large or binary has its error, and none has that of another", () =>
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

  it.live("calls: a message of arrays nested deeply answers no call, and the connection goes on", () =>
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

  it.live("newHeads: gives heads, and after a connection ended the blocks between from the first that differs", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        const [first, second] = [{ head: 10 }, { head: 14, fork: 12 }]
        if (answerBlocks(message, socket, number === 1 ? first : second)) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        const heads = number === 1 ? [header(11), header(12)] : [header(15, "b"), header(17, "b")]
        for (const head of heads) MemorySocket.notify(socket, `0xs${number}`, head)
        if (number === 1) socket.close()
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 6))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        11n,
        12n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 14n },
        15n,
        { _tag: "Gap", fromBlock: 16n, toBlock: 16n },
        17n,
      ])
      const [first] = given
      expect(Object.keys(first ?? {})).not.toContain("transactions")
    }),
  )

  it.live(
    "newHeads: gives a gap from the first replaced block where a server gives the last head of a reorg alone",
    () =>
      Effect.gen(function* () {
        let fork = Infinity
        const { client } = make((message, socket) => {
          if (answerBlocks(message, socket, { head: 10, fork })) return
          MemorySocket.reply(socket, message.id, "0xs1")
          if (message.method !== "eth_subscribe") return
          for (const head of [header(11), header(12), header(13)]) MemorySocket.notify(socket, "0xs1", head)
          fork = 12
          for (const head of [header(14, "b"), header(15, "b")]) MemorySocket.notify(socket, "0xs1", head)
        })
        const given = yield* Stream.runCollect(Stream.take(client.newHeads, 6))

        expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
          11n,
          12n,
          13n,
          { _tag: "Gap", fromBlock: 12n, toBlock: 13n },
          14n,
          15n,
        ])
      }),
  )

  it.live("newHeads: finds the first replaced block by hashes where a node that is behind has it for its number", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        const [behind, ahead] = [{ head: 10 }, { head: 15, fork: 12 }]
        if (answerBlocks(message, socket, message.method === "eth_getBlockByHash" ? ahead : behind)) return
        MemorySocket.reply(socket, message.id, "0xs1")
        if (message.method !== "eth_subscribe") return
        const heads = [header(11), header(12), header(13), header(14, "b"), header(15, "b")]
        for (const head of heads) MemorySocket.notify(socket, "0xs1", head)
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 6))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        11n,
        12n,
        13n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 13n },
        14n,
        15n,
      ])
      expect(countOf(sockets, "eth_getBlockByHash")).toBe(2)
    }),
  )

  it.live("newHeads: goes by numbers alone where no head has the hash that the next one has for its parent", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        if (answerBlocks(message, socket, { head: 10, fork: 0 })) return
        MemorySocket.reply(socket, message.id, "0xs1")
        if (message.method !== "eth_subscribe") return
        // As on chains whose heads are hashed in another way than their blocks, which are those of branch b here.
        for (const number of [11, 12, 13, 15]) {
          MemorySocket.notify(socket, "0xs1", { ...header(number), parentHash: word(`b${number - 1}`) })
        }
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 5))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        11n,
        12n,
        13n,
        { _tag: "Gap", fromBlock: 11n, toBlock: 14n },
        15n,
      ])
      expect(countOf(sockets, "eth_getBlockByHash")).toBe(0)
    }),
  )

  it.live.each(["has no", "fails to read a"])(
    "newHeads: gives a gap of all known blocks where a node %s parent of a head that replaced one",
    (answer) =>
      Effect.gen(function* () {
        const { client } = make((message, socket) => {
          const error = { code: -32601, message: "Method not found" }
          const isFailing = answer !== "has no" && message.method === "eth_getBlockByHash"
          if (isFailing) return socket.send({ jsonrpc: "2.0", id: message.id, error })
          if (answerBlocks(message, socket, { head: 10 })) return
          MemorySocket.reply(socket, message.id, "0xs1")
          if (message.method !== "eth_subscribe") return
          const heads = [header(11), header(12), header(13), header(14, "b"), header(15, "b")]
          for (const head of heads) MemorySocket.notify(socket, "0xs1", head)
        })
        const given = yield* Stream.runCollect(Stream.take(client.newHeads, 6))

        expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
          11n,
          12n,
          13n,
          { _tag: "Gap", fromBlock: 10n, toBlock: 13n },
          14n,
          15n,
        ])
      }),
  )

  it.live("newHeads: gives a gap where a head replaces the last block of a gap, whose others may be replaced too", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: number === 1 ? 10 : 14 })) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        const heads = number === 1 ? [header(11)] : [header(14, "b"), header(15, "b")]
        for (const head of heads) MemorySocket.notify(socket, `0xs${number}`, head)
        if (number === 1) socket.close()
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 4))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        11n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 14n },
        { _tag: "Gap", fromBlock: 12n, toBlock: 13n },
        14n,
      ])
    }),
  )

  it.live(
    "newHeads: gives heads before it reads what is missing below a later one, and subscribes again where it cannot",
    () =>
      Effect.gen(function* () {
        const order: Array<unknown> = []
        let subscribed = 0
        const { client } = make(
          (message, socket) => {
            if (message.method === "eth_getBlockByNumber" && subscribed === 1 && !order.includes("read")) {
              order.push("read")
              const error = { code: -32002, message: "The index cannot be read now. Retry later." }
              return socket.send({ jsonrpc: "2.0", id: message.id, error })
            }
            if (answerBlocks(message, socket, { head: subscribed === 2 ? 15 : 10 })) return
            if (message.method === "eth_subscribe") subscribed++
            MemorySocket.reply(socket, message.id, `0xs${subscribed}`)
            if (message.method !== "eth_subscribe") return
            const heads = subscribed === 1 ? [header(11), header(12), header(13), header(15)] : [header(16)]
            for (const head of heads) MemorySocket.notify(socket, `0xs${subscribed}`, head)
          },
          { retry: { ...retry, maxAttempts: 1 } },
        )
        yield* Stream.runForEach(Stream.take(client.newHeads, 5), (one) =>
          Effect.sync(() => order.push("_tag" in one ? one : one.number)),
        )

        expect(order).toEqual([11n, 12n, 13n, "read", { _tag: "Gap", fromBlock: 14n, toBlock: 15n }, 16n])
      }),
  )

  it.live.each([
    { name: "a read fails for good", last: header(15), tag: "RpcError" },
    { name: "a notification is invalid", last: {}, tag: "InvalidResponse" },
  ])("newHeads: ends with an error after the heads before it where $name", ({ last, tag }) =>
    Effect.gen(function* () {
      let isSubscribed = false
      const { client } = make((message, socket) => {
        const error = { code: -32000, message: "history is pruned" }
        if (isSubscribed && message.method === "eth_getBlockByNumber")
          return socket.send({ jsonrpc: "2.0", id: message.id, error })
        if (answerBlocks(message, socket, { head: 10 })) return
        MemorySocket.reply(socket, message.id, "0xs1")
        if (message.method !== "eth_subscribe") return
        isSubscribed = true
        for (const head of [header(11), header(12), last]) MemorySocket.notify(socket, "0xs1", head)
      })
      const given: Array<unknown> = []
      const error = yield* Effect.flip(
        Stream.runForEach(client.newHeads, (one) => Effect.sync(() => given.push("number" in one && one.number))),
      )

      expect(given).toEqual([11n, 12n])
      expect(error._tag).toBe(tag)
    }),
  )

  it.live("newHeads: a gap of a later connection begins with the first replaced block of all that was given", () =>
    Effect.gen(function* () {
      const chains = [{ head: 10 }, { head: 14 }, { head: 16, fork: 12 }]
      const { client, sockets } = make((message, socket, number) => {
        if (answerBlocks(message, socket, chains[number - 1]!)) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        if (number === 3) return
        const heads = number === 1 ? [header(11), header(12), header(13)] : [header(15)]
        for (const head of heads) MemorySocket.notify(socket, `0xs${number}`, head)
      })
      const closing = Stream.tap(client.newHeads, (one) =>
        Effect.sync(() => {
          if ("number" in one && (one.number === 13n || one.number === 15n)) sockets.at(-1)!.close()
        }),
      )
      const given = yield* Stream.runCollect(Stream.take(closing, 6))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        11n,
        12n,
        13n,
        { _tag: "Gap", fromBlock: 14n, toBlock: 14n },
        15n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 16n },
      ])
    }),
  )

  it.live("newHeads: goes on after a server was down for more attempts than a call has", () =>
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

  it.live("logs: gives logs and removed ones, and a gap that begins with the last block of which logs were given", () =>
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

  it.live("newHeads: subscriptions to which a server gives one id each have its heads, and the last one ends it", () =>
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

  it.live("newHeads: the head of a new connection is part of its gap, and not given again", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: number === 1 ? 10 : 14 })) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        const heads = number === 1 ? [header(10), header(11)] : [header(14), header(15), header(15), header(16)]
        for (const head of heads) MemorySocket.notify(socket, `0xs${number}`, head)
        if (number === 1) socket.close()
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 5))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([
        10n,
        11n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 14n },
        15n,
        16n,
      ])
    }),
  )

  it.live("newHeads: a head that was neither given nor part of a gap is given, also on a second connection", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: 10 })) return
        MemorySocket.reply(socket, message.id, `0xs${number}`)
        if (number === 1) return socket.close()
        for (const head of [header(10), header(11)]) MemorySocket.notify(socket, `0xs${number}`, head)
      })
      const given = yield* Stream.runCollect(Stream.take(client.newHeads, 2))

      expect(Array.from(given, (one) => ("_tag" in one ? one : one.number))).toEqual([10n, 11n])
    }),
  )

  it.effect(
    "logs: goes on over any number of connections that were open for 30 seconds, and over few shorter ones",
    () =>
      Effect.gen(function* () {
        const { client, sockets } = make((message, socket, number) => {
          if (!answerBlocks(message, socket, { head: 10 })) MemorySocket.reply(socket, message.id, `0xs${number}`)
        })
        const reading = yield* Effect.forkChild(Effect.flip(Stream.runDrain(client.logs())))
        for (let number = 1; number <= 6; number++) {
          yield* advanceUntil(() => countOf(sockets, "eth_subscribe") === number)
          // A reply to a later call: that to the subscription was read before.
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
    "newHeads: fails with SubscriptionOverflow where the program does not take what waits, once it has what precedes",
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

  it.live(
    "movements: goes on from the cursor of the last event over connections, overflows and errors that may pass",
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

  it.effect("movements: events before an error that may pass are given before the wait for another subscription", () =>
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

  it.live("movements: passes an invalid date on, and fails with what the service states", () =>
    Effect.gen(function* () {
      const { client, sockets } = make(({ id }, socket) =>
        socket.send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid from" } }),
      )
      const error = yield* Effect.flip(Stream.runDrain(client.movements({ address, from: new Date(Number.NaN) })))

      expect(error).toMatchObject({ _tag: "RpcError", code: -32602 })
      expect(sockets[0]!.received[0]!.params[1]).toMatchObject({ from: "Invalid Date" })
    }),
  )

  it.live("movements: fails with the error of the service where it cannot go on, after the events before it", () =>
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

  it.live("streams: one that is ended has its subscription ended, and the connection serves others", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        if (!answerBlocks(message, socket, { head: 1 })) MemorySocket.reply(socket, message.id, "0xs")
      })
      const reading = yield* Effect.forkChild(Stream.runDrain(client.newHeads))
      const isSubscribed = () => (sockets[0]?.received ?? []).some(({ method }) => method === "eth_subscribe")
      yield* Effect.promise(() => Eventually.until(isSubscribed, { what: "a subscription" }))
      yield* client.request({ method: "test_any" })
      yield* Fiber.interrupt(reading)
      yield* client.request({ method: "test_any" })

      expect(sockets).toHaveLength(1)
      expect(sockets[0]!.received.map(({ method }) => method)).toContain("eth_unsubscribe")
    }),
  )

  it.live("streams: subscriptions that no stream reads are ended, from the 101st on the oldest first", () =>
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

  it("createWebSocketClient: close ends the iterations that run, also one that waits, and what follows connects again", async () => {
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
})
