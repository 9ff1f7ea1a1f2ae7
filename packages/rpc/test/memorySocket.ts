/** An in-memory WebSocket server, so that a test controls received messages and the end of a connection. */
import type { WebSocketConstructor } from "../src/WebSocketClient.ts"

/** Server side of a connection. */
export interface ServerSocket {
  /** Messages of the client. */
  readonly received: Array<{ readonly id: number; readonly method: string; readonly params: ReadonlyArray<unknown> }>
  readonly send: (message: unknown) => void
  readonly close: (code?: number, reason?: string) => void
}

/** Responds to a message of the client; `number` counts connections from 1. */
export type Respond = (message: ServerSocket["received"][number], socket: ServerSocket, number: number) => void

/** Replies with a result. */
export const reply = (socket: ServerSocket, id: number, result: unknown): void =>
  socket.send({ jsonrpc: "2.0", id, result })

/** Notifies of a result. */
export const notify = (socket: ServerSocket, subscription: string, result: unknown): void =>
  socket.send({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result } })

type Listener = (event: never) => void

/** Creates a server that refuses connections while `isDown` is true. A connection opens once `opening` resolves. */
export const make = (respond: Respond, opening?: Promise<void>) => {
  const sockets: Array<ServerSocket> = []
  const urls: Array<string> = []
  const state: { isDown: boolean; message?: string } = { isDown: false }

  class MemorySocket {
    private readonly listeners = new Map<string, Array<Listener>>()
    private isClosed = false
    private readonly server: ServerSocket

    constructor(url: string) {
      urls.push(url)
      const received: ServerSocket["received"] = []
      this.server = {
        received,
        send: (message) => {
          const data = typeof message === "string" ? message : JSON.stringify(message)
          if (!this.isClosed) this.emit("message", { data })
        },
        close: (code = 1006, reason = "") => {
          if (this.isClosed) return
          this.isClosed = true
          this.emit("close", { code, reason })
        },
      }
      void Promise.resolve(opening).then(() => {
        if (state.isDown) return this.emit("error", { message: state.message })
        sockets.push(this.server)
        this.emit("open", {})
      })
    }

    addEventListener(type: string, listener: Listener): void {
      this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener])
    }

    send(text: string): void {
      const message = JSON.parse(text)
      queueMicrotask(() => {
        this.server.received.push(message)
        if (!this.isClosed) respond(message, this.server, sockets.indexOf(this.server) + 1)
      })
    }

    close(): void {
      this.isClosed = true
    }

    private emit(type: string, event: unknown): void {
      for (const listener of this.listeners.get(type) ?? []) listener(event as never)
    }
  }

  // Sound: it has the members that a client uses.
  return { sockets, urls, state, webSocket: MemorySocket as unknown as WebSocketConstructor }
}
