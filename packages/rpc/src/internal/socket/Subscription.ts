/**
 * A subscription as a stream: subscribes, reads notifications, and after a connection ended subscribes again with the waits of the retry
 * policy. What a kind of subscription gives, and what it does about the time between two connections, is its own.
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
 * Notifications arrived faster than the program took them, and the server cannot send them again. Subscribe again, and read what was missed.
 *
 * **Example** (Recognising it)
 *
 * ```ts
 * import { SubscriptionOverflow } from "@daybook/rpc/WebSocketClient"
 *
 * const error = new SubscriptionOverflow({ host: "n.example", reason: "more than 20000 notifications wait" })
 * console.log(error.message) // Notifications not read fast enough: more than 20000 notifications wait. Raise maxQueued, or do less for each.
 * ```
 */
export class SubscriptionOverflow extends Data.TaggedError("SubscriptionOverflow")<{
  readonly message: string
  readonly host: string
  readonly isRetryable: false
}> {
  constructor({ host, reason }: { readonly host: string; readonly reason: string }) {
    const message = `Notifications not read fast enough: ${reason}. Raise maxQueued, or do less for each.`
    super({ message, host, isRetryable: false })
  }
}

/**
 * Every error of a subscription.
 */
export type SubscriptionError = CallError | SubscriptionOverflow

/** What subscriptions run on. */
export interface Source {
  readonly client: Client
  readonly socket: Socket
  readonly policy: RetryPolicy.RetryPolicy
  /** Removes the keys of the URL from a text. */
  readonly scrub: (text: string) => string
}

/** What is given, and the state after it. */
export type Taken<A, State> = readonly [given: ReadonlyArray<A>, next: State]

/** A kind of subscription. */
export interface Kind<A, State> {
  readonly initial: State
  /** Parameters of `eth_subscribe`. */
  readonly params: (state: State) => ReadonlyArray<unknown>
  /** Runs before the first connection. */
  readonly before: (state: State) => Effect.Effect<State, CallError>
  /** Runs when it is subscribed again. */
  readonly again: (state: State) => Effect.Effect<Taken<A, State>, CallError>
  /** Takes the result of a notification, where need be after it has read what the server left out; fails with what is wrong in it. */
  readonly take: (
    state: State,
    result: unknown,
  ) => Result.Result<Taken<A, State> | Effect.Effect<Taken<A, State>, CallError>, Issue>
  /** It can go on where it stopped, so that an overflow is no error. */
  readonly isResumable: boolean
}

/** What is wrong in a notification. */
export interface Issue {
  readonly path: string
  readonly expected: string
  readonly received: string
}

/** What is wrong in a result, by the error of its schema. */
export const issueOf = (error: Parameters<typeof SchemaIssue.fromError>[0], result: unknown): Issue => {
  // Sound: an error of a schema has at least one issue.
  const { path, ...issue } = SchemaIssue.fromError(error, result)[0]!
  return { path: path === "" ? "params.result" : `params.result.${path}`, ...issue }
}

interface StreamState<State> {
  readonly own: State
  readonly listening: Listening | undefined
  /** When it subscribed, in milliseconds of the monotonic clock. */
  readonly sinceMillis: number
  /** Connections since the last notification, or since one that was stable. */
  readonly idle: number
  readonly isFirst: boolean
  /** Notifications that were received and not taken. */
  readonly rest: ReadonlyArray<Item>
  /** Why it waits before it subscribes again. */
  readonly waitFor?: string | undefined
  /** Ends the stream once what precedes it was given. */
  readonly error?: CallError
}

type Turn<A, State> = readonly [given: ReadonlyArray<A>, next: Option.Option<StreamState<State>>]

const method = "eth_subscribe"

/** Time after which a connection that ends counts as stable. */
const stableMillis = 30_000

const decodeError = SchemaParser.decodeUnknownResult(JsonRpc.ErrorObject)

const unknownError: JsonRpc.ErrorObject = {
  code: -32_603,
  message: "The subscription ended with an error of another form",
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

/** The error by which a server ended a subscription. */
const errorOf = (source: Source, received: unknown): CallError => {
  const error = Result.getOrElse(decodeError(received), () => unknownError)
  return classify({ _tag: "Error", error }, replyOf(source), method)
}

/** Waits before the next connection; fails where several gave nothing. */
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

/** What items gave, those that were not taken, and the error that ends the subscription. */
interface Received<A, State> {
  readonly given: ReadonlyArray<A>
  readonly own: State
  readonly rest: ReadonlyArray<Item>
  readonly error?: CallError
}

/**
 * Takes items up to an error, or to one that must read: what precedes it is given first. A client that is closed reads nothing more.
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

/** Makes the turns of a stream; the scope ends the subscription that is open. */
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
