/**
 * Parts of a request that several handlers need: its id, and a URL in the form that the router matches.
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
 * The URL of a request in the form that the router matches and reads.
 *
 * **Details**
 * A segment whose percent-encoding is invalid is text; `;` and `#` are characters of a segment. A list of one parameter
 * (`include[]=x`), as some clients write it, is that parameter.
 */
export const normalizeUrl = (url: string): string => {
  const at = url.indexOf("?")
  const path = at < 0 ? url : url.slice(0, at)
  const query = at < 0 ? "" : url.slice(at)
  const normalPath = /[%;#]/.test(path) ? path.split("/").map(encodeSegment).join("/") : path
  return `${normalPath}${query.includes("include") ? query.replaceAll(/([?&]include)(?:\[\]|%5B%5D)(?=[=&]|$)/gi, "$1") : query}`
}

/** Letters, digits, `-`, `.`, `_` and `~`, which no program has to encode. Source: RFC 3986, section 2.3. */
const encodedUnreserved = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i

/**
 * True where the path of a URL has a character percent-encoded that stands for itself: a rule of a proxy that compares the path as it is
 * sent would not match what the router does.
 */
export const hasEncodedUnreserved = (url: string): boolean => {
  const at = url.indexOf("%")
  if (at < 0) return false
  const query = url.indexOf("?")
  return encodedUnreserved.test(query < 0 ? url : url.slice(0, query))
}

/** True where the path of a URL holds an empty segment before its end. */
export const hasEmptySegment = (url: string): boolean => {
  const at = url.indexOf("//")
  if (at < 0) return false
  const query = url.indexOf("?")
  return query < 0 || at < query
}
