/**
 * Responses displayed by a browser: the explorer's page and files, with headers that restrict them to this server. They load nothing from
 * other hosts, run no inline scripts, cannot be framed, and cannot be read by other pages.
 *
 * Source: decision 0058; Content Security Policy Level 3, W3C.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ContentCoding } from "./ContentCoding.ts"

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

/** Cache lifetime of a response: a file with a content hash in its name, or one whose content changes. */
export type Lifetime = "immutable" | "revalidated"

const cacheControl: Readonly<Record<Lifetime, string>> = {
  immutable: "public, max-age=31536000, immutable",
  revalidated: "no-cache",
}

/** Content types by file extension. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ["css", "text/css; charset=utf-8"],
  ["html", "text/html; charset=utf-8"],
  ["ico", "image/x-icon"],
  ["js", "text/javascript; charset=utf-8"],
  ["json", "application/json"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["txt", "text/plain; charset=utf-8"],
  ["webmanifest", "application/manifest+json"],
  ["woff2", "font/woff2"],
])

/** True for a response of this module, which has these headers. */
export const is = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.headers["cross-origin-opener-policy"] !== undefined

/** Content type of a file; `undefined` if it is not served. */
export const contentTypeOf = (name: string): string | undefined =>
  contentTypes.get(/\.([a-z0-9]+)$/.exec(name)?.[1] ?? "")

/** How to make a response. */
export interface Options {
  readonly contentType: string
  readonly lifetime: Lifetime
  readonly status?: number
  /** Coding of the body; absent if it has none and is available in no other. */
  readonly coding?: ContentCoding
}

/** Makes a response that can be sent several times. */
export const make = (body: Uint8Array, options: Options): HttpServerResponse.HttpServerResponse => {
  const { coding, contentType, lifetime, status = 200 } = options
  const own = {
    ...headers,
    "cache-control": cacheControl[lifetime],
    vary: coding === undefined ? undefined : "accept-encoding",
    "content-encoding": coding === "identity" ? undefined : coding,
  }
  return HttpServerResponse.uint8Array(body, { status, contentType, headers: own })
}
