/** Nesting depth of JSON text, measured before parsing, since visiting parsed values uses stack for each level. Pure. */

const [opening, closing] = [new Set("[{"), new Set("]}")]

/** True if a text has more levels of arrays and objects than allowed. The text is read once. */
export const isDeeper = (text: string, levels: number): boolean => {
  let [depth, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) at += character === "\\" ? 1 : 0
    else if (opening.has(character)) depth++
    else if (closing.has(character)) depth--
    if (depth > levels) return true
  }
  return false
}
