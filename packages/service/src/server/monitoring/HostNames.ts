/**
 * Hides the names of nodes in texts shown without an API key, because a host name may hold a key of its provider.
 *
 * Source: decision 0040.
 */

/** Replacement of a name. */
const substitute = "the node"

/** Addresses, and names with a domain and a port: nothing else in a message resembles them. */
const hosts =
  /\[[\da-f]*:[\da-f]*:[\da-f:.]*\](?::\d+)?|(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:localhost|(?:[a-z\d_-]+\.)+[a-z]{2,}):\d{2,5})\b/gi

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Names by which messages refer to a node: its host with the port, and without it if it cannot be an ordinary word. */
const namesOf = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url)) return []
  const { host, hostname } = new URL(url)
  return /[.:]/.test(hostname) ? [host, hostname] : [host]
}

/** Makes a function that hides the hosts of some URLs, and addresses. Paths and field names are unchanged. */
export const hider = (urls: ReadonlyArray<string>) => {
  const names = [...new Set(urls.flatMap(namesOf))]
    .filter((name) => name !== "")
    .toSorted((a, b) => b.length - a.length)
  const own =
    names.length === 0
      ? undefined
      : new RegExp(String.raw`(?<![\w.-])(?<!\bthe )(?:${names.map(escape).join("|")})(?![\w-]|\.\w)`, "gi")
  return (text: string): string =>
    (own === undefined ? text : text.replaceAll(own, substitute)).replaceAll(hosts, substitute)
}
