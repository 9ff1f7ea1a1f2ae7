/**
 * One WebSocket connection to the relay: each message is a JSON-RPC call or a batch with the limits of an HTTP request; subscriptions are
 * also available. A client that does not read is disconnected, and so is one whose key is no longer valid.
 *
 * Source: decisions 0016 and 0039; RFC 6455.
 */
import type { Socket } from "node:net"
import type { WebSocket } from "@effect/platform-node/NodeWS"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import { scrubber } from "@daybook/transport/internal/Redaction"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import type { Authentication } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as Turns from "../admission/Turns.ts"
import { RequestId } from "../http/Request.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import type * as ChainFeed from "./ChainFeed.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import * as RelayBatch from "./RelayBatch.ts"
import * as RelayCall from "./RelayCall.ts"
import type * as RelayCaller from "./RelayCaller.ts"
import * as RelayError from "./RelayError.ts"
import * as RelayResponse from "./RelayResponse.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestCheck from "./RequestCheck.ts"
import * as Subscriptions from "./Subscriptions.ts"
import type { WalletStreams } from "./WalletStreams.ts"

/** Dependencies shared by all connections. */
export interface Options {
  readonly admit: RelayCaller.Admit
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
  readonly answering: RelayCall.Answering
  readonly streams: WalletStreams["Service"]
}

/** An accepted connection. */
export interface Accepted {
  readonly webSocket: WebSocket
  /** Socket of the WebSocket. */
  readonly socket: Socket
  readonly target: RelayCaller.Target
  readonly request: HttpServerRequest
  readonly caller: RelayCaller.RelayCaller
  readonly feed: ChainFeed.ChainFeed
  /** Registers a callback for when the server stops. */
  readonly onDrain: (callback: () => void) => void
}

/** Why the server closes a connection. Source: RFC 6455, section 7.4.1; 1012 and 1013 are registered with IANA. */
const closeCode = {
  goingAway: 1001,
  unsupported: 1003,
  policy: 1008,
  restart: 1012,
  tryAgainLater: 1013,
} as const

/**
 * Number of messages of a connection that are processed concurrently. Further ones are not read until one of the responses is written to
 * the socket: a client that sends and never reads only fills its own buffers.
 */
const concurrency = 8

/** Maximum bytes of notifications that wait for a client before it is disconnected. */
const maxWaitingBytes = 4 * 1024 * 1024

/** Maximum bytes of a reason: RFC 6455 allows 123, and a truncated character is replaced by one of three bytes. */
const maxReason = 120

/** Text of a reason, truncated to fit; chain names in it may have any characters. */
export const reasonOf = (text: string): string => Buffer.from(text).subarray(0, maxReason).toString()

/** Messages to a client, and those that wait. */
interface Outbox {
  /** Queues a response at once; calls back when it is written or the connection is closed. */
  readonly reply: (bytes: Uint8Array, onWritten: () => void) => void
  readonly notify: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops counting. */
  readonly release: () => void
}

const makeOutbox = (webSocket: WebSocket, client: InFlight.Client, { responses }: Bounds["Service"]): Outbox => {
  const held = responses.hold(client)
  let waiting = 0
  let isReleased = false

  const close = (code: number, reason: string) => webSocket.close(code, reasonOf(reason))

  const send = (data: Uint8Array | string, size: number, onSent: () => void) => {
    if (webSocket.readyState !== webSocket.OPEN) return onSent()
    held.force(size)
    webSocket.send(data, { binary: false }, () => {
      if (!isReleased) held.force(-size)
      onSent()
    })
  }

  return {
    close,
    reply: (bytes, onWritten) => send(bytes, bytes.length, onWritten),
    notify: (text) => {
      const size = Buffer.byteLength(text)
      const isFull = waiting + size > maxWaitingBytes && waiting > 0
      if (isFull || (waiting > 0 && responses.reached(client) !== undefined)) {
        return close(closeCode.tryAgainLater, "Notifications are not read fast enough. Subscribe again.")
      }
      waiting += size
      send(text, size, () => {
        waiting -= size
      })
    },
    release: () => {
      isReleased = true
      held.release()
    },
  }
}

/** Sends texts; completes when all are written. */
const writeAll = ({ reply }: Outbox, texts: ReadonlyArray<string>): Effect.Effect<void> =>
  texts.length === 0
    ? Effect.void
    : Effect.callback((resume) => {
        let left = texts.length
        const onWritten = () => {
          left--
          if (left === 0) resume(Effect.void)
        }
        for (const text of texts) reply(Buffer.from(text), onWritten)
      })

/** Counts the bytes of an incomplete message, and closes a connection that does not complete one in time. */
const watchIncomplete = (
  { socket, webSocket }: Accepted,
  client: InFlight.Client,
  { bodies, limits: { bodySeconds } }: Bounds["Service"],
  close: Outbox["close"],
): { readonly release: () => void } => {
  const held = bodies.hold(client)
  let partial = 0
  let timer: NodeJS.Timeout | undefined

  const set = (bytes: number) => {
    held.force(bytes - partial)
    partial = bytes
    if (bytes === 0) {
      clearTimeout(timer)
      timer = undefined
      return
    }
    const late = () => close(closeCode.policy, `Message incomplete after ${bodySeconds} s (limits.bodySeconds).`)
    timer ??= setTimeout(late, bodySeconds * 1000).unref()
  }
  /** Bytes of the header of a client's frame with a payload of at most 125 bytes. */
  const headBytes = 6
  const onControl = (data: Buffer) => set(Math.max(0, partial - data.length - headBytes))

  // Runs before the listener of the WebSocket, which emits the messages that a chunk completes at once.
  socket.prependListener("data", (chunk: Buffer) => {
    if (bodies.reached(client) !== undefined) {
      close(closeCode.tryAgainLater, "Too many bytes of incomplete messages (limits.bodiesInFlight). Retry later.")
      webSocket.terminate()
    } else set(partial + chunk.length)
  })
  webSocket.on("message", () => set(0))
  webSocket.on("ping", onControl).on("pong", onControl)
  return { release: () => set(0) }
}

/** Why a message has no response, or a connection ends. */
type MessageError = RelayError.RelayError

/** Makes the function that answers the messages of a connection. */
const makeAnswer = (
  { answering, authentication, bounds }: Options,
  subscriptions: Subscriptions.Subscriptions,
  client: InFlight.Client,
) => {
  const { limits } = bounds

  const runOf =
    ({ chain, grant }: RelayCaller.RelayCaller, made: Array<Subscriptions.Subscription>): RelayBatch.Run =>
    (item) => {
      if (item._tag === "Invalid" || !Subscriptions.methods.has(item.method)) {
        return RelayCall.run(answering, item, chain, grant)
      }
      const message = KeyScope.methodIssue(grant, item.method)
      if (message !== undefined) {
        const failure = { code: JsonRpc.code.methodNotFound, message }
        return Effect.succeed<RelayCall.Outcome>({ _tag: "Failure", failure })
      }
      // The client of a notification would not know the id.
      if (item.id === undefined) return Effect.succeed<RelayCall.Outcome>(RelayCall.noResult)
      return subscriptions.call(item.method, item.params, made)
    }

  const take = (bytes: Buffer, grant: KeyGrant): Effect.Effect<RequestBody.RequestBody, MessageError> =>
    bytes.length > RequestBody.smallBytes
      ? Effect.map(RequestBody.takeFor({ authentication, bounds }, grant, bytes.length), (cost) => ({ ...cost, bytes }))
      : Effect.succeed({ bytes, taken: 0, headers: undefined })

  /** Response to a message; `null` if none of its calls has an id. */
  return Effect.fnUntraced(function* (
    bytes: Buffer,
    caller: RelayCaller.RelayCaller,
    made: Array<Subscriptions.Subscription>,
  ): Effect.fn.Return<Uint8Array | null, MessageError> {
    yield* Effect.mapError(bounds.responses.room(client), RelayError.fromBound)
    const { body } = yield* RequestCheck.check(yield* take(bytes, caller.grant), caller.grant, authentication, limits)
    const run = runOf(caller, made)
    switch (body._tag) {
      case "Invalid":
        return Buffer.from(JsonRpcEnvelope.failure(undefined, body.failure))
      case "Single": {
        const { id } = body.item
        const outcome = yield* run(body.item)
        return id === undefined ? null : RelayResponse.singleBytes({ id, outcome })
      }
      case "Batch": {
        const responses = yield* RelayBatch.run(body.items, run, client, bounds)
        return responses.length === 0 ? null : RelayResponse.batchBytes(responses)
      }
    }
  })
}

/** Processes messages in order of arrival with limited concurrency, and reads no further ones meanwhile. */
const readMessages = (
  webSocket: WebSocket,
  close: Outbox["close"],
  answer: (bytes: Buffer, onDone: () => void) => void,
): void => {
  const waiting: Array<Buffer> = []
  let active = 0
  const next = () => {
    while (active < concurrency && waiting.length > 0) {
      active++
      answer(waiting.shift()!, () => {
        active--
        next()
      })
    }
    if (waiting.length > 0) webSocket.pause()
    else if (webSocket.isPaused) webSocket.resume()
  }
  webSocket.on("message", (data, isBinary) => {
    if (isBinary) return close(closeCode.unsupported, "Send text: JSON-RPC is not binary data.")
    // Sound: a server's WebSocket emits buffers unless configured otherwise.
    waiting.push(data as Buffer)
    next()
  })
}

/** Completes when the connection is closed. */
const closed = (webSocket: WebSocket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (webSocket.readyState === webSocket.CLOSED) return resume(Effect.void)
    webSocket.once("close", () => resume(Effect.void))
  })

/** Pings the client and looks up its key again, until one of them fails. */
const keepAlive = Effect.fnUntraced(function* (
  { webSocket }: Accepted,
  admitted: Effect.Effect<RelayCaller.RelayCaller, RelayError.RelayError>,
  pingSeconds: number,
  onRefused: (error: RelayError.RelayError) => void,
) {
  let isAlive = true
  webSocket.on("pong", () => (isAlive = true)).on("message", () => (isAlive = true))
  while (isAlive) {
    isAlive = false
    webSocket.ping()
    yield* Effect.sleep(pingSeconds * 1000)
    const found = yield* Effect.result(admitted)
    if (found._tag === "Failure") onRefused(found.failure)
  }
  webSocket.terminate()
})

const isKeyInvalid = ({ reason }: RelayError.RelayError): boolean =>
  reason === "unauthorized" || reason === "forbidden" || reason === "chain_not_served"

/** Serves a client until the connection is closed. */
export const serve = Effect.fnUntraced(function* (
  options: Options,
  accepted: Accepted,
): Effect.fn.Return<void, never, Scope.Scope> {
  const { admit, bounds } = options
  const { caller, feed, onDrain, request, target, webSocket } = accepted
  const client = InFlight.clientOf(request, holderOf(caller.grant))
  const scope = yield* Effect.scope
  const requestId = yield* RequestId
  const context = Context.make(RequestId, requestId).pipe(Context.add(Turns.Holder, client.key))
  const outbox = makeOutbox(webSocket, client, bounds)
  const incomplete = watchIncomplete(accepted, client, bounds, outbox.close)
  const runFork = Effect.runForkWith(Context.merge(yield* Effect.context<never>(), context))
  const subscriptions = Subscriptions.make({
    caller,
    feed,
    streams: options.streams,
    limits: bounds.limits,
    send: outbox.notify,
    write: (texts) => writeAll(outbox, texts),
    fork: runFork,
    onLost: (reason) => outbox.close(closeCode.tryAgainLater, `${reason}. Subscribe again.`),
  })
  const answer = makeAnswer(options, subscriptions, client)
  const admitted = Effect.suspend(() => Effect.provideService(admit(target, request), RequestFacts, {}))
  const refuse = (error: RelayError.RelayError) => {
    if (isKeyInvalid(error)) outbox.close(closeCode.policy, "API key no longer valid.")
  }

  const scrub = scrubber(target.apiKey === undefined ? [] : [target.apiKey])
  /** Processes a message; calls back when the response is written. */
  const handle = Effect.fnUntraced(
    function* (bytes: Buffer, onWritten: () => void) {
      const made: Array<Subscriptions.Subscription> = []
      const reply = yield* answer(bytes, yield* admitted, made)
      if (reply === null) onWritten()
      else outbox.reply(reply, onWritten)
      subscriptions.begin(made)
    },
    (effect, bytes, onWritten) =>
      Effect.catchTag(effect, "RelayError", (error) =>
        Effect.sync(() => {
          const id = error.id ?? RequestCheck.idOf(bytes)
          const text = RelayError.body(requestId, { ...error, id, message: error.message })
          outbox.reply(Buffer.from(text), onWritten)
          refuse(error)
        }),
      ),
    (effect, _, onWritten) =>
      Effect.catchCauseIf(
        effect,
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) =>
          Effect.andThen(
            Effect.logError(`Message of the WebSocket ${requestId} failed: ${scrub(Cause.pretty(cause))}`),
            Effect.sync(() => outbox.reply(Buffer.from(RelayError.internalBody(requestId)), onWritten)),
          ),
      ),
  )
  // A turn ends with the response: others do not wait for a client that does not read.
  const respond = (bytes: Buffer) =>
    Effect.suspend(() => {
      const written = Deferred.makeUnsafe<void>()
      const onWritten = () => Deferred.doneUnsafe(written, Effect.void)
      return Effect.andThen(bounds.turns.run(handle(bytes, onWritten)), Deferred.await(written))
    })

  readMessages(webSocket, outbox.close, (bytes, onDone) => {
    const fiber = Fiber.runIn(runFork(respond(bytes)), scope)
    fiber.addObserver(onDone)
  })
  onDrain(() => outbox.close(closeCode.goingAway, "The service is stopping. Connect again."))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      subscriptions.end()
      incomplete.release()
      outbox.close(closeCode.restart, "The service was reconfigured. Connect again.")
      outbox.release()
    }),
  )
  yield* Effect.raceFirst(
    closed(webSocket),
    keepAlive(accepted, Effect.provideContext(admitted, context), bounds.limits.pingSeconds, refuse),
  )
}, Effect.scoped)
