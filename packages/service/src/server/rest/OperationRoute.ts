/**
 * Route of a REST operation, behind the API key. Path, parameters and their errors come from the operation; a handler produces the
 * response.
 *
 * Source: decisions 0008, 0012 and 0032.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { ChainNotFound } from "../../config/ChainRegistry.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as Authentication from "../admission/Authentication.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import { type Input, InvalidParameter } from "../http/InvalidParameter.ts"
import * as Cursor from "./Cursor.ts"

/** A decoded request of an operation. */
export interface Request<O extends RestOperation.RestOperation, C extends ServedChain = ServedChain> {
  readonly params: O["params"]["Type"]
  readonly query: O["query"]["Type"]
  readonly caller: Authentication.Caller
  /** The chain that it names, or that of its cursor, or the default. */
  readonly chain: C
  /** Undefined if it has none. */
  readonly cursor: Cursor.Cursor | undefined
}

/** Produces the response of an operation. */
export type Handler<O extends RestOperation.RestOperation, C extends ServedChain = ServedChain> = (
  request: Request<O, C>,
) => Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest>

/** Decodes parameters; unknown ones are rejected. */
const decoderOf = <A>(schema: Schema.Codec<A, unknown> & { readonly fields: object }, what: string) => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  const refuse = SchemaParser.decodeUnknownResult(schema, { onExcessProperty: "error" })
  const isKnown = (name: string): boolean => Object.hasOwn(schema.fields, name)
  return (input: Input): Result.Result<A, InvalidParameter> =>
    Result.mapError((Object.keys(input).every(isKnown) ? decode : refuse)(input), (error) =>
      InvalidParameter.fromError(error, input, what),
    )
}

/** Finds a chain by the parameter `chain`; fails for one that is not served. */
export type ChainOf<C extends ServedChain> = (name: string | undefined) => Result.Result<C, ChainNotFound>

/** The parameters of a query that name a chain. */
interface ChainQuery {
  readonly chain?: string | undefined
  readonly cursor?: string | undefined
}

/** Chain and cursor of a decoded query. A cursor determines the chain of its list, unless the query does. */
export const resolve = <C extends ServedChain>(
  chainOf: ChainOf<C>,
  { chain: name, cursor: text }: ChainQuery,
): Result.Result<Pick<Request<never, C>, "chain" | "cursor">, InvalidParameter> => {
  const cursor = text === undefined ? Result.succeed(undefined) : Cursor.fromText(text)
  return Result.flatMap(cursor, (sent) => {
    const chain = chainOf(name ?? (sent === undefined ? undefined : String(sent.chainId)))
    return Result.mapBoth(chain, {
      onSuccess: (found) => ({ chain: found, cursor: sent }),
      onFailure: InvalidParameter.fromChain,
    })
  })
}

/** Parameters without an empty cursor, which programs for hosted providers send for a first page. */
const withoutEmptyCursor = (given: Input): Input => {
  if (given["cursor"] !== "") return given
  const { cursor: _, ...others } = given
  return others
}

/** What a route reads from its request. */
type Needed = HttpServerRequest | HttpRouter.RouteContext | ParsedSearchParams

/** Authenticates the caller of an operation, and decodes its request unless `issueOf` returns why the caller may not send it. */
const decoder = <O extends RestOperation.RestOperation>(
  operation: O,
  authentication: Authentication.Authentication["Service"],
  issueOf: (caller: Authentication.Caller, given: Input, facts: RequestFacts) => string | undefined,
) => {
  const decodeParams = decoderOf<O["params"]["Type"]>(operation.params, "path parameter")
  const decodeQuery = decoderOf<O["query"]["Type"]>(operation.query, "query parameter")
  return Effect.contextWith((context: Context.Context<Needed>) => {
    const request = Context.get(context, HttpServerRequest)
    return Effect.flatMap(Authentication.authenticate(authentication, request), (caller) => {
      const given = withoutEmptyCursor(Context.get(context, ParsedSearchParams))
      const issue = issueOf(caller, given, Context.get(context, RequestFacts))
      if (issue !== undefined) return ErrorResponse.forbidden(issue)
      const params = decodeParams(Context.get(context, HttpRouter.RouteContext).params)
      if (Result.isFailure(params)) return ErrorResponse.badRequest(params.failure)
      const query = decodeQuery(given)
      if (Result.isFailure(query)) return ErrorResponse.badRequest(query.failure)
      return Effect.succeed({ params: params.success, query: query.success, caller })
    })
  })
}

/** Makes the route of an operation. */
export const make = <O extends RestOperation.RestOperation, C extends ServedChain>(
  operation: O,
  handler: Handler<O, C>,
  authentication: Authentication.Authentication["Service"],
  chainOf: ChainOf<C>,
) => {
  /** Records the chain of a request for its log line; that of a cursor is not known yet. */
  const noteChain = (facts: RequestFacts, given: Input): void => {
    const name = typeof given["chain"] === "string" ? given["chain"] : undefined
    const chain = name === undefined && given["cursor"] !== undefined ? undefined : chainOf(name)
    if (chain !== undefined && Result.isSuccess(chain)) facts.chain = chain.success.name
  }
  /** Why the key of a caller may not send the request. The handler rejects a chain that is not served. */
  const issueOf = ({ grant }: Authentication.Caller, given: Input): string | undefined => {
    const issue = KeyScope.operationIssue(grant, operation.name)
    if (issue !== undefined || grant.options === undefined) return issue
    const name = typeof given["chain"] === "string" ? given["chain"] : undefined
    // Without a chain, a cursor determines the chain of its list, which is read later.
    if (name === undefined && given["cursor"] !== undefined) return KeyScope.cursorIssue(grant)
    const chain = chainOf(name)
    return Result.isSuccess(chain) ? KeyScope.chainIssue(grant, chain.success) : undefined
  }
  const decoded = decoder(operation, authentication, (caller, given, facts) => {
    noteChain(facts, given)
    return issueOf(caller, given)
  })
  const respond = Effect.flatMap(decoded, (request) => {
    // Sound: the parameters of these names are texts in every operation.
    const resolved = resolve(chainOf, request.query as ChainQuery)
    if (Result.isFailure(resolved)) return ErrorResponse.badRequest(resolved.failure)
    return handler({ ...request, ...resolved.success })
  })
  return HttpRouter.route(operation.method, operation.path, ErrorResponse.answer(respond))
}

/** Produces the response of an operation without a chain parameter. */
export type ChainlessHandler<O extends RestOperation.RestOperation> = (
  request: Pick<Request<O>, "params" | "query" | "caller">,
) => Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest>

/** Makes the route of an operation without a chain parameter; `issueOf` returns why a key may not call it. */
export const makeChainless = <O extends RestOperation.RestOperation>(
  operation: O,
  handler: ChainlessHandler<O>,
  authentication: Authentication.Authentication["Service"],
  issueOf: (grant: Authentication.Caller["grant"]) => string | undefined,
) => {
  const decoded = decoder(operation, authentication, ({ grant }) => issueOf(grant))
  return HttpRouter.route(operation.method, operation.path, ErrorResponse.answer(Effect.flatMap(decoded, handler)))
}
