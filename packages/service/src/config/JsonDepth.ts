/** How deep a JSON text is nested, which is counted before it is parsed: what visits its values takes stack for each level. Pure. */

const [opening, closing] = [new Set("[{"), new Set("]}")]

/** Whether a text has more levels of lists and objects than these. Any text is read once. */
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
