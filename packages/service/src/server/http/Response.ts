/**
 * Responses whose body already is JSON text or bytes.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** Headers of a response, by lower-case name; undefined for one that is not sent. */
export type Headers = Readonly<Record<string, string | undefined>>

const contentType = "application/json"

/** A response with JSON text. */
export const json = (text: string, options: { readonly status?: number; readonly headers?: Headers } = {}) =>
  HttpServerResponse.text(text, { status: options.status ?? 200, headers: options.headers ?? {}, contentType })

/** A response with the bytes of JSON text. */
export const jsonBytes = (bytes: Uint8Array, headers: Headers) =>
  HttpServerResponse.uint8Array(bytes, { status: 200, headers, contentType })

/** A response without a body: 204. */
export const empty = (headers: Headers = {}) => HttpServerResponse.empty({ status: 204, headers })
