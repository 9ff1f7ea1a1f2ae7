/** Quotes names in the commands that messages suggest. */

/**
 * A text as one word of a command line: as it is, or in quotes where a shell would take it apart.
 */
export const shellWord = (value: string): string =>
  /^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
