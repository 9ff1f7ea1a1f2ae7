/**
 * Heads of a client over a WebSocket, and the gaps between them: after a connection ended, a reorg, or omitted heads.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type * as BlockSubscriptions from "../src/internal/socket/BlockSubscriptions.ts"
import type * as WebSocketClient from "../src/WebSocketClient.ts"
import { answerBlocks, countOf, header, make, retry, word } from "./chainServer.ts"
import * as MemorySocket from "./memorySocket.ts"

/** Replies to a message, and sends heads to the subscription that it creates. */
const replyWith = (
  { id, method }: MemorySocket.ServerSocket["received"][number],
  socket: MemorySocket.ServerSocket,
  heads: ReadonlyArray<object>,
  subscription = "0xs1",
) => {
  MemorySocket.reply(socket, id, subscription)
  if (method !== "eth_subscribe") return
  for (const head of heads) MemorySocket.notify(socket, subscription, head)
}

type Given = BlockSubscriptions.Head | BlockSubscriptions.Gap

/** A gap, or the number of a head. */
const shown = (one: Given) => ("_tag" in one ? one : one.number)

/** What a client returns first. */
const firstOf = ({ newHeads }: WebSocketClient.WebSocketClient, count: number) =>
  Effect.map(Stream.runCollect(Stream.take(newHeads, count)), (given) => Array.from(given, shown))

describe("WebSocketClient: newHeads", () => {
  it.live(
    "newHeads: returns heads, and after a connection ended the blocks in between from the first that differs",
    () =>
      Effect.gen(function* () {
        const { client } = make((message, socket, number) => {
          const [first, second] = [{ head: 10 }, { head: 14, fork: 12 }]
          if (answerBlocks(message, socket, number === 1 ? first : second)) return
          const heads = number === 1 ? [header(11), header(12)] : [header(15, "b"), header(17, "b")]
          replyWith(message, socket, heads, `0xs${number}`)
          if (number === 1) socket.close()
        })
        const given = yield* Stream.runCollect(Stream.take(client.newHeads, 6))

        expect(Array.from(given, shown)).toEqual([
          11n,
          12n,
          { _tag: "Gap", fromBlock: 12n, toBlock: 14n },
          15n,
          { _tag: "Gap", fromBlock: 16n, toBlock: 16n },
          17n,
        ])
        expect(given[0]).toHaveProperty("parentHash")
        expect(given[0]).not.toHaveProperty("transactions")
      }),
  )

  it.live("newHeads: returns a gap from the first replaced block if a server sends only the last head of a reorg", () =>
    Effect.gen(function* () {
      let fork = Infinity
      const { client } = make((message, socket) => {
        if (answerBlocks(message, socket, { head: 10, fork })) return
        if (message.method === "eth_subscribe") fork = 12
        replyWith(message, socket, [header(11), header(12), header(13), header(14, "b"), header(15, "b")])
      })
      const given = yield* firstOf(client, 6)

      expect(given).toEqual([11n, 12n, 13n, { _tag: "Gap", fromBlock: 12n, toBlock: 13n }, 14n, 15n])
    }),
  )

  it.live("newHeads: finds the first replaced block by hash if a lagging node returns it for its number", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        const [behind, ahead] = [{ head: 10 }, { head: 15, fork: 12 }]
        if (answerBlocks(message, socket, message.method === "eth_getBlockByHash" ? ahead : behind)) return
        replyWith(message, socket, [header(11), header(12), header(13), header(14, "b"), header(15, "b")])
      })
      const given = yield* firstOf(client, 6)

      expect(given).toEqual([11n, 12n, 13n, { _tag: "Gap", fromBlock: 12n, toBlock: 13n }, 14n, 15n])
      expect(countOf(sockets, "eth_getBlockByHash")).toBe(2)
    }),
  )

  it.live("newHeads: uses only numbers if no head has the hash that the next one has as its parent", () =>
    Effect.gen(function* () {
      const { client, sockets } = make((message, socket) => {
        if (answerBlocks(message, socket, { head: 10, fork: 0 })) return
        // As on chains whose heads are hashed differently from their blocks, which are those of branch b here.
        const headOf = (number: number) => ({ ...header(number), parentHash: word(`b${number - 1}`) })
        replyWith(message, socket, [11, 12, 13, 15].map(headOf))
      })
      const given = yield* firstOf(client, 5)

      expect(given).toEqual([11n, 12n, 13n, { _tag: "Gap", fromBlock: 11n, toBlock: 14n }, 15n])
      expect(countOf(sockets, "eth_getBlockByHash")).toBe(0)
    }),
  )

  it.live.each(["has no", "fails to read a"])(
    "newHeads: returns a gap of all known blocks if a node %s parent of a head that replaced one",
    (answer) =>
      Effect.gen(function* () {
        const { client } = make((message, socket) => {
          const error = { code: -32601, message: "Method not found" }
          const isFailing = answer !== "has no" && message.method === "eth_getBlockByHash"
          if (isFailing) return socket.send({ jsonrpc: "2.0", id: message.id, error })
          if (answerBlocks(message, socket, { head: 10 })) return
          replyWith(message, socket, [header(11), header(12), header(13), header(14, "b"), header(15, "b")])
        })
        const given = yield* firstOf(client, 6)

        expect(given).toEqual([11n, 12n, 13n, { _tag: "Gap", fromBlock: 10n, toBlock: 13n }, 14n, 15n])
      }),
  )

  it.live("newHeads: returns a gap if a head replaces the last block of a gap, whose others may be replaced too", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: number === 1 ? 10 : 14 })) return
        const heads = number === 1 ? [header(11)] : [header(14, "b"), header(15, "b")]
        replyWith(message, socket, heads, `0xs${number}`)
        if (number === 1) socket.close()
      })
      const given = yield* firstOf(client, 4)

      expect(given).toEqual([
        11n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 14n },
        { _tag: "Gap", fromBlock: 12n, toBlock: 13n },
        14n,
      ])
    }),
  )

  it.live(
    "newHeads: returns heads before it reads what is missing below a later one, and resubscribes if it cannot",
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
            const heads = subscribed === 1 ? [header(11), header(12), header(13), header(15)] : [header(16)]
            replyWith(message, socket, heads, `0xs${subscribed}`)
          },
          { retry: { ...retry, maxAttempts: 1 } },
        )
        yield* Stream.runForEach(Stream.take(client.newHeads, 5), (one) => Effect.sync(() => order.push(shown(one))))

        expect(order).toEqual([11n, 12n, 13n, "read", { _tag: "Gap", fromBlock: 14n, toBlock: 15n }, 16n])
      }),
  )

  it.live.each([
    { name: "a read fails for good", last: header(15), tag: "RpcError" },
    { name: "a notification is invalid", last: {}, tag: "InvalidResponse" },
  ])("newHeads: ends with an error after the preceding heads if $name", ({ last, tag }) =>
    Effect.gen(function* () {
      let isSubscribed = false
      const { client } = make((message, socket) => {
        const error = { code: -32000, message: "history is pruned" }
        if (isSubscribed && message.method === "eth_getBlockByNumber")
          return socket.send({ jsonrpc: "2.0", id: message.id, error })
        if (answerBlocks(message, socket, { head: 10 })) return
        if (message.method === "eth_subscribe") isSubscribed = true
        replyWith(message, socket, [header(11), header(12), last])
      })
      const given: Array<unknown> = []
      const error = yield* Effect.flip(
        Stream.runForEach(client.newHeads, (one) => Effect.sync(() => given.push("number" in one && one.number))),
      )

      expect(given).toEqual([11n, 12n])
      expect(error._tag).toBe(tag)
    }),
  )

  it.live("newHeads: a gap of a later connection begins with the first replaced block of everything returned", () =>
    Effect.gen(function* () {
      const chains = [{ head: 10 }, { head: 14 }, { head: 16, fork: 12 }]
      const { client, sockets } = make((message, socket, number) => {
        if (answerBlocks(message, socket, chains[number - 1]!)) return
        const heads = [[header(11), header(12), header(13)], [header(15)], []][number - 1]!
        replyWith(message, socket, heads, `0xs${number}`)
      })
      const closing = Stream.tap(client.newHeads, (one) =>
        Effect.sync(() => {
          if ("number" in one && (one.number === 13n || one.number === 15n)) sockets.at(-1)!.close()
        }),
      )
      const given = yield* Stream.runCollect(Stream.take(closing, 6))

      expect(Array.from(given, shown)).toEqual([
        11n,
        12n,
        13n,
        { _tag: "Gap", fromBlock: 14n, toBlock: 14n },
        15n,
        { _tag: "Gap", fromBlock: 12n, toBlock: 16n },
      ])
    }),
  )

  it.live("newHeads: the head of a new connection is part of its gap, and not returned again", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: number === 1 ? 10 : 14 })) return
        const heads = number === 1 ? [header(10), header(11)] : [header(14), header(15), header(15), header(16)]
        replyWith(message, socket, heads, `0xs${number}`)
        if (number === 1) socket.close()
      })
      const given = yield* firstOf(client, 5)

      expect(given).toEqual([10n, 11n, { _tag: "Gap", fromBlock: 12n, toBlock: 14n }, 15n, 16n])
    }),
  )

  it.live("newHeads: a head that was neither returned nor part of a gap is returned, also on a second connection", () =>
    Effect.gen(function* () {
      const { client } = make((message, socket, number) => {
        if (answerBlocks(message, socket, { head: 10 })) return
        replyWith(message, socket, number === 1 ? [] : [header(10), header(11)], `0xs${number}`)
        if (number === 1) socket.close()
      })
      const given = yield* firstOf(client, 2)

      expect(given).toEqual([10n, 11n])
    }),
  )
})
