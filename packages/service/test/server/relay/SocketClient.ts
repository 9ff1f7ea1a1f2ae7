/** A client of the relay's WebSocket that records all received messages. */
import { WebSocket } from "@effect/platform-node/NodeWS"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import type { Json } from "../service.ts"

/** Close code and reason of a connection. */
export interface Closed {
  readonly code: number
  readonly reason: string
}

export interface SocketClient {
  readonly socket: WebSocket
  /** All messages, in order of arrival. */
  readonly received: ReadonlyArray<Json>
  /** The results of the notifications of a subscription. */
  readonly notified: (id: string) => ReadonlyArray<Json>
  readonly send: (text: string) => Effect.Effect<void>
  /** Calls a method; returns the response. */
  readonly call: (method: string, params?: ReadonlyArray<unknown>) => Effect.Effect<Json>
  /** Waits for a message. */
  readonly until: (isWanted: (message: Json) => boolean) => Effect.Effect<Json>
  readonly closed: Effect.Effect<Closed>
}

/** The URL of the WebSocket of a service for a chain. */
export const urlOf = (
  service: { readonly url: string; readonly key: string },
  chain = "eth",
  key = service.key,
): string => `${service.url.replace("http", "ws")}/rpc/${chain}${key === "" ? "" : `/${key}`}`

/** Status and body of a rejected handshake. */
export const refused = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const socket = new WebSocket(url, { headers })
    socket.on("error", () => undefined)
    socket.on("open", () => {
      socket.terminate()
      resume(Effect.die(new Error("opened")))
    })
    socket.on("unexpected-response", (_request, response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += chunk.toString()))
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
    })
  })

/** Opens a connection, which the end of the scope closes. */
export const open = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<WebSocket>((resume) => {
        const socket = new WebSocket(url, { headers })
        socket.on("error", (error) => resume(Effect.die(error)))
        socket.on("open", () => resume(Effect.succeed(socket)))
      }),
      (socket) => Effect.sync(() => socket.terminate()),
    ),
    (socket): SocketClient => {
      const received: Array<Json> = []
      let end: Closed | undefined
      // Above the ids that tests choose.
      let nextId = 1_000
      socket.on("message", (data) => received.push(JSON.parse((data as Buffer).toString())))
      socket.on("close", (code, reason) => (end = { code, reason: reason.toString() }))
      const until: SocketClient["until"] = (isWanted) =>
        Effect.promise(() =>
          Eventually.until(() => received.some(isWanted) || end !== undefined, { what: "a message" }),
        ).pipe(
          Effect.map(() => {
            const matching = received.find(isWanted)
            if (matching === undefined) throw new Error(`Closed with ${end?.code} ${end?.reason}`)
            return matching
          }),
        )
      const send: SocketClient["send"] = (text) => Effect.sync(() => socket.send(text))
      return {
        socket,
        received,
        notified: (id) =>
          received.filter(({ params }) => params?.subscription === id).map(({ params: { result } }) => result),
        send,
        call: (method, params = []) => {
          const id = nextId++
          const text = JSON.stringify({ jsonrpc: "2.0", id, method, params })
          return Effect.andThen(
            send(text),
            until((message) => message.id === id),
          )
        },
        until,
        closed: Effect.promise(async () => {
          await Eventually.until(() => end !== undefined, { what: "the end of the connection" })
          return end!
        }),
      }
    },
  )
