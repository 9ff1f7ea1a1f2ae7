/**
 * The HTTP server: listens, adds an id and CORS headers to each response, limits connections and shuts down gracefully. The routes are
 * passed in.
 *
 * Source: decisions 0012 and 0019.
 */
import { randomUUID } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Headers } from "effect/http/Headers"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { InvalidConfig } from "../config/InvalidConfig.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as AccessLog from "./monitoring/AccessLog.ts"
import * as Connections from "./admission/Connections.ts"
import * as ErrorResponse from "./http/ErrorResponse.ts"
import * as StaticPage from "./http/StaticPage.ts"
import * as ForwardedFor from "./admission/ForwardedFor.ts"
import * as HostCheck from "./admission/HostCheck.ts"
import type { KnownKeys } from "./admission/KnownKeys.ts"
import * as Turns from "./admission/Turns.ts"
import * as Listener from "./Listener.ts"
import { hasEmptySegment, hasEncodedUnreserved, normalizeUrl, RequestId } from "./http/Request.ts"
import * as OwnRequests from "./http/OwnRequests.ts"
import * as RequestFacts from "./http/RequestFacts.ts"
import * as Upgrade from "./http/Upgrade.ts"
import { InvalidParameter } from "./http/InvalidParameter.ts"
import type { HandledRequest } from "./monitoring/Observations.ts"
import * as Routes from "./http/Routes.ts"

/** How to answer. */
export interface AnswerOptions extends Pick<Listener.Options, "listen"> {
  /** Number of proxies in front of the server that add the address of their client to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** Origins of web pages that may call the server; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Additional names accepted in the `Host` header of a server on a loopback address. */
  readonly allowedHosts: ReadonlyArray<string>
  readonly limits: Connections.Options
  /** Whether each request is logged at the level `Info`, otherwise at `Debug`. Default false. */
  readonly log?: { readonly access: boolean }
  /** Receives each response. */
  readonly onResponse?: (answered: HandledRequest) => void
}

/** How to listen and to answer. */
export interface Options extends AnswerOptions, Listener.Options {
  /** Turns in which requests start. Default: the server's own turns. */
  readonly turns?: Turns.Turns
  /** Attributes the work of an address to a holder. Default: all work belongs to the process. */
  readonly holderOf?: KnownKeys["holderOf"]
}

/** A listening server. */
export class HttpServer extends Context.Service<
  HttpServer,
  {
    readonly address: Listener.Address
    /**
     * Prepares other routes and bounds; returns an effect that applies them from the next request on. Open requests finish with those that
     * they started with, and have as much time as when the server stops.
     */
    readonly prepare: <E>(
      routes: Layer.Layer<never, E, Provided>,
      options: AnswerOptions,
    ) => Effect.Effect<Effect.Effect<void>, E>
    /** Reads the certificate files again; returns an effect that uses them for subsequent connections. */
    readonly prepareTls: Effect.Effect<Effect.Effect<void>, InvalidConfig>
  }
>()("@daybook/service/server/HttpServer") {}

const preflightSeconds = 86_400

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest | Scope.Scope>

/** Headers common to all responses if all origins are allowed, since they then do not depend on the request. */
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
    /** Browsers let any page open a WebSocket, and leave the decision to the server. */
    isAllowed: ({ host, origin }: Headers): boolean =>
      isOpen || origin === undefined || isAllowed(origin) || origin.replace(/^https?:\/\//, "") === host,
    /** Adds the headers that depend on the request's origin. */
    add: (app: App): App => (isOpen ? app : middleware([])(app)),
    preflight: (allowedMethods: ReadonlyArray<string>) =>
      middleware(allowedMethods)(Effect.succeed(HttpServerResponse.empty())),
  }
}

/** What the server provides to its routes. */
type Provided =
  | Layer.Success<typeof Routes.layer>
  | Layer.Success<typeof NodeHttpServer.layerHttpServices>
  | OwnRequests.OwnRequests

/**
 * Headers of every response except those of the explorer: responses are data for one caller, not something that a browser should display or
 * execute.
 */
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

/** Only a person opens a page: a program does not request markup. */
const isOfBrowser = ({ headers, method }: HttpServerRequest): boolean =>
  method === "GET" && (headers["accept"] ?? "").startsWith("text/html")

const refuseOrigin: App = ErrorResponse.answer(
  ErrorResponse.forbidden(`Origin not allowed for a WebSocket. Add it to "allowedOrigins".`),
)

/** The message does not repeat the path, which may hold a key. */
const refusePath: App = ErrorResponse.answer(
  ErrorResponse.badRequest(
    InvalidParameter.fromIssue(
      { path: "path", expected: "unencoded letters, digits and -._~", received: "one that is percent-encoded" },
      "request",
    ),
  ),
)

/** Answers every request. */
const app = (
  { find, handle, list }: Routes.Routes["Service"],
  { allowedHosts, allowedOrigins, listen, onResponse = () => undefined, trustedProxies }: AnswerOptions,
  { holderOf, kindOf }: Connections.RequestTurns,
  stopping: Deferred.Deferred<void>,
  beginLog: ReturnType<typeof AccessLog.make>,
  now: MonotonicClock.Reader,
) => {
  const cors = corsOf(allowedOrigins)
  const checkHost = HostCheck.make(listen, allowedHosts)

  /** The page of the explorer for a path that does not exist. */
  const page = (request: HttpServerRequest) =>
    Effect.provideService(handle, HttpServerRequest, request.modify({ url: "/" })).pipe(
      Effect.map((response) => HttpServerResponse.setStatus(response, StaticPage.is(response) ? 404 : response.status)),
      Effect.orDie,
    )

  /** Requests that match no route: a preflight request, another method or an unknown path. */
  const unmatched = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { method, url } = request
    const requestId = yield* RequestId
    const path = hasEmptySegment(url) ? undefined : find(url)
    if (path === undefined && isOfBrowser(request) && find("/") !== undefined) return yield* page(request)
    if (path === undefined) {
      return ErrorResponse.toResponse(ErrorResponse.notFound(requestId, list()))
    }
    const allow = path.allow.join(", ")
    if (method !== "OPTIONS") {
      return ErrorResponse.toResponse(ErrorResponse.methodNotAllowed(requestId, method, allow), { allow })
    }
    const preflight = yield* cors.preflight(path.allow)
    return HttpServerResponse.setHeader(preflight, "allow", allow)
  })

  // Routes handle their own errors; what remains is that none matched.
  const matched = handle.pipe(Effect.catch(() => unmatched))
  const [matchedWithCors, unmatchedWithCors] = [cors.add(matched), cors.add(unmatched)]

  const effectFor = (isPreflight: boolean, isUnmatched: boolean): App => {
    if (isPreflight) return isUnmatched ? unmatched : matched
    return isUnmatched ? unmatchedWithCors : matchedWithCors
  }

  return Effect.flatMap(HttpServerRequest, (received) => {
    const startedAt = now()
    const url = normalizeUrl(received.url)
    // The router treats an empty segment as an empty parameter.
    const message = NodeHttpServerRequest.toIncomingMessage(received)
    const hostIssue = checkHost(message.rawHeaders)
    const effectOfPath = () => {
      if (hasEncodedUnreserved(received.url)) return refusePath
      if (Upgrade.offerOf(message) !== undefined && !cors.isAllowed(received.headers)) return refuseOrigin
      return effectFor(received.method === "OPTIONS", hasEmptySegment(url))
    }
    const effect = hostIssue === undefined ? effectOfPath() : refuseHost(hostIssue)
    const requestId = RequestFacts.requestIdIn(received.headers) ?? randomUUID()
    const facts = RequestFacts.make(received.headers, Deferred.await(stopping))
    const holder = holderOf(message)
    const handled = Effect.provideContext(
      effect,
      Context.make(RequestId, requestId).pipe(
        Context.add(RequestFacts.RequestFacts, facts),
        Context.add(Turns.Holder, holder),
        Context.add(Turns.Kind, kindOf(message)),
      ),
    )
    const logAnswer = beginLog(message, NodeHttpServerRequest.toServerResponse(received))
    const own = { [ApiHeader.requestId]: requestId }
    const headers = { ...own, ...securityHeaders, ...cors.headers }
    const isUnchanged = url === received.url && trustedProxies === 0
    const address = ForwardedFor.clientOf(received, trustedProxies)
    const request = (): HttpServerRequest => received.modify({ url, remoteAddress: Option.fromNullishOr(address) })
    return Effect.map(
      isUnchanged ? handled : Effect.provideService(handled, HttpServerRequest, request()),
      (response) => {
        const { method } = received
        const { status } = response
        const route = facts.route ?? find(url)?.path
        const traced = facts.span === undefined ? {} : { traceparent: RequestFacts.traceparent(facts.span) }
        // A route that sets its cache duration has already decided.
        const cacheControl = response.headers["cache-control"]
        const kept = cacheControl === undefined ? {} : { "cache-control": cacheControl }
        const added = { ...(StaticPage.is(response) ? own : headers), ...kept, ...traced }
        onResponse({ method, route, status, seconds: (now() - startedAt) / 1000 })
        logAnswer({ method, route, status, requestId, address: address ?? "", facts, startedAt })
        return HttpServerResponse.setHeaders(
          response,
          Deferred.isDoneUnsafe(stopping) ? { ...added, connection: "close" } : added,
        )
      },
    )
  })
}

/** Bounds of connections; all connections of a proxy share one address. */
const connectionBounds = ({ limits, listen, trustedProxies }: AnswerOptions): Connections.Options =>
  trustedProxies > 0 || "socket" in listen ? { ...limits, connectionsPerAddress: limits.connections } : limits

/** Answers requests, and classifies the work of each. */
interface Handler extends Pick<Connections.RequestTurns, "kindOf"> {
  readonly handle: Parameters<Connections.Connections["serve"]>[0]
}

/** The kind of a request is the path of its route, so that a client-chosen query or name does not create new kinds. */
const kindOf =
  ({ find }: Pick<Routes.Routes["Service"], "find">): Connections.RequestTurns["kindOf"] =>
  ({ url = "" }) =>
    find(url.split("?", 1)[0] ?? "")?.path ?? ""

/** Makes the handler of some routes, which lives as long as `own`. */
const makeHandler = Effect.fnUntraced(function* <E, R>(
  routes: Layer.Layer<never, E, R>,
  options: AnswerOptions,
  admission: Connections.RequestTurns,
  stopping: Deferred.Deferred<void>,
  own: Scope.Scope,
): Effect.fn.Return<Handler, E, Exclude<R, Provided>> {
  const { holderOf, turns } = admission
  const ownRequests = OwnRequests.make((request, resume) =>
    turns.enter(resume, () => {}, holderOf(request), admission.kindOf(request)),
  )
  const provided = Layer.mergeAll(
    Routes.layer,
    NodeHttpServer.layerHttpServices,
    Layer.succeed(OwnRequests.OwnRequests, ownRequests),
  )
  const all = Layer.provideMerge(routes, provided)
  // Replaced routes must not share what they build.
  const context = yield* Layer.buildWithMemoMap(all, Layer.makeMemoMapUnsafe(), own)
  const beginLog = AccessLog.make(options.log?.access ?? false, yield* Effect.context<never>())
  const now = yield* MonotonicClock.reader
  const found = Context.get(context, Routes.Routes)
  const answer = app(found, options, admission, stopping, beginLog, now)
  const handler = yield* Effect.provideService(
    NodeHttpServer.makeHandler(answer, { scope: own }),
    HttpMiddleware.TracerDisabledWhen,
    () => true,
  )
  ownRequests.serve(handler)
  return { handle: handler, kindOf: kindOf(found) }
})

/**
 * Listens with the routes of a layer until the scope ends, then waits a few seconds for open requests. A request to change the protocol
 * (`Upgrade`) is answered like any other, unless a WebSocket route accepts it.
 *
 * **Errors**
 * - As for `Listener.open`.
 */
export const make = Effect.fn("HttpServer.make")(function* <E, R>(
  routes: Layer.Layer<never, E, R>,
  options: Options,
): Effect.fn.Return<
  HttpServer["Service"],
  E | Listener.ListenError | InvalidConfig,
  Exclude<R, Provided> | Scope.Scope
> {
  // Released after the server, which waits for its open requests.
  const requests = yield* Scope.fork(yield* Effect.scope)
  // Completed when the server stops: the next response on each connection is then its last.
  const stopping = yield* Deferred.make<void>()
  const { holderOf = () => "", turns = Turns.make(yield* MonotonicClock.reader) } = options
  let { trustedProxies } = options
  const admission: Connections.RequestTurns = {
    turns,
    holderOf: (request) => holderOf(request, ForwardedFor.addressOf(request, trustedProxies)),
    kindOf: (request) => handler.kindOf(request),
  }
  let scope = yield* Scope.fork(requests)
  let handler: Handler = yield* makeHandler(routes, options, admission, stopping, scope)
  const { address, node, prepareTls } = yield* Listener.open(options)
  const bounds = { ...connectionBounds(options) }
  const connections = yield* Connections.make(node, bounds, admission)
  connections.serve((request, response) => handler.handle(request, response))
  yield* Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(stopping, undefined), connections.drain))

  return HttpServer.of({
    address,
    prepareTls,
    prepare: Effect.fnUntraced(function* (next, nextOptions) {
      const own = yield* Scope.fork(requests)
      const made = makeHandler(next, nextOptions, admission, stopping, own)
      const nextHandler = yield* Effect.onError(made, (cause) => Scope.close(own, Exit.failCause(cause)))
      return Effect.suspend(() => {
        const previous = scope
        const ending = Effect.andThen(Effect.sleep(bounds.drainSeconds * 1000), Scope.close(previous, Exit.void))
        Object.assign(bounds, connectionBounds(nextOptions))
        trustedProxies = nextOptions.trustedProxies
        scope = own
        handler = nextHandler
        return Effect.asVoid(Effect.forkIn(ending, requests))
      })
    }),
  })
})

/** The same as a layer. */
export const layer = <E, R>(
  routes: Layer.Layer<never, E, R>,
  options: Options,
): Layer.Layer<HttpServer, E | Listener.ListenError | InvalidConfig, Exclude<R, Provided>> =>
  Layer.effect(HttpServer, make(routes, options))
