/**
 * JSON body of an operation that changes something: read within the bounds of bytes, nesting and values, and decoded.
 *
 * Source: decisions 0039 and 0059.
 */
import { isUtf8 } from "node:buffer"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { Authentication, Caller } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as JsonScan from "../relay/JsonScan.ts"
import * as RequestBody from "../relay/RequestBody.ts"

/** Dependencies of reading. */
export interface Options {
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
}

/** A body, and the headers of its response. */
export interface Body<A> {
  readonly value: A
  readonly headers: Caller["headers"]
}

/** Rejects a part of a body. */
export const invalid = (path: string, expected: string, received: string) =>
  ErrorResponse.badRequest(InvalidParameter.fromIssue({ path, expected, received }, "request body"))

/** Makes the reader of a body. If `isOptional`, an empty body counts as an empty object. */
export const reader = <A>(
  { authentication, bounds }: Options,
  schema: Schema.Codec<A, unknown>,
  isOptional = false,
) => {
  const decode = SchemaParser.decodeUnknownResult(schema, { onExcessProperty: "error" })
  const { bodyDepth, bodyValues } = bounds.limits

  const parse = Effect.fnUntraced(function* (bytes: Buffer): Effect.fn.Return<A, ErrorResponse.ErrorResponse> {
    const { depth, values } = JsonScan.count(bytes)
    if (depth > bodyDepth) {
      return yield* invalid("", `at most ${bodyDepth} levels of nesting (limits.bodyDepth)`, `${depth}`)
    }
    if (values > bodyValues) {
      return yield* invalid("", `at most ${bodyValues} values (limits.bodyValues)`, `${values}`)
    }
    const isEmpty = isOptional && bytes.length === 0
    const json = isEmpty ? {} : isUtf8(bytes) ? Json.parse(bytes.toString()) : undefined
    if (json === undefined) return yield* invalid("", "JSON in UTF-8", "other text")
    const decoded = decode(json)
    if (Result.isSuccess(decoded)) return decoded.success
    // Sound: an error has at least one issue.
    const issue = Issue.fromError(decoded.failure, json)[0]!
    return yield* ErrorResponse.badRequest(InvalidParameter.fromIssue(issue, "request body"))
  })

  return Effect.fnUntraced(function* ({
    grant,
    headers: before,
  }: Caller): Effect.fn.Return<Body<A>, ErrorResponse.ErrorResponse, HttpServerRequest> {
    const request = yield* HttpServerRequest
    const body = RequestBody.read(request, grant, { authentication, bounds })
    const { bytes, headers = before } = yield* Effect.catchTag(body, "RelayError", ErrorResponse.unreadBody)
    return { value: yield* parse(bytes), headers }
  })
}
