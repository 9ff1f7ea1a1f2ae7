/**
 * The part of the platform's `fetch` that the clients use, as a type. The global `fetch`, that of `NodeFetch`, and those of Deno, Bun and
 * edge workers have it.
 */

/**
 * Sends one request and resolves with its response. Redirects are never followed.
 */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly redirect: "manual"
    readonly signal: AbortSignal
  },
) => Promise<Response>

/**
 * Reads a body in parts. Cancelling closes the connection.
 */
export interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  readonly cancel: () => Promise<unknown>
}

/**
 * The part of a body that is used. Platforms without streams have `arrayBuffer` only.
 */
export interface Body {
  readonly body?:
    | {
        readonly getReader: () => Reader
      }
    | null
    | undefined
  /** Used where `body` is undefined. */
  readonly arrayBuffer?: () => Promise<ArrayBuffer>
}

/**
 * The part of a `Response` that is used.
 */
export interface Response extends Body {
  readonly status: number
  readonly type?: string | undefined
  readonly headers: { readonly forEach: (visit: (value: string, name: string) => void) => void }
}

/**
 * A `fetch` that bounds bodies itself rejects a read with this error; the call then fails as for `maxBytes`.
 *
 * **Example** (Bounding bodies in a fetch)
 *
 * ```ts
 * import { BodyTooLarge } from "@daybook/transport/Fetch"
 *
 * console.log(new BodyTooLarge(1_024).message) // Response too large: more than 1024 bytes. Request less at once.
 * ```
 */
export class BodyTooLarge extends Error {
  /** Bytes of a body at most. */
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`Response too large: more than ${maxBytes} bytes. Request less at once.`)
    this.name = "BodyTooLarge"
    this.maxBytes = maxBytes
  }
}
