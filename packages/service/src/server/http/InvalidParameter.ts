/**
 * A parameter that an operation rejects: a sentence for the caller, and the name of the parameter.
 *
 * Source: decision 0008.
 */
import type * as ApiError from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import type { ChainNotFound } from "../../config/ChainRegistry.ts"

/** Parameters as text by name; a repeated one is an array. */
export type Input = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A parameter is rejected. */
export class InvalidParameter extends Data.TaggedError("InvalidParameter")<{
  readonly parameter: string
  readonly code: ApiError.BadRequest["code"]
  readonly message: string
}> {
  /** A query parameter with an invalid value; the path of the issue is its name. */
  static fromIssue(
    issue: Issue.Issue,
    what = "query parameter",
    code: ApiError.BadRequest["code"] = "bad_request",
  ): InvalidParameter {
    return new InvalidParameter({ code, parameter: issue.path, message: Issue.format(what, issue) })
  }

  /** A query parameter that does not name a chain, or names one that is not served. */
  static fromChain({ code, issue }: ChainNotFound): InvalidParameter {
    return InvalidParameter.fromIssue(issue, undefined, code)
  }

  /** The first parameter that a schema rejects. */
  static fromError(error: Schema.SchemaError | SchemaIssue.Issue, input: Input, what?: string): InvalidParameter {
    const [name, values] = Object.entries(input).find(([, value]) => Array.isArray(value)) ?? []
    return InvalidParameter.fromIssue(
      name === undefined
        ? // Sound: a schema error has at least one issue.
          Issue.fromError(error, input)[0]!
        : { path: name, expected: "one value", received: `${values!.length} values` },
      what,
    )
  }
}
