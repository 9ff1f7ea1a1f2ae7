/**
 * What is wrong with a parameter, in the words of decision 8: its name, what came, and what is accepted. Pure.
 */
import { quote } from "@daybook/schema/Issue"

/** A parameter that cannot be used. */
export interface Issue {
  /** Name of the parameter, as the caller wrote it. */
  readonly parameter: string
  /** A whole sentence: what came and what is accepted. */
  readonly message: string
}

/** A parameter whose value is not accepted. */
export const wrong = (parameter: string, received: string, accepted: string): Issue => ({
  parameter,
  message: `${parameter} is ${received === "" ? "empty" : quote(received)}; accepted: ${accepted}.`,
})
