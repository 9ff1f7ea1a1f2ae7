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
import { RpcError } from "../../RpcError.ts"
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
export type Decode<A> = (result: JsonResult) => Result.Result<A, InvalidResponse | RpcError>

type Parse = (input: unknown) => Result.Result<unknown, SchemaIssue.Issue>

const parsers = new WeakMap<Schema.Codec<unknown, unknown>, Parse>()

const parserOf = (schema: Schema.Codec<unknown, unknown>): Parse => {
  const known = parsers.get(schema)
  if (known !== undefined) return known
  const parser = SchemaParser.decodeUnknownResult(schema)
  parsers.set(schema, parser)
  return parser
}

/** Code of a resource that was not found. Source: EIP-1474. */
const notFoundCode = -32_001

/** Blocks that every node has. */
const currentBlocks: ReadonlySet<unknown> = new Set(["latest", "pending"])

/** Error of a node that returns `null` for the state at a block that it does not have, such as Besu; `undefined` for any other result. */
const missingBlock = (
  name: RpcMethod.Name,
  params: ReadonlyArray<unknown>,
  { reply, value }: JsonResult,
): RpcError | undefined => {
  const { defaultParam } = RpcMethod.all[name]
  const block = defaultParam?.value === "latest" ? params[defaultParam.at] : undefined
  if (value !== null || block === undefined || currentBlocks.has(block)) return undefined
  const message = `The node returned null: it does not have block ${shorten(describeWhole(block), 100)}.`
  return new RpcError({ ...reply, method: name, code: notFoundCode, message, kind: "notFound" })
}

/** Decodes the result of a known method called with these parameters. */
export const typed =
  (name: RpcMethod.Name, params: ReadonlyArray<unknown>): Decode<unknown> =>
  (result) => {
    const { isBare, reply, value } = result
    const decoded = parserOf(RpcMethod.resultOf(name, params))(value)
    if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
    const missing = missingBlock(name, params, result)
    if (missing !== undefined) return Result.fail(missing)
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
