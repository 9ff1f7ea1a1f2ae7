/**
 * Response bodies and headers of hostile servers: oversized bodies, gzip bombs, HTML pages, and `Retry-After` in its forms.
 */
import { gzipSync } from "node:zlib"
import type { Response } from "./FaultyServer.ts"

type Headers = Readonly<Record<string, string>>

/** Uncompressed bytes of white space in a gzip bomb: 64 MiB. */
export const bombBytes = 64 * 1024 * 1024

/** Bytes of white space before an oversized body: 8 MiB. */
export const oversizeBytes = 8 * 1024 * 1024

let bombPrefix: Buffer | undefined

/** Valid JSON after 64 MiB of white space, in about 64 KiB of gzip. */
export const gzipBomb = (body: string): Uint8Array => {
  bombPrefix ??= gzipSync(Buffer.alloc(bombBytes, " "))
  return Buffer.concat([bombPrefix, gzipSync(body)])
}

let padding: Buffer | undefined

/** Valid JSON after 8 MiB of white space. */
export const oversize = (body: string): Uint8Array => {
  padding ??= Buffer.alloc(oversizeBytes, " ")
  return Buffer.concat([padding, Buffer.from(body)])
}

/** A JSON response. */
export const json = (body: unknown, status = 200, headers: Headers = {}): Response => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

/** A plain-text response. */
export const text = (body: string, status = 200, headers: Headers = {}): Response => ({
  status,
  headers: { "content-type": "text/plain", ...headers },
  body,
})

/** An HTML page, as a gateway shows it in a browser. */
export const html = (title: string, status = 200): Response => ({
  status,
  headers: { "content-type": "text/html" },
  body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
})

/** A body declared as gzip, whatever its bytes are. */
export const declaredGzip = (body: string | Uint8Array): Response => ({
  headers: { "content-type": "application/json", "content-encoding": "gzip" },
  body,
})

/** A JSON text, compressed if the client accepts gzip. */
export const compressed = (body: string, acceptsGzip: boolean): Response =>
  acceptsGzip ? declaredGzip(gzipSync(body)) : { body }

/** `Retry-After` in seconds, rounded up. */
export const retryAfterSeconds = (waitMillis: number): Headers => ({
  "retry-after": String(Math.ceil(waitMillis / 1000)),
})

/** `Retry-After` as an HTTP date, with the `Date` header it is relative to. */
export const retryAfterDate = (waitMillis: number): Headers => {
  const now = Math.floor(Date.now() / 1000) * 1000
  return { date: new Date(now).toUTCString(), "retry-after": new Date(now + waitMillis).toUTCString() }
}
