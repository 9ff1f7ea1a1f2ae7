/**
 * Answers a request whose path or query does not decode with 400 and the parameter at fault.
 *
 * Source: decisions 0008 and 0012.
 */
import * as ApiError from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { ParsedSearchParams } from "effect/http/HttpServerRequest"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as ErrorResponse from "./ErrorResponse.ts"
import { InvalidParameter } from "./rest/InvalidParameter.ts"

/** Middleware of every API whose requests are decoded. */
export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()(
  "@daybook/service/server/InvalidRequest",
  { error: ApiError.BadRequest },
) {}

type Input = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The first issue of an error. A parameter that is sent more than once arrives as an array. */
const issueOf = ({ cause }: HttpApiSchemaError, input: Input): Issue.Issue => {
  const [name, values] = Object.entries(input).find(([, value]) => Array.isArray(value)) ?? []
  if (name !== undefined) return { path: name, expected: "one value", received: `${values!.length} values` }
  // Sound: a schema error has at least one issue.
  return Issue.fromError(cause, input)[0]!
}

/** The middleware. A response that does not encode is a defect. */
export const layer = HttpApiMiddleware.layerSchemaErrorTransform(
  InvalidRequest,
  Effect.fnUntraced(function* (error) {
    switch (error.kind) {
      case "Params": {
        const { params } = yield* HttpRouter.RouteContext
        return yield* ErrorResponse.badRequest(InvalidParameter.fromIssue(issueOf(error, params), "path parameter"))
      }
      case "Query":
        return yield* ErrorResponse.badRequest(InvalidParameter.fromIssue(issueOf(error, yield* ParsedSearchParams)))
      default:
        return yield* Effect.fail(error)
    }
  }),
)
