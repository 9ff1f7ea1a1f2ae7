/**
 * The address of a client behind proxies that append to `X-Forwarded-For`. What a client writes into the header stands to the left of what
 * the proxies append, and is not trusted.
 */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/**
 * The address stated by a number of trusted proxies: the entry appended by the first of them, counted from the right. If there is none, or
 * it is not an address, the address of the connection.
 */
export const clientOf = (
  { headers, remoteAddress }: Pick<HttpServerRequest, "headers" | "remoteAddress">,
  trustedProxies: number,
): string | undefined => {
  const peer = Option.getOrUndefined(remoteAddress)
  const entries = headers["x-forwarded-for"]?.split(",")
  const stated = trustedProxies === 0 ? undefined : entries?.at(-trustedProxies)?.trim()
  return stated !== undefined && isIP(stated) !== 0 ? stated : peer
}

/** Address of a message's client, with the rules for requests; empty for a Unix socket without a proxy that states one. */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  trustedProxies: number,
): string =>
  clientOf(
    // Sound: Node.js joins the values of this header.
    { headers: headers as HttpServerRequest["headers"], remoteAddress: Option.fromNullishOr(socket.remoteAddress) },
    trustedProxies,
  ) ?? ""
