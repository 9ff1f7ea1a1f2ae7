/**
 * WebSockets between clients and the processes of a simulated service, in virtual time: messages arrive in order until a connection is
 * cut.
 */
import { EventEmitter } from "node:events"
import type { WebSocketConstructor, WebSocketLike } from "@daybook/rpc/WebSocketClient"
import { Effect, Fiber } from "effect"
import * as ServerRequest from "effect/http/HttpServerRequest"
import * as RelaySocket from "../../../src/server/relay/RelaySocket.ts"
import type { Options, Reachable } from "./Network.ts"

const [open, closed] = [1, 3]

/** Both ends of a connection. */
interface Pair {
  readonly client: EventTarget & { readonly emit: (type: string, event: object) => void }
  readonly server: EventEmitter & { readyState: number }
}

/** Delivers messages in one direction in order, each after a delay. */
const directionOf = ({ random, time }: Options) => {
  let last = 0
  return (arrive: () => void) => {
    last = Math.max(last, time.now() + random.below(30))
    time.after(last - time.now(), arrive)
  }
}

/** Server side of a connection, with the members that the relay uses. */
const serverOf = (
  toClient: (arrive: () => void) => void,
  deliver: (text: string) => void,
  end: (code: number, reason: string) => void,
) => {
  const server = Object.assign(new EventEmitter(), {
    OPEN: open,
    CLOSED: closed,
    readyState: open,
    isPaused: false,
    pause: () => undefined,
    resume: () => undefined,
    terminate: () => end(1006, ""),
    close: (code: number, reason: string) => end(code, reason),
    ping: () => toClient(() => void server.emit("pong", Buffer.alloc(0))),
    send: (data: Uint8Array | string, _options: object, onSent: () => void) =>
      toClient(() => {
        if (server.readyState === open) deliver(typeof data === "string" ? data : Buffer.from(data).toString())
        onSent()
      }),
  })
  return server
}

/** Serves a connection; returns a function that cuts it. */
const serve = (options: Options, to: Reachable, client: Pair["client"]) => {
  const { count, isCalm, random, time } = options
  const { chain, grant, sockets } = to.served
  let left = isCalm() || random.is(0.3) ? Infinity : 1 + random.below(60)
  const end = (code: number, reason: string) => {
    if (server.readyState === closed) return
    server.readyState = closed
    to.connections.delete(cut)
    server.emit("close")
    time.after(random.below(20), () => client.emit("close", { code, reason }))
  }
  const cut = () => end(1006, "")
  const deliver = (text: string) => {
    client.emit("message", { data: text })
    left--
    if (left > 0) return
    count("a WebSocket is cut")
    cut()
  }
  const server = serverOf(directionOf(options), deliver, end)
  to.connections.add(cut)
  const accepted = {
    webSocket: server,
    socket: new EventEmitter(),
    target: { chain: chain.name, apiKey: undefined },
    request: ServerRequest.fromWeb(new Request("http://service.test/")),
    caller: { chain, grant },
    // Sound: there is no subscription to blocks.
    feed: undefined as never,
    onDrain: () => undefined,
  }
  // Sound: the relay uses only these members.
  const served = RelaySocket.serve(sockets, accepted as unknown as RelaySocket.Accepted)
  const fiber = Effect.runFork(to.inside(Effect.scoped(served)))
  server.once("close", () => void Effect.runFork(time.inside(Fiber.interrupt(fiber))))
  return { cut, server }
}

/** Constructor of a client's WebSocket, which connects to any running process. */
export const constructorOf = (options: Options): WebSocketConstructor => {
  const { pick, random, time } = options
  return class implements WebSocketLike {
    private readonly events = new EventEmitter()
    private readonly toServer = directionOf(options)
    private served: ReturnType<typeof serve> | undefined
    private isClosed = false

    constructor() {
      time.after(random.below(20), () => {
        const to = pick()
        if (this.isClosed) return
        if (to === undefined) return void this.events.emit("error", {})
        const client = {
          emit: (type: string, event: object) => {
            if (!this.isClosed) this.events.emit(type, event)
          },
        }
        this.served = serve(options, to, client as Pair["client"])
        this.events.emit("open", {})
      })
    }

    send(text: string): void {
      const { served } = this
      this.toServer(() => {
        if (served?.server.readyState === open) served.server.emit("message", Buffer.from(text), false)
      })
    }

    close(): void {
      if (this.isClosed) return
      this.isClosed = true
      this.served?.cut()
    }

    addEventListener(type: string, listener: (event: never) => void): void {
      // Sound: each event has the members that its listeners read.
      this.events.on(type, listener as (event: object) => void)
    }
  }
}
