/**
 * Removes keys from texts and header maps before they enter an error, a span or a log. Every text received from a server or from the
 * platform passes through here.
 */
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Redacted from "effect/Redacted"

/** Replaces a key in a text. */
export const mark = "<redacted>"

/** Shorter texts are not searched for: they would replace ordinary words and protect nothing. */
const minSecretCharacters = 4

/** Wraps a key so that printing it shows nothing; a wrapped key is returned unchanged. */
export const fromKey = (key: string | Redacted.Redacted<string>): Redacted.Redacted<string> =>
  typeof key === "string" ? Redacted.make(key) : key

/** Percent-decodes a text; a text that is not valid percent-encoding is returned unchanged. */
export const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Spellings in which a server or the platform may repeat a secret. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const plain = [secret, secret.trim(), percentDecode(secret)]
  return plain.flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)])
}

/** Escapes of JSON, URLs and HTML. */
const escapes = String.raw`\\u[\da-fA-F]{4}|%(?:25)?[\da-fA-F]{2}|&#?\w{2,7};`

/**
 * Separators between two words of letters and digits in a text. Their number is bounded because the regular expression engine keeps a
 * backtracking position for each. An escape must not also match as single characters, or the ways to match would multiply.
 */
const separators = `(?:${escapes}|(?!${escapes})[^\\da-zA-Z]){1,99}`

/** Stands for separators in the words of a text. */
const gap = "\0"

/**
 * Makes a function that replaces the given secrets in a text, in each spelling: plain, percent-encoded, inside JSON. A secret is also found
 * by its words of letters and digits, with up to 99 escapes or separators of any kind between two words.
 *
 * **Gotchas**
 *
 * - Secrets of fewer than 4 characters are not replaced.
 */
export const scrubber = (secrets: Iterable<string>): ((text: string) => string) => {
  const longest = (texts: ReadonlyArray<string>) =>
    [...new Set(texts)].filter((text) => text.length >= minSecretCharacters).sort((a, b) => b.length - a.length)
  const found = longest([...secrets].flatMap(spellings))
  const words = longest(found.map((text) => (text.match(/[\da-z]+/gi) ?? []).join(gap)))
  const patterns = words.map((text) => text.replaceAll(gap, separators))
  const wordsOrEscape = new RegExp([...patterns, escapes].join("|"), "g")
  return (text) =>
    found
      .reduce((clean, secret) => clean.replaceAll(secret, mark), text)
      .replace(wordsOrEscape, (part) => (/^\w/.test(part) ? mark : part))
}

/**
 * Start of a received text in which keys are searched for before it is shortened. It is longer than the headers and URLs that servers
 * usually accept, so that no key is cut.
 */
export const searchable = (text: string): string => text.slice(0, 32_768)

/** Cuts a text to a number of characters, and puts it on one line with every character visible. A cut text ends with its full length. */
export const shorten = (text: string, characters = 200): string => {
  const line = visibleStart(text, characters)
  return line.endsWith("…") && !text.endsWith("…") ? `${line} (${text.length} characters)` : line
}

const credentialHeader = /auth|key|token|secret|cookie|credential|password|signature|session/i

/** Replaces the values of headers that carry credentials. Names stay. */
export const headers = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, credentialHeader.test(name) ? mark : value]))
