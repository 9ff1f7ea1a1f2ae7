/**
 * Responds with 400 and the invalid parameter to a request whose query does not decode.
 *
 * Source: decisions 0008 and 0012.
 */
import * as ApiError from "@daybook/schema/ApiError"
import * as Effect from "effect/Effect"
import { ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as ErrorResponse from "./ErrorResponse.ts"
import { InvalidParameter } from "./InvalidParameter.ts"

/** Middleware of an API with query parameters. */
export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()(
  "@daybook/service/server/InvalidRequest",
  { error: ApiError.BadRequest },
) {}

/** The middleware. Any other decoding or encoding failure is a defect. */
export const layer = HttpApiMiddleware.layerSchemaErrorTransform(
  InvalidRequest,
  Effect.fnUntraced(function* (error) {
    if (error.kind !== "Query") return yield* Effect.fail(error)
    const refused = InvalidParameter.fromError(error.cause, yield* ParsedSearchParams)
    return yield* ErrorResponse.answer(ErrorResponse.badRequest(refused))
  }),
)
