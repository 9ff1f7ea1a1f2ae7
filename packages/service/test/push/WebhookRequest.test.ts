/** Messages to receivers that do not answer as HTTP does. */
import { createServer, type AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WebhookRequest from "../../src/push/WebhookRequest.ts"

/** The URL of a server that answers each connection with a text once it has received something, until the scope ends. */
const answering = (text: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy())
        socket.once("data", () => socket.end(text))
      })
      server.listen(0, "127.0.0.1", () => {
        // Sound: the server listens on a port.
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

describe("WebhookRequest", () => {
  it.live("send: a connection that ends with an upgrade is an attempt that failed", () =>
    Effect.gen(function* () {
      const { url } = yield* answering(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
      )
      const received = yield* WebhookRequest.send(url, {}, "{}", { allowPrivate: true })

      expect(received).toEqual({ _tag: "Failed", reason: "The connection was closed without a response." })
    }).pipe(Effect.scoped),
  )
})
