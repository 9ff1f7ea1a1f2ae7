/**
 * Failure of a command that is not an error of the service. The message states what happened and what to do.
 */
import { format } from "@daybook/schema/Issue"
import * as Data from "effect/Data"

/** The command was not carried out, or its result is negative. */
export class CommandError extends Data.TaggedError("CommandError")<{
  readonly message: string
  /** The arguments of the command are invalid. */
  readonly isUsage?: boolean
}> {}

/** Names an invalid option or argument. */
export const invalidOption = (path: string, expected: string, received: string): CommandError =>
  new CommandError({ message: format("option", { path, expected, received }), isUsage: true })
