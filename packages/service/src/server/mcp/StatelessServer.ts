/**
 * Effect's Model Context Protocol server as a function from a message to its answer. Each request is a separate connection: for a version
 * whose clients start with `initialize`, the server initializes itself before the message. There is thus no session to keep, and any
 * process of a service can answer any request.
 *
 * Source: decision 0074.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Handlers from "./Handlers.ts"
import * as McpMessage from "./McpMessage.ts"
import * as Settings from "./Settings.ts"
import * as ToolArguments from "./ToolArguments.ts"

/** The response to a message: a result, or an error. */
export type Response = { readonly result: unknown } | { readonly error: McpMessage.McpError }

/** A server. */
export interface StatelessServer {
  /** Answers a message in a protocol version, with the clients of its caller. */
  readonly answer: (message: McpMessage.Message, version: string, service: Handlers.Service) => Effect.Effect<Response>
}

const internalError: Response = {
  error: { code: McpSchema.INTERNAL_ERROR_CODE, message: "Internal error. The server log has details." },
}

/** The answer in a server message, which is the exit of a request, unless the server fails. */
export const answerOf = (message: FromServerEncoded): Response => {
  if (message._tag !== "Exit") return internalError
  const { exit } = message
  if (exit._tag === "Success") return { result: exit.value }
  const failure = exit.cause.find(({ _tag }) => _tag === "Fail")
  // Sound: the server only fails with JSON-RPC errors.
  return failure?._tag === "Fail" ? { error: failure.error as McpMessage.McpError } : internalError
}

/** Waits for the answer to a message. The server keeps the context of a request until it has sent its answer. */
const CurrentReply = Context.Reference<Deferred.Deferred<Response>>("@daybook/service/server/mcp/CurrentReply", {
  defaultValue: Deferred.makeUnsafe,
})

/** Advertised capabilities: nothing that would need a session. */
const capabilities = { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } }

/** Methods whose results include the capabilities. */
const stating: ReadonlySet<string> = new Set(["initialize", "server/discover"])

/** Methods that would be followed by notifications, which are not offered. */
const notOffered: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"])

const methodNotFound = (method: string): Response => ({
  error: { code: McpSchema.METHOD_NOT_FOUND_ERROR_CODE, message: `Method not found: ${method}` },
})

const withCapabilities = (answer: Response): Response =>
  "result" in answer ? { result: { ...(answer.result as object), capabilities } } : answer

/** A rejected tool call, with the sentences of the interface instead of the server's. */
const withIssue = (answer: Response, issue: string): Response =>
  "result" in answer
    ? { result: { ...(answer.result as object), content: [{ type: "text", text: issue }] } }
    : { error: { ...answer.error, message: issue } }

const initialize = (version: string) => ({
  protocolVersion: version,
  capabilities: {},
  clientInfo: { name: "request", version: "1" },
})

/** Makes a server that lives as long as the scope. */
export const make = Effect.fnUntraced(function* (version: string) {
  const disconnects = yield* Queue.make<number>()
  let opened = 0
  let write!: (connection: number, message: FromClientEncoded) => Effect.Effect<void>
  const { codecFor } = RpcSerialization.json
  const protocol = yield* RpcServer.Protocol.make((writeRequest) =>
    Effect.sync(() => {
      write = writeRequest
      return {
        disconnects,
        send: (_, message) => Effect.flatMap(CurrentReply, (reply) => Deferred.succeed(reply, answerOf(message))),
        end: () => Effect.void,
        // Only queried before a notification, which is not sent.
        clientIds: Effect.succeed(new Set<number>()),
        initialMessage: Effect.succeedNone,
        // It only sends answers to requests.
        supportsAck: false,
        supportsTransferables: false,
        supportsSpanPropagation: false,
        supportsNotifications: false,
        codecFor,
      }
    }),
  )
  const server = McpServer.layer({ ...Settings.of(version), registrations: Handlers.registrations(Handlers.current) })
  yield* Layer.build(Layer.provide(server, Layer.succeed(RpcServer.Protocol, protocol)))

  const connect = Effect.acquireRelease(
    Effect.sync(() => ++opened),
    // What runs for a caller that has left is interrupted.
    (connection) => Effect.andThen(Queue.offer(disconnects, connection), write(connection, { _tag: "Eof" })),
  )

  const ask = (connection: number, id: number, { method, params }: Omit<McpMessage.Message, "id">) =>
    Effect.flatMap(Deferred.make<Response>(), (reply) => {
      const request = { _tag: "Request", id, tag: method, payload: params, headers: [] } as const
      const asked = Effect.provideService(write(connection, request), CurrentReply, reply)
      return Effect.andThen(asked, Deferred.await(reply))
    })

  const answer: StatelessServer["answer"] = (message, protocolVersion, service) =>
    Effect.gen(function* () {
      const { method } = message
      if (notOffered.has(method)) return methodNotFound(method)
      const connection = yield* connect
      if (method !== "initialize" && protocolVersion !== McpMessage.selfContained) {
        yield* ask(connection, 0, { method: "initialize", params: initialize(protocolVersion) })
      }
      const response = yield* ask(connection, 1, message)
      if (stating.has(method)) return withCapabilities(response)
      const issue = ToolArguments.issueOf(message)
      return issue === undefined ? response : withIssue(response, issue)
    }).pipe(
      Effect.scoped,
      Effect.provideService(Handlers.CurrentService, service),
      // The server would keep a session for a request that it sees.
      Effect.updateContext((context: Context.Context<never>) => Context.omit(HttpServerRequest)(context)),
    )
  return { answer } satisfies StatelessServer
})
