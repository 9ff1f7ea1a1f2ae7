/** Last step of reading a response: decodes the value of a call with the schema of its method. */
import * as Issue from "@daybook/schema/Issue"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { InvalidResponse } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { shorten } from "@daybook/transport/internal/Redaction"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { BytesResult } from "./BytesReading.ts"
import { join } from "./match.ts"
import { describeWhole } from "./parse.ts"

/** The result of a call as JSON. */
export interface JsonResult {
  readonly value: unknown
  readonly reply: Reply
  /** True if the body is the result itself, without an envelope. */
  readonly isBare: boolean
  /** The result as bytes, if it is large; its value is then an empty text. */
  readonly bytes?: BytesResult | undefined
  /** The text of the result, unchanged. */
  readonly text: () => string
}

/** Converts the result of a call to the value that the caller receives. */
export type Decode<A> = (result: JsonResult) => Result.Result<A, InvalidResponse>

type Parse = (input: unknown) => Result.Result<unknown, SchemaIssue.Issue>

const parsers = new WeakMap<Schema.Codec<unknown, unknown>, Parse>()

const parserOf = (schema: Schema.Codec<unknown, unknown>): Parse => {
  const known = parsers.get(schema)
  if (known !== undefined) return known
  const parser = SchemaParser.decodeUnknownResult(schema)
  parsers.set(schema, parser)
  return parser
}

/** Decodes the result of a known method called with these parameters. */
export const typed =
  (name: RpcMethod.Name, params: ReadonlyArray<unknown>): Decode<unknown> =>
  ({ isBare, reply, value }) => {
    const decoded = parserOf(RpcMethod.resultOf(name, params))(value)
    if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
    const show = (part: unknown) => shorten(reply.scrub(describeWhole(part)), 100)
    // Sound: a schema error has at least one issue.
    const [issue] = Issue.fromError(decoded.failure, value, show) as [Issue.Issue]
    return Result.fail(
      new InvalidResponse({
        ...reply,
        reason: "content",
        path: join(isBare ? "body" : "result", issue.path),
        received: issue.received,
        expected: shorten(issue.expected, 300),
      }),
    )
  }

/** The raw wire JSON. */
export const raw: Decode<unknown> = ({ value }) => Result.succeed(value)

/** The raw wire JSON of a known method, after it was checked against the method's schema. */
export const checked =
  (name: RpcMethod.Name, params: ReadonlyArray<unknown>): Decode<unknown> =>
  (result) =>
    Result.map(typed(name, params)(result), () => result.value)

/** The JSON text of the result. */
export const text: Decode<string> = (result) => Result.succeed(result.text())
