/**
 * Handler of `RestOperation.walletEvents`: the events of a wallet as server-sent events, for as long as the client reads them.
 *
 * Source: decision 0073.
 */
import type { Readable, Writable } from "node:stream"
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Events from "../../push/WalletEvents.ts"
import * as Coverage from "../../query/Coverage.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import { StoreError } from "../../store/StoreError.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import type { InvalidParameter } from "../http/InvalidParameter.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import * as EventSteps from "./EventSteps.ts"
import * as EventText from "./EventText.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"

type Request = OperationRoute.Request<typeof RestOperation.walletEvents, IndexedChain>

/** Time after which a stream without events sends a comment. */
const heartbeatMillis = 15_000
/** Time after which a stream ends at its next pause, so that its client is authenticated again. */
const lifetimeMillis = 3_600_000

const encoder = new TextEncoder()

/** Completes when the client has ended its side of a connection, so that nothing more is computed for it. */
export const leaving = (socket: Readable): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const left = () => resume(Effect.void)
    if (socket.readableEnded || socket.destroyed) return left()
    socket.once("end", left).once("close", left)
    return Effect.sync(() => void socket.off("end", left).off("close", left))
  })

/** Runs `release` when a response closes, even before its body is started; at once if it is closed. */
export const releaseWith = (response: Pick<Writable, "closed" | "once">, release: Effect.Effect<void>) =>
  Effect.suspend(() => {
    if (response.closed) return release
    response.once("close", () => Effect.runSync(release))
    return Effect.void
  })

/** A stream between two events. */
interface Listening {
  readonly state: Events.State
  /** The next step, taken ahead; `null` for none. */
  readonly step: Events.Step | null
  /** The change that the stream waits for; `null` if there is more to send. */
  readonly awaited: number | null
}

/** Dependencies of a stream's body. */
interface BodyOptions extends Omit<EventSteps.EventSteps, "release"> {
  /** Time on the monotonic clock at which the stream ends at its next pause. */
  readonly endsAt: number
  readonly recent: IndexedChain["recent"]
}

type Turn = readonly [texts: ReadonlyArray<string>, next: Option.Option<Listening>]

/** Takes steps, and waits for the next change when everything was sent. */
export const bodyOf = ({ endsAt, first, recent, take, textsOf }: BodyOptions): Stream.Stream<Uint8Array> => {
  const turn = Effect.fnUntraced(function* ({
    awaited,
    state,
    step: ahead,
  }: Listening): Effect.fn.Return<Turn, Events.StreamError> {
    if (awaited !== null) {
      if ((yield* MonotonicClock.millis) >= endsAt) return [[], Option.none()]
      const waiting = Effect.as(recent.awaitChange(awaited), false)
      const isIdle = yield* Effect.raceFirst(waiting, Effect.as(Effect.sleep(heartbeatMillis), true))
      if (isIdle) return [[EventText.heartbeat], Option.some({ state, step: null, awaited })]
    }
    const step = ahead ?? (yield* take(state))
    return [
      (yield* textsOf(step)).map(EventText.frame),
      Option.some({ state: step.state, step: null, awaited: step.awaited }),
    ]
  })
  // The client reconnects, and receives the error as a status.
  const ended = (error: Events.StreamError): Effect.Effect<Turn> => {
    const ending: Turn = [[], Option.none()]
    if (!(error instanceof StoreError)) return Effect.succeed(ending)
    return Effect.as(UnavailableLog.write(error), ending)
  }
  const start: Listening = { state: first.state, step: first, awaited: null }
  const texts = Stream.paginate(start, (listening) => turn(listening).pipe(Effect.catch(ended)))
  return Stream.map(Stream.concat(Stream.succeed(EventText.opening), texts), (text) => encoder.encode(text))
}

/** Coverage of a wallet when its stream starts, in the headers of pages with such rows. */
const coverageOf = ({ chain, params, query: { types } }: Pick<Request, "chain" | "params" | "query">) =>
  Effect.flatMap(
    chain.reader.snapshot((snapshot) =>
      Effect.flatMap(Effect.zip(snapshot.checkpoint, snapshot.gapCounts), ([checkpoint, gaps]) =>
        Coverage.ofWallet(snapshot, checkpoint, gaps, params.address),
      ),
    ),
    (coverage) =>
      (types ?? WalletEvent.rowTypes).includes("wallet.movement")
        ? IndexCoverage.ofTracedRoles(chain, coverage)
        : Effect.succeed(IndexCoverage.headers(coverage)),
  )

/** Makes the handler. */
export const make = (open: EventSteps.Open) => {
  const respond = Effect.fnUntraced(function* ({
    caller: { grant, headers },
    chain,
    params,
    query,
  }: Request): Effect.fn.Return<
    HttpServerResponse.HttpServerResponse,
    InvalidParameter | Events.StreamError | ErrorResponse.ErrorResponse,
    HttpServerRequest
  > {
    const received = yield* HttpServerRequest
    const lastEventId = received.headers["last-event-id"] ?? ""
    const opened = open({ chain, wallet: params.address, query, lastEventId, grant, headers })
    const steps = yield* Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(opened), ({ release }) =>
        releaseWith(NodeHttpServerRequest.toServerResponse(received), release),
      ),
    )
    const coverage = yield* coverageOf({ chain, params, query })
    const endsAt = (yield* MonotonicClock.millis) + lifetimeMillis
    const stream = bodyOf({ ...steps, endsAt, recent: chain.recent })
    const { stopping = Effect.never } = yield* RequestFacts
    const { socket } = NodeHttpServerRequest.toIncomingMessage(received)
    const ending = Effect.raceFirst(leaving(socket), stopping)
    return HttpServerResponse.stream(Stream.interruptWhen(stream, ending), {
      contentType: "text/event-stream",
      headers: { ...headers, ...coverage, "x-accel-buffering": "no" },
    })
  })

  return (
    request: Request,
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(respond(request), EventSteps.wording)
}
