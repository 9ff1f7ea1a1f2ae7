/** The JSON text of what a server sent, which may be nested deeper than `JSON.stringify` goes. */

/** The JSON text of a value; `undefined` where it is nested too deep for it. */
export const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The JSON text of a value; one that is nested too deep for it is only named. */
export const stringify = (value: unknown): string => textOf(value) ?? "a value that is nested too deep"
