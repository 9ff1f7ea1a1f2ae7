/**
 * The envelopes of JSON-RPC 2.0. Methods, their parameters and results are `RpcMethod`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { same } from "./internal/leaf.ts"
import { open, type Resource } from "./internal/open.ts"

/**
 * Identifier of a request, echoed by its response: a number or a text; `null` when the request could not be read.
 *
 * Source: docs/interface.md#2.6; JSON-RPC 2.0 section 4; decision 0016.
 */
export const Id = Schema.NullOr(Schema.Union([Schema.Finite, Schema.String]))

/**
 * Identifier of a request.
 */
export type Id = typeof Id.Type

const version = Schema.Literal("2.0")

/**
 * A request. Without `id` it is a notification, which gets no response.
 *
 * Source: docs/interface.md#2.6; JSON-RPC 2.0 section 4; decision 0016.
 */
export const Request = open("JSON-RPC request", {
  /** `2.0`. */
  jsonrpc: version,
  /** Number or text that the response echoes. */
  id: Schema.optionalKey(Id),
  /** Name of the method. */
  method: Schema.String,
  /** Parameters by position; missing means none. */
  params: Schema.optionalKey(Schema.Array(Schema.Unknown)),
})

/**
 * A request.
 */
export interface Request extends Schema.Schema.Type<typeof Request> {}

/**
 * Why a call failed, as the node says it.
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export const ErrorObject = open("JSON-RPC error", {
  /** Negative integers of the standard and of EIP-1474; others by provider. Source: JSON-RPC 2.0 section 5.1. */
  code: Schema.Int,
  /** What happened, in a sentence. Source: JSON-RPC 2.0 section 5.1. */
  message: Schema.String,
  /** Anything more, such as the bytes of a revert. Source: JSON-RPC 2.0 section 5.1. */
  data: Schema.optionalKey(Schema.Unknown),
})

/**
 * Why a call failed.
 */
export interface ErrorObject extends Schema.Schema.Type<typeof ErrorObject> {}

/**
 * A response with a result.
 *
 * Source: docs/interface.md#2.7; JSON-RPC 2.0 section 5.
 */
export const Success = open("JSON-RPC response", {
  /** `2.0`. */
  jsonrpc: version,
  /** Echo of the request's id. */
  id: Id,
  /** The result; what it is depends on the method. */
  result: Schema.Unknown,
})

/**
 * A response with a result.
 */
export interface Success extends Schema.Schema.Type<typeof Success> {}

/**
 * A response with an error.
 *
 * Source: JSON-RPC 2.0 section 5.
 */
export const Failure = open("JSON-RPC error response", {
  /** `2.0`. */
  jsonrpc: version,
  /** Echo of the request's id; `null` when it could not be read. Source: JSON-RPC 2.0 section 5. */
  id: Id,
  /** Why the call failed. Source: JSON-RPC 2.0 section 5.1. */
  error: ErrorObject,
})

/**
 * A response with an error.
 */
export interface Failure extends Schema.Schema.Type<typeof Failure> {}

/**
 * A response of either kind.
 */
export type Response = Success | Failure

type ResponseWire = typeof Success.Encoded | typeof Failure.Encoded

const kindOf = (input: unknown): "success" | "failure" | undefined => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined
  if (!("error" in input)) return "success"
  return "result" in input ? undefined : "failure"
}

const byKind = (direction: "read" | "write"): Step => {
  const steps = { success: coderOf(Success)![direction], failure: coderOf(Failure)![direction] }
  return (input) => {
    const kind = kindOf(input)
    return kind === undefined ? unread : steps[kind](input)
  }
}

/**
 * A response: with a result or with an error, never with both.
 *
 * **Details**
 *
 * A `result` beside an `error` that is not an object (`null` included) is refused: it does not say which one holds.
 *
 * Source: docs/interface.md#2.7; JSON-RPC 2.0 section 5.
 */
export const Response: Resource<Response, ResponseWire> = Schema.toStandardSchemaV1(
  withCoder(
    Schema.declareConstructor<Response, ResponseWire>()(
      [Success, Failure],
      ([success, failure]) => {
        const parseSuccess = SchemaParser.decodeUnknownEffect(success)
        const parseFailure = SchemaParser.decodeUnknownEffect(failure)
        return (input, ast, options) => {
          const kind = kindOf(input)
          return kind === undefined
            ? Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
            : kind === "failure"
              ? parseFailure(input, options)
              : parseSuccess(input, options)
        }
      },
      {
        expected: "a JSON-RPC response with either a result or an error",
        toCodecJson: (codecs) => same(Schema.Union(codecs)),
        toCodecArbitrary: ({ typeParameters }) => same(Schema.Union(typeParameters)),
      },
    ),
    { read: byKind("read"), write: byKind("write") },
  ),
)

/**
 * Tells whether a response carries an error.
 *
 * Source: JSON-RPC 2.0 section 5.
 */
export const isFailure = (response: Response): response is Failure => "error" in response

/**
 * The codes that the standard fixes, by name.
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export const code = {
  /** The body is not JSON. */
  parseError: -32700,
  /** The JSON is not a request. */
  invalidRequest: -32600,
  /** The method does not exist, or is not exposed to this key. */
  methodNotFound: -32601,
  /** The parameters do not fit the method. */
  invalidParams: -32602,
  /** The server failed. */
  internalError: -32603,
} as const
