/**
 * The HTTP server: routes, what every answer carries (an id, CORS), errors nobody foresaw, limits of the connection, and a drain
 * that ends. The paths' own work is `Wallet`, `Relay` and `Health`.
 *
 * Source: decisions 0012, 0013, 0016 and 0019.
 */
import { createServer, type Server as NodeServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as RestApi from "@daybook/schema/RestApi"
import { scrubber } from "@daybook/transport/internal/Redaction"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Config } from "../config/Config.ts"
import type { Decoder } from "../decode/Decoder.ts"
import type { ApiKeys } from "../store/ApiKeys.ts"
import * as Authentication from "./Authentication.ts"
import * as Response from "./Response.ts"
import * as JsonRpcEnvelope from "./relay/JsonRpcEnvelope.ts"
import * as Health from "./rest/Health.ts"
import * as Request from "./Request.ts"
import * as Metrics from "./rest/Metrics.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Relay from "./relay/Relay.ts"
import * as RelayCache from "./relay/RelayCache.ts"
import * as Wallet from "./rest/WalletTransactions.ts"

/** What the server works with. */
export interface Options {
  readonly config: Config
  readonly chains: ReadonlyArray<Wallet.IndexedChain & Relay.RelayedChain>
  readonly keys: ApiKeys
  readonly decoder: Decoder
}

/** Where the server listens. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The base URL of the REST operation, without a slash at its end. */
  readonly url: string
}

/** The server cannot listen; the message says where and why. */
export class ListenError extends Data.TaggedError("ListenError")<{ readonly message: string }> {}

/** Time that requests have to end when the server stops. */
const drainMillis = 5_000

const exposed = [
  "x-request-id",
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "daybook-indexed-from",
  "daybook-indexed-to",
  "daybook-finalized-to",
].join(", ")

type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, ErrorResponse.ErrorResponse>

interface Route {
  /** As logs and spans show it: never the path itself, which may hold a key. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly run: (request: Request.Request) => Handler
  /** The answer to a failure that nobody foresaw. */
  readonly failed: (request: Request.Request) => HttpServerResponse.HttpServerResponse
}

const failedRest = ({ id }: Request.Request) => Response.refusal(ErrorResponse.internal(id))

const failedRpc = (request: Request.Request) => {
  const { message } = ErrorResponse.internal(request.id)
  const data = { code: "internal", requestId: request.id }
  return Response.json(JsonRpcEnvelope.failure(undefined, { code: JsonRpc.code.internalError, message, data }), {
    status: 500,
  })
}

/** Makes the lookup of a path's route; `null` where there is none. */
const routes = (options: Options): ((request: Request.Request) => Route | null) => {
  const { chains, config, keys } = options
  const authentication = Authentication.make(keys, config.rateLimit)
  const wallet = Wallet.make({ ...options, authentication })
  const cache = RelayCache.make(config.relay.cacheMebibytes * 1024 * 1024)
  const relay = Relay.make({ chains, config, authentication, cache })
  const ready = Health.ready({ chains, keys })
  const openApi = JSON.stringify(RestApi.openApi({ maxLimit: config.maxLimit }))
  const get = (name: string, run: Route["run"]): Route => ({ name, method: "GET", run, failed: failedRest })
  const fixed = new Map<string, Route>([
    ["health", get("/health", () => Health.health)],
    ["ready", get("/ready", ready)],
    ["metrics", get("/metrics", () => Metrics.make(chains, cache))],
    ["openapi.json", get("/openapi.json", () => Effect.succeed(Response.json(openApi)))],
  ])
  const verbose = get("/api/v2.2/:address/verbose", (request) => wallet(request, request.segments[2] ?? ""))
  const rpc: Route = {
    name: "/rpc/:chain/:apiKey",
    method: "POST",
    run: (request) => relay(request, request.segments[1] ?? "", request.segments[2] ?? ""),
    failed: failedRpc,
  }
  return ({ segments }) => {
    const [first = "", second, third, fourth] = segments
    if (segments.length === 1) return fixed.get(first) ?? null
    if (segments.length === 3 && first === "rpc") return rpc
    const isVerbose = segments.length === 4 && first === "api" && second === "v2.2" && fourth === "verbose"
    return isVerbose && third !== "" ? verbose : null
  }
}

/** What every answer tells a browser. */
const cors = (allowed: ReadonlyArray<string>) => {
  const isOpen = allowed.includes("*")
  return (origin: string | undefined): ErrorResponse.Headers => {
    if (isOpen) return { "access-control-allow-origin": "*", "access-control-expose-headers": exposed }
    if (origin === undefined || !allowed.includes(origin)) return { vary: "origin" }
    return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "origin" }
  }
}

const allowOf = ({ method }: Route): string => (method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS")

const preflightSeconds = 86_400

/** The answer to OPTIONS, which is how a browser asks whether it may call. */
const preflight = (request: Request.Request, route: Route) => {
  const asked = request.header("access-control-request-headers")
  const allow = allowOf(route)
  return Response.empty({
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": asked ?? "x-api-key, content-type, accept",
    "access-control-max-age": String(preflightSeconds),
  })
}

/** Logs a failure that nobody foresaw, without the keys that the request carried. */
const logDefect = (request: Request.Request, route: Route, cause: Cause.Cause<never>) => {
  const key = request.header("x-api-key") ?? ""
  const clean = scrubber(
    [key, ...(route.method === "POST" ? request.segments.slice(1) : [])].filter((text) => text.length > 8),
  )
  return Effect.logError(`Request ${request.id} to ${route.name} failed: ${clean(Cause.pretty(cause))}`)
}

/** Answers every request. */
const app = (options: Options) => {
  const find = routes(options)
  const corsOf = cors(options.config.allowedOrigins)

  const answer = Effect.fnUntraced(function* (
    request: Request.Request,
    route: Route | null,
  ): Effect.fn.Return<HttpServerResponse.HttpServerResponse> {
    const { id, method } = request
    if (route === null) return Response.refusal(ErrorResponse.notFound(id))
    if (method === "OPTIONS") return preflight(request, route)
    if (method !== route.method && !(method === "HEAD" && route.method === "GET")) {
      return Response.refusal(ErrorResponse.methodNotAllowed(id, method, allowOf(route)))
    }
    return yield* route.run(request).pipe(
      Effect.catchTag("ErrorResponse", (refusal) => Effect.succeed(Response.refusal(refusal))),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(logDefect(request, route, cause), route.failed(request)),
      ),
      Effect.withSpan(
        `${route.method} ${route.name}`,
        {
          kind: "server",
          attributes: { "http.request.method": method, "http.route": route.name, "daybook.request_id": id },
        },
        // It would show this line.
        { captureStackTrace: false },
      ),
    )
  })

  return Effect.gen(function* () {
    const request = Request.fromRequest(yield* HttpServerRequest)
    const startedAt = yield* Clock.currentTimeMillis
    const route = find(request)
    const response = yield* answer(request, route)
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    yield* Effect.logDebug(
      `${request.method} ${route?.name ?? "(no such path)"} ${response.status} ${millis} ms ${request.id}`,
    )
    return HttpServerResponse.setHeaders(response, {
      "x-request-id": request.id,
      "cache-control": "no-store",
      ...corsOf(request.header("origin")),
    })
  })
}

/** Closes connections that would hold the exit: idle ones once listening ends, busy ones after a bound. */
const drain = (server: NodeServer): Effect.Effect<void, never, Scope.Scope> => {
  server.on("request", (_request, response) => {
    response.on("finish", () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  return Effect.addFinalizer(() =>
    Effect.sync(() => {
      setTimeout(() => server.closeAllConnections(), drainMillis).unref()
    }),
  )
}

const listenProblem = (cause: unknown, host: string, port: number): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown"
  const where = `${host}:${port}`
  switch (code) {
    case "EADDRINUSE":
      return `Cannot listen on ${where}: another program does. Stop it, or change "listen" in the configuration.`
    case "EACCES":
      return `Cannot listen on ${where}: this user may not. Take a port above 1023 in "listen" of the configuration.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `Cannot listen on ${where}: this machine has no such address. Correct "listen" in the configuration.`
    default:
      return `Cannot listen on ${where} (${code}). Check "listen" in the configuration.`
  }
}

/**
 * Listens until the scope ends; then waits for requests in flight, for a few seconds at most.
 *
 * **Errors**
 * - `ListenError`: the address is taken, not this machine's, or not allowed.
 */
export const serve = Effect.fn("Server.serve")(function* (
  options: Options,
): Effect.fn.Return<Address, ListenError, Scope.Scope> {
  const { host, port } = options.config.listen
  const node = createServer({ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 })
  const server = yield* NodeHttpServer.make(() => node, {
    host,
    port,
    gracefulShutdownTimeout: drainMillis + 1_000,
  }).pipe(Effect.mapError(({ cause }) => new ListenError({ message: listenProblem(cause, host, port) })))
  yield* Effect.provideService(server.serve(app(options)), HttpMiddleware.TracerDisabledWhen, () => true)
  yield* drain(node)
  const bound = "port" in server.address ? server.address.port : port
  const name = host.includes(":") ? `[${host}]` : host
  return { host, port: bound, url: `http://${name}:${bound}` }
})
