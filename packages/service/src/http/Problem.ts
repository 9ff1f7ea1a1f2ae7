/**
 * What is wrong with a parameter, in the words of decision 8: its name, what came, and what is accepted. Pure.
 */
import * as Quote from "../Quote.ts"

/** A parameter that cannot be used. */
export interface Problem {
  /** Name of the parameter, as the caller wrote it. */
  readonly parameter: string
  /** A whole sentence: what came and what is accepted. */
  readonly message: string
}

/** A text of the caller as a message shows it. */
export const show = Quote.text

/** A parameter whose value is not accepted. */
export const wrong = (parameter: string, came: string, accepted: string): Problem => ({
  parameter,
  message: `${parameter} is ${came === "" ? "empty" : show(came)}; accepted: ${accepted}.`,
})
