/**
 * What is wrong with a parameter, in the words of decision 8: its name, what came, and what is accepted. Pure.
 */

/** A parameter that cannot be used. */
export interface Problem {
  /** Name of the parameter, as the caller wrote it. */
  readonly parameter: string
  /** A whole sentence: what came and what is accepted. */
  readonly message: string
}

const shownCharacters = 60

/** A text of the caller as a message shows it: quoted, on one line, and not longer than it needs to be. */
export const show = (text: string): string => {
  const quoted = JSON.stringify(text.slice(0, shownCharacters))
  return text.length <= shownCharacters ? quoted : `${quoted} and ${text.length - shownCharacters} more characters`
}

/** A parameter whose value is not accepted. */
export const wrong = (parameter: string, came: string, accepted: string): Problem => ({
  parameter,
  message: `${parameter} is ${came === "" ? "empty" : show(came)}; accepted: ${accepted}.`,
})
