/** Errors of operations that change server state. */
import * as ApiError from "../ApiError.ts"

/** Errors of an operation that changes server state, besides those of the API key. */
export const changeErrors = [
  ApiError.BadRequest,
  ApiError.NotFound,
  ApiError.MethodNotAllowed,
  ApiError.PayloadTooLarge,
  ApiError.RateLimited,
  ApiError.Internal,
  ApiError.Unavailable,
] as const
