/**
 * The Model Context Protocol over HTTP, `POST /mcp`: a message, or a batch in the version that supports them, is answered as JSON. It is
 * for callers of the REST operations: their keys, limits and bounds apply to each message and to each request that a tool makes.
 *
 * Source: decision 0074.
 */
import { isUtf8 } from "node:buffer"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Config } from "../../config/Config.ts"
import * as Listen from "../../config/Listen.ts"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as Authentication from "../admission/Authentication.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as FairQueue from "../admission/FairQueue.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as KeylessRequest from "../admission/KeylessRequest.ts"
import * as LargeResponse from "../admission/LargeResponse.ts"
import * as Turns from "../admission/Turns.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import { OwnRequests } from "../http/OwnRequests.ts"
import * as Response from "../http/Response.ts"
import * as Routes from "../http/Routes.ts"
import { version } from "../monitoring/ProcessMetrics.ts"
import * as JsonScan from "../relay/JsonScan.ts"
import * as RelayError from "../relay/RelayError.ts"
import * as RequestBody from "../relay/RequestBody.ts"
import type { Service } from "./Handlers.ts"
import * as McpMessage from "./McpMessage.ts"
import type * as StatelessServer from "./StatelessServer.ts"

/** Path of the endpoint. */
const path = "/mcp"

/** Maximum number of bytes of a body; arguments of a tool are short. */
const maxBodyBytes = 64 * 1024

/** Time limit for all messages of a request, because proxies wait for 60 s. */
const answerSeconds = 50

/** Base URL of requests to the service itself, which do not reach a network. */
const ownUrl = "http://daybook"

/** Placeholder for the key of the clients, which is replaced by that of the caller, or by none. */
const keyOfClients = "none"

const tooMany = ({ max }: FairQueue.QueueFull): Effect.Effect<StatelessServer.Response> =>
  Effect.succeed({
    error: {
      code: RelayError.code.limitExceeded,
      message: `Too many messages at once: ${max} are waiting. Retry later.`,
    },
  })

const late: { readonly error: McpMessage.McpError } = {
  error: {
    code: RelayError.code.unavailable,
    message: `No answer within ${answerSeconds} s. Ask for fewer blocks or rows, or retry later.`,
  },
}

/** An error with its HTTP status, like that of the relay. */
const refusal = (code: number, message: string, reason: RelayError.RelayError["reason"]) =>
  RelayError.make({ code, message, reason })

const originRefused = refusal(
  RelayError.code.unauthorized,
  'Origin not allowed. Add it to "allowedOrigins".',
  "forbidden",
)

/**
 * Whether the page that sends a request may do so: its origin is allowed. On a loopback address `*` does not suffice, because a page of any
 * site could use a browser on this machine.
 */
export const originCheck = ({ allowedOrigins, listen }: Pick<Config, "allowedOrigins" | "listen">) => {
  const isOpen = allowedOrigins.includes("*") && !Listen.isLoopback(listen)
  return ({ headers }: Pick<HttpServerRequest, "headers">): boolean => {
    const { host, origin } = headers
    return (
      origin === undefined ||
      isOpen ||
      allowedOrigins.includes(origin) ||
      origin.replace(/^https?:\/\//, "") === host ||
      (Listen.isLoopback(listen) && KeylessRequest.isOriginOfThisMachine(origin))
    )
  }
}

const acceptsJson = (accept: string | undefined): boolean =>
  accept === undefined || /(?:^|,)\s*(?:application\/json|application\/\*|\*\/\*)/i.test(accept)

/** Parses a body within the bounds of nesting and values. */
const parse = (bytes: Buffer, { bodyDepth, bodyValues }: Config["limits"]) => {
  const { depth, values } = JsonScan.count(bytes)
  if (depth > bodyDepth || values > bodyValues) {
    const message = `Invalid request body: expected at most ${bodyDepth} levels of nesting (limits.bodyDepth) and ${bodyValues} values (limits.bodyValues), received ${depth} and ${values}.`
    return Result.fail(refusal(JsonRpc.code.invalidRequest, message, "bad_request"))
  }
  const json = isUtf8(bytes) ? Json.parse(bytes.toString()) : undefined
  if (json !== undefined) return Result.succeed(json)
  const message = "Invalid request body: expected JSON in UTF-8, received other text."
  return Result.fail(refusal(JsonRpc.code.parseError, message, "bad_request"))
}

const unacceptable = (header: string, received: string) => {
  const issue = { path: header, expected: "application/json", received: Issue.quote(received) }
  return refusal(JsonRpc.code.invalidRequest, Issue.format("header", issue), "bad_request")
}

const refuse = (
  { error, id }: Extract<McpMessage.McpRequest, { readonly _tag: "Refused" }>,
  headers: Response.Headers,
) => Response.json(JSON.stringify({ jsonrpc: "2.0", id, error }), { status: 400, headers })

type MessageResponse = StatelessServer.Response & { readonly id: number | string }

/** Answers messages in sequence, until the time limit of the request. */
export const answerInTime = Effect.fnUntraced(function* <R>(
  messages: ReadonlyArray<McpMessage.Message>,
  answer: (message: McpMessage.Message) => Effect.Effect<StatelessServer.Response, never, R>,
) {
  const endsAt = (yield* MonotonicClock.millis) + answerSeconds * 1000
  return yield* Effect.forEach(
    messages,
    Effect.fnUntraced(function* (message) {
      const duration = Math.max(0, endsAt - (yield* MonotonicClock.millis))
      const orElse = () => Effect.succeed(late)
      const answered = yield* Effect.timeoutOrElse(answer(message), { duration, orElse })
      return { jsonrpc: "2.0", id: message.id, ...answered }
    }),
  )
})

interface Written {
  readonly answers: ReadonlyArray<MessageResponse>
  readonly isBatch: boolean
  readonly isSelfContained: boolean
}

/** Receiver of an answer. */
interface Receiver {
  readonly grant: KeyGrant
  readonly bounds: Bounds["Service"]
  readonly headers: Response.Headers
}

/** A self-contained version has an HTTP status for a method that does not exist. */
const written = ({ answers, isBatch, isSelfContained }: Written, { bounds, grant, headers }: Receiver) => {
  const isUnknown = ({ error }: { readonly error?: McpMessage.McpError }) => error?.code === JsonRpc.code.methodNotFound
  const status = isSelfContained && answers.some((answer) => isUnknown("error" in answer ? answer : {})) ? 404 : 200
  const bytes = Buffer.from(JSON.stringify(isBatch ? answers : answers[0]))
  if (bytes.length < LargeResponse.minBytes) {
    return Effect.succeed(HttpServerResponse.setStatus(Response.jsonBytes(bytes, headers), status))
  }
  // Only a batch is this large.
  const body = { chunks: LargeResponse.cutBytes(bytes), size: bytes.length, headers }
  return LargeResponse.send(body, holderOf(grant), bounds)
}

/** Converts the error of an operation to a JSON-RPC error. */
export const fromOperation = ({ error, headers, message }: ErrorResponse.ErrorResponse) => {
  const codes: Readonly<Record<string, number>> = {
    unauthorized: RelayError.code.unauthorized,
    forbidden: RelayError.code.unauthorized,
    rate_limited: RelayError.code.limitExceeded,
    unavailable: RelayError.code.unavailable,
  }
  const code = codes[error.code] ?? JsonRpc.code.invalidRequest
  return RelayError.make({ code, message, reason: error.code, headers })
}

/** The handler of messages, loaded with the first of them. */
const load = Effect.gen(function* () {
  const { Handlers, StatelessServer } = yield* Effect.promise(async () => ({
    Handlers: await import("./Handlers.ts"),
    StatelessServer: await import("./StatelessServer.ts"),
  }))
  return { connect: Handlers.connect, server: yield* Effect.orDie(StatelessServer.make(version)) }
})

const make = Effect.fnUntraced(function* (config: Config) {
  const authentication = yield* Authentication.Authentication
  const bounds = yield* Bounds
  const { fetchFor } = yield* OwnRequests
  const isOriginAllowed = originCheck(config)
  const { limits } = bounds
  const queue = FairQueue.make(FairQueue.besideOthers)
  const bodyBounds = { ...bounds, limits: { ...limits, bodyBytes: Math.min(limits.bodyBytes, maxBodyBytes) } }
  // What is created with the first message must retain nothing of its request.
  const context = yield* Effect.context<Scope.Scope>()
  const contextOfService: (received: Context.Context<never>) => typeof context = () => context
  const loaded = yield* Effect.cached(Effect.updateContext(load, contextOfService))

  const clientsOf = (request: HttpServerRequest): Effect.Effect<Service> =>
    Effect.flatMap(loaded, ({ connect }) =>
      Effect.orDie(connect({ url: ownUrl, key: keyOfClients, fetch: fetchFor(request) })),
    )

  const answerAll = Effect.fnUntraced(function* (
    { isBatch, messages, version: protocolVersion }: Extract<McpMessage.McpRequest, { readonly _tag: "Messages" }>,
    request: HttpServerRequest,
    holder: string,
  ) {
    const { server } = yield* loaded
    const service = yield* clientsOf(request)
    const answers = yield* answerInTime(messages, (message) =>
      Effect.catchTag(queue.run(holder, server.answer(message, protocolVersion, service)), "QueueFull", tooMany),
    )
    return { answers, isBatch, isSelfContained: protocolVersion === McpMessage.selfContained }
  })

  /** Takes a call for each message after the first; returns the headers that report what is left. */
  const takeFurther = Effect.fnUntraced(function* (grant: KeyGrant, calls: number) {
    const decision = yield* Effect.mapError(authentication.take(grant, calls), ({ message }) =>
      RelayError.unavailable(message),
    )
    if (decision.isAllowed) return decision.headers
    return yield* RelayError.rateLimited(authentication.limitMessage(decision), decision.headers)
  })

  const respond = Effect.fnUntraced(
    function* (request: HttpServerRequest) {
      if (!isOriginAllowed(request)) return yield* originRefused
      const { grant, headers } = yield* Effect.catchTag(
        Authentication.authenticate(authentication, request),
        "ErrorResponse",
        (error) => Effect.fail(fromOperation(error)),
      )
      const { "content-type": contentType = "", accept } = request.headers
      if (!/^application\/json\s*(?:;|$)/i.test(contentType)) return yield* unacceptable("content-type", contentType)
      if (!acceptsJson(accept)) return yield* unacceptable("accept", accept ?? "")
      const client = InFlight.clientOf(request, holderOf(grant))
      yield* Effect.mapError(bounds.responses.room(client), RelayError.fromBound)
      const { bytes } = yield* RequestBody.read(request, grant, { authentication, bounds: bodyBounds })
      const received = McpMessage.read(request.headers, yield* Effect.fromResult(parse(bytes, limits)))
      switch (received._tag) {
        case "Refused":
          return refuse(received, headers)
        case "Notifications":
          return HttpServerResponse.empty({ status: 202, headers })
        case "Messages": {
          const further = received.messages.length - 1
          const left = further === 0 ? headers : yield* takeFurther(grant, further)
          const answers = Effect.flatMap(answerAll(received, request, holderOf(grant)), (all) =>
            written(all, { grant, bounds, headers: left }),
          )
          return yield* Effect.provideService(Turns.fibers(bounds.turns, answers), Turns.Holder, holderOf(grant))
        }
      }
    },
    Effect.catchTag("RelayError", RelayError.toResponse),
  )

  return Effect.flatMap(HttpServerRequest, (request) =>
    Routes.onDefect(respond(request), { respond: RelayError.internal }),
  )
})

/** The routes of the endpoint; clients of other servers are configured with the slash. */
export const layer = (config: Config) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const answer = yield* make(config)
      yield* router.addAll([HttpRouter.route("POST", path, answer), HttpRouter.route("POST", `${path}/`, answer)])
    }),
  )
