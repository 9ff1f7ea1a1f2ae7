/**
 * Output of the command line itself: help in 80 columns, and one line on standard error for invalid arguments.
 */
import * as Console from "effect/Console"
import type { NonShowHelpErrors } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as HelpText from "./HelpText.ts"
import * as Terminal from "./Terminal.ts"

const suggestion = /\s*Did you mean this\?\s*([\s\S]*)$/

const sentence = (message: string): string => {
  const names = suggestion
    .exec(message)?.[1]
    ?.trim()
    .split(/\s*\n\s*/)
  const text = message
    .replace(suggestion, "")
    .replace(/a string representing a finite number|an integer$/, "a whole number")
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/[.\s]+$/, "")
  return names === undefined ? `${text}.` : `${text}. Did you mean ${names.join(" or ")}?`
}

/** Formats the line for an invalid invocation of a command. */
const format = (commandPath: ReadonlyArray<string>, errors: ReadonlyArray<NonShowHelpErrors>): string => {
  const reasons = [...new Set(errors.map(({ message }) => sentence(message)))]
  return `daybook: ${reasons.join(" ")} Run "${commandPath.join(" ")} --help".`
}

/** Prints help, an invalid invocation as one line, and the version as usual. */
export const layer = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Console.log(HelpText.format(event.helpDoc))
      case "InvalidInvocation":
        return Terminal.note(format(event.commandPath, event.errors))
      default:
        return CliOutput.defaultPresenter.present(event)
    }
  },
})
