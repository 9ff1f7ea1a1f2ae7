/** Errors of options that were read from environment variables, reported under the names of the variables. */
import type { ConfigError } from "effect/Config"
import { InvalidOption } from "../ClientError.ts"

/** Renames an invalid option to the variable from which it was read. `variables` holds the variable of each option. */
export const namingVariables =
  (variables: Readonly<Record<string, string>>) =>
  (error: InvalidOption | ConfigError): InvalidOption | ConfigError => {
    const variable = error._tag === "InvalidOption" ? variables[error.option] : undefined
    return error._tag === "InvalidOption" && variable !== undefined
      ? new InvalidOption({ ...error, option: variable })
      : error
  }
