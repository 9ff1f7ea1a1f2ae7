/**
 * Responses that a browser shows: the page of the explorer and its files, with the headers that keep them to this server. They load
 * nothing of another host, run no inline script, are shown in no frame, and are read by no other page.
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

/** How long a browser may keep a response: a file whose name has a hash of its content, or one whose content changes. */
export type Lifetime = "immutable" | "revalidated"

const cacheControl: Readonly<Record<Lifetime, string>> = {
  immutable: "public, max-age=31536000, immutable",
  revalidated: "no-cache",
}

/** Content types by the ending of a file's name. */
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

/** True for a response of this module, which has its headers. */
export const is = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.headers["cross-origin-opener-policy"] !== undefined

/** The content type of a file; `undefined` for one that is not served. */
export const contentTypeOf = (name: string): string | undefined =>
  contentTypes.get(/\.([a-z0-9]+)$/.exec(name)?.[1] ?? "")

/** How to make a response. */
export interface Options {
  readonly contentType: string
  readonly lifetime: Lifetime
  readonly status?: number
  /** The coding of the body; left out, it has none and comes in no other. */
  readonly coding?: ContentCoding
}

/** Makes a response, which can be sent several times. */
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
