/**
 * Parts of a request that several handlers need: its id, and its URL in the form that the router matches.
 */
import * as Context from "effect/Context"

/** The id of the current request, sent as `x-request-id` and written to the log. */
export const RequestId = Context.Reference<string>("@daybook/service/server/RequestId", { defaultValue: () => "" })

const encodeSegment = (segment: string): string => {
  try {
    return encodeURIComponent(decodeURIComponent(segment))
  } catch {
    return encodeURIComponent(segment)
  }
}

/**
 * Normalizes the URL of a request to the form that the router matches and reads.
 *
 * **Details** A segment whose percent-encoding is invalid is text; `;` and `#` are characters of a segment. A single-parameter list
 * (`include[]=x`), as written by some clients, counts as that parameter.
 */
export const normalizeUrl = (url: string): string => {
  const at = url.indexOf("?")
  const path = at < 0 ? url : url.slice(0, at)
  const query = at < 0 ? "" : url.slice(at)
  const normalPath = /[%;#]/.test(path) ? path.split("/").map(encodeSegment).join("/") : path
  return `${normalPath}${query.includes("include") ? query.replaceAll(/([?&]include)(?:\[\]|%5B%5D)(?=[=&]|$)/gi, "$1") : query}`
}

/** Letters, digits, `-`, `.`, `_` and `~` of a path, which no program has to encode. Source: RFC 3986, section 2.3. */
const encodedUnreserved = /^[^?]*%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i

/**
 * True if the path of a URL percent-encodes a character that needs no encoding: a proxy rule that compares the path as sent would not match
 * what the router does.
 */
export const hasEncodedUnreserved = (url: string): boolean => encodedUnreserved.test(url)

/** True if the path of a URL holds an empty segment before its end. */
export const hasEmptySegment = (url: string): boolean => {
  const at = url.indexOf("//")
  if (at < 0) return false
  const query = url.indexOf("?")
  return query < 0 || at < query
}
