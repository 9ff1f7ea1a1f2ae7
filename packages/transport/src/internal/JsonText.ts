/** JSON text of values received from a server, which may be nested deeper than `JSON.stringify` supports. */

/** JSON text of a value; `undefined` if it is nested too deep. */
export const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** JSON text of a value, or a description if it is nested too deep. */
export const stringify = (value: unknown): string => textOf(value) ?? "a value that is nested too deep"
