/**
 * The HTTP server: listens, gives each response an id and CORS headers, limits connections and shuts down gracefully. What it
 * answers is the routes that it is given.
 *
 * Source: decisions 0012 and 0019.
 */
import { randomUUID } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Connections from "./Connections.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as ExplorerPage from "./explorer/ExplorerPage.ts"
import * as ForwardedFor from "./ForwardedFor.ts"
import * as HostCheck from "./HostCheck.ts"
import * as Listener from "./Listener.ts"
import { hasEmptySegment, normalizeUrl, RequestId } from "./Request.ts"
import { InvalidParameter } from "./rest/InvalidParameter.ts"
import type { Answered } from "./Observations.ts"
import * as Routes from "./Routes.ts"

/** How to listen. */
export interface Options extends Listener.Options {
  /** Proxies before the server that add the address of their client to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** Origins of web pages that may call; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Further names in the `Host` header of a server on a loopback address. */
  readonly allowedHosts: ReadonlyArray<string>
  readonly limits: Connections.Options
  /** Receives each response. */
  readonly onAnswered?: (answered: Answered) => void
}

/** A server that listens. */
export class HttpServer extends Context.Service<HttpServer, { readonly address: Listener.Address }>()(
  "@daybook/service/server/HttpServer",
) {}

const preflightSeconds = 86_400

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest | Scope.Scope>

/** The headers of every response where all origins are allowed: they do not depend on the request. */
const openHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": ApiHeader.exposed.join(","),
}

const corsOf = (allowedOrigins: ReadonlyArray<string>) => {
  const isOpen = allowedOrigins.includes("*")
  const isAllowed = (origin: string): boolean => allowedOrigins.includes(origin)
  const middleware = (allowedMethods: ReadonlyArray<string>) =>
    HttpMiddleware.cors({
      allowedOrigins: isOpen ? [] : isAllowed,
      allowedMethods,
      exposedHeaders: ApiHeader.exposed,
      maxAge: preflightSeconds,
    })
  return {
    headers: isOpen ? openHeaders : {},
    /** Adds the headers that depend on the request's origin. */
    add: (app: App): App => (isOpen ? app : middleware([])(app)),
    preflight: (allowedMethods: ReadonlyArray<string>) =>
      middleware(allowedMethods)(Effect.succeed(HttpServerResponse.empty())),
  }
}

/** What the server provides to its routes. */
type Provided = Layer.Success<typeof Routes.layer> | Layer.Success<typeof NodeHttpServer.layerHttpServices>

/** Headers of every response but those of the explorer: it is data for one caller, and nothing that a browser shows or runs. */
const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

const refuseHost = (hostIssue: HostCheck.HostIssue): App =>
  ErrorResponse.answer(
    hostIssue === "not allowed"
      ? ErrorResponse.forbidden(
          `Host not allowed on a loopback address. Use localhost, an IP address, or add the name to "allowedHosts".`,
        )
      : ErrorResponse.badRequest(
          InvalidParameter.fromIssue({ path: "host", expected: "one Host header", received: "two or more" }, "header"),
        ),
  )

/** Answers every request. */
const app = (
  { find, handle, list }: Routes.Routes["Service"],
  { allowedHosts, allowedOrigins, listen, onAnswered = () => undefined, trustedProxies }: Options,
  { isDraining }: Connections.Connections,
) => {
  const cors = corsOf(allowedOrigins)
  const checkHost = HostCheck.make(listen, allowedHosts)

  /** What the router has no route for: a preflight request, another method or an unknown path. */
  const unmatched = Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest
    const requestId = yield* RequestId
    const path = hasEmptySegment(url) ? undefined : find(url)
    if (path === undefined) {
      yield* Effect.logDebug(`${method} (unknown path) 404 ${requestId}`)
      return ErrorResponse.toResponse(ErrorResponse.notFound(requestId, list()))
    }
    const allow = path.allow.join(", ")
    if (method !== "OPTIONS") {
      return ErrorResponse.toResponse(ErrorResponse.methodNotAllowed(requestId, method, allow), { allow })
    }
    const preflight = yield* cors.preflight(path.allow)
    return HttpServerResponse.setHeader(preflight, "allow", allow)
  })

  // Routes answer their own errors; what is left is that none matched.
  const matched = handle.pipe(Effect.catch(() => unmatched))
  const [matchedWithCors, unmatchedWithCors] = [cors.add(matched), cors.add(unmatched)]

  const effectFor = (isPreflight: boolean, isUnmatched: boolean): App => {
    if (isPreflight) return isUnmatched ? unmatched : matched
    return isUnmatched ? unmatchedWithCors : matchedWithCors
  }

  return Effect.flatMap(HttpServerRequest, (received) => {
    const startedAt = performance.now()
    const url = normalizeUrl(received.url)
    // The router takes an empty segment for an empty parameter.
    const hostIssue = checkHost(NodeHttpServerRequest.toIncomingMessage(received).rawHeaders)
    const effect =
      hostIssue === undefined ? effectFor(received.method === "OPTIONS", hasEmptySegment(url)) : refuseHost(hostIssue)
    const requestId = randomUUID()
    const handled = Effect.provideService(effect, RequestId, requestId)
    const own = { [ApiHeader.requestId]: requestId }
    const headers = { ...own, ...securityHeaders, ...cors.headers }
    const isUnchanged = url === received.url && trustedProxies === 0
    const request = (): HttpServerRequest => {
      const remoteAddress = Option.fromNullishOr(ForwardedFor.clientOf(received, trustedProxies))
      return received.modify({ url, remoteAddress })
    }
    return Effect.map(
      isUnchanged ? handled : Effect.provideService(handled, HttpServerRequest, request()),
      (response) => {
        const added = ExplorerPage.is(response) ? own : headers
        const seconds = (performance.now() - startedAt) / 1000
        onAnswered({ method: received.method, route: find(url)?.path, status: response.status, seconds })
        return HttpServerResponse.setHeaders(response, isDraining() ? { ...added, connection: "close" } : added)
      },
    )
  })
}

/** Listens. A request to change the protocol (`Upgrade`) is answered as any other: no listener accepts it. */
const listen = Effect.fn("HttpServer.listen")(function* (options: Options) {
  const { listen: at, trustedProxies } = options
  const routes = yield* Routes.Routes
  // Released after the server, which waits for its open requests.
  const requests = yield* Scope.fork(yield* Effect.scope)
  const { address, node } = yield* Listener.open(options)
  // All connections of a proxy have one address.
  const isBehindProxy = trustedProxies > 0 || "socket" in at
  const { connections: all } = options.limits
  const limits = isBehindProxy ? { ...options.limits, connectionsPerAddress: all } : options.limits
  const connections = yield* Connections.make(node, limits)
  const handler = NodeHttpServer.makeHandler(app(routes, options, connections), { scope: requests })
  connections.serve(yield* Effect.provideService(handler, HttpMiddleware.TracerDisabledWhen, () => true))
  yield* Effect.addFinalizer(() => connections.drain)
  return HttpServer.of({ address })
})

/**
 * Listens with the routes of a layer. When it is released it waits a few seconds for open requests.
 *
 * **Errors**
 * - `ListenError`: the address is in use, not an address of this machine, or not allowed.
 */
export const layer = <E, R>(
  routes: Layer.Layer<never, E, R>,
  options: Options,
): Layer.Layer<HttpServer, E | Listener.ListenError, Exclude<R, Provided>> =>
  Layer.effect(HttpServer, listen(options)).pipe(
    Layer.provide(Layer.provideMerge(routes, Layer.merge(Routes.layer, NodeHttpServer.layerHttpServices))),
  )
