/**
 * The wallet operation as one HttpApi: path, parameters, security, headers, answers. Server and OpenAPI are derived from it.
 * It is imported by its path, so that those who want only types do not carry an HTTP stack.
 */
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Address from "./Address.ts"
import * as ApiError from "./ApiError.ts"
import * as Chain from "./Chain.ts"
import * as WalletPage from "./WalletPage.ts"
import * as WalletQuery from "./WalletQuery.ts"

/**
 * Requires a key in the header `X-API-Key`.
 *
 * Source: docs/interface.md#5.
 */
export class ApiKey extends HttpApiMiddleware.Service<ApiKey>()("@daybook/schema/RestApi/ApiKey", {
  security: { apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key", in: "header" }) },
  error: [ApiError.Unauthorized, ApiError.Forbidden],
}) {}

/**
 * The headers that tell how far the index reaches, so that "empty" differs from "not indexed".
 *
 * Source: decision 0013.
 */
export const IndexCoverage = Schema.Struct({
  /** First block that is indexed; missing while there is none. */
  "daybook-indexed-from": Schema.optionalKey(Schema.String),
  /** Last block that is indexed; missing while there is none. */
  "daybook-indexed-to": Schema.optionalKey(Schema.String),
  /** Last block that cannot be reorganised away; missing while none is known. */
  "daybook-finalized-to": Schema.optionalKey(Schema.String),
})

/**
 * The headers that tell how much of the rate limit is left.
 *
 * Source: decision 0012.
 */
export const RateLimitHeaders = Schema.Struct({
  /** Seconds to wait. Source: RFC 9110. */
  "retry-after": Schema.String,
  /** Requests in the window. Source: IETF draft ratelimit-headers. */
  "ratelimit-limit": Schema.optionalKey(Schema.String),
  /** Requests left. Source: IETF draft ratelimit-headers. */
  "ratelimit-remaining": Schema.optionalKey(Schema.String),
  /** Seconds until all are back. Source: IETF draft ratelimit-headers. */
  "ratelimit-reset": Schema.optionalKey(Schema.String),
})

/**
 * The wallet operation: native transactions of one address, with logs, decoded events and calls.
 *
 * Source: docs/interface.md#4.1; errors: decision 0012.
 */
export const walletTransactions = HttpApiEndpoint.get("walletTransactions", "/:address/verbose", {
  params: WalletQuery.Path,
  query: WalletQuery.WalletQuery,
  success: HttpApiSchema.WithHeaders(WalletPage.WalletPage, IndexCoverage),
  error: [
    ApiError.BadRequest,
    ApiError.NotFound,
    ApiError.MethodNotAllowed,
    ApiError.StaleCursor,
    ApiError.RateLimited,
    ApiError.Internal,
    ApiError.Unavailable,
  ],
})
  .annotate(OpenApi.Title, "Get wallet transactions (decoded, verbose)")
  .annotate(
    OpenApi.Description,
    "Native transactions of one wallet address with logs, decoded events, decoded calls, address labels and, on request, internal transactions.",
  )

/**
 * The operations on wallets, behind a key.
 *
 * Source: docs/interface.md#4.1, docs/interface.md#5.
 */
export class Wallets extends HttpApiGroup.make("wallets")
  .add(walletTransactions)
  .middleware(ApiKey)
  .prefix("/api/v2.2") {}

type Json = { readonly [key: string]: Json } | ReadonlyArray<Json> | string | number | boolean | null

const blockNumber: Json = { type: "integer", format: "int64", minimum: 0 }

/** What a parameter is, where the text that HTTP carries says less. */
const parameters: Readonly<Record<string, Json>> = {
  address: { type: "string", pattern: Address.pattern.source, title: "an address of 20 bytes in hex" },
  chain: {
    anyOf: [
      { type: "string", enum: Chain.all.filter((chain) => chain.identifier !== null).map((chain) => chain.name) },
      { type: "string", enum: [...new Set(Chain.all.flatMap((chain) => chain.identifier ?? []))] },
      { type: "string", title: "any other spelling of a name, or another form of an identifier" },
    ],
    default: "eth",
  },
  from_block: blockNumber,
  to_block: blockNumber,
  limit: { type: "integer", minimum: 1 },
  order: { type: "string", enum: ["ASC", "DESC"], default: "DESC" },
}

/** What a parameter means, in short; the fields of `WalletQuery` say more. */
const descriptions: Readonly<Record<string, string>> = {
  address: "The wallet, in any case.",
  chain: "Chain by name (eth) or identifier (0x1). Default eth.",
  from_block: "First block, inclusive. Beats from_date.",
  to_block: "Last block, inclusive. Beats to_date.",
  from_date: "First instant: the first block at or after it. Any format of the moment library, in UTC.",
  to_date: "Last instant: the last block at or before it. Any format of the moment library, in UTC.",
  cursor: "The cursor of the page before.",
  include: "internal_transactions to get the calls inside each transaction.",
  limit: "Rows wanted on a page, from 1.",
  order: "DESC newest first (default), ASC oldest first; read in any case.",
}

const isParameter = (value: object): value is { readonly name: string; readonly schema: unknown } =>
  "in" in value && (value.in === "query" || value.in === "path") && "name" in value && typeof value.name === "string"

/** Parameters as what they are and what they mean, the server's own origin, plain names, and objects open to fields to come. */
const improve = (document: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify({ ...document, servers: [{ url: "/" }] }, (key: string, value: unknown) => {
      if (key === "additionalProperties" && value === false) return undefined
      if (typeof value === "object" && value !== null && isParameter(value)) {
        const { name, schema } = value
        return { ...value, description: descriptions[name], schema: parameters[name] ?? schema }
      }
      return value
    }).replaceAll(/_daybook_schema_(\w+?)Encoded\b/g, "$1"),
  )

/**
 * The REST interface, version 2.2.
 *
 * Source: docs/interface.md#4.1, docs/interface.md#9; decision 0019.
 */
export class RestApi extends HttpApi.make("daybook")
  .add(Wallets)
  .annotate(OpenApi.Title, "Daybook")
  .annotate(OpenApi.Version, "2.2")
  .annotate(OpenApi.Transform, improve) {}

/**
 * The OpenAPI 3.1 document of the REST interface, as a server gives it at `/openapi.json`.
 *
 * **Details**
 *
 * It is also in the package, as `@daybook/schema/openapi.json`. `maxLimit` is the most rows a page may have at this server.
 *
 * Source: docs/interface.md#4.1; decision 0012.
 */
export const openApi = (options: { readonly maxLimit?: number } = {}): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(RestApi)
  const { maxLimit } = options
  if (maxLimit === undefined) return document
  const limit = { type: "integer", minimum: 1, maximum: maxLimit, default: maxLimit }
  for (const { get } of Object.values(document.paths)) {
    for (const parameter of get?.parameters ?? []) if (parameter.name === "limit") parameter.schema = limit
  }
  return document
}
