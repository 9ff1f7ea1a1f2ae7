/**
 * Failure of a command that is not an error of the service: the message states what happened and what to do.
 */
import * as Data from "effect/Data"

/** The command was not carried out, or its result is a failure: exit code 1. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}
