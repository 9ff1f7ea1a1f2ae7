/** A request to an endpoint, and its method and headers on the wire. */
import * as Redacted from "effect/Redacted"
import type { Endpoint, Target } from "../Endpoint.ts"
import type { Reader } from "../Fetch.ts"

/**
 * One request.
 */
export interface Request extends Target {
  readonly endpoint: Endpoint
  /** Default `GET`, or `POST` with a body. */
  readonly method?: string
  /** Added to the headers of the endpoint, which take precedence. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /**
   * Receives the body of a successful response, to be read after the reply, whose text is then empty. Not called on a platform without
   * streams. The caller cancels the reader.
   */
  readonly onBody?: ((reader: Reader) => void) | undefined
}

/** Method of a request: its own, or else `POST` with a body and `GET` without. */
export const methodOf = (request: Request): string => request.method ?? (request.body === undefined ? "GET" : "POST")

/** Two spellings of the same name would be joined into one value. */
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Headers of a request, including keys. Names are lower case; those of the endpoint take precedence. */
export const headersOf = ({ endpoint, headers }: Request): Record<string, string> => ({
  ...lowerCase(headers ?? {}),
  ...Redacted.value(endpoint.headers),
  ...(endpoint.callHeaders && Redacted.value(endpoint.callHeaders)),
})
