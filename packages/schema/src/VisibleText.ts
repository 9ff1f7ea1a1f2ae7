/**
 * Makes text from others fully visible: characters that are not drawn, or that change the order of those around them, are written out.
 * Logs, errors, token names, the terminal and pages show such text only through this module.
 */

/** An emoji with its joiners, a line break, or a character that is not drawn on its own. */
const pattern =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|\r\n|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Texts of ASCII letters, digits and punctuation, which most are. */
const plain = /^[ -~]*$/

const isEmoji = (match: string): boolean => /^\p{Extended_Pictographic}/u.test(match)

/** A tab or a line break. A lone carriage return does not count: a terminal would write the rest over the line. */
const isBreak = (match: string): boolean => match === "\t" || match === "\n" || match === "\r\n"

const writeHidden = (match: string): string =>
  isEmoji(match) || isBreak(match)
    ? match
    : `[U+${(match.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** Combining marks on one letter: more than these would be drawn over the surrounding lines. */
const stacked = /(?<kept>\p{M}{4})\p{M}+/gu

/**
 * Makes every character of a text visible: a hidden one becomes, for example, `[U+202E]`. Line breaks, tabs and emoji are unchanged.
 *
 * **Example** (Showing a name with hidden characters)
 *
 * ```ts
 * import * as VisibleText from "@daybook/schema/VisibleText"
 *
 * console.log(VisibleText.visible("US\u200bDC")) // US[U+200B]DC
 * ```
 *
 * Source: decision 0012.
 */
export const visible = (text: string): string =>
  plain.test(text) ? text : text.replaceAll(pattern, writeHidden).replaceAll(stacked, "$<kept>…")

const spaces = /(?:[\p{Zs}\t\n]|\r\n)+/gu

/**
 * Returns the visible text on one line: each run of spaces, tabs and line breaks becomes one space, and the ends are trimmed.
 *
 * Source: decision 0012.
 */
export const visibleLine = (text: string): string => visible(text.replaceAll(spaces, " ")).trim()

/** Code units of a text that are read for each character that is shown: a character has at most two, and runs of spaces collapse. */
const unitsPerCharacter = 8

/**
 * Returns the visible text on one line, cut to a maximum number of characters. A cut text ends with `…`; no character is split.
 *
 * Source: decision 0012.
 */
export const visibleStart = (text: string, maxCharacters: number): string => {
  const read = text.slice(0, unitsPerCharacter * maxCharacters)
  const isRead = read.length === text.length
  const line = visibleLine(isRead ? read : read.replace(/[\ud800-\udbff]$/, ""))
  const characters = Array.from(line)
  // When an emoji is cut, a joiner may be the last character.
  return isRead && characters.length <= maxCharacters
    ? line
    : `${characters
        .slice(0, maxCharacters - 1)
        .join("")
        .replace(/\u200d$/, "")}…`
}

/**
 * True for one line without hidden characters.
 *
 * Source: decision 0012.
 */
export const isVisibleLine = (text: string): boolean =>
  plain.test(text) || !text.match(pattern)?.some((match) => !isEmoji(match))
