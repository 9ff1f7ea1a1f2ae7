/**
 * The routes of the server: an `HttpRouter` that records each path with its methods, from which 404, 405 and preflight responses are
 * derived. It gives each route a span and a response to defects.
 *
 * Source: decisions 0012 and 0019.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { scrubber } from "@daybook/transport/internal/Redaction"
import { keyIn } from "./ApiKeyHeader.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import { RequestId } from "./Request.ts"
import * as RequestFacts from "./RequestFacts.ts"

/** A path and the methods it accepts, as the `allow` header lists them. */
export interface Path {
  readonly path: string
  readonly allow: ReadonlyArray<string>
}

/** The routes of the server. */
export class Routes extends Context.Service<
  Routes,
  {
    /** Answers the current request; fails if no route matches. */
    readonly handle: Effect.Effect<HttpServerResponse, unknown, HttpServerRequest | Scope.Scope>
    /** The path that matches a URL, whatever the method. */
    readonly find: (url: string) => Path | undefined
    /** Each route as `METHOD /path`. */
    readonly list: () => ReadonlyArray<string>
  }
>()("@daybook/service/server/Routes") {}

/** Paths are matched exactly, and a parameter may be as long as Node accepts a URL. */
const config: FindMyWay.RouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 65_536,
}

/** Shorter texts are not redacted, because that would blank out unrelated words. */
const shortestSecret = 9

/**
 * Answers a defect of `handler` with `respond` and logs its cause, without the texts named by `secrets`.
 */
export const onDefect = <R>(
  handler: Effect.Effect<HttpServerResponse, never, R>,
  options: {
    readonly respond: (requestId: string) => HttpServerResponse
    /** Path parameters that may hold a key. */
    readonly secrets?: ReadonlyArray<string>
    /** Keys of the request that are neither in its path nor in its headers, as far as they were read. */
    readonly keys?: () => ReadonlyArray<string | undefined>
  },
) =>
  Effect.catchCauseIf(
    handler,
    (cause) => !Cause.hasInterruptsOnly(cause),
    Effect.fnUntraced(function* (cause) {
      const requestId = yield* RequestId
      const { params, route } = yield* HttpRouter.RouteContext
      const key = keyIn((yield* HttpServerRequest).headers)
      const secrets = [key, ...(options.secrets ?? []).map((name) => params[name]), ...(options.keys?.() ?? [])]
      const scrub = scrubber(
        secrets.flatMap((text) => (text === undefined || text.length < shortestSecret ? [] : [text])),
      )
      yield* Effect.logError(`Request ${requestId} to ${route.path} failed: ${scrub(Cause.pretty(cause))}`)
      return options.respond(requestId)
    }),
  )

/** Sound: an API encodes the errors of its handlers, and the context of its routes is provided when they are registered. */
type Handler = Effect.Effect<HttpServerResponse, never, HttpRouter.Provided>

const observe = (method: string, path: string, handler: Effect.Effect<HttpServerResponse, unknown, unknown>) => {
  const name = `${method} ${path}`
  const answered = onDefect(handler as Handler, {
    respond: (id) => ErrorResponse.toResponse(ErrorResponse.internal(id)),
  })
  return Effect.contextWith((context: Context.Context<HttpServerRequest>) => {
    const facts = Context.get(context, RequestFacts.RequestFacts)
    const { parent } = facts
    facts.route = path
    // The default tracer keeps no spans.
    if (Context.get(context, Tracer.Tracer) === Tracer.nativeTracer) {
      return parent === undefined ? answered : Effect.withParentSpan(answered, parent)
    }
    const attributes = {
      "http.request.method": Context.get(context, HttpServerRequest).method,
      "http.route": path,
      "daybook.request_id": Context.get(context, RequestId),
    }
    const traced = Effect.flatMap(Effect.orDie(Effect.currentSpan), (span) => {
      facts.span = span
      return Effect.tap(answered, ({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status))
    })
    const options = { kind: "server", attributes, parent } as const
    // The stack of every span would point to this line.
    return traced.pipe(Effect.withSpan(name, options, { captureStackTrace: false }))
  })
}

const allowOf = (method: string): ReadonlyArray<string> => (method === "GET" ? ["GET", "HEAD"] : [method])

const make = Effect.gen(function* () {
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, config)
  const paths = FindMyWay.make<Path>(config)
  const known = new Map<string, Path>()
  const list: Array<string> = []

  const record = (method: string, path: HttpRouter.PathInput) => {
    list.push(`${method} ${path}`)
    const allow = [
      ...(known.get(path)?.allow ?? []).filter((name) => name !== "OPTIONS"),
      ...allowOf(method),
      "OPTIONS",
    ]
    const entry = { path, allow }
    if (!known.has(path)) paths.on("GET", path, entry)
    known.set(path, entry)
  }

  const addAll: HttpRouter.HttpRouter["addAll"] = (routes) => {
    for (const { method, path } of routes) record(method, path)
    // Sound: a route keeps its requirements and errors; only its handler is wrapped.
    const observed = routes.map((route) =>
      HttpRouter.route(route.method, route.path, observe(route.method, route.path, route.handler), route),
    ) as unknown as typeof routes
    return router.addAll(observed)
  }

  const recording: HttpRouter.HttpRouter = {
    ...router,
    addAll,
    add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)]),
  }
  const routes = Routes.of({
    handle: router.asHttpEffect(),
    find: (url) => {
      const path = paths.find("GET", url)?.handler.path
      return path === undefined ? undefined : known.get(path)
    },
    list: () => list,
  })
  return Context.make(HttpRouter.HttpRouter, recording).pipe(Context.add(Routes, routes))
})

/** The router and what it records. */
export const layer: Layer.Layer<HttpRouter.HttpRouter | Routes> = Layer.effectContext(make)
