/**
 * How to send the bytes of a page: in a coding that the request accepts, or not at all if the client has them.
 *
 * Source: RFC 9110, sections 8.8 and 13.1.2; decision 0040.
 */
import { hash } from "node:crypto"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as BodyCoding from "../http/BodyCoding.ts"
import type * as Response from "../http/Response.ts"
import type { Written } from "./PageWriter.ts"

const tagBytes = 16

/** Tag of a body, from its identity. It is weak, because every coding of the body has the same tag. */
const tagOf = (identity: Uint8Array): string =>
  `W/"${Buffer.from(hash("sha256", identity, "buffer").subarray(0, tagBytes)).toString("base64url")}"`

/** True if an `If-None-Match` header has the tag, or `*`. */
const isKnown = (header: string | undefined, tag: string): boolean => {
  if (header === undefined) return false
  const wanted = tag.replace(/^W\//, "")
  return header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === wanted)
}

/** Responds with a JSON body, or with 304 if the client already has it. */
export const respond = (
  { bytes, identity }: Written,
  headers: Response.Headers,
  request: Pick<HttpServerRequest, "headers">,
): HttpServerResponse.HttpServerResponse => {
  const etag = tagOf(identity)
  const varied = headers["vary"]
  const own = { ...headers, etag, vary: varied === undefined ? "accept-encoding" : `accept-encoding, ${varied}` }
  if (isKnown(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: own })
  return BodyCoding.respond(bytes, own, request, BodyCoding.all)
}
