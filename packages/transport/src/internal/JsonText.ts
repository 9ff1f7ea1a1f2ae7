/** The JSON text of what a server sent, which may be nested deeper than `JSON.stringify` goes. */

/** The JSON text of a value; one that is nested too deep for it is only named. */
export const stringify = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return "a value that is nested too deep"
  }
}
