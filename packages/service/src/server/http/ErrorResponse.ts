/**
 * Error responses: the contract's wire errors with their status and headers.
 *
 * Source: decision 0012.
 */
import * as ApiError from "@daybook/schema/ApiError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { StoreError } from "../../store/StoreError.ts"
import { type BoundReached, retrySeconds } from "./BoundReached.ts"
import { RequestId } from "./Request.ts"
import * as Response from "./Response.ts"
import { stackless } from "./Stackless.ts"
import type { InvalidParameter } from "./InvalidParameter.ts"
import * as UnavailableLog from "./UnavailableLog.ts"

const encode = Schema.encodeUnknownSync(ApiError.ApiError)

const codesOf = ({ fields: { code } }: (typeof ApiError.ApiError.members)[number]): ReadonlyArray<string> =>
  "literals" in code ? code.literals : [code.schema.literal]

const statuses: ReadonlyMap<string, number | undefined> = new Map(
  ApiError.ApiError.members.flatMap((member) => {
    const status = SchemaAST.resolveAt<number>("httpApiStatus")(member.ast)
    return codesOf(member).map((code) => [code, status] as const)
  }),
)

/** HTTP status of an error in the contract, by the error's code. */
export const statusOfCode = (code: ApiError.ApiError["code"]): number => statuses.get(code) ?? 500

/** Wire form of an error. */
export const wireOf = (error: ApiError.ApiError): (typeof ApiError.ApiError)["Encoded"] => encode(error)

/** Writes an error. */
export const toResponse = (error: ApiError.ApiError, headers: Response.Headers = {}): HttpServerResponse =>
  Response.json(JSON.stringify(wireOf(error)), { status: statusOfCode(error.code), headers })

/** A request that is answered with an error of the contract. */
export class ErrorResponse extends Data.TaggedError("ErrorResponse")<{
  readonly error: ApiError.ApiError
  readonly headers: Response.Headers
}> {
  override get message(): string {
    return this.error.message
  }
}

/** Sends the error with which a handler fails. */
export const answer = <R>(
  handler: Effect.Effect<HttpServerResponse, ErrorResponse, R>,
): Effect.Effect<HttpServerResponse, never, R> =>
  handler.pipe(Effect.catchTag("ErrorResponse", ({ error, headers }) => Effect.succeed(toResponse(error, headers))))

type Failure = Effect.Effect<never, ErrorResponse>

/** Fails with the error that `make` builds for the id of the current request. */
const fail = (make: (requestId: string) => ApiError.ApiError, headers: Response.Headers = {}): Failure =>
  Effect.flatMap(RequestId, (requestId) =>
    Effect.fail(stackless(() => new ErrorResponse({ error: make(requestId), headers }))),
  )

/** 400: a parameter is invalid. */
export const badRequest = ({ code, message, parameter }: InvalidParameter): Failure =>
  fail((requestId) => new ApiError.BadRequest({ code, message, parameter, requestId }))

/** 401: the key is missing or unknown. */
export const unauthorized = (message: string): Failure =>
  fail((requestId) => new ApiError.Unauthorized({ message, requestId }))

/** 403: the request is not allowed. */
export const forbidden = (message: string): Failure =>
  fail((requestId) => new ApiError.Forbidden({ message, requestId }))

/** 404: the service does not offer the operation. */
export const notOffered = (message: string): Failure =>
  fail((requestId) => new ApiError.NotFound({ message, requestId }))

/** 409: the cursor refers to a block that was reorged. */
export const staleCursor = (resumeFromBlock: number, headers: Response.Headers): Failure => {
  const below = resumeFromBlock > 0 ? `; in descending order, then continue with to_block=${resumeFromBlock - 1}` : ""
  const message = `Stale cursor: block ${resumeFromBlock} and later blocks were reorged. Start again without a cursor, from_block=${resumeFromBlock}${below}.`
  return fail(
    (requestId) => new ApiError.StaleCursor({ message, requestId, resumeFromBlock: BigInt(resumeFromBlock) }),
    headers,
  )
}

/** 429: the key has used up its rate limit. */
export const rateLimited = (message: string, headers: Response.Headers): Failure =>
  fail((requestId) => new ApiError.RateLimited({ message, requestId }), headers)

/** Why a body is not read. */
export interface UnreadBody {
  readonly reason: ApiError.ApiError["code"]
  readonly message: string
  readonly headers?: Response.Headers
}

/** 400, 413, 429 or 503: the body of a request is not read. */
export const unreadBody = ({ headers = {}, message, reason }: UnreadBody): Failure => {
  switch (reason) {
    case "payload_too_large":
      return fail((requestId) => new ApiError.PayloadTooLarge({ message, requestId }), headers)
    case "rate_limited":
      return rateLimited(message, headers)
    case "unavailable":
      return fail((requestId) => new ApiError.Unavailable({ message, requestId }), headers)
    default:
      return fail((requestId) => new ApiError.BadRequest({ code: "bad_request", message, requestId }), headers)
  }
}

/** 429 or 503: the client or the process has reached a bound on bytes in flight. */
export const boundReached = ({ message, scope }: BoundReached): Failure => {
  const headers = { "retry-after": String(retrySeconds) }
  return scope === "total"
    ? fail((requestId) => new ApiError.Unavailable({ message, requestId }), headers)
    : rateLimited(message, headers)
}

/** Seconds after which an unreadable database may be tried again. */
const storeRetrySeconds = 1

/** 503: data needed to decide on the request cannot be read. */
export const unavailable = (message: string): Failure =>
  fail((requestId) => new ApiError.Unavailable({ message, requestId }), { "retry-after": String(storeRetrySeconds) })

const derivedRetrySeconds = 10

/** 503: the ledgers of wallets are still being derived from stored blocks. */
export const notComplete = (message: string, headers: Response.Headers): Failure =>
  fail((requestId) => new ApiError.Unavailable({ message, requestId }), {
    ...headers,
    "retry-after": String(derivedRetrySeconds),
  })

/** 500: a block that a page needs is damaged in the database. */
const damaged = (error: StoreError, block: number): Failure =>
  Effect.andThen(
    UnavailableLog.write(error),
    fail((requestId) => {
      const message = `Stored block damaged: block ${block}. The operator of the server can run "daybook repair".`
      return new ApiError.Internal({ message, requestId })
    }),
  )

/** 500: the database stays unusable until the operator of the server acts. */
const unusable = (error: StoreError): Failure =>
  fail((requestId) => new ApiError.Internal({ message: UnavailableLog.issueOf(error), requestId }))

/** A database that is busy, behind a cursor or not created yet is 503; one that is damaged, or fails for another lasting reason, is 500. */
export const fromStore = (error: StoreError): Failure => {
  if (error.damagedBlock !== undefined) return damaged(error, error.damagedBlock)
  if (error.isBehind === true) return unavailable(error.message)
  const response = error.isRetryable ? unavailable("The index cannot be read now. Retry later.") : unusable(error)
  return Effect.andThen(UnavailableLog.write(error), response)
}

/** 500: the server failed; the id leads to the log. */
export const internal = (requestId: string): ApiError.Internal =>
  new ApiError.Internal({
    message: "Internal server error. The server log has details under this requestId.",
    requestId,
  })

/** Routes that describe or stand for others. */
const guides = [
  { route: "GET /openapi.json", sentence: "GET /openapi.json describes the operations." },
  { route: "POST /rpc/:chain/:apiKey", sentence: "JSON-RPC calls go to POST /rpc/:chain/:apiKey." },
] as const

/** Longest list of routes in a message: a client shows it in one line. */
const maxListed = 10

/** 404: no route matches. The message does not repeat the path, which may hold a key. */
export const notFound = (requestId: string, routes: ReadonlyArray<string>): ApiError.NotFound => {
  const sentences = guides.filter(({ route }) => routes.includes(route)).map(({ sentence }) => sentence)
  const isListed = routes.length <= maxListed || sentences.length === 0
  const remedy = isListed ? `Use one of ${routes.join(", ")}.` : sentences.join(" ")
  return new ApiError.NotFound({ message: `Path not found. ${remedy}`, requestId })
}

/** 405: the path has no route for this method. */
export const methodNotAllowed = (requestId: string, method: string, allow: string): ApiError.MethodNotAllowed =>
  new ApiError.MethodNotAllowed({ message: `Method not allowed: ${method}. Use ${allow}.`, requestId })
