/** Quotes names in the commands that messages suggest. */

/**
 * Formats a text as one word of a command line: unchanged, or quoted if a shell would split it.
 */
export const shellWord = (value: string): string =>
  /^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
