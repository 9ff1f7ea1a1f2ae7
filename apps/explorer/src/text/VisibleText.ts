/**
 * Text that others chose, so that a person sees all of it: characters that are not drawn, or that change the order of those around them,
 * are written out by their code points. Pure.
 */

/** An emoji with its joiners, or a character that is not drawn by itself. */
const pattern =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const isKept = (found: string): boolean => /^(?:[\t\n\r]|\p{Extended_Pictographic})/u.test(found)

const written = (found: string): string =>
  isKept(found) ? found : `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** Marks above and below one letter: more of them would be drawn over the lines around it. */
const stacked = /(?<kept>\p{M}{4})\p{M}+/gu

/** The text with every character visible. */
export const visible = (text: string): string => text.replaceAll(pattern, written).replaceAll(stacked, "$<kept>…")

/** The visible text where no element can isolate it: in a title or an option, which have no elements of their own. */
export const isolated = (text: string): string => `\u2068${visible(text)}\u2069`
