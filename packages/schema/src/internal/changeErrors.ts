/** The errors of operations that change what a server keeps. */
import * as ApiError from "../ApiError.ts"

/** Errors of an operation that changes what a server keeps, beside those of the API key. */
export const changeErrors = [
  ApiError.BadRequest,
  ApiError.NotFound,
  ApiError.MethodNotAllowed,
  ApiError.PayloadTooLarge,
  ApiError.RateLimited,
  ApiError.Internal,
  ApiError.Unavailable,
] as const
