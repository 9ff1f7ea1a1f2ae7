/** Finds the keys of a request, so that a recording does not hold them. */

/** Replaces a key in a text. */
const mark = "<redacted>"

/** Shorter texts are not searched for: they would replace ordinary words and protect nothing. */
const minCharacters = 4

/** Path segments that are not keys. */
const word = /^(?:api|call|eth|evm|json-?rpc|mainnet|node|rpc|v\d+)$/

const credentialName = /auth|key|token|secret|cookie|credential|password|signature|session/i

/** Parts of a URL that are keys: values of credentials in the query and, for a node, also long or last path segments. */
const inUrl = (text: string, isNode: boolean): ReadonlyArray<string> => {
  const { pathname, searchParams } = new URL(text)
  const segments = pathname.split("/").filter((segment) => segment !== "")
  const inPath = segments.filter(
    (segment, at) => segment.length >= 16 || (at === segments.length - 1 && !word.test(segment)),
  )
  const inQuery = [...searchParams].filter(([name]) => isNode || credentialName.test(name)).map(([, value]) => value)
  return [...inQuery, ...(isNode ? inPath : [])]
}

/** Keys of a request. The prefix `Bearer` is not part of a key. */
export const ofRequest = ({ headers, url }: Request, isNode: boolean): ReadonlyArray<string> => [
  ...[...headers].filter(([name]) => credentialName.test(name)).map(([, value]) => value.replace(/^\w+ /, "")),
  ...inUrl(url, isNode),
]

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Replaces secrets in a text, in each spelling: plain, percent-encoded, inside JSON. */
export const remove = (secrets: Iterable<string>, text: string): string => {
  const spellings = [...secrets].flatMap((secret) => [
    secret,
    decoded(secret),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ])
  return [...new Set(spellings)]
    .filter((one) => one.length >= minCharacters)
    .toSorted((one, other) => other.length - one.length)
    .reduce((clean, secret) => clean.replaceAll(secret, mark), text)
}
