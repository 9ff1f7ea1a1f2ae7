/**
 * Requests of clients to use WebSocket on their connection. The server's connections keep each one for the route that may accept it; if no
 * route does, it is answered like any other request.
 *
 * Source: decision 0016; RFC 6455, section 4.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A connection that may change its protocol. */
export interface Upgrade {
  readonly request: IncomingMessage
  /** Answers the request if no route accepts it. */
  readonly response: ServerResponse
  readonly socket: Socket
  /** Bytes that the client sent after its request. */
  readonly head: Buffer
  /** Registers a callback for when the server stops and the connection must end. */
  readonly onDrain: (callback: () => void) => void
}

const offered = new WeakMap<object, Upgrade>()

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

/** True if Node asks which requests may change the protocol; otherwise it would leave all others unanswered. */
export const isSupported: boolean = major > 24 || (major === 24 && minor >= 9) || (major === 22 && minor >= 21)

/** Path prefix of the relay, the only paths that accept a WebSocket. */
const pathPrefix = "/rpc/"

/** True for a request that a route may accept. */
export const isAcceptable = ({ headers, method, url }: Pick<IncomingMessage, "headers" | "method" | "url">): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && (url ?? "").startsWith(pathPrefix)

/** Keeps what a request offers. */
export const offer = (upgrade: Upgrade): void => void offered.set(upgrade.request, upgrade)

/** Upgrade offered by a Node request; undefined if it requests none, or was already accepted. */
export const offerOf = (request: object): Upgrade | undefined => offered.get(request)

/** Takes over the connection of a request; nothing more is written to its response. */
export const accept = ({ request, response, socket }: Upgrade): void => {
  offered.delete(request)
  response.detachSocket(socket)
  response.end()
  socket.once("close", () => response.emit("close"))
}
