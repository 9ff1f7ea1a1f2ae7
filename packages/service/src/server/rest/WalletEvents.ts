/**
 * The handler of `RestOperation.walletEvents`: the events of a wallet as server-sent events, for as long as the client reads them.
 *
 * Source: decision 0073.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import type { Decoder } from "@daybook/abi/Decoder"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Config } from "../../config/Config.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Events from "../../push/WalletEvents.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import { StoreError } from "../../store/StoreError.ts"
import type { Bounds } from "../admission/Bounds.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as Dates from "./Dates.ts"
import * as EventText from "./EventText.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as WalletTransactions from "./WalletTransactions.ts"

/** What the handler needs. */
export interface Options {
  readonly bounds: Bounds["Service"]
  readonly config: Pick<Config, "empty" | "limits">
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
}

type Request = OperationRoute.Request<typeof RestOperation.walletEvents, IndexedChain>

const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: "Retry later, or use types=wallet.transaction.",
  whenNotIndexed: "Use types=wallet.transaction.",
  parameter: "types",
}

/** Time after which a stream without events sends a comment. */
const heartbeatMillis = 15_000
/** Time after which a stream ends at its next pause, so that its client is authenticated again. */
const lifetimeMillis = 3_600_000
/** Bytes of the rows of a step. */
const stepBytes = 256 * 1024
/** Seconds after which a client with too many streams may try again. */
const retrySeconds = 10
/** No chain is longer. */
const blockPattern = /^[0-9]{1,15}$/

const invalid = (path: string, expected: string, received: string) =>
  Result.fail(InvalidParameter.fromIssue({ path, expected, received }, path === "from" ? "query parameter" : "header"))

/** Where a stream begins: at the position of a cursor, or at a place that is looked up. */
type Beginning = { readonly _tag: "After"; readonly position: EventPosition.EventPosition } | Events.Beginning

const fromCursor = (path: string, text: string, selection: string): Result.Result<Beginning, InvalidParameter> =>
  Result.match(EventPosition.parse(text, selection), {
    onSuccess: (position): Result.Result<Beginning, InvalidParameter> => Result.succeed({ _tag: "After", position }),
    onFailure: (expected) => invalid(path, expected, "another text"),
  })

const beginningOf = (
  lastEventId: string,
  from: string,
  selection: string,
): Result.Result<Beginning, InvalidParameter> => {
  if (lastEventId !== "") return fromCursor("last-event-id", lastEventId, selection)
  if (from === "now") return Result.succeed({ _tag: "Now" })
  if (EventPosition.isText(from)) return fromCursor("from", from, selection)
  if (blockPattern.test(from)) return Result.succeed({ _tag: "At", bound: { _tag: "Block", block: Number(from) } })
  return Result.map(Dates.read("from", from), (date) => ({ _tag: "At", bound: { _tag: "Date", date } }))
}

const sorted = (values: ReadonlyArray<string> | undefined) => values?.toSorted() ?? null

const encoder = new TextEncoder()

/** Ends when the client of a request has ended its side of the connection: nothing is computed for it any more. */
const leaving = (request: HttpServerRequest): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
    const left = () => resume(Effect.void)
    if (socket.readableEnded || socket.destroyed) return left()
    socket.once("end", left).once("close", left)
    return Effect.sync(() => void socket.off("end", left).off("close", left))
  })

/** A stream between two events. */
interface Listening {
  readonly state: Events.State
  /** The next step, which was taken ahead; `null` for none. */
  readonly step: Events.Step | null
  /** The change that the stream waits to be followed; `null` where there is more. */
  readonly awaited: number | null
}

/** What the body of a stream is made of. */
interface BodyOptions {
  readonly first: Events.Step
  /** Time of the monotonic clock at which the stream ends at its next pause. */
  readonly endsAt: number
  readonly reader: IndexedChain["reader"]
  readonly take: (state: Events.State) => Effect.Effect<Events.Step, Events.StreamError>
  readonly textsOf: (step: Events.Step) => Effect.Effect<ReadonlyArray<string>, Events.StreamError>
}

type Turn = readonly [texts: ReadonlyArray<string>, next: Option.Option<Listening>]

/** Takes steps, and waits for the next change where all was sent. */
const bodyOf = ({ endsAt, first, reader, take, textsOf }: BodyOptions): Stream.Stream<Uint8Array> => {
  const turn = Effect.fnUntraced(function* ({
    awaited,
    state,
    step: ahead,
  }: Listening): Effect.fn.Return<Turn, Events.StreamError> {
    if (awaited !== null) {
      if ((yield* MonotonicClock.millis) >= endsAt) return [[], Option.none()]
      const waiting = Effect.as(reader.awaitChange(awaited), false)
      const isIdle = yield* Effect.raceFirst(waiting, Effect.as(Effect.sleep(heartbeatMillis), true))
      if (isIdle) return [[EventText.heartbeat], Option.some({ state, step: null, awaited })]
    }
    const step = ahead ?? (yield* take(state))
    return [yield* textsOf(step), Option.some({ state: step.state, step: null, awaited: step.awaited })]
  })
  // The client connects again, and is answered with the status of the error.
  const ended = (error: Events.StreamError): Effect.Effect<Turn> =>
    Effect.as(error instanceof StoreError && !error.isRetryable ? Effect.logError(error.message) : Effect.void, [
      [],
      Option.none(),
    ])
  const start: Listening = { state: first.state, step: first, awaited: null }
  const texts = Stream.paginate(start, (listening) => turn(listening).pipe(Effect.catch(ended)))
  return Stream.map(Stream.concat(Stream.succeed(EventText.opening), texts), (text) => encoder.encode(text))
}

/** Makes the handler. */
export const make = ({ bounds, config, contracts, decoder }: Options) => {
  const { eventStreams, pageBytes } = config.limits
  const decode = WalletTransactions.rowDecoder(decoder, pageBytes)
  const open = new Map<string, number>()

  const count = (holder: string, streams: number) =>
    Effect.sync(() => {
      const sum = (open.get(holder) ?? 0) + streams
      if (sum > 0) open.set(holder, sum)
      else open.delete(holder)
    })

  const subscriptionOf = ({ chain, params, query }: Request): Events.Subscription => ({
    chain,
    wallet: params.address,
    types: new Set(query.types ?? WalletEvent.rowTypes),
    selection: { asset: query.asset, kind: query.kind },
    isFinal: query.finality === "final",
    maxBytes: Math.min(stepBytes, pageBytes),
  })

  const selectionOf = ({ chain, wallet, types, selection, isFinal }: Events.Subscription): string =>
    JSON.stringify([chain.id, wallet, [...types].toSorted(), isFinal, sorted(selection.asset), sorted(selection.kind)])

  const stepOf = (subscription: Events.Subscription, state: Events.State) =>
    bounds.turns.run(Events.step(subscription, state))

  const textsOf = Effect.fnUntraced(function* (step: Events.Step, request: Request, selection: string) {
    const { caller, chain, params } = request
    const { decoder: contractDecoder } = yield* contracts.find(chain)
    return EventText.frames(step, yield* Clock.currentTimeMillis, {
      chain,
      wallet: params.address,
      selection,
      label: (address) => chain.label(address) ?? contractDecoder.nameOf(address),
      empty: caller.grant.empty ?? config.empty,
      contractDecoder,
      decode,
    })
  })

  const respond = Effect.fnUntraced(function* (
    request: Request,
  ): Effect.fn.Return<
    HttpServerResponse.HttpServerResponse,
    InvalidParameter | Events.StreamError | ErrorResponse.ErrorResponse,
    HttpServerRequest
  > {
    const received = yield* HttpServerRequest
    const { caller, query } = request
    const holder = holderOf(caller.grant)
    if ((open.get(holder) ?? 0) >= eventStreams) {
      const message = `Too many open streams: limits.eventStreams (${eventStreams}) is reached. Close one first.`
      return yield* ErrorResponse.rateLimited(message, { ...caller.headers, "retry-after": String(retrySeconds) })
    }
    const subscription = subscriptionOf(request)
    const selection = selectionOf(subscription)
    const lastEventId = received.headers["last-event-id"] ?? ""
    const beginning = yield* Effect.fromResult(beginningOf(lastEventId, query.from ?? "now", selection))
    const state =
      beginning._tag === "After"
        ? Events.after(beginning.position)
        : yield* bounds.turns.run(Events.start(subscription, beginning))
    // The first step is taken before the response begins, so that its errors have their status.
    const first = yield* stepOf(subscription, state)
    const stream = Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(count(holder, 1), () => count(holder, -1)),
        bodyOf({
          first,
          endsAt: (yield* MonotonicClock.millis) + lifetimeMillis,
          reader: request.chain.reader,
          take: (state) => stepOf(subscription, state),
          textsOf: (step) => textsOf(step, request, selection),
        }),
      ),
    )
    return HttpServerResponse.stream(Stream.interruptWhen(stream, leaving(received)), {
      contentType: "text/event-stream",
      headers: { ...caller.headers, "x-accel-buffering": "no" },
    })
  })

  return (
    request: Request,
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(respond(request), wording)
}
