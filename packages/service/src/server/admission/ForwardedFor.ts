/**
 * The address of a client behind proxies that add it to `X-Forwarded-For`. What a client writes there itself stands to the left of what
 * the proxies add, and is not believed.
 */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/**
 * The address that a number of trusted proxies states: the entry that the first of them has added, counted from the right. Where there is
 * none, or no address, it is that of the connection.
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

/** The address of the client of a message, as of a request; empty for a Unix socket without a proxy that states one. */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  trustedProxies: number,
): string =>
  clientOf(
    // Sound: Node joins the values of this header.
    { headers: headers as HttpServerRequest["headers"], remoteAddress: Option.fromNullishOr(socket.remoteAddress) },
    trustedProxies,
  ) ?? ""
