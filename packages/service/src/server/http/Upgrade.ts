/**
 * Requests of clients that ask to speak WebSocket on their connection. The connections of the server keep each of them for the route that
 * may accept it; one that no route accepts is answered as any other request.
 *
 * Source: decision 0016; RFC 6455, section 4.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A connection that may change its protocol. */
export interface Upgrade {
  readonly request: IncomingMessage
  /** Answers the request where no route accepts it. */
  readonly response: ServerResponse
  readonly socket: Socket
  /** Bytes that the client sent behind its request. */
  readonly head: Buffer
  /** Calls back when the server stops: the connection must end then. */
  readonly onDrain: (callback: () => void) => void
}

const offered = new WeakMap<object, Upgrade>()

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

/** True where Node asks which requests may change the protocol; elsewhere it would leave all others unanswered. */
export const isSupported: boolean = major > 24 || (major === 24 && minor >= 9) || (major === 22 && minor >= 21)

/** Paths of the relay, the only ones that accept a WebSocket. */
const pathPrefix = "/rpc/"

/** True for a request that a route may accept. */
export const isAcceptable = ({ headers, method, url }: Pick<IncomingMessage, "headers" | "method" | "url">): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && (url ?? "").startsWith(pathPrefix)

/** Keeps what a request offers. */
export const offer = (upgrade: Upgrade): void => void offered.set(upgrade.request, upgrade)

/** What a request of Node offers; undefined for one that asks for nothing, or that was accepted. */
export const offerOf = (request: object): Upgrade | undefined => offered.get(request)

/** Takes the connection of a request; nothing is written to its response any more. */
export const accept = ({ request, response, socket }: Upgrade): void => {
  offered.delete(request)
  response.detachSocket(socket)
  response.end()
  socket.once("close", () => response.emit("close"))
}
