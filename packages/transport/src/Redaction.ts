/**
 * Turns what may hold a key into text that may be shown: messages and header maps.
 * Everything that a server or the platform says passes through here before it enters an error, a span or a log.
 */
import * as Redacted from "effect/Redacted"

/**
 * What stands in a text where a key was.
 */
export const mark = "<redacted>"

/** Shorter texts are not looked for: they would blank ordinary words and protect nothing. */
const shortestSecretCharacters = 4

/**
 * A key as the options of a client take it.
 */
export type Key = string | Redacted.Redacted<string>

/**
 * Wraps a key so that printing it shows nothing; one that is wrapped already stays as it is.
 */
export const fromKey = (key: Key): Redacted.Redacted<string> => (typeof key === "string" ? Redacted.make(key) : key)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The spellings under which a server or the platform may repeat a secret. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const plain = [secret, secret.trim(), decoded(secret)]
  return [...plain, ...plain.flatMap((text) => [encodeURIComponent(text), JSON.stringify(text).slice(1, -1)])]
}

/**
 * Makes a function that replaces the given secrets in a text, in each spelling: plain, percent-encoded, inside JSON.
 *
 * **Gotchas**
 * - Secrets of fewer than 4 characters are not looked for.
 */
export const scrubber = (secrets: Iterable<string>): ((text: string) => string) => {
  const found = new Set([...secrets].flatMap(spellings).filter((text) => text.length >= shortestSecretCharacters))
  const longestFirst = [...found].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((clean, secret) => clean.replaceAll(secret, mark), text)
}

/**
 * Cuts a text to a length in characters, puts it on one line and says how much was left out.
 */
export const shorten = (text: string, characters = 200): string => {
  const line = text
    .slice(0, characters * 4)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
  return line.length <= characters && text.length <= characters * 4
    ? line
    : `${line.slice(0, characters)}... (${text.length} characters)`
}

const telling = /auth|key|token|secret|cookie|credential|password|signature|session/i

/**
 * A header map that may be shown: names stay, values of headers that carry credentials do not.
 */
export const headers = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, telling.test(name) ? mark : value]))
