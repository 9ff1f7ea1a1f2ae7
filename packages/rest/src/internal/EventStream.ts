/**
 * Streams the events of a wallet. When a connection ends, it waits as the server and the retry policy require, reconnects at the last
 * position, and omits what was already emitted.
 *
 * Source: decision 0073.
 */
import * as Chain from "@daybook/schema/Chain"
import type { Issue } from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Events from "@daybook/schema/WalletEvent"
import { InvalidResponse, TransportError } from "@daybook/transport/ClientError"
import type { Reader } from "@daybook/transport/Fetch"
import type { Reply } from "@daybook/transport/Http"
import { shorten } from "@daybook/transport/internal/Redaction"
import * as Retry from "@daybook/transport/internal/Retry"
import type { RetryPolicy } from "@daybook/transport/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallOptions } from "../Client.ts"
import type { EncodedQuery } from "../Operation.ts"
import type { EventQuery } from "../Query.ts"
import type { RestError } from "../RestError.ts"
import * as Cursor from "./Cursor.ts"
import * as EventConnection from "./EventConnection.ts"
import * as EventProgress from "@daybook/transport/internal/EventProgress"
import * as ReplyDecoder from "./ReplyDecoder.ts"
import * as RowHash from "./RowHash.ts"

type WalletEvent = Events.WalletEvent

/** How a stream reaches its server. */
export interface Source {
  readonly host: string
  readonly scrub: (text: string) => string
  readonly policy: RetryPolicy
  /** Maximum number of bytes of an event. */
  readonly maxBytes: number
  /** Checks the options of a call. */
  readonly checkOptions: (options: CallOptions | undefined) => Effect.Effect<CallOptions, RestError>
  readonly encode: (query: EventQuery) => Effect.Effect<EncodedQuery, RestError>
  /** Opens a connection and passes its body to `onBody`. */
  readonly open: (
    query: EncodedQuery,
    options: CallOptions,
    headers: Readonly<Record<string, string>>,
    onBody: (reader: Reader) => void,
  ) => Effect.Effect<Reply, RestError>
}

const types: ReadonlySet<unknown> = new Set(Events.types)
const decodeEvent = SchemaParser.decodeUnknownResult(Events.WalletEvent)
const hashOf = RowHash.reader("transaction_hash")

/** Longest wait before a reconnection that a server may request. */
const maxRetryMillis = 60_000

const isEventStream = ({ headers }: Reply): boolean => /^text\/event-stream\b/i.test(headers["content-type"] ?? "")

/** An open connection and how to close it. */
interface Open {
  readonly connection: EventConnection.EventConnection
  readonly reply: Reply
  readonly close: Effect.Effect<void>
}

/** Makes the function that connects; closing the scope closes the open connection. */
const connector = Effect.fnUntraced(function* (source: Source, query: EncodedQuery, options: CallOptions) {
  let held: Reader | undefined
  const close = Effect.sync(() => {
    held?.cancel().catch(() => undefined)
    held = undefined
  })
  yield* Effect.addFinalizer(() => close)
  return Effect.fnUntraced(function* (cursor: string | undefined): Effect.fn.Return<Open, RestError> {
    const headers: Record<string, string> = { accept: "text/event-stream" }
    if (cursor !== undefined) headers["last-event-id"] = cursor
    const reply = yield* source.open(query, options, headers, (reader) => {
      held = reader
    })
    if (held !== undefined && isEventStream(reply)) {
      return { connection: EventConnection.make(held, source.maxBytes), reply, close }
    }
    yield* close
    return yield* new InvalidResponse({
      ...reply,
      reason: "content",
      path: "content-type",
      expected: "a stream of text/event-stream",
      received: shorten(reply.scrub(reply.headers["content-type"] ?? "nothing"), 80),
      advice: "Use a server that sends events, or the option follow.",
    })
  })
})

/** Result of one chunk. */
interface Taken {
  readonly progress: EventProgress.EventProgress
  readonly given: ReadonlyArray<WalletEvent>
}

/** Issue of an event for another wallet or chain, as sent by a server that ignores the query; undefined for none. */
const issueOfOther = ({ parameters, params }: EncodedQuery, { data }: WalletEvent): Issue | undefined => {
  const { address = "" } = params
  if ("address" in data && data.address !== address) {
    return { path: "data.address", expected: `${address}, as requested`, received: data.address }
  }
  const { chain = "" } = parameters
  // The name of a chain that only its server knows cannot be verified.
  const [requested, given] = [Chain.fromInput(chain), Chain.fromInput(data.chain)]
  const [first] = given
  return first === undefined || requested.length === 0 || given.some((one) => requested.includes(one))
    ? undefined
    : { path: "data.chain", expected: `${chain}, as requested`, received: first.name }
}

/** Decodes and records the events of a chunk. */
const takeAll = (
  progress: EventProgress.EventProgress,
  events: ReadonlyArray<EventConnection.EventText>,
  reply: Reply,
  query: EncodedQuery,
  { onBadRow }: CallOptions,
): Result.Result<Taken, InvalidResponse> => {
  const given: Array<WalletEvent> = []
  let next = progress
  const invalid = (path: string, expected: string, received: string) =>
    Result.fail(new InvalidResponse({ ...reply, reason: "content", path, expected, received }))
  for (const [at, { data, id = "" }] of events.entries()) {
    if (id === "" || id.length > Cursor.maxCharacters) {
      return invalid("id", `an id of 1 to ${Cursor.maxCharacters} characters`, `${id.length} characters`)
    }
    const json = Json.parse(data)
    const type: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "type") : undefined
    // A later version of the service may send other types.
    if (typeof type === "string" && !types.has(type)) {
      next = EventProgress.skip(next, id)
      continue
    }
    const decoded = decodeEvent(json)
    if (Result.isFailure(decoded)) {
      const issue = ReplyDecoder.issueOf(reply, decoded.failure, json)
      if (onBadRow === undefined || !String(type).startsWith("wallet.")) {
        return invalid(`event.${issue.path}`, issue.expected, issue.received)
      }
      onBadRow({ at, hash: hashOf(json), ...issue, row: ReplyDecoder.shownRow(reply, json) })
      next = EventProgress.skip(next, id)
      continue
    }
    const issue = issueOfOther(query, decoded.success)
    if (issue !== undefined) return invalid(`event.${issue.path}`, issue.expected, issue.received)
    const [after, isNew] = EventProgress.take(next, decoded.success, id)
    next = after
    if (isNew) given.push(decoded.success)
  }
  return Result.succeed({ progress: next, given })
}

/** State of a stream. */
interface State {
  readonly progress: EventProgress.EventProgress
  readonly open: Open | undefined
  /** Wait before a reconnection that the server requested. */
  readonly retry: Duration.Duration | undefined
}

type Turn = readonly [given: ReadonlyArray<WalletEvent>, next: Option.Option<State>]

/** Waits before the next connection; fails if several connections in a row received no event. */
const pause = Effect.fnUntraced(function* (
  { host, policy, scrub }: Source,
  { progress, retry }: State,
  { attempts }: Reply,
  reason: string,
): Effect.fn.Return<void, TransportError> {
  if (progress.idle >= policy.maxAttempts) {
    return yield* new TransportError({ host, attempts, phase: "body", reason: shorten(scrub(reason)) })
  }
  const retryAfter = retry === undefined ? undefined : Duration.min(retry, Duration.millis(maxRetryMillis))
  const attempt = Math.max(1, progress.idle)
  yield* Effect.sleep(Duration.millis(Retry.delayMillis(policy, { attempt, random: yield* Random.next, retryAfter })))
})

const hasBegun = ({ cursor, idle }: EventProgress.EventProgress): boolean => cursor !== undefined || idle > 0

/** Takes one turn: connects, or reads the next chunk. */
const turns = Effect.fnUntraced(function* (
  source: Source,
  query: EncodedQuery,
  options: CallOptions,
): Effect.fn.Return<(state: State) => Effect.Effect<Turn, RestError>, never, Scope.Scope> {
  const connect = yield* connector(source, query, options)
  return Effect.fnUntraced(function* (state: State): Effect.fn.Return<Turn, RestError> {
    const { open, progress, retry } = state
    if (open === undefined) {
      const connection = connect(progress.cursor)
      const opened = yield* hasBegun(progress) ? Retry.untilDeadline(source.policy, connection) : connection
      return [[], Option.some({ progress: EventProgress.connected(progress), open: opened, retry })]
    }
    const { close, connection, reply } = open
    const received = yield* connection.read
    switch (received._tag) {
      case "Invalid": {
        const [expected, found] =
          received.reason === "encoding"
            ? ["text in UTF-8", "invalid UTF-8"]
            : [`events of at most ${source.maxBytes} bytes`, "a larger event"]
        return yield* new InvalidResponse({ ...reply, ...received, path: "body", expected, received: found })
      }
      case "Ended":
        yield* close
        yield* pause(source, state, reply, received.reason)
        return [[], Option.some({ progress, open: undefined, retry })]
      case "Events": {
        const taken = yield* Effect.fromResult(takeAll(progress, received.events, reply, query, options))
        return [taken.given, Option.some({ progress: taken.progress, open, retry: received.retry ?? retry })]
      }
    }
  })
})

/** Streams the events for an encoded query. */
export const encoded = (
  source: Source,
  query: EncodedQuery,
  options: CallOptions,
): Stream.Stream<WalletEvent, RestError> =>
  Stream.unwrap(
    Effect.map(turns(source, query, options), (turn) =>
      Stream.paginate<State, WalletEvent, RestError>(
        { progress: EventProgress.initial(), open: undefined, retry: undefined },
        turn,
      ),
    ),
  )

/** Streams the events of a wallet. */
export const make = (source: Source, query: EventQuery, given?: CallOptions): Stream.Stream<WalletEvent, RestError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* source.checkOptions(given)
      return encoded(source, yield* source.encode(query), options)
    }),
  )
