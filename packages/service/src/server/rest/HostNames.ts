/**
 * Hides the names of nodes in texts that are shown without an API key: a host name may hold a key of its provider.
 *
 * Source: decision 0040.
 */

/** What stands in place of a name. */
const substitute = "the node"

/** Addresses, names with a domain and names with a port; file names are no hosts. */
const hosts =
  /\[[\da-f:.]+\](?::\d+)?|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z\d_-]+\.)+(?!(?:json|sqlite|md)\b)[a-z]{2,})(?::\d+)?\b|\b[a-z][\w-]*:\d{2,5}\b/gi

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Makes a function that hides the hosts of some URLs, and whatever else looks like one. */
export const hider = (urls: ReadonlyArray<string>) => {
  const known = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).host, new URL(url).hostname] : []))
  const names = [...new Set(known)].filter((name) => name !== "").toSorted((a, b) => b.length - a.length)
  const own =
    names.length === 0
      ? undefined
      : new RegExp(String.raw`(?<![\w.-])(?:${names.map(escape).join("|")})(?![\w-])`, "gi")
  return (text: string): string =>
    (own === undefined ? text : text.replaceAll(own, substitute)).replaceAll(hosts, substitute)
}
