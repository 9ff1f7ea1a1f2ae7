/**
 * A subscription as a stream: subscribes, reads notifications, and after a connection ends subscribes again with the waits of the retry
 * policy. Each kind of subscription decides what to emit and how to bridge the time between two connections.
 */
import * as SchemaIssue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import { InvalidResponse, TransportError } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import * as Retry from "@daybook/transport/internal/Retry"
import { shorten } from "@daybook/transport/internal/Redaction"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Client } from "../../Client.ts"
import type { CallError } from "../../RpcError.ts"
import { classify } from "../reply/classify.ts"
import type { Item, Listening, Read } from "./Listening.ts"
import type { Socket } from "./Socket.ts"

/**
 * Notifications arrived faster than the program consumed them, and the server cannot resend them. Subscribe again, and read what was
 * missed.
 *
 * **Example** (Recognising it)
 *
 * ```ts
 * import { SubscriptionOverflow } from "@daybook/rpc/WebSocketClient"
 *
 * const error = new SubscriptionOverflow({ host: "n.example", reason: "more than 20000 notifications wait" })
 * console.log(error.message) // Notifications not read fast enough: more than 20000 notifications wait. Raise maxQueued, or do less work per notification.
 * ```
 */
export class SubscriptionOverflow extends Data.TaggedError("SubscriptionOverflow")<{
  readonly message: string
  readonly host: string
  readonly isRetryable: false
}> {
  constructor({ host, reason }: { readonly host: string; readonly reason: string }) {
    const message = `Notifications not read fast enough: ${reason}. Raise maxQueued, or do less work per notification.`
    super({ message, host, isRetryable: false })
  }
}

/**
 * Every error of a subscription.
 */
export type SubscriptionError = CallError | SubscriptionOverflow

/** Dependencies of subscriptions. */
export interface Source {
  readonly client: Client
  readonly socket: Socket
  readonly policy: RetryPolicy.RetryPolicy
  /** Removes the keys of the URL from a text. */
  readonly scrub: (text: string) => string
}

/** Values to emit, and the state after them. */
export type Taken<A, State> = readonly [given: ReadonlyArray<A>, next: State]

/** A kind of subscription. */
export interface Kind<A, State> {
  readonly initial: State
  /** Parameters of `eth_subscribe`. */
  readonly params: (state: State) => ReadonlyArray<unknown>
  /** Runs before the first connection. */
  readonly before: (state: State) => Effect.Effect<State, CallError>
  /** Runs after each new subscription following the first. */
  readonly again: (state: State) => Effect.Effect<Taken<A, State>, CallError>
  /** Takes the result of a notification, after reading what the server skipped if necessary; fails with the issue of an invalid result. */
  readonly take: (
    state: State,
    result: unknown,
  ) => Result.Result<Taken<A, State> | Effect.Effect<Taken<A, State>, CallError>, Issue>
  /** The subscription can resume where it stopped, so an overflow is not an error. */
  readonly isResumable: boolean
}

/** Issue of a notification. */
export interface Issue {
  readonly path: string
  readonly expected: string
  readonly received: string
}

/** Issue of a result, from the error of its schema. */
export const issueOf = (error: Parameters<typeof SchemaIssue.fromError>[0], result: unknown): Issue => {
  // Sound: an error of a schema has at least one issue.
  const { path, ...issue } = SchemaIssue.fromError(error, result)[0]!
  return { path: path === "" ? "params.result" : `params.result.${path}`, ...issue }
}

interface StreamState<State> {
  readonly own: State
  readonly listening: Listening | undefined
  /** Time of the subscription, in milliseconds of the monotonic clock. */
  readonly sinceMillis: number
  /** Connections since the last notification, or since the last stable connection. */
  readonly idle: number
  readonly isFirst: boolean
  /** Notifications that were received but not taken. */
  readonly rest: ReadonlyArray<Item>
  /** Reason to wait before subscribing again. */
  readonly waitFor?: string | undefined
  /** Ends the stream once everything before it was emitted. */
  readonly error?: CallError
}

type Turn<A, State> = readonly [given: ReadonlyArray<A>, next: Option.Option<StreamState<State>>]

const method = "eth_subscribe"

/** Time after which a connection counts as stable when it ends. */
const stableMillis = 30_000

const decodeError = SchemaParser.decodeUnknownResult(JsonRpc.ErrorObject)

const unknownError: JsonRpc.ErrorObject = {
  code: -32_603,
  message: "The subscription ended with a malformed error",
}

const replyOf = ({ client, scrub }: Source): Reply => ({
  status: 200,
  headers: {},
  text: "",
  host: client.host,
  requestId: undefined,
  retryAfter: undefined,
  attempts: [],
  scrub,
})

/** Error with which a server ended a subscription. */
const errorOf = (source: Source, received: unknown): CallError => {
  const error = Result.getOrElse(decodeError(received), () => unknownError)
  return classify({ _tag: "Error", error }, replyOf(source), method)
}

/** Waits before the next connection; fails if several connections in a row received nothing. */
const pause = Effect.fnUntraced(function* (
  { client, policy, scrub }: Source,
  idle: number,
  reason: string,
): Effect.fn.Return<void, TransportError> {
  if (idle >= policy.maxAttempts) {
    return yield* new TransportError({ host: client.host, phase: "body", reason: shorten(scrub(reason)) })
  }
  const random = yield* Random.next
  yield* Effect.sleep(Duration.millis(Retry.delayMillis(policy, { attempt: Math.max(1, idle), random })))
})

/** Values from items, items that were not taken, and the error that ends the subscription. */
interface Received<A, State> {
  readonly given: ReadonlyArray<A>
  readonly own: State
  readonly rest: ReadonlyArray<Item>
  readonly error?: CallError
}

/**
 * Takes items up to an error, or up to one that requires a read: what precedes it is emitted first. A closed client does not read.
 */
const takeItems = Effect.fnUntraced(function* <A, State>(
  source: Source,
  { take }: Kind<A, State>,
  from: State,
  items: ReadonlyArray<Item>,
  closed: Effect.Effect<unknown>,
): Effect.fn.Return<Received<A, State>> {
  const given: Array<A> = []
  let own = from
  for (const [index, item] of items.entries()) {
    if (item._tag === "Error") return { given, own, rest: [], error: errorOf(source, item.error) }
    const taken = take(own, item.result)
    if (Result.isFailure(taken)) {
      const { expected, path, received } = taken.failure
      const shown = shorten(source.scrub(received), 100)
      const error = new InvalidResponse({ ...replyOf(source), reason: "content", path, expected, received: shown })
      return { given, own, rest: [], error }
    }
    const { success } = taken
    if (!Effect.isEffect(success)) {
      given.push(...success[0])
      own = success[1]
      continue
    }
    if (given.length > 0) return { given, own, rest: items.slice(index) }
    const stopped: Received<A, State> = { given, own, rest: [] }
    const rest = items.slice(index + 1)
    return yield* Effect.raceFirst(
      Effect.as(closed, stopped),
      Effect.match(success, {
        onFailure: (error): Received<A, State> => ({ ...stopped, error }),
        onSuccess: ([values, next]): Received<A, State> => ({ given: values, own: next, rest }),
      }),
    )
  }
  return { given, own, rest: [] }
})

/** Makes the turns of a stream; closing the scope ends the open subscription. */
const turns = Effect.fnUntraced(function* <A, State>(
  source: Source,
  kind: Kind<A, State>,
): Effect.fn.Return<
  (state: StreamState<State>) => Effect.Effect<Turn<A, State>, SubscriptionError>,
  never,
  Scope.Scope
> {
  const { client, socket } = source
  let held: Listening | undefined
  const closed = Effect.as(socket.untilClose(), [[], Option.none()] satisfies Turn<A, State>)
  yield* Effect.addFinalizer(() => held?.stop ?? Effect.void)

  const subscribe = Effect.fnUntraced(function* ({ idle, isFirst, own: before }: StreamState<State>) {
    let own = isFirst ? yield* kind.before(before) : before
    yield* held?.stop ?? Effect.void
    const id = yield* client.request({ method, params: kind.params(own) })
    const listening = socket.listen(String(id))
    held = listening
    const sinceMillis = yield* MonotonicClock.millis
    let given: ReadonlyArray<A> = []
    if (!isFirst) [given, own] = yield* kind.again(own)
    const waitFor = listening === undefined ? "the connection ended" : undefined
    const next: Turn<A, State> = [
      given,
      Option.some({ own, listening, sinceMillis, idle: idle + 1, isFirst: false, rest: [], waitFor }),
    ]
    return next
  })

  const connect = (state: StreamState<State>) => {
    const { idle, isFirst, waitFor } = state
    const subscription = isFirst ? subscribe(state) : Retry.untilDeadline(source.policy, subscribe(state))
    return waitFor === undefined ? subscription : Effect.andThen(pause(source, idle, waitFor), subscription)
  }

  return Effect.fnUntraced(function* (state: StreamState<State>): Effect.fn.Return<Turn<A, State>, SubscriptionError> {
    const { error, listening, own, sinceMillis } = state
    if (error !== undefined) return yield* Effect.fail(error)
    if (listening === undefined) return yield* Effect.raceFirst(closed, connect(state))
    const read: Read = state.rest.length > 0 ? { _tag: "Items", items: state.rest } : yield* listening.read
    const isStable = (yield* MonotonicClock.millis) - sinceMillis >= stableMillis
    const idle = isStable ? 0 : state.idle
    const ended = { ...state, listening: undefined, rest: [], idle }
    if (read._tag === "Ended") {
      if (!read.isOverflow) return [[], Option.some({ ...ended, waitFor: read.reason })]
      if (!kind.isResumable) return yield* new SubscriptionOverflow({ host: client.host, reason: read.reason })
      return [[], Option.some(ended)]
    }
    const taken = yield* takeItems(source, kind, own, read.items, closed)
    const after = { ...state, own: taken.own, rest: taken.rest, idle: 0 }
    if (taken.error === undefined) return [taken.given, Option.some(after)]
    const isTransient = taken.error._tag === "RateLimited" || taken.error.isRetryable
    if (!isTransient) return [taken.given, Option.some({ ...after, error: taken.error })]
    yield* listening.stop
    const [first] = read.items
    const next = { ...ended, own: taken.own, waitFor: taken.error.message }
    return [taken.given, Option.some(first?._tag === "Result" ? { ...next, idle: 0 } : next)]
  })
})

/** Makes the stream of a subscription. */
export const make = <A, State>(source: Source, kind: Kind<A, State>): Stream.Stream<A, SubscriptionError> =>
  Stream.unwrap(
    Effect.map(turns(source, kind), (turn) =>
      Stream.paginate<StreamState<State>, A, SubscriptionError>(
        { own: kind.initial, listening: undefined, sinceMillis: 0, idle: 0, isFirst: true, rest: [] },
        turn,
      ),
    ),
  )
