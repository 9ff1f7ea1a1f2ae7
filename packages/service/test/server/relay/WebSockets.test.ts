/** The relay over WebSocket: calls and batches as over HTTP, subscriptions, and what ends a connection. */
import * as Runs from "@daybook/harness/Runs"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { WebSocket } from "@effect/platform-node/NodeWS"
import { Eventually } from "@daybook/harness"
import { Effect, Exit, Scope } from "effect"
import * as Node from "../node.ts"
import { type Options, request, start } from "../service.ts"
import { addresses, Blocks, hashOf, topic } from "./blocks.ts"
import * as SocketClient from "./SocketClient.ts"

/** A service with a node that has some blocks. */
const served = Effect.fnUntraced(function* (head = 5, options: Options = {}) {
  const blocks = new Blocks(head)
  const node = yield* Node.start(blocks.reply)
  const service = yield* start({ ...options, chains: { eth: { config: { rpc: [node.url], pollMillis: 100 } } } })
  return { blocks, node, service, url: SocketClient.urlOf(service) }
})

/** Requests a connection, and sends a message with the request; returns what is received until it contains a text. */
const sendWithRequest = (url: string, text: string, until: string) => {
  const { host, pathname, port } = new URL(url)
  const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\nSec-WebSocket-Version: 13\r\n\r\n`
  // A frame with a mask of zeros, of fewer than 126 bytes.
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)])
  return Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(Buffer.concat([Buffer.from(request), frame])))
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1")
      if (!received.includes(until)) return
      socket.destroy()
      resume(Effect.succeed(received))
    })
    return Effect.sync(() => socket.destroy())
  })
}

describe("WebSockets", () => {
  it.live("connect: answers calls, batches and errors with the same texts as HTTP", () =>
    Effect.gen(function* () {
      const { service, url } = yield* served()
      const client = yield* SocketClient.open(url)
      const bodies = [
        `{"jsonrpc":"2.0","id":7,"method":"eth_blockNumber"}`,
        `{"jsonrpc":"2.0","id":1.0,"method":"eth_getBlockByNumber","params":["latest",false]}`,
        `{"jsonrpc":"2.0","id":"a","method":"eth_sendRawTransaction","params":["0x"]}`,
        `{"jsonrpc":"2.0","id":3,"method":"eth_getBlockByNumber","params":["newest",false]}`,
        `[{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"},{"jsonrpc":"2.0","method":"eth_blockNumber"},{"id":2}]`,
        `[]`,
        `{`,
      ]
      const texts: Array<string> = []
      client.socket.on("message", (data) => texts.push((data as Buffer).toString()))

      const overHttp: Array<string> = []
      for (const [at, body] of bodies.entries()) {
        overHttp.push((yield* service.call(body)).text)
        yield* client.send(body)
        yield* client.until(() => client.received.length > at)
      }
      yield* client.send(`{"jsonrpc":"2.0","method":"eth_blockNumber"}`)
      yield* client.call("eth_blockNumber")

      expect(texts.slice(0, bodies.length)).toEqual(overHttp)
      expect(client.received).toHaveLength(bodies.length + 1)
    }),
  )

  it.live("connect: takes the key from the path or a header, and rejects others with the status of HTTP", () =>
    Effect.gen(function* () {
      const { service, url } = yield* served()
      const narrow = yield* service.addKey({ name: "narrow", options: { operations: ["walletTransactions"] } })
      const byHeader = SocketClient.urlOf(service, "eth", "")
      const client = yield* SocketClient.open(byHeader, { "x-api-key": service.key })
      const answers = yield* Effect.all([
        SocketClient.refused(`${url}x`),
        SocketClient.refused(byHeader),
        SocketClient.refused(SocketClient.urlOf(service, "polygon")),
        SocketClient.refused(SocketClient.urlOf(service, "eth", narrow)),
        SocketClient.refused(url.replace("/rpc/", "/rpcs/")),
      ])
      const plain = yield* request(url.replace("ws", "http"))

      expect((yield* client.call("eth_blockNumber")).result).toBe("0x5")
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 403, 404])
      expect(JSON.parse(answers[0].text).error).toMatchObject({ code: 4100, data: { code: "unauthorized" } })
      expect([plain.status, plain.headers["upgrade"], plain.json.error.code]).toEqual([426, "websocket", -32600])
    }),
  )

  it.live("connect: answers a message that arrives with the handshake", () =>
    Effect.gen(function* () {
      const { url } = yield* served()
      const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`

      expect(yield* sendWithRequest(url, call, `"result"`)).toContain(`{"jsonrpc":"2.0","id":1,"result":"0x5"}`)
    }),
  )

  it.live("connect: rejects pages of other origins if some are listed", () =>
    Effect.gen(function* () {
      const { url } = yield* served(1, { config: { allowedOrigins: ["https://app.example"] } })
      const allowed = yield* SocketClient.open(url, { origin: "https://app.example" })
      const other = yield* SocketClient.refused(url, { origin: "https://other.example" })

      expect((yield* allowed.call("eth_blockNumber")).result).toBe("0x1")
      expect(other.status).toBe(403)
    }),
  )

  it.live(
    "eth_subscribe: newHeads sends each header once and in order, and after a reorg the new branch from the fork",
    () =>
      Effect.gen(function* () {
        const { blocks, url } = yield* served()
        const client = yield* SocketClient.open(url)
        const { result: id } = yield* client.call("eth_subscribe", ["newHeads"])
        blocks.add(3)
        yield* client.until(({ params }) => params?.result.hash === hashOf(8))
        blocks.reorganise(4, "b")
        yield* client.until(({ params }) => params?.result.hash === hashOf(8, "b"))
        // Below the block at which the subscription began, and to a lower head.
        blocks.reorganise(6, "c", 5)
        yield* client.until(({ params }) => params?.result.hash === hashOf(7, "c"))

        const heads = client.notified(id)
        expect(heads.map(({ hash }) => hash)).toEqual([
          ...[6, 7, 8].map((number) => hashOf(number)),
          ...[5, 6, 7, 8].map((number) => hashOf(number, "b")),
          ...[3, 4, 5, 6, 7].map((number) => hashOf(number, "c")),
        ])
        expect(heads[0]).toEqual({
          number: "0x6",
          hash: hashOf(6),
          parentHash: hashOf(5),
          timestamp: "0x6553f106",
          miner: addresses[0],
        })
      }),
  )

  it.live(
    "eth_subscribe: filters logs, and sends them again as removed in reverse order before those of a new branch",
    () =>
      Effect.gen(function* () {
        const { blocks, url } = yield* served()
        const client = yield* SocketClient.open(url)
        const idOf = (filter?: unknown) =>
          Effect.map(client.call("eth_subscribe", ["logs", filter]), ({ result }) => result as string)
        const all = yield* idOf({})
        const second = yield* idOf({ address: [addresses[1].toUpperCase().replace("X", "x")], topics: [[topic], null] })
        const none = yield* idOf({ topics: [null, null, null] })
        const ofGo = yield* idOf({ address: null, topics: null, fromBlock: "0x0", toBlock: "latest" })
        const later = yield* idOf({ fromBlock: "0x7" })
        blocks.add(2)
        yield* client.until(({ params }) => params?.result.blockHash === hashOf(7))
        blocks.reorganise(2, "b", 1)
        yield* client.until(
          ({ params }) => params?.subscription === second && params.result.blockHash === hashOf(6, "b"),
        )
        yield* client.call("eth_blockNumber")

        const namesOf = (id: string) =>
          client.notified(id).map(({ blockHash, logIndex, removed }) => [blockHash, logIndex, removed])
        expect(namesOf(all)).toEqual([
          [hashOf(6), "0x0", false],
          [hashOf(6), "0x1", false],
          [hashOf(7), "0x0", false],
          [hashOf(7), "0x1", false],
          [hashOf(7), "0x1", true],
          [hashOf(7), "0x0", true],
          [hashOf(6), "0x1", true],
          [hashOf(6), "0x0", true],
          [hashOf(6, "b"), "0x0", false],
          [hashOf(6, "b"), "0x1", false],
        ])
        expect(namesOf(second)).toEqual(namesOf(all).filter(([, logIndex]) => logIndex === "0x1"))
        expect(namesOf(none)).toEqual([])
        expect(namesOf(ofGo)).toEqual(namesOf(all))
        expect(namesOf(later)).toEqual(namesOf(all).filter(([blockHash]) => blockHash === hashOf(7)))
        expect(client.notified(all)[0]).toEqual(blocks.logs(hashOf(6))[0])
      }),
  )

  it.live("eth_unsubscribe: ends a subscription of the connection, once", () =>
    Effect.gen(function* () {
      const { blocks, url } = yield* served()
      const client = yield* SocketClient.open(url)
      const other = yield* SocketClient.open(url)
      const { result: id } = yield* client.call("eth_subscribe", ["newHeads"])
      const { result: kept } = yield* client.call("eth_subscribe", ["newHeads"])
      blocks.add()
      yield* client.until(({ params }) => params?.subscription === kept)
      const notFound = { code: -32000, message: "subscription not found" }

      expect((yield* other.call("eth_unsubscribe", [id])).error).toEqual(notFound)
      expect((yield* client.call("eth_unsubscribe", [id])).result).toBe(true)
      expect((yield* client.call("eth_unsubscribe", [id])).error).toEqual(notFound)
      blocks.add()
      yield* client.until(({ params }) => params?.subscription === kept && params.result.hash === hashOf(7))
      expect(client.notified(id)).toHaveLength(1)
    }),
  )

  it.live("eth_subscribe: states what is accepted for other kinds, filters and numbers of subscriptions", () =>
    Effect.gen(function* () {
      const { service, url } = yield* served(5, { config: { limits: { subscriptions: 2 } } })
      const client = yield* SocketClient.open(url)
      const address = addresses[0]
      const calls = [
        [],
        ["newPendingTransactions"],
        ["newHeads", {}],
        ["logs", { address: "0x1" }],
        ["logs", { topics: [null, null, null, null, null] }],
        ["logs", { fromBlock: "1" }],
        ["logs", { toBlock: "0x1" }],
        ["logs", { adress: address }],
      ]
      const answers = yield* Effect.forEach(calls, (params) => client.call("eth_subscribe", params))
      const more = Runs.usual(10_000)
      const many = yield* Effect.forEach(Array.from({ length: more }), () =>
        client.send(`{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}`),
      ).pipe(Effect.andThen(client.until(() => client.received.length === calls.length + more)))
      const overHttp = yield* service.call({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
      const subscribed = client.received.filter(({ result }) => result !== undefined)

      expect(answers.map(({ error }) => error.code)).toEqual(calls.map(() => -32602))
      expect(answers[1].error.message).toBe(
        `Invalid call of eth_subscribe "params[0]": expected "newHeads", "logs" or "daybook_movements", received "newPendingTransactions".`,
      )
      expect(answers[3].error.message).toContain(`"params[1].address"`)
      expect(many).toBeDefined()
      expect(subscribed).toHaveLength(2)
      expect(client.received.at(-1).error).toEqual({
        code: -32005,
        message: "Too many subscriptions: limits.subscriptions (2) is reached. Unsubscribe from one first.",
      })
      expect(overHttp.json.error.code).toBe(-32601)
      expect(overHttp.json.error.message).toContain("WebSocket")
    }),
  )

  it.live("connect: limits the connections of a key and an address, and closing one makes room", () =>
    Effect.gen(function* () {
      const { service, url } = yield* served(1, { config: { limits: { webSockets: 2, webSocketsPerAddress: 3 } } })
      const other = SocketClient.urlOf(service, "eth", yield* service.addKey({ name: "other" }))
      const [first] = yield* Effect.all([SocketClient.open(url), SocketClient.open(url)])
      const ofKey = yield* SocketClient.refused(url)
      yield* SocketClient.open(other)
      const ofAddress = yield* SocketClient.refused(other)
      first.socket.close()
      yield* first.closed
      const again = yield* SocketClient.open(url)

      expect([ofKey.status, ofAddress.status]).toEqual([429, 429])
      expect(ofKey.text).toContain("limits.webSockets (2)")
      expect(ofAddress.text).toContain("limits.webSocketsPerAddress (3)")
      expect((yield* again.call("eth_blockNumber")).result).toBe("0x1")
    }),
  )

  it.live("connect: counts calls against the rate limit of the key, including those for a large message", () =>
    Effect.gen(function* () {
      const { service } = yield* served(1)
      const rateLimit = { perSecond: 1, burst: 6 }
      const key = yield* service.addKey({ name: "slow", options: { rateLimit } })
      const client = yield* SocketClient.open(SocketClient.urlOf(service, "eth", key))
      const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`
      // One call is the handshake, and the size of this message costs four.
      yield* client.send(`${call}${" ".repeat(500_000)}`)
      yield* client.until(({ result }) => result === "0x1")
      yield* client.send(`[${Array.from({ length: 7 }, () => call).join(",")}]`)
      const tooMany = yield* client.until(({ error }) => error?.code === -32600)
      yield* client.send(`[${call},${call},${call}]`)
      const limited = yield* client.until(({ error }) => error?.code === -32005)

      expect(tooMany.error.message).toBe("Batch too large: 7 calls. Send at most 6.")
      expect(limited.error.message).toContain("Rate limit exceeded: 1 requests per second, 6 at once.")
    }),
  )

  it.live("connect: closes a connection with a code for frames that are too large, binary, damaged or late", () =>
    Effect.gen(function* () {
      const { url } = yield* served(1, { config: { limits: { bodyBytes: 2_000, bodySeconds: 1 } } })
      const endOf = Effect.fnUntraced(function* (act: (socket: SocketClient.SocketClient["socket"]) => void) {
        const client = yield* SocketClient.open(url)
        act(client.socket)
        return (yield* client.closed).code
      })
      const raw = (socket: SocketClient.SocketClient["socket"], bytes: ReadonlyArray<number>) =>
        (socket as unknown as { readonly _socket: NodeJS.WritableStream })._socket.write(Buffer.from(bytes))

      const codes = yield* Effect.all(
        [
          endOf((socket) => socket.send("x".repeat(2_001))),
          endOf((socket) => {
            for (let part = 0; part < 3; part++) socket.send("x".repeat(1_000), { fin: false })
          }),
          endOf((socket) => {
            for (let part = 0; part < 1_100; part++) socket.send("x", { fin: false })
          }),
          endOf((socket) => socket.send(Buffer.from("{}"), { binary: true })),
          endOf((socket) => socket.send("x".repeat(1_000), { fin: false })),
          // A frame without a mask, with reserved bits, and text that is not UTF-8.
          endOf((socket) => raw(socket, [0x81, 0x02, 0x7b, 0x7d])),
          endOf((socket) => raw(socket, [0xf1, 0x80, 0, 0, 0, 0])),
          endOf((socket) => raw(socket, [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff])),
        ],
        { concurrency: "unbounded" },
      )

      expect(codes).toEqual([1009, 1009, 1008, 1003, 1008, 1002, 1002, 1007])
    }),
  )

  it.live("connect: keeps a connection whose messages are complete, however long it is idle", () =>
    Effect.gen(function* () {
      const { url } = yield* served(1, { config: { limits: { bodySeconds: 1, pingSeconds: 1 } } })
      const client = yield* SocketClient.open(url)
      let pings = 0
      client.socket.on("ping", () => pings++)
      yield* client.call("eth_blockNumber")
      yield* Effect.promise(() => Eventually.until(() => pings === 4, { what: "pings" }))

      expect((yield* client.call("eth_blockNumber")).result).toBe("0x1")
    }),
  )

  it.live(
    "connect: answers a message that is not JSON, too deep or invalid with an error, and keeps the connection open",
    () =>
      Effect.gen(function* () {
        const { url } = yield* served(1)
        const client = yield* SocketClient.open(url)
        for (const text of ["", "{", "[".repeat(200) + "]".repeat(200), `[${"1,".repeat(30_000)}1]`, "1", `"x"`]) {
          yield* client.send(text)
        }
        yield* client.until(() => client.received.length === 6)

        expect((yield* client.call("eth_blockNumber")).result).toBe("0x1")
        expect(client.received.slice(0, 6).map(({ error }) => error.code)).toEqual([
          -32700, -32700, -32600, -32600, -32600, -32600,
        ])
      }),
  )

  it.live("connect: closes the connection of a revoked key, whether it calls or listens", () =>
    Effect.gen(function* () {
      const withClient = Effect.fnUntraced(function* (options: Options) {
        const { service, url } = yield* served(1, options)
        return { client: yield* SocketClient.open(url), revoke: Effect.orDie(service.keys.revoke("usual")) }
      })
      const [caller, listener] = [yield* withClient({}), yield* withClient({ config: { limits: { pingSeconds: 1 } } })]
      yield* listener.client.call("eth_subscribe", ["newHeads"])
      yield* Effect.all([caller.revoke, listener.revoke])
      const refused = yield* caller.client.call("eth_blockNumber")

      expect(refused.error).toMatchObject({ code: 4100, data: { code: "unauthorized" } })
      expect(yield* caller.client.closed).toEqual({ code: 1008, reason: "API key no longer valid." })
      expect(yield* listener.client.closed).toEqual({ code: 1008, reason: "API key no longer valid." })
    }),
  )

  it.live("eth_subscribe: closes a client that does not read its notifications with 1013", () =>
    Effect.gen(function* () {
      const { blocks, url } = yield* served()
      const client = yield* SocketClient.open(url)
      yield* client.call("eth_subscribe", ["logs", {}])
      client.socket.pause()
      blocks.data = `0x${"00".repeat(500_000)}`
      blocks.add(20)
      const other = yield* SocketClient.open(url)
      yield* other.call("eth_subscribe", ["newHeads"])
      blocks.add()
      yield* other.until(({ params }) => params?.result.hash === hashOf(26))
      client.socket.resume()
      const { code, reason } = yield* client.closed

      expect([code, reason]).toEqual([1013, "Notifications are not read fast enough. Subscribe again."])
      const sent = client.received.slice(1).map(({ params }) => [params.result.blockHash, params.result.logIndex])
      const all = blocks.blocks.slice(6).flatMap(({ hash }) => ["0x0", "0x1"].map((index) => [hash, index]))
      expect(sent.length).toBeLessThan(all.length)
      expect(sent).toEqual(all.slice(0, sent.length))
    }),
  )

  it.live(
    "connect: buffers few replies for a client that sends and never reads, and its key is answered elsewhere",
    () =>
      Effect.gen(function* () {
        const responsesInFlight = { perKey: 1_048_576, perAddress: 1_048_576, total: 134_217_728 }
        const rateLimit = { perSecond: 1_000_000, burst: 1_000_000 }
        const { url } = yield* served(5, { config: { limits: { responsesInFlight }, rateLimit } })
        const [client, other] = [yield* SocketClient.open(url), yield* SocketClient.open(url)]
        client.socket.pause()
        // The id is part of the reply: together they exceed the buffers of both sockets.
        const call = JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(2_000), method: "eth_chainId" })
        for (let sent = 0; sent < 20_000; sent++) yield* client.send(call)
        for (let asked = 0; asked < 400; asked++) {
          expect((yield* other.call("eth_blockNumber")).result).toBe("0x5")
        }
      }),
  )

  it.live("connect: disconnects a client that answers no ping", () =>
    Effect.gen(function* () {
      const { url } = yield* served(1, { config: { limits: { pingSeconds: 1 } } })
      const silent = new WebSocket(url, { autoPong: false })
      const code = yield* Effect.callback<number>((resume) => {
        silent.on("close", (code: number) => resume(Effect.succeed(code)))
      })

      expect(code).toBe(1006)
    }),
  )

  it.live("connect: ends with 1001 when the service stops, and each connection is a line of the log", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { service, url } = yield* Scope.provide(served(1, { config: { log: { access: true } } }), scope)
      const client = yield* SocketClient.open(url)
      yield* client.call("eth_blockNumber")
      yield* Scope.close(scope, Exit.void)

      expect((yield* client.closed).code).toBe(1001)
      expect(service.logs.join("\n")).not.toContain(service.key)
    }),
  )
})
