/**
 * The part of the platform's `fetch` that the clients use, as a type. The global `fetch`, `NodeFetch`, and the `fetch` of Deno, Bun and
 * edge workers conform to it.
 */

/**
 * Sends one request and resolves with its response. Redirects are never followed. If it resolves with anything else, the call ends with the
 * defect `InvalidOption` and is not repeated.
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
 * Reads a body in chunks. Cancelling closes the connection.
 */
export interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  readonly cancel: () => Promise<unknown>
}

/**
 * The part of a body that is used. Platforms without streams only have `arrayBuffer`.
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
 * Rejection of a read by a `fetch` that bounds bodies itself. The call then fails as it does for `maxBytes`.
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
  /** Maximum number of bytes of a body. */
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`Response too large: more than ${maxBytes} bytes. Request less at once.`)
    this.name = "BodyTooLarge"
    this.maxBytes = maxBytes
  }
}
