/** A call that may write is repeated only if the node cannot have executed it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createClient } from "viem"
import { RpcClient } from "../src/index.ts"
import { createRpcClient } from "../src/promise.ts"
import { daybookTransport } from "../src/viem.ts"
import * as WebSocketClient from "../src/WebSocketClient.ts"
import * as MemorySocket from "./memorySocket.ts"
import { gives, type Handler, refuses, reply, script } from "./server.ts"

const quick = { retry: { base: 1, cap: 2 } }
const write = { method: "eth_sendTransaction", params: [{ to: `0x${"aa".repeat(20)}`, value: "0x1" }] }

const reset: Handler = (_seen, _response, _number, request) => void request.socket.resetAndDestroy()

const ambiguous: ReadonlyArray<readonly [string, Handler]> = [
  ["a connection that broke", reset],
  ["a status of a gateway", reply("", 502)],
  ["an internal error", refuses(-32603, "internal")],
  ["a response that is not JSON", reply("<html>")],
]

const unexecuted: ReadonlyArray<readonly [string, Handler]> = [
  ["a rate limit", reply("slow down", 429)],
  ["a rejected key", reply("", 401)],
  ["an unsupported method", refuses(-32601, "the method does not exist")],
]

describe("repetition", () => {
  it.live.each(ambiguous)(
    "a call that may write is sent once after %s, and one that reads is repeated",
    ([, handler]) =>
      Effect.gen(function* () {
        const [first, second] = [yield* script(handler), yield* script(gives("0x2a"))]
        const rpc = yield* RpcClient.make({ ...quick, url: [first.url, second.url] })

        expect((yield* Effect.flip(rpc.request(write)))._tag).not.toBe("InvalidParams")
        expect([first.seen.length, second.seen.length]).toEqual([1, 0])
        expect(yield* rpc.request({ method: "debug_getRawHeader", params: ["latest"] })).toBe("0x2a")
      }),
  )

  it.live.each(unexecuted)("a call that may write is sent to the next endpoint after %s", ([, handler]) =>
    Effect.gen(function* () {
      const [first, second] = [yield* script(handler), yield* script(gives("0x2a"))]
      const rpc = yield* RpcClient.make({ ...quick, url: [first.url, second.url] })

      expect(yield* rpc.request(write)).toBe("0x2a")
      expect([first.seen.length, second.seen.length]).toEqual([1, 1])
    }),
  )

  it.live("a call that may write is sent to the next endpoint if no connection was made", () =>
    Effect.gen(function* () {
      const good = yield* script(gives("0x2a"))
      const rpc = yield* RpcClient.make({ ...quick, url: ["http://127.0.0.1:1", good.url] })

      expect(yield* rpc.request(write)).toBe("0x2a")
    }),
  )

  it.live.each(["Failed to fetch", "Load failed", "Network connection lost."])(
    "a call that may write is sent once if the platform reports only %j",
    (message) =>
      Effect.gen(function* () {
        let sent = 0
        const fetch = async () => {
          sent++
          throw new TypeError(message)
        }
        const rpc = yield* RpcClient.make({ ...quick, url: "http://n.example", fetch })

        expect((yield* Effect.flip(rpc.request(write)))._tag).toBe("TransportError")
        expect(sent).toBe(1)
      }),
  )

  it.live("a call that may write is sent once over a WebSocket whose connection ends", () =>
    Effect.gen(function* () {
      const server = MemorySocket.make((_message, socket) => socket.close())
      const rpc = WebSocketClient.makeUnsafe({ ...quick, url: "ws://n.example", webSocket: server.webSocket })

      expect((yield* Effect.flip(rpc.request(write)))._tag).toBe("TransportError")
      expect(server.sockets.flatMap(({ received }) => received)).toHaveLength(1)
    }),
  )

  it.live("a call that may write is sent once with promises and viem, even without a second endpoint", () =>
    Effect.gen(function* () {
      const node = yield* script(reset)
      const rpc = createRpcClient({ ...quick, url: node.url })
      const viem = createClient({ transport: daybookTransport({ ...quick, url: node.url }) })
      yield* Effect.promise(() => expect(rpc.request(write)).rejects.toMatchObject({ _tag: "TransportError" }))
      yield* Effect.promise(() => expect(viem.request(write as never)).rejects.toThrow("failed"))

      expect(node.seen.length).toBe(2)
    }),
  )
})
