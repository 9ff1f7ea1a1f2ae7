import { describe, expect, it } from "@effect/vitest"
import * as RestApi from "../src/RestApi.ts"

const document = RestApi.openApi()
const operation = document.paths["/api/v2.2/{address}/verbose"]?.get

describe("RestApi", () => {
  it("openApi: has the operation of the interface", () => {
    expect(Object.keys(document.paths)).toMatchInlineSnapshot(`
      [
        "/api/v2.2/{address}/verbose",
        "/api/v2.2/{address}/movements",
        "/api/v2.2/{address}/user_operations",
        "/api/v2.2/{address}/balances",
        "/api/v2.2/{address}/statement",
        "/api/v2.2/{address}/statement/signed",
        "/api/v2.2/{address}/events",
        "/api/v2.2/{address}/proof",
        "/api/v2.2/contracts/{contract}",
        "/api/v2.2/webhooks",
        "/api/v2.2/webhooks/{webhook}",
        "/api/v2.2/webhooks/{webhook}/pause",
        "/api/v2.2/webhooks/{webhook}/resume",
        "/api/v2.2/webhooks/{webhook}/test",
        "/api/v2.2/webhooks/{webhook}/replay",
        "/api/v2.2/webhooks/{webhook}/rotate",
        "/api/v2.2/webhooks/{webhook}/addresses",
        "/api/v2.2/webhooks/{webhook}/deliveries",
        "/api/v2.2/names",
        "/api/v2.2/search",
        "/explorer.json",
        "/ready",
      ]
    `)
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe("2.2")
  })

  it("openApi: has every parameter of the interface", () => {
    const parameters = operation?.parameters.map(({ in: place, name, required }) => `${name} ${place} ${required}`)
    expect(parameters).toMatchInlineSnapshot(`
      [
        "address path true",
        "chain query false",
        "from_block query false",
        "to_block query false",
        "from_date query false",
        "to_date query false",
        "cursor query false",
        "include query false",
        "scope query false",
        "limit query false",
        "order query false",
      ]
    `)
  })

  it("openApi: documents numbers as integers, and the maximum limit of the server", () => {
    const schemaOf = (name: string, spec = document) =>
      spec.paths["/api/v2.2/{address}/verbose"]?.get?.parameters.find((parameter) => parameter.name === name)?.schema
    expect(schemaOf("from_block")).toEqual({ type: "integer", format: "int64", minimum: 0 })
    expect(schemaOf("limit")).toEqual({ type: "integer", minimum: 1 })
    expect(schemaOf("limit", RestApi.openApi({ maxLimit: 50 }))).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 50,
      default: 50,
    })
    expect(JSON.stringify(schemaOf("chain"))).toContain('"polygon amoy"')
  })

  it("openApi: describes each parameter, accepts an address in any case, and has a relative server URL", () => {
    const found = operation?.parameters ?? []
    for (const { description, name } of found) expect(`${name}: ${description}`).toMatch(/^\w+: \w.*\.$/)
    const pattern = found[0]?.schema && "pattern" in found[0].schema ? String(found[0].schema.pattern) : ""
    expect("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").toMatch(new RegExp(pattern))
    expect("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA9604").not.toMatch(new RegExp(pattern))
    expect(found.at(-1)).toMatchObject({ name: "order", schema: { enum: ["ASC", "DESC"], default: "DESC" } })
    expect(document).toMatchObject({ servers: [{ url: "/" }] })
  })

  it("openApi: allows additional properties and has plain schema names", () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
    expect(Object.keys(document.components.schemas).toSorted()).toMatchInlineSnapshot(`
      [
        "AbiItem",
        "AbiParameter",
        "BadRequest",
        "Balance",
        "Balances",
        "ChainStatus",
        "ContractAbi",
        "ContractResult",
        "ContractView",
        "Currency",
        "DecodedItem",
        "DescribedContract",
        "ExplorerSettings",
        "Forbidden",
        "GapCounts",
        "Incomplete",
        "IndexedRange",
        "IndexerCounts",
        "Internal",
        "InternalTransaction",
        "Log",
        "MethodNotAllowed",
        "Movement",
        "MovementPage",
        "NamedAddress",
        "NamedFunction",
        "Names",
        "NamesResult",
        "NotFound",
        "Param",
        "PayloadTooLarge",
        "Prepend",
        "ProofProgress",
        "RateLimited",
        "RemovedContract",
        "RemovedWebhook",
        "SearchResult",
        "SentTransactions",
        "ServedChain",
        "ServiceStatus",
        "SignedBalance",
        "SignedBlock",
        "SignedRows",
        "SignedStatement",
        "SignedSum",
        "SignedWallet",
        "StaleCursor",
        "Statement",
        "StatementDifference",
        "StatementHeader",
        "StatementOpening",
        "StatementProof",
        "StatementSignature",
        "StatementSum",
        "Token",
        "Unauthorized",
        "Unavailable",
        "UserOperation",
        "UserOperationPage",
        "WalletDigest",
        "WalletPage",
        "WalletTransaction",
        "Webhook",
        "WebhookAddresses",
        "WebhookCounts",
        "WebhookDeliveries",
        "WebhookDelivery",
        "WebhookList",
        "WebhookTest",
        "WebhookWithSecret",
      ]
    `)
  })

  it("openApi: refers only to schemas that it has, and a recursive one to itself", () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)

    expect(names.filter((name) => name === undefined || !Object.hasOwn(document.components.schemas, name))).toEqual([])
    expect(JSON.stringify(document.components.schemas["AbiParameter"])).toContain('"#/components/schemas/AbiParameter"')
  })

  it("openApi: requires the API key in X-API-Key", () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: "apiKey", name: "X-API-Key", in: "header" },
    })
  })

  it("openApi: declares the status of every error", () => {
    expect(
      Object.keys(operation?.responses ?? {})
        .toSorted()
        .join(" "),
    ).toMatchInlineSnapshot(`"200 400 401 403 404 405 409 429 500 503"`)
    expect(JSON.stringify(operation?.responses[200])).toContain("daybook-indexed-to")
  })

  it("openApi: describes every error in a sentence", () => {
    const { 200: _success, ...errors } = operation?.responses ?? {}
    for (const { description } of Object.values(errors)) expect(description).toMatch(/^[A-Z].* .*\.$/)
  })

  it("openApi: documents the headers of successes, of exceeded limits and of an unavailable server", () => {
    const headersOf = (status: number) => Object.keys(operation?.responses[status]?.headers ?? {})
    expect([headersOf(200), headersOf(429), headersOf(503), headersOf(400)]).toEqual([
      [
        "daybook-indexed-from",
        "daybook-indexed-to",
        "daybook-finalized-to",
        "daybook-missing-transactions",
        "daybook-reconciled-to",
        "daybook-searched-to",
        "daybook-direct-only-to",
        "daybook-untraced-to",
        "daybook-unstated-to",
        "ratelimit-limit",
        "ratelimit-remaining",
        "ratelimit-reset",
      ],
      ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
      ["retry-after"],
      [],
    ])
  })

  it("openApi: omits health, metrics, the document itself and the JSON-RPC proxy", () => {
    const paths = RestApi.routes.map(({ path }) => path.replaceAll(/:(\w+)/gu, "{$1}"))
    expect(new Set(paths.filter((path) => !(path in document.paths)))).toEqual(
      new Set(["/health", "/metrics", "/openapi.json", "/rpc/{chain}", "/rpc/{chain}/{apiKey}"]),
    )
  })

  it("routes: lists every path of the service with its method", () => {
    expect(RestApi.routes.map(({ method, path }) => `${method} ${path}`)).toMatchInlineSnapshot(`
      [
        "GET /api/v2.2/:address/verbose",
        "GET /api/v2.2/:address/movements",
        "GET /api/v2.2/:address/user_operations",
        "GET /api/v2.2/:address/balances",
        "GET /api/v2.2/:address/statement",
        "GET /api/v2.2/:address/statement/signed",
        "GET /api/v2.2/:address/events",
        "PUT /api/v2.2/:address/proof",
        "PUT /api/v2.2/contracts/:contract",
        "DELETE /api/v2.2/contracts/:contract",
        "GET /api/v2.2/webhooks",
        "POST /api/v2.2/webhooks",
        "GET /api/v2.2/webhooks/:webhook",
        "DELETE /api/v2.2/webhooks/:webhook",
        "POST /api/v2.2/webhooks/:webhook/pause",
        "POST /api/v2.2/webhooks/:webhook/resume",
        "POST /api/v2.2/webhooks/:webhook/test",
        "POST /api/v2.2/webhooks/:webhook/replay",
        "POST /api/v2.2/webhooks/:webhook/rotate",
        "POST /api/v2.2/webhooks/:webhook/addresses",
        "GET /api/v2.2/webhooks/:webhook/addresses",
        "GET /api/v2.2/webhooks/:webhook/deliveries",
        "GET /api/v2.2/names",
        "GET /api/v2.2/search",
        "GET /api/v2.2/contracts/:contract",
        "GET /explorer.json",
        "GET /health",
        "GET /ready",
        "GET /metrics",
        "GET /openapi.json",
        "POST /rpc/:chain/:apiKey",
        "POST /rpc/:chain",
        "GET /rpc/:chain/:apiKey",
        "GET /rpc/:chain",
      ]
    `)
  })
})
