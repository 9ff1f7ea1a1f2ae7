/**
 * How a message repeats a text that somebody else wrote: on one line, and short, so that a key which was put in the wrong place
 * is not told again. Pure.
 */

const wholeCharacters = 45
const shownCharacters = 10

/**
 * A text in quotes; of one longer than an address only the beginning, and how long it is.
 *
 * @category combinators
 * @since 0.1.0
 */
export const text = (value: string): string =>
  value.length <= wholeCharacters
    ? JSON.stringify(value)
    : `${JSON.stringify(`${value.slice(0, shownCharacters)}...`)} (${value.length} characters)`

/**
 * A text as one word of a command line: as it is, or in quotes where a shell would take it apart.
 *
 * @category combinators
 * @since 0.1.0
 */
export const shellWord = (value: string): string =>
  /^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
