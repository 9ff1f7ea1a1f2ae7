/**
 * One relayed call: checks whether the key may call the method and whether the parameters fit it, and gets the result from the cache, a
 * node or a local method.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3; decisions 0016 and 0020.
 */
import type { RpcError } from "@daybook/rpc/RpcError"
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as LenientObject from "../../node/LenientObject.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import type { Turns } from "../admission/Turns.ts"
import type * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import * as LocalMethod from "./LocalMethod.ts"
import type { RelayCache } from "./RelayCache.ts"
import type { RelayedChain } from "./RelayChains.ts"
import { code } from "./RelayError.ts"
import type { ResponseRejected, UpstreamUnavailable } from "./Upstream.ts"

/** Outcome of a call. */
export type Outcome =
  /** The result is JSON text. */
  | { readonly _tag: "Success"; readonly result: Uint8Array }
  | { readonly _tag: "Failure"; readonly failure: JsonRpcEnvelope.Failure }
  | { readonly _tag: "Unavailable"; readonly failure: JsonRpcEnvelope.Failure; readonly retryAfterSeconds: number }

const failed = (failure: JsonRpcEnvelope.Failure): Outcome => ({ _tag: "Failure", failure })

type Decode = (params: ReadonlyArray<unknown>) => Result.Result<unknown, Schema.SchemaError>
const decoderOf = (params: Schema.Codec<ReadonlyArray<unknown>, unknown>): Decode => Schema.decodeUnknownResult(params)
const decoders = new Map(Object.values(RpcMethod.all).map(({ name, params }) => [name as string, decoderOf(params)]))

/** The state that a transaction changed, shown by the explorer; the contract has no type for this result. */
const isStateDiff = Schema.is(
  Schema.Tuple([
    Hash.Hash,
    Schema.Struct({
      tracer: Schema.Literal("prestateTracer"),
      tracerConfig: Schema.Struct({ diffMode: Schema.Literal(true) }),
    }),
  ]),
)

/** Why parameters do not fit their method. */
const invalidParams = (
  name: string,
  params: ReadonlyArray<unknown>,
  error: Schema.SchemaError,
): JsonRpcEnvelope.Failure => {
  // Sound: a schema error has at least one issue.
  const { path, ...issue } = Issue.fromError(error, params)[0]!
  const message = Issue.format(`call of ${name}`, { ...issue, path: `params${path}` })
  return { code: JsonRpc.code.invalidParams, message }
}

const isOptional = (name: RpcMethod.Name, at: number): boolean => {
  const { elements } = RpcMethod.all[name].params
  return at < elements.length && SchemaAST.isOptional(elements[at]!.ast)
}

/** A value whose objects have no member that is `null`. Items of lists stay, because `null` in a list of topics means any topic. */
const withoutNullMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNullMembers)
  if (!LenientObject.isObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNullMembers(member)]))
}

/**
 * Parameters without `null`: optional parameters at the end, and members of objects, which nodes treat as absent. In place of a list,
 * programs in Go send `null` for an empty one.
 */
const withoutNulls = (name: RpcMethod.Name, params: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const { elements } = RpcMethod.all[name].params
  const isLeftOut = (param: unknown, at: number): boolean => param === null && isOptional(name, at)
  const isList = (at: number): boolean => at < elements.length && SchemaAST.isArrays(elements[at]!.ast)
  return params
    .slice(0, params.findLastIndex((param, at) => !isLeftOut(param, at)) + 1)
    .map((param, at) => (param === null && isList(at) ? [] : withoutNullMembers(param)))
}

/** Parameters with the block of a state, which callers may omit by the specification, but which some nodes require. */
const withBlock = (name: RpcMethod.Name, params: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const { defaultParam } = RpcMethod.all[name]
  const isOmitted = params.length === defaultParam?.at && isOptional(name, defaultParam.at)
  return isOmitted ? [...params, defaultParam.value] : params
}

/** Checks the parameters of a relayed method. */
const checkParams = (
  name: RpcMethod.Name,
  params: ReadonlyArray<unknown>,
): Result.Result<unknown, Schema.SchemaError> =>
  name === "debug_traceTransaction" && isStateDiff(params)
    ? Result.succeed(params)
    : // Sound: every method has a decoder.
      decoders.get(name)!(params)

/** Filters exist on one node only. */
const isFilter = (method: string): boolean => /^eth_(new\w*Filter|getFilter\w+|uninstallFilter)$/.test(method)

const alternativeTo = (method: string): string => {
  if (/^eth_(un)?subscribe$/.test(method)) return "Open a WebSocket at the same URL."
  return isFilter(method)
    ? 'Poll "eth_getLogs" or "eth_blockNumber".'
    : "METHODS.md of @daybook/schema lists the methods."
}

/** What answers calls. */
export interface Answering {
  readonly cache: RelayCache["Service"]
  readonly local: LocalMethod.Table
  readonly turns: Pick<Turns, "run">
}

/** An unknown method has the words of Geth, by which ethers 6 recognises that it must poll instead of using a filter. */
const notAllowed = (method: string, isKnown: boolean): JsonRpcEnvelope.Failure => ({
  code: JsonRpc.code.methodNotFound,
  message: isKnown
    ? `Method not allowed for this API key: ${Issue.quote(method)}. Use a key created with --operator.`
    : `The method ${Issue.quote(method)} does not exist or is not relayed. ${alternativeTo(method)}`,
})

const isAllowed = (exposure: RpcMethod.Exposure, { operator }: KeyGrant): boolean => operator || exposure === "public"

const onFailure = (error: RpcError | UpstreamUnavailable | ResponseRejected): LocalMethod.CallFailed => {
  const { message } = error
  switch (error._tag) {
    case "RpcError":
      return new LocalMethod.CallFailed({ failure: { code: error.code, message, data: error.data } })
    case "ResponseRejected":
      return LocalMethod.failed(message, code.tooLarge)
    case "UpstreamUnavailable": {
      const { retryAfterSeconds } = error
      return new LocalMethod.CallFailed({ failure: { code: code.unavailable, message }, retryAfterSeconds })
    }
  }
}

const outcomeOf = ({ failure, retryAfterSeconds }: LocalMethod.CallFailed): Outcome =>
  retryAfterSeconds === undefined ? failed(failure) : { _tag: "Unavailable", failure, retryAfterSeconds }

/** Maximum bytes of node results read for one call to a local method. */
const maxLocalBytes = 32 * 1024 * 1024

const tooLarge = LocalMethod.failed(
  `Response too large: the nodes' answers to the call exceed ${maxLocalBytes} bytes. Request less at once.`,
  code.tooLarge,
)

/** Makes the node calls of a local method. */
const makeNode = (
  cache: RelayCache["Service"],
  chain: RelayedChain,
  grant: KeyGrant,
): LocalMethod.LocalCall["node"] => {
  let bytes = 0
  return Effect.fnUntraced(function* (method, params) {
    if (!isAllowed(RpcMethod.all[method].exposure, grant)) {
      return yield* new LocalMethod.CallFailed({ failure: notAllowed(method, true) })
    }
    if (bytes > maxLocalBytes) return yield* tooLarge
    const result = yield* Effect.mapError(cache.call(chain, method, params), onFailure)
    bytes += result.length
    return bytes > maxLocalBytes ? yield* tooLarge : Json.parse(Buffer.from(result).toString())
  })
}

const success = (result: Uint8Array): Outcome => ({ _tag: "Success", result })

/** Outcome of a notification, which has no response. */
export const noResult = success(Buffer.from("null"))

/** Runs a call. A notification is checked but not relayed. */
export const run = Effect.fnUntraced(
  function* (
    { cache, local, turns }: Answering,
    item: JsonRpcEnvelope.Item,
    chain: RelayedChain,
    grant: KeyGrant,
  ): Effect.fn.Return<Outcome> {
    if (item._tag === "Invalid") return failed(item.failure)
    const { method } = item
    const own = local.get(method)
    const relayed = RpcMethod.isName(method) ? method : undefined
    const params = relayed === undefined ? item.params : withBlock(relayed, withoutNulls(relayed, item.params))
    const exposure = own?.exposure ?? (relayed && RpcMethod.all[relayed].exposure)
    if (exposure === undefined || !isAllowed(exposure, grant)) return failed(notAllowed(method, exposure !== undefined))
    const issue = KeyScope.methodIssue(grant, method)
    if (issue !== undefined) return failed({ code: JsonRpc.code.methodNotFound, message: issue })
    yield* Effect.annotateCurrentSpan({ "rpc.method": method, "daybook.chain": chain.name })
    const decoded = own === undefined ? checkParams(relayed!, params) : own.decode(params)
    if (Result.isFailure(decoded)) return failed(invalidParams(method, params, decoded.failure))
    if (item.id === undefined) return noResult
    const answered =
      own === undefined
        ? Effect.mapError(cache.call(chain, relayed!, params), onFailure)
        : Effect.map(
            // Sound: the codec of the method decoded a list.
            own.run(decoded.success as ReadonlyArray<unknown>, {
              chain,
              node: makeNode(cache, chain, grant),
              inTurn: turns.run,
            }),
            (result) => Buffer.from(JSON.stringify(result)),
          )
    return yield* Effect.match(answered, { onSuccess: success, onFailure: outcomeOf })
  },
  // The stack of every span would point to this line.
  Effect.withSpan("Relay.call", {}, { captureStackTrace: false }),
)
