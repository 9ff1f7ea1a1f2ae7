/**
 * Errors that are responses to clients: their stack is never shown, and recording it costs more than the rest of a rejected request.
 */

/** Runs a constructor of an error that records no stack. */
export const stackless = <A>(make: () => A): A => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
