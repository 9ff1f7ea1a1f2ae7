/** The paths of the pages, and the parameters of their URLs. Pure. */

export const home = "/"

/** A block by its number or hash. */
export const block = (id: bigint | number | string): string => `/block/${encodeURIComponent(String(id))}`

export const transaction = (hash: string): string => `/tx/${encodeURIComponent(hash)}`

export const address = (id: string): string => `/address/${encodeURIComponent(id)}`

/** The webhooks of the API key. */
export const webhooks = "/webhooks"

/** Parameters of a URL by name. */
export type Search = Readonly<Record<string, string | undefined>>

/** Parses the query of a URL, which starts with `?`. The last of several parameters with one name counts; empty ones are omitted. */
export const parseSearch = (text: string): Search =>
  Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ""))

/** A path with parameters. Undefined or empty ones are omitted. */
export const withSearch = (path: string, search: Search): string => {
  const set = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]],
  )
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`
}
