/**
 * Methods that the relay answers itself, from the index and with calls to the nodes of the chain. Each is one entry with its parameters,
 * exposure and implementation; keys, scopes and rate limits are those of relayed methods.
 *
 * Source: decision 0016.
 */
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Turns } from "../admission/Turns.ts"
import { stackless } from "../http/Stackless.ts"
import type * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type { RelayedChain } from "./RelayChains.ts"

/** A call has no result. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly failure: JsonRpcEnvelope.Failure
  /** Set if no node responds now. */
  readonly retryAfterSeconds?: number | undefined
}> {}

/** Code of a failure that the method itself reports. Source: EIP-1474. */
const serverError = -32_000

/** A failure with a message. */
export const failed = (message: string, code: number = serverError): CallFailed =>
  stackless(() => new CallFailed({ failure: { code, message } }))

/** A call to a local method. */
export interface LocalCall {
  readonly chain: RelayedChain
  /**
   * Result of a node or of the cache, as a parsed value. Checks the key's exposure for the node method, but not its list of permitted
   * methods, which names the local method itself.
   */
  readonly node: (method: RpcMethod.Name, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, CallFailed>
  /** Runs a part of a long computation in a turn of the caller. */
  readonly inTurn: Turns["run"]
}

/** A local method. */
export interface LocalMethod {
  /** API keys that may call the method. */
  readonly exposure: RpcMethod.Exposure
  readonly decode: (params: ReadonlyArray<unknown>) => Result.Result<ReadonlyArray<unknown>, Schema.SchemaError>
  /** Computes the result, a JSON value. The parameters are decoded. */
  readonly run: (params: ReadonlyArray<unknown>, call: LocalCall) => Effect.Effect<unknown, CallFailed>
}

/** Makes a method that every key may call. */
export const make = <const E extends ReadonlyArray<Schema.Codec<unknown, unknown>>>(
  params: E,
  run: (params: Schema.Tuple<E>["Type"], call: LocalCall) => Effect.Effect<unknown, CallFailed>,
): LocalMethod => ({
  exposure: "public",
  // Sound: `run` receives what the codec of its parameters decodes.
  decode: Schema.decodeUnknownResult(Schema.Tuple(params)) as LocalMethod["decode"],
  run: run as LocalMethod["run"],
})

/** Methods by name. */
export type Table = ReadonlyMap<string, LocalMethod>

/** Local methods of a process. */
export class LocalMethods extends Context.Service<LocalMethods, Table>()("@daybook/service/server/LocalMethods") {}

/** No local methods. */
export const none: Table = new Map()

/** Provides methods. */
export const layer = (methods: Table): Layer.Layer<LocalMethods> => Layer.succeed(LocalMethods, methods)
