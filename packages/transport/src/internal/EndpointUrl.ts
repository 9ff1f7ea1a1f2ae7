/** Request URLs of an endpoint. They hold its keys and leave this package only inside a request. */
import * as Redacted from "effect/Redacted"
import type { Endpoint, Target } from "../Endpoint.ts"

/** URL of a request: the endpoint's URL, the path below it, and the query after the endpoint's own. */
export const resolve = (endpoint: Endpoint, target: Target = {}): Redacted.Redacted<string> => {
  if ((target.path ?? "") === "" && target.query === undefined) return endpoint.url
  const url = new URL(Redacted.value(endpoint.url))
  if (target.path !== undefined && target.path !== "") {
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${target.path.replace(/^\/+/, "")}`
  }
  for (const [name, value] of Object.entries(target.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value)
  }
  return Redacted.make(url.href)
}

/** Path and query of a request below the URL of its endpoint. */
export const relative = ({ path = "", query = {} }: Target): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, value)
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

/**
 * Text that is equal for endpoints with the same URL and credentials, regardless of the headers of a single call. It contains those
 * credentials.
 */
export const identity = (endpoint: Endpoint): Redacted.Redacted<string> =>
  Redacted.make(`${Redacted.value(endpoint.url)} ${JSON.stringify(Redacted.value(endpoint.headers))}`)
