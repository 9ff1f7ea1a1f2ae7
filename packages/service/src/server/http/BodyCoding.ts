/**
 * Sends JSON bytes in a coding that the request accepts, if compression pays off.
 *
 * Source: RFC 9110, section 12.5.3; decision 0040.
 */
import * as Zlib from "node:zlib"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ContentCoding from "./ContentCoding.ts"
import * as Response from "./Response.ts"

/** Smaller bodies are sent uncompressed, since compression would save less than a packet. */
const minBytes = 1_024

/** The fastest level of each: the next level takes twice the time for a twentieth of the bytes. */
const encoders: Readonly<Record<Exclude<ContentCoding.ContentCoding, "identity">, (bytes: Uint8Array) => Uint8Array>> =
  {
    zstd: (bytes) => Zlib.zstdCompressSync(bytes, { params: { [Zlib.constants.ZSTD_c_compressionLevel]: 1 } }),
    br: (bytes) => Zlib.brotliCompressSync(bytes, { params: { [Zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    gzip: (bytes) => Zlib.gzipSync(bytes, { level: 1 }),
  }

/** Codings that a response may have, fastest first. */
export type Offered = ReadonlyArray<ContentCoding.ContentCoding>

/** All codings, for rarely requested responses. */
export const all: Offered = ["zstd", "br", "gzip", "identity"]

/** Codings that save more than they cost even on a fast network; gzip takes three times as long. */
export const fast: Offered = ["zstd", "br", "identity"]

/** Responds with a JSON body, in the coding that the request prefers. */
export const respond = (
  bytes: Uint8Array,
  headers: Response.Headers,
  request: Pick<HttpServerRequest, "headers">,
  offered: Offered,
): HttpServerResponse => {
  const coding =
    bytes.length < minBytes ? "identity" : ContentCoding.choose(request.headers["accept-encoding"], offered)
  return coding === "identity"
    ? Response.jsonBytes(bytes, headers)
    : Response.jsonBytes(encoders[coding](bytes), { ...headers, "content-encoding": coding })
}
