/**
 * A parameter that an operation refuses: the sentence for the caller and the name of the parameter.
 *
 * Source: decision 0008.
 */
import type * as ApiError from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Data from "effect/Data"

/** A parameter that is refused. */
export class InvalidParameter extends Data.TaggedError("InvalidParameter")<{
  readonly parameter: string
  readonly code: ApiError.BadRequest["code"]
  readonly message: string
}> {
  /** A query parameter with an invalid value; the path of the issue is its name. */
  static fromIssue(issue: Issue.Issue, what = "query parameter"): InvalidParameter {
    return new InvalidParameter({ code: "bad_request", parameter: issue.path, message: Issue.format(what, issue) })
  }
}
