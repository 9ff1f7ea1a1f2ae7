/**
 * Requests and responses of JSON-RPC 2.0. Methods with their parameters and results are `RpcMethod`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { ErrorObject } from "./internal/errorObject.ts"
import { same } from "./internal/leaf.ts"
import { type Named, open, type Resource } from "./internal/open.ts"

/**
 * Id of a request, repeated by its response: a number or a string; `null` if the server could not read the id of the request.
 *
 * **Example** (Accepting an id)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.is(JsonRpc.Id)("7"), Schema.is(JsonRpc.Id)({})) // true false
 * ```
 *
 * Source: docs/interface.md#2.6; JSON-RPC 2.0 section 4; decision 0016.
 */
export const Id = Schema.NullOr(Schema.Union([Schema.Finite, Schema.String]))

export type Id = typeof Id.Type

const version = Schema.Literal("2.0")

const requestCodec = open("JSON-RPC request", {
  /** Protocol version, `2.0`. */
  jsonrpc: version,
  /** Id that the response repeats; absent for a notification. */
  id: Schema.optionalKey(Id),
  /** Method name. */
  method: Schema.String,
  /** Parameters by position; absent means none. */
  params: Schema.optionalKey(Schema.Array(Schema.Unknown)),
})

export interface Request extends Schema.Schema.Type<typeof requestCodec> {}

/** Encoded form of `Request`: the values of its JSON. */
export interface RequestWire extends Schema.Codec.Encoded<typeof requestCodec> {}

/**
 * Request. A request without `id` is a notification and has no response.
 *
 * **Example** (Decoding a call)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }
 * console.log(Schema.decodeUnknownSync(JsonRpc.Request)(wire).method) // eth_chainId
 * ```
 *
 * Source: docs/interface.md#2.6; JSON-RPC 2.0 section 4; decision 0016.
 */
export const Request: Named<typeof requestCodec, Request, RequestWire> = requestCodec

export { ErrorObject, type ErrorObjectWire } from "./internal/errorObject.ts"

const successCodec = open("JSON-RPC response", {
  /** Protocol version, `2.0`. */
  jsonrpc: version,
  /** Id of the request. */
  id: Id,
  /** Result of the method. */
  result: Schema.Unknown,
})

export interface Success extends Schema.Schema.Type<typeof successCodec> {}

/** Encoded form of `Success`: the values of its JSON. */
export interface SuccessWire extends Schema.Codec.Encoded<typeof successCodec> {}

/**
 * Response with a result.
 *
 * **Example** (Decoding a result)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(JsonRpc.Success)({ jsonrpc: "2.0", id: 1, result: "0x1" }).result) // 0x1
 * ```
 *
 * Source: docs/interface.md#2.7; JSON-RPC 2.0 section 5.
 */
export const Success: Named<typeof successCodec, Success, SuccessWire> = successCodec

const failureCodec = open("JSON-RPC error response", {
  /** Protocol version, `2.0`. */
  jsonrpc: version,
  /** Id of the request; `null` if the server could not read it. */
  id: Id,
  /** Error of the call. */
  error: ErrorObject,
})

export interface Failure extends Schema.Schema.Type<typeof failureCodec> {}

/** Encoded form of `Failure`: the values of its JSON. */
export interface FailureWire extends Schema.Codec.Encoded<typeof failureCodec> {}

/**
 * Response with an error.
 *
 * **Example** (Decoding an error response)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted" } }
 * console.log(Schema.decodeUnknownSync(JsonRpc.Failure)(wire).error.message) // execution reverted
 * ```
 *
 * Source: JSON-RPC 2.0 section 5.
 */
export const Failure: Named<typeof failureCodec, Failure, FailureWire> = failureCodec

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
 * Response with either a result or an error.
 *
 * **Details**
 *
 * A response with both is ambiguous and therefore invalid, even if `error` is `null`.
 *
 * **Example** (Decoding a response of either form)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(JsonRpc.Response)({ jsonrpc: "2.0", id: 1, result: "0x1" }).id) // 1
 * ```
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
 * Returns true for a response with an error.
 *
 * **Example** (Distinguishing an error from a result)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 *
 * console.log(JsonRpc.isFailure({ jsonrpc: "2.0", id: 1, result: "0x1" })) // false
 * ```
 *
 * Source: JSON-RPC 2.0 section 5.
 */
export const isFailure = (response: Response): response is Failure => "error" in response

/**
 * Error codes of the specification, by name.
 *
 * **Example** (Naming a code)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 *
 * console.log(JsonRpc.code.methodNotFound) // -32601
 * ```
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export const code = {
  /** Invalid JSON. */
  parseError: -32700,
  /** Not a valid request object. */
  invalidRequest: -32600,
  /** Method does not exist or is not available. */
  methodNotFound: -32601,
  /** Invalid parameters of the method. */
  invalidParams: -32602,
  /** Internal error of the server. */
  internalError: -32603,
} as const
