/**
 * Text that others chose, so that a person sees all of it: characters that are not drawn, or that change the order of those around them,
 * are written out. Logs, errors, names of tokens, the terminal and pages show such texts by this module alone.
 */

/** An emoji with its joiners, a line break, or a character that is not drawn by itself. */
const pattern =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|\r\n|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Texts of letters, digits and punctuation of ASCII, which most are. */
const plain = /^[ -~]*$/

const isEmoji = (match: string): boolean => /^\p{Extended_Pictographic}/u.test(match)

/** A tab or a line break. A carriage return alone is none: a terminal writes the rest over the line. */
const isBreak = (match: string): boolean => match === "\t" || match === "\n" || match === "\r\n"

const writeHidden = (match: string): string =>
  isEmoji(match) || isBreak(match)
    ? match
    : `[U+${(match.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** Marks above and below one letter: more of them would be drawn over the lines around it. */
const stacked = /(?<kept>\p{M}{4})\p{M}+/gu

/**
 * The text with every character visible: a hidden one as `[U+202E]`. Line breaks, tabs and emoji are unchanged.
 *
 * **Example** (Showing a name that hides how it is written)
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
 * The visible text on one line, with one space in place of each run of spaces, tabs and line breaks, and none around it.
 *
 * Source: decision 0012.
 */
export const visibleLine = (text: string): string => visible(text.replaceAll(spaces, " ")).trim()

/** Units of a text that are read for each character that is shown: a character has two at most, and spaces become one. */
const unitsPerCharacter = 8

/**
 * The visible text on one line of a number of characters at most. A longer one ends with `…`; no character is shown in part.
 *
 * Source: decision 0012.
 */
export const visibleStart = (text: string, maxCharacters: number): string => {
  const read = text.slice(0, unitsPerCharacter * maxCharacters)
  const isRead = read.length === text.length
  const line = visibleLine(isRead ? read : read.replace(/[\ud800-\udbff]$/, ""))
  const characters = Array.from(line)
  // Of an emoji that is cut, a joiner may be the last character.
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
