/**
 * The HTTP interface of the service as one `HttpApi`: routes, parameters, security, headers and errors. OpenAPI is derived from it. Import
 * it by its path: the package's root does not export it, so that users of the types do not load an HTTP stack.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as ApiError from "./ApiError.ts"
import * as ApiHeader from "./ApiHeader.ts"
import * as ExplorerOperation from "./ExplorerOperation.ts"
import * as Documentation from "./internal/documentation.ts"
import { document, type Documented, errorHeaders } from "./internal/endpointDocumentation.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as ChangeOperation from "./ChangeOperation.ts"
import * as RestOperation from "./RestOperation.ts"
import * as WebhookOperation from "./WebhookOperation.ts"

/**
 * Requires an API key in the header `X-API-Key`.
 *
 * **Example** (Reading the name of the header)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(RestApi.ApiKey.security.apiKey.key) // X-API-Key
 * ```
 *
 * Source: docs/interface.md#5.
 */
export class ApiKey extends HttpApiMiddleware.Service<ApiKey>()("@daybook/schema/RestApi/ApiKey", {
  security: { apiKey: HttpApiSecurity.apiKey({ key: ApiHeader.apiKey, in: "header" }) },
  error: [ApiError.Unauthorized, ApiError.Forbidden],
}) {}

/**
 * A group of endpoints. It states them as a list: the order in which a compiler writes the members of an inferred union differs from build
 * to build.
 */
interface Group<
  Name extends string,
  Endpoints extends ReadonlyArray<HttpApiEndpoint.Constraint>,
> extends HttpApiGroup.HttpApiGroup<Name, Endpoints[number]> {}

/** A group of endpoints that require an API key. */
interface KeyedGroup<
  Name extends string,
  Endpoints extends ReadonlyArray<HttpApiEndpoint.Constraint>,
> extends HttpApiGroup.HttpApiGroup<Name, HttpApiEndpoint.AddMiddleware<Endpoints[number], ApiKey>> {}

type Listed = readonly [HttpApiEndpoint.Constraint, ...Array<HttpApiEndpoint.Constraint>]

const group = <const Name extends string, const Endpoints extends Listed>(
  name: Name,
  ...endpoints: Endpoints
): Group<Name, Endpoints> => HttpApiGroup.make(name).add(...endpoints)

/** A group that the OpenAPI document omits. */
const hiddenGroup = <const Name extends string, const Endpoints extends Listed>(
  name: Name,
  ...endpoints: Endpoints
): Group<Name, Endpoints> =>
  HttpApiGroup.make(name)
    .add(...endpoints)
    .annotate(OpenApi.Exclude, true)

const keyedGroup = <const Name extends string, const Endpoints extends Listed>(
  name: Name,
  ...endpoints: Endpoints
): KeyedGroup<Name, Endpoints> =>
  HttpApiGroup.make(name)
    .add(...endpoints)
    .middleware(ApiKey)

/** Every success reports the index coverage and the state of the rate limit. */
const successHeaders = Schema.Struct({ ...ApiHeader.IndexCoverage.fields, ...ApiHeader.RateLimit.fields })

/** Annotations of an operation's endpoint. */
const documentation = (
  name: keyof typeof Documentation.operations,
  documented: Documented = { parameters: Documentation.parameters, headers: errorHeaders },
): Context.Context<never> =>
  Context.empty().pipe(
    Context.add(OpenApi.Title, Documentation.operations[name].title),
    Context.add(OpenApi.Description, Documentation.operations[name].description),
    Context.add(OpenApi.Transform, document(documented)),
  )

/** Endpoint of an operation. */
const endpoint = <O extends RestOperation.All[RestOperation.Name]>(operation: O) =>
  HttpApiEndpoint.get<
    O["name"],
    O["path"],
    O["params"],
    O["query"],
    never,
    never,
    HttpApiSchema.WithHeaders<O["response"], typeof successHeaders>,
    O["errors"]
  >(operation.name, operation.path, {
    params: operation.params,
    query: operation.query,
    success: HttpApiSchema.WithHeaders(operation.response, successHeaders),
    // Sound: no error of an operation is a stream, which the type of the constructor excludes.
    error: operation.errors as never,
  }).annotateMerge(documentation(operation.name))

type Endpoint = {
  readonly [N in RestOperation.Name]: ReturnType<typeof endpoint<RestOperation.All[N]>>
}[RestOperation.Name]

// Sound: there is at least one operation, and each yields the endpoint of its own type.
const endpoints = Object.values(RestOperation.all).map(endpoint) as unknown as readonly [Endpoint, ...Array<Endpoint>]

/** A response that does not read an index only reports the rate limit. */
const withRateLimit = <R extends Schema.Top>(response: R) =>
  HttpApiSchema.WithHeaders(response, Schema.Struct(ApiHeader.RateLimit.fields))

const { walletEvents } = RestOperation.streams
const { proveWallet, putContract, removeContract } = ChangeOperation.all

/**
 * The operations of wallets, which require an API key.
 *
 * **Example** (Listing the operations of wallets)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(Object.keys(RestApi.Wallets.endpoints))
 * // [ 'walletTransactions', 'movements', 'balances', 'statement', 'signedStatement', 'walletEvents', 'proveWallet' ]
 * ```
 *
 * Source: docs/interface.md#4.1, docs/interface.md#5.
 */
export class Wallets extends keyedGroup(
  "wallets",
  ...endpoints,
  HttpApiEndpoint.get(walletEvents.name, walletEvents.path, {
    params: walletEvents.params,
    query: walletEvents.query,
    success: withRateLimit(Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))),
    error: walletEvents.errors,
  }).annotateMerge(documentation(walletEvents.name)),
  HttpApiEndpoint.put(proveWallet.name, proveWallet.path, {
    params: proveWallet.params,
    query: proveWallet.query,
    success: withRateLimit(proveWallet.response),
    error: proveWallet.errors,
  }).annotateMerge(documentation(proveWallet.name)),
) {}

/**
 * The operations on descriptions of contracts, which require an API key that allows them.
 *
 * **Example** (Listing the operations on contracts)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(Object.keys(RestApi.Contracts.endpoints)) // [ 'putContract', 'removeContract' ]
 * ```
 *
 * Source: decision 0059.
 */
export class Contracts extends keyedGroup(
  "contracts",
  HttpApiEndpoint.put(putContract.name, putContract.path, {
    params: putContract.params,
    query: putContract.query,
    payload: putContract.body,
    success: withRateLimit(putContract.response),
    error: putContract.errors,
  }).annotateMerge(documentation(putContract.name)),
  HttpApiEndpoint.delete(removeContract.name, removeContract.path, {
    params: removeContract.params,
    query: removeContract.query,
    success: withRateLimit(removeContract.response),
    error: removeContract.errors,
  }).annotateMerge(documentation(removeContract.name)),
) {}

const webhooks = WebhookOperation.all

const webhookDocumentation = (name: WebhookOperation.Name) =>
  documentation(name, { parameters: Documentation.webhookParameters, headers: errorHeaders })

/** Endpoint of a webhook operation that reads. */
const webhookGet = <
  O extends WebhookOperation.All["listWebhooks" | "getWebhook" | "listWebhookAddresses" | "webhookDeliveries"],
>(
  operation: O,
) =>
  HttpApiEndpoint.get(operation.name, operation.path, {
    params: operation.params,
    query: operation.query,
    success: withRateLimit(operation.response),
    error: operation.errors,
  }).annotateMerge(webhookDocumentation(operation.name))

/** Endpoint of a webhook operation without a body. */
const webhookPost = <O extends WebhookOperation.All["pauseWebhook" | "resumeWebhook" | "testWebhook"]>(operation: O) =>
  HttpApiEndpoint.post(operation.name, operation.path, {
    params: operation.params,
    query: operation.query,
    success: withRateLimit(operation.response),
    error: operation.errors,
  }).annotateMerge(webhookDocumentation(operation.name))

/** Endpoint of a webhook operation with a body. */
const webhookSend = <
  O extends WebhookOperation.All["createWebhook" | "replayWebhook" | "rotateWebhook" | "changeWebhookAddresses"],
>(
  operation: O,
) =>
  HttpApiEndpoint.post(operation.name, operation.path, {
    params: operation.params,
    query: operation.query,
    payload: operation.body,
    success: withRateLimit(operation.response),
    error: operation.errors,
  }).annotateMerge(webhookDocumentation(operation.name))

/**
 * The operations of `WebhookOperation.all`, which require an API key.
 *
 * **Example** (Listing the operations on webhooks)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(Object.keys(RestApi.Webhooks.endpoints).includes("createWebhook")) // true
 * ```
 *
 * Source: decision 0073.
 */
export class Webhooks extends keyedGroup(
  "webhooks",
  webhookGet(webhooks.listWebhooks),
  webhookSend(webhooks.createWebhook),
  webhookGet(webhooks.getWebhook),
  HttpApiEndpoint.delete(webhooks.removeWebhook.name, webhooks.removeWebhook.path, {
    params: webhooks.removeWebhook.params,
    query: webhooks.removeWebhook.query,
    success: withRateLimit(webhooks.removeWebhook.response),
    error: webhooks.removeWebhook.errors,
  }).annotateMerge(webhookDocumentation(webhooks.removeWebhook.name)),
  webhookPost(webhooks.pauseWebhook),
  webhookPost(webhooks.resumeWebhook),
  webhookPost(webhooks.testWebhook),
  webhookSend(webhooks.replayWebhook),
  webhookSend(webhooks.rotateWebhook),
  webhookSend(webhooks.changeWebhookAddresses),
  webhookGet(webhooks.listWebhookAddresses),
  webhookGet(webhooks.webhookDeliveries),
) {}

const { contract, names, ready, search, settings } = ExplorerOperation.all

const explorerDocumentation = (name: ExplorerOperation.Name, headers = errorHeaders) =>
  documentation(name, { parameters: Documentation.explorerParameters[name], headers })

/**
 * The operations of `ExplorerOperation.all` that require an API key.
 *
 * **Example** (Listing the operations of the explorer)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(Object.keys(RestApi.Explorer.endpoints)) // [ 'names', 'search', 'contract' ]
 * ```
 *
 * Source: decision 0058.
 */
export class Explorer extends keyedGroup(
  "explorer",
  HttpApiEndpoint.get(names.name, names.path, {
    query: names.query,
    success: withRateLimit(names.response),
    error: names.errors,
  }).annotateMerge(explorerDocumentation(names.name)),
  HttpApiEndpoint.get(search.name, search.path, {
    query: search.query,
    success: withRateLimit(search.response),
    error: search.errors,
  }).annotateMerge(explorerDocumentation(search.name)),
  HttpApiEndpoint.get(contract.name, contract.path, {
    params: contract.params,
    query: contract.query,
    success: withRateLimit(contract.response),
    error: contract.errors,
  }).annotateMerge(explorerDocumentation(contract.name)),
) {}

/**
 * Paths for operators and machines, without an API key: health, status of the indexes, and metrics. Of these, the OpenAPI document only has
 * the status.
 *
 * **Example** (Listing the paths of operators)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(Object.keys(RestApi.Service.endpoints).includes("health")) // true
 * ```
 *
 * Source: decision 0012.
 */
export class Service extends group(
  "service",
  HttpApiEndpoint.get("health", "/health", { success: Schema.Struct({ status: Schema.Literal("ok") }) }).annotate(
    OpenApi.Exclude,
    true,
  ),
  HttpApiEndpoint.get(ready.name, ready.path, {
    query: ready.query,
    success: ready.response,
    error: [...ready.errors, ready.response.pipe(HttpApiSchema.status(503))],
  }).annotateMerge(explorerDocumentation(ready.name, {})),
  HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String.pipe(HttpApiSchema.asText()) }).annotate(
    OpenApi.Exclude,
    true,
  ),
  HttpApiEndpoint.get("openApi", "/openapi.json", { success: Schema.Unknown }).annotate(OpenApi.Exclude, true),
) {}

/**
 * The settings of the explorer's pages, without an API key.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(RestApi.ExplorerPage.endpoints.settings.path) // /explorer.json
 * ```
 *
 * Source: decision 0058.
 */
export class ExplorerPage extends HttpApiGroup.make("page").add(
  HttpApiEndpoint.get(settings.name, settings.path, { success: settings.response }).annotateMerge(
    explorerDocumentation(settings.name),
  ),
) {}

const requests = Schema.Union([JsonRpc.Request, Schema.Array(JsonRpc.Request)])
const responses = Schema.Union([JsonRpc.Response, Schema.Array(JsonRpc.Response)])

/**
 * The JSON-RPC proxy: one request or a batch, with the API key in the path.
 *
 * **Example** (Reading the path of calls)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(RestApi.Relay.endpoints.call.path) // /rpc/:chain/:apiKey
 * ```
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3, docs/interface.md#5; decision 0016.
 */
export class Relay extends hiddenGroup(
  "relay",
  HttpApiEndpoint.post("call", "/rpc/:chain/:apiKey", {
    params: { chain: Schema.String, apiKey: Schema.String },
    payload: requests,
    success: responses,
  }),
  HttpApiEndpoint.post("callByHeader", "/rpc/:chain", {
    params: { chain: Schema.String },
    payload: requests,
    success: responses,
  }),
  HttpApiEndpoint.get("connect", "/rpc/:chain/:apiKey", {
    params: { chain: Schema.String, apiKey: Schema.String },
  }),
  HttpApiEndpoint.get("connectByHeader", "/rpc/:chain", { params: { chain: Schema.String } }),
) {}

/**
 * Gives schemas plain names, and leaves objects open to fields that are added later. A recursive schema refers to itself by one name, and
 * other schemas refer by that name to a schema that is also a response.
 */
const simplify = (spec: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(spec, (key: string, value: unknown) => {
      if (key === "schemas" && typeof value === "object" && value !== null) {
        return Object.fromEntries(
          Object.entries(value).filter(([name]) => !/^(?:Suspend_|AbiParameter_1|Webhook_1)$/.test(name)),
        )
      }
      return key === "additionalProperties" && value === false ? undefined : value
    })
      .replaceAll(/_daybook_schema_(\w+?)Encoded\b/g, "$1")
      .replaceAll("#/components/schemas/Suspend_", "#/components/schemas/AbiParameter")
      .replaceAll("#/components/schemas/Webhook_1", "#/components/schemas/Webhook"),
  )

/**
 * The HTTP interface, version 2.2. Its OpenAPI document has the operations of the REST interface only.
 *
 * **Example** (Making the OpenAPI document with Effect)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 * import * as OpenApi from "effect/http-api/OpenApi"
 *
 * console.log(OpenApi.fromApi(RestApi.RestApi).info.title) // Daybook
 * ```
 *
 * Source: docs/interface.md#4.1, docs/interface.md#9; decision 0019.
 */
export class RestApi extends HttpApi.make("daybook")
  .add(Wallets, Contracts, Webhooks, Explorer, ExplorerPage, Service, Relay)
  .annotate(OpenApi.Title, "Daybook")
  .annotate(OpenApi.Version, "2.2")
  .annotate(OpenApi.Servers, [{ url: "/" }])
  .annotate(OpenApi.Transform, simplify) {}

/**
 * A path of the HTTP interface with its method.
 *
 * Source: decision 0012.
 */
export interface Route {
  /** Name of the group, as in `wallets`. */
  readonly group: string
  /** Name of the endpoint, as in `walletTransactions`. */
  readonly name: string
  /** HTTP method. */
  readonly method: string
  /** Path from the base URL, with `:name` for a path parameter. */
  readonly path: string
}

const routesOf = (): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(RestApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      found.push({ group: group.identifier, name: endpoint.identifier, method: endpoint.method, path: endpoint.path })
    },
  })
  return found
}

/**
 * Every path of the HTTP interface, in the order of declaration.
 *
 * **Example** (Listing the paths)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(RestApi.routes.find(({ name }) => name === "walletTransactions")?.path) // /api/v2.2/:address/verbose
 * ```
 *
 * Source: docs/interface.md#4; decision 0012.
 */
export const routes: ReadonlyArray<Route> = routesOf()

/**
 * Makes the OpenAPI 3.1 document of the REST interface, as served at `/openapi.json`.
 *
 * **Details**
 *
 * The package also contains it, as `@daybook/schema/openapi.json`. `maxLimit` is the server's maximum number of rows per page.
 *
 * **Example** (Stating the limit of a server)
 *
 * ```ts
 * import * as RestApi from "@daybook/schema/RestApi"
 *
 * console.log(RestApi.openApi({ maxLimit: 25 }).openapi) // 3.1.0
 * ```
 *
 * Source: docs/interface.md#4.1; decision 0012.
 */
export const openApi = (options: { readonly maxLimit?: number } = {}): OpenApi.OpenAPISpec => {
  const spec = OpenApi.fromApi(RestApi)
  const { maxLimit } = options
  if (maxLimit === undefined) return spec
  for (const { get } of Object.values(spec.paths)) {
    for (const parameter of get?.parameters ?? []) {
      // The search has its own limit.
      if (parameter.name !== "limit" || (parameter.schema !== undefined && "maximum" in parameter.schema)) continue
      parameter.schema = { ...parameter.schema, maximum: maxLimit, default: maxLimit }
    }
  }
  return spec
}
