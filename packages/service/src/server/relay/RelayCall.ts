/**
 * One relayed call: whether the key may call the method, whether the parameters fit it, and its result from the cache or a node.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3; decisions 0016 and 0020.
 */
import type { RpcError } from "@daybook/rpc/RpcError"
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import type * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type { CachedChain, RelayCache } from "./RelayCache.ts"
import { code } from "./RelayError.ts"
import type { ResponseRejected, UpstreamUnavailable } from "./Upstream.ts"

/** How a call ended. */
export type Outcome =
  /** The result is JSON text. */
  | { readonly _tag: "Success"; readonly result: Uint8Array }
  | { readonly _tag: "Failure"; readonly failure: JsonRpcEnvelope.Failure }
  | { readonly _tag: "Unavailable"; readonly failure: JsonRpcEnvelope.Failure; readonly retryAfterSeconds: number }

const failed = (failure: JsonRpcEnvelope.Failure): Outcome => ({ _tag: "Failure", failure })

type Decode = (params: ReadonlyArray<unknown>) => Result.Result<unknown, Schema.SchemaError>
const decoderOf = (params: Schema.Codec<ReadonlyArray<unknown>, unknown>): Decode => Schema.decodeUnknownResult(params)
const decoders = new Map(Object.values(RpcMethod.all).map(({ name, params }) => [name as string, decoderOf(params)]))

/** The state that a transaction changed, which the explorer shows; its result has no type in the contract. */
const isStateDiff = Schema.is(
  Schema.Tuple([
    Hash.Hash,
    Schema.Struct({
      tracer: Schema.Literal("prestateTracer"),
      tracerConfig: Schema.Struct({ diffMode: Schema.Literal(true) }),
    }),
  ]),
)

/** Why parameters do not fit their method; undefined where they do. */
const invalidParams = (name: RpcMethod.Name, params: ReadonlyArray<unknown>): JsonRpcEnvelope.Failure | undefined => {
  if (name === "debug_traceTransaction" && isStateDiff(params)) return undefined
  // Sound: every method has a decoder.
  const decoded = decoders.get(name)!(params)
  if (Result.isSuccess(decoded)) return undefined
  // Sound: a schema error has at least one issue.
  const { path, ...issue } = Issue.fromError(decoded.failure, params)[0]!
  const message = Issue.format(`call of ${name}`, { ...issue, path: `params${path}` })
  return { code: JsonRpc.code.invalidParams, message }
}

/** Filters and subscriptions belong to one connection of one node. */
const isFilter = (method: string): boolean =>
  /^eth_(new\w*Filter|getFilter\w+|uninstallFilter|(un)?subscribe)$/.test(method)

const alternativeTo = (method: string): string =>
  isFilter(method) ? 'Poll "eth_getLogs" or "eth_blockNumber".' : "packages/schema/METHODS.md lists the methods."

const notAllowed = (method: string): JsonRpcEnvelope.Failure => ({
  code: JsonRpc.code.methodNotFound,
  message: RpcMethod.isName(method)
    ? `Method not allowed for this API key: ${Issue.quote(method)}. Use a key made with --operator.`
    : `Method not relayed: ${Issue.quote(method)}. ${alternativeTo(method)}`,
})

const isAllowed = (method: string, { operator }: KeyGrant): method is RpcMethod.Name =>
  RpcMethod.isName(method) && (operator || RpcMethod.all[method].exposure === "public")

const onFailure = (error: RpcError | UpstreamUnavailable | ResponseRejected): Outcome => {
  const { message } = error
  switch (error._tag) {
    case "RpcError":
      return failed({ code: error.code, message, data: error.data })
    case "ResponseRejected":
      return failed({ code: code.tooLarge, message })
    case "UpstreamUnavailable":
      return {
        _tag: "Unavailable",
        failure: { code: code.unavailable, message },
        retryAfterSeconds: error.retryAfterSeconds,
      }
  }
}

/** The result of a notification, which is not sent. */
const noResult = Buffer.from("null")

/** Runs a call. A notification is checked and not relayed. */
export const run = Effect.fnUntraced(
  function* (
    cache: RelayCache["Service"],
    item: JsonRpcEnvelope.Item,
    chain: CachedChain,
    grant: KeyGrant,
  ): Effect.fn.Return<Outcome> {
    if (item._tag === "Invalid") return failed(item.failure)
    const { method, params } = item
    if (!isAllowed(method, grant)) return failed(notAllowed(method))
    const issue = KeyScope.methodIssue(grant, method)
    if (issue !== undefined) return failed({ code: JsonRpc.code.methodNotFound, message: issue })
    yield* Effect.annotateCurrentSpan({ "rpc.method": method, "daybook.chain": chain.name })
    const invalid = invalidParams(method, params)
    if (invalid !== undefined) return failed(invalid)
    if (item.id === undefined) return { _tag: "Success", result: noResult }
    return yield* cache.call(chain, method, params).pipe(
      Effect.match({
        onSuccess: (result): Outcome => ({ _tag: "Success", result }),
        onFailure,
      }),
    )
  },
  // The stack of every span would be this line.
  Effect.withSpan("Relay.call", {}, { captureStackTrace: false }),
)
