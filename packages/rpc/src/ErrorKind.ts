/**
 * Kinds of errors that nodes report. Providers and clients report the same meaning with many codes and messages; the kind is that meaning.
 */
import { type ErrorKind, kindOf } from "./internal/error/Providers.ts"

export type { ErrorKind } from "./internal/error/Providers.ts"

/**
 * Classifies an error by its code and message, and by the called method, on which the meaning of some codes depends. `unauthorized` is
 * reported as the error `Unauthorized`.
 *
 * **Example** (Distinguishing a size limit from a rate limit)
 *
 * ```ts
 * import * as ErrorKind from "@daybook/rpc/ErrorKind"
 *
 * console.log(ErrorKind.fromError({ code: -32005, message: "query returned more than 10000 results" })) // tooLarge
 * console.log(ErrorKind.fromError({ code: -32005, message: "limit exceeded" })) // rateLimited
 * ```
 */
export const fromError = (error: {
  readonly code: number
  readonly message: string
  readonly method?: string | undefined
}): ErrorKind | "unauthorized" => kindOf(error)

/**
 * True for kinds of errors after which the same call may succeed.
 *
 * **Example** (Deciding whether to repeat a call)
 *
 * ```ts
 * import * as ErrorKind from "@daybook/rpc/ErrorKind"
 *
 * console.log(ErrorKind.isRetryable("rateLimited"), ErrorKind.isRetryable("reverted")) // true false
 * ```
 */
export const isRetryable = (kind: ErrorKind): boolean => kind === "internal" || kind === "rateLimited"
