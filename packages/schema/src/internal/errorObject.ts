/**
 * Error of a failed JSON-RPC call. It is a separate module so that clients do not bundle requests and responses. Exported under `JsonRpc`.
 */
import * as Schema from "effect/Schema"
import { type Named, open } from "./open.ts"

const errorObjectCodec = open("JSON-RPC error", {
  /** Error code: negative for the codes of the specification and of EIP-1474; other codes by provider. */
  code: Schema.Int,
  /** Error message. */
  message: Schema.String,
  /** Additional data, such as the return data of a revert. */
  data: Schema.optionalKey(Schema.Unknown),
})

export interface ErrorObject extends Schema.Schema.Type<typeof errorObjectCodec> {}

/** Encoded form of `ErrorObject`: the values of its JSON. */
export interface ErrorObjectWire extends Schema.Codec.Encoded<typeof errorObjectCodec> {}

/**
 * Error of a failed call.
 *
 * **Example** (Decoding an error)
 *
 * ```ts
 * import * as JsonRpc from "@daybook/schema/JsonRpc"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(JsonRpc.ErrorObject)({ code: -32601, message: "unknown method" }).code)
 * // -32601
 * ```
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export const ErrorObject: Named<typeof errorObjectCodec, ErrorObject, ErrorObjectWire> = errorObjectCodec
