/**
 * Responses of a fake before serialisation, and the errors of the service.
 */
import * as Issue from "@daybook/schema/Issue"

/** A response before serialisation. */
export interface Reply {
  readonly status: number
  readonly body: unknown
  /** Sent unchanged in place of the body. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An error in the form sent by the service. */
export const failure = (
  status: number,
  code: string,
  message: string,
  more: object = {},
  headers: Reply["headers"] = {},
): Reply => ({ status, headers, body: { message, code, requestId: "fake", ...more } })

/** Error of an invalid parameter. */
export const invalid = (issue: Issue.Issue, what = "query parameter", code = "bad_request"): Reply =>
  failure(400, code, Issue.format(what, issue), { parameter: issue.path })
