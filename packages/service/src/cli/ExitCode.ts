/**
 * Exit codes of the command `daybook` by cause of failure. See `Shutdown` for the code of a command stopped by a signal.
 *
 * Source: docs/operations.md.
 */
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import { CommandError } from "./CommandError.ts"

/** The codes by cause. */
const codes = {
  /** The command was not carried out, or its result is negative, such as a difference or a chain that is not ready. */
  failed: 1,
  /** An unknown command, or an invalid option or argument. */
  usage: 2,
  /** The configuration, or the URL of a node, is invalid. */
  configuration: 3,
  /** The database cannot be used. */
  database: 4,
  /** The service cannot listen. */
  address: 5,
  /** A defect of this program. */
  defect: 70,
} as const

const codeOfTag: Readonly<Record<string, number>> = {
  InvalidConfig: codes.configuration,
  InvalidOption: codes.configuration,
  StoreError: codes.database,
  ListenError: codes.address,
}

/** Exit code of a failed command. */
export const ofCause = (cause: Cause.Cause<unknown>): number => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return codes.defect
  if (CliError.isCliError(error)) return codes.usage
  if (error instanceof CommandError) return error.isUsage === true ? codes.usage : codes.failed
  const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""
  // Error of a serving process that did not start, with the same codes; 0 if it was stopped before.
  const exitCode = typeof error === "object" && error !== null && "exitCode" in error ? Number(error.exitCode) : 0
  return codeOfTag[tag] ?? (exitCode || codes.failed)
}
