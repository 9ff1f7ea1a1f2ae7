/**
 * How the bytes of a page are sent: in a coding that the request accepts, where that pays, or not at all where the client has them.
 *
 * Source: RFC 9110, sections 8.8, 12.5.3 and 13.1.2; decision 0067.
 */
import { hash } from "node:crypto"
import * as Zlib from "node:zlib"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ContentCoding from "../explorer/ContentCoding.ts"
import * as Response from "../Response.ts"

/** A smaller body is sent as it is: a coding would save less than a packet. */
const minBytes = 1_024

/** The fastest level of each: the next ones take twice the time for a twentieth of the bytes. */
const encoders: Readonly<Record<Exclude<ContentCoding.ContentCoding, "identity">, (bytes: Uint8Array) => Uint8Array>> =
  {
    zstd: (bytes) => Zlib.zstdCompressSync(bytes, { params: { [Zlib.constants.ZSTD_c_compressionLevel]: 1 } }),
    br: (bytes) => Zlib.brotliCompressSync(bytes, { params: { [Zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    gzip: (bytes) => Zlib.gzipSync(bytes, { level: 1 }),
  }

/** The fastest coding first. */
const offered = ["zstd", "br", "gzip", "identity"] as const

const tagBytes = 16

/** The tag of a body. It is weak, since each coding of the body has it. */
const tagOf = (bytes: Uint8Array): string =>
  `W/"${Buffer.from(hash("sha256", bytes, "buffer").subarray(0, tagBytes)).toString("base64url")}"`

/** True where an `If-None-Match` header has the tag, or `*`. */
const isKnown = (header: string | undefined, tag: string): boolean => {
  if (header === undefined) return false
  const wanted = tag.replace(/^W\//, "")
  return header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === wanted)
}

/** The response with a body of JSON: 304 without it where the client states that it has it. */
export const respond = (
  bytes: Uint8Array,
  headers: Response.Headers,
  request: Pick<HttpServerRequest, "headers">,
): HttpServerResponse.HttpServerResponse => {
  const etag = tagOf(bytes)
  const varied = headers["vary"]
  const own = { ...headers, etag, vary: varied === undefined ? "accept-encoding" : `accept-encoding, ${varied}` }
  if (isKnown(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: own })
  const coding =
    bytes.length < minBytes ? "identity" : ContentCoding.choose(request.headers["accept-encoding"], offered)
  return coding === "identity"
    ? Response.jsonBytes(bytes, own)
    : Response.jsonBytes(encoders[coding](bytes), { ...own, "content-encoding": coding })
}
