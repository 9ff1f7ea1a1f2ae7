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
  return [...plain, ...plain.flatMap((text) => [encodeURIComponent(text), JSON.stringify(text).slice(1, -1)])]
}

/**
 * Makes a function that replaces the given secrets in a text, in each spelling: plain, percent-encoded, inside JSON.
 *
 * **Gotchas**
 *
 * - Secrets of fewer than 4 characters are not replaced.
 */
export const scrubber = (secrets: Iterable<string>): ((text: string) => string) => {
  const found = new Set([...secrets].flatMap(spellings).filter((text) => text.length >= minSecretCharacters))
  const longestFirst = [...found].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((clean, secret) => clean.replaceAll(secret, mark), text)
}

/** Cuts a text to a number of characters, and puts it on one line with every character visible. A cut text ends with its full length. */
export const shorten = (text: string, characters = 200): string => {
  const line = visibleStart(text, characters)
  return line.endsWith("…") && !text.endsWith("…") ? `${line} (${text.length} characters)` : line
}

const credentialHeader = /auth|key|token|secret|cookie|credential|password|signature|session/i

/** Replaces the values of headers that carry credentials. Names stay. */
export const headers = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, credentialHeader.test(name) ? mark : value]))
