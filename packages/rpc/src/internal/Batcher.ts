/**
 * Sends the calls to one endpoint: combines them into requests, shares identical ones, and delivers to each caller the outcome of its own
 * call. It makes one attempt; `CallRunner` decides whether and where a call is retried. Nothing runs while no call waits.
 */
import type { Attempt } from "@daybook/transport/Attempt"
import type * as RequestedWaits from "@daybook/transport/internal/RequestedWaits"
import { TimeoutError } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import type { Event } from "@daybook/transport/Event"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Http from "@daybook/transport/Http"
import * as EventReporter from "@daybook/transport/internal/EventReporter"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { SchedulerDispatcher } from "effect/Scheduler"
import * as Tracer from "effect/Tracer"
import type { CommonOptions } from "../Options.ts"
import * as BatchState from "./BatchState.ts"
import type { BytesReading, BytesResult } from "./reply/BytesReading.ts"
import type { ResponseItem } from "./reply/match.ts"
import { copyOf } from "./reply/parse.ts"
import { type Fault, type Outcome, outcomeOf, outcomeOfFault, receive } from "./reply/read.ts"
import * as Telemetry from "./Telemetry.ts"

interface Waiter extends BatchState.Waiter {
  readonly context: Context.Context<never>
  /** Where the caller's own turns are scheduled. */
  readonly dispatcher: SchedulerDispatcher
  readonly settle: (outcome: Effect.Effect<Outcome<unknown>>) => void
  /** Ends the wait at the caller's own deadline. */
  timer: Fiber.Fiber<void> | undefined
}

type Item = BatchState.Item<Waiter>
type InFlight = BatchState.InFlight<Waiter>

/** Calls that wait to be sent together. */
export type Queue = BatchState.Queue<Waiter>

export interface Batcher {
  readonly endpoint: Endpoint.Endpoint
  /** The queue of calls that are batched automatically. */
  readonly queue: Queue
  readonly ask: <A>(ask: BatchState.Ask<A>, queue: Queue) => Effect.Effect<Outcome<A>>
  /**
   * Sends attempts in one request that no other call joins, with a single caller waiting for all of them. Returns `null` without sending if
   * they do not fit into one request of at most so many calls. The outcomes are decoded one after the other, yielding to other fibers in
   * between.
   */
  readonly askAll: <A>(
    asks: ReadonlyArray<BatchState.Ask<A>>,
    maxCalls: number,
  ) => Effect.Effect<ReadonlyArray<Outcome<A>> | null>
}

export interface Options {
  readonly endpoint: Endpoint.Endpoint
  readonly pause: RequestedWaits.RequestedWaits
  readonly fetch: Fetch
  readonly queue: Queue
  /** Maximum number of bytes of one request, unless a single call is longer. */
  readonly maxRequestBytes: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** Headers of each request in addition to those of the endpoint, without keys. */
  readonly headers: Readonly<Record<string, string>>
  readonly onEvent: ((event: Event) => void) | undefined
  readonly limitResult: CommonOptions["limitResult"]
  /** Largest batch known to be accepted by the endpoint. */
  readonly detectedLimit: () => number
  readonly onLimitDetected: (limit: number) => void
}

interface Runtime extends Options {
  readonly state: BatchState.State<Waiter>
}

const jsonHeaders = { "content-type": "application/json", accept: "application/json" }

/** Deadlines this close together count as one, since timers are no more precise on a busy machine. */
const toleranceMillis = 5

const timedOut = (
  { endpoint: { host } }: Runtime,
  { ask: { context, endsAtMillis } }: Waiter,
  { phase, sentAtMillis, startedAtMillis }: InFlight,
): Outcome<never> => {
  const durationMillis = endsAtMillis - sentAtMillis
  const took = { duration: Duration.millis(durationMillis), durationMillis }
  const last: Attempt = { host, at: new Date(startedAtMillis), outcome: `TimeoutError ${phase}`, ...took }
  const fault = new TimeoutError({ host, phase, deadline: context.deadline, attempts: [last] })
  return outcomeOfFault(fault, context, 1, 0)
}

const nowOf = ({ context }: Waiter): number => MonotonicClock.millisOf(Context.get(context, Clock.Clock))

/** Settles a waiter at its deadline if it still waits. `leave` ends its wait for anything else; false if it was settled. */
const expire = (runtime: Runtime, waiter: Waiter, request: InFlight, leave: () => boolean): void => {
  const settle = Effect.sync(() => {
    if (leave()) waiter.settle(Effect.succeed(timedOut(runtime, waiter, request)))
  })
  const wait = Effect.sleep(Duration.millis(Math.max(0, waiter.ask.endsAtMillis - nowOf(waiter))))
  waiter.timer = Effect.runForkWith(waiter.context)(Effect.andThen(wait, settle))
}

/** Settles a waiter in its own turn; with a timeout if it gets none until its deadline, and with a defect if none is available. */
const settleInTurn = (
  runtime: Runtime,
  request: InFlight,
  waiter: Waiter,
  inTurn: NonNullable<BytesReading["inTurn"]>,
  settle: () => void,
): void => {
  let isSettled = false
  const leave = () => !isSettled && (isSettled = true)
  const end = (by: () => void) => {
    if (!leave()) return
    waiter.timer?.interruptUnsafe()
    by()
  }
  const fail = (error: unknown) => end(() => waiter.settle(Effect.die(error)))
  try {
    inTurn(() => end(settle), fail)
  } catch (error) {
    fail(error)
  }
  if (!isSettled) expire(runtime, waiter, request, leave)
}

/** Delivers an outcome to the callers of an item. Those after the first continue in their own turns, if they have any. */
const settleItem = (
  runtime: Runtime,
  request: InFlight,
  item: Item,
  outcome: (waiter: Waiter) => Effect.Effect<Outcome<unknown>>,
): void => {
  for (const [at, waiter] of BatchState.end(runtime.state, item).entries()) {
    waiter.timer?.interruptUnsafe()
    const settle = () => waiter.settle(outcome(waiter))
    const { inTurn } = waiter.ask.context.reading ?? {}
    if (at === 0 || inTurn === undefined) settle()
    else settleInTurn(runtime, request, waiter, inTurn, settle)
  }
}

/** Ends the wait of a caller whose deadline is before that of the request. */
const watch = (runtime: Runtime, waiter: Waiter, request: InFlight): void => {
  if (waiter.ask.endsAtMillis >= request.endsAtMillis - toleranceMillis) return
  expire(runtime, waiter, request, () => {
    if (waiter.item?.waiters.has(waiter) !== true) return false
    execute(runtime, BatchState.step(runtime.state, { _tag: "Left", waiter }))
    return true
  })
}

/** Callers that share a value must not see each other's changes to it. Callers that read bytes do not see the value. */
const copy = (item: ResponseItem | undefined): ResponseItem | undefined =>
  item?._tag === "Value" ? { ...item, value: copyOf(item.value) } : item

const settleReply = (
  runtime: Runtime,
  request: InFlight,
  reply: Http.Reply,
  jitter: number,
  bytes: BytesResult | undefined,
): void => {
  const calls = request.items.map(({ call }) => call)
  const received = receive(reply, calls, bytes, runtime.limitResult)
  if (received.rejection?.detectedLimit !== undefined) runtime.onLimitDetected(received.rejection.detectedLimit)
  for (const item of request.items) {
    const { call } = item
    const found = received.items.get(call.id)
    let isFirst = true
    settleItem(runtime, request, item, ({ ask }) => {
      const own = isFirst || ask.context.reading !== undefined ? found : copy(found)
      isFirst = false
      // Decoded in the caller's own fiber, so that the values of a batch do not wait for each other.
      return Effect.sync(() => outcomeOf(received, call, own, ask.context, jitter))
    })
  }
}

/** The error of a request; undefined for a reply, a defect or an interrupt. */
const faultOf = (exit: Exit.Exit<Http.Reply, Fault>): Fault | undefined =>
  Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find((one) => one._tag === "Fail")?.error

/** The call is sent again at once, in a batch of any size. */
const repeat = (attempts: ReadonlyArray<Attempt>): Outcome<never> => ({
  _tag: "Repeat",
  maxBatchSize: Number.POSITIVE_INFINITY,
  attempts,
})

const settleExit = (
  runtime: Runtime,
  request: InFlight,
  exit: Exit.Exit<Http.Reply, Fault>,
  fault: Fault | undefined,
  jitter: number,
  bytes: BytesResult | undefined,
): void => {
  if (Exit.isSuccess(exit)) return settleReply(runtime, request, exit.value, jitter, bytes)
  for (const item of request.items) {
    settleItem(runtime, request, item, ({ ask }) => {
      // Sound: without a failure the cause holds defects and interrupts only.
      if (fault === undefined) return Effect.failCause(exit.cause as never)
      const endedEarly = fault._tag === "TimeoutError" && request.endsAtMillis < ask.endsAtMillis - toleranceMillis
      return Effect.succeed(
        endedEarly ? repeat(fault.attempts) : outcomeOfFault(fault, ask.context, request.items.length, jitter),
      )
    })
  }
}

const post = Effect.fnUntraced(function* (runtime: Runtime, request: InFlight) {
  const { attributes, endpoint, fetch, headers, onEvent, pause } = runtime
  const { items } = request
  const clock = yield* Clock.Clock
  request.startedAtMillis = clock.currentTimeMillisUnsafe()
  const now = MonotonicClock.millisOf(clock)
  request.sentAtMillis = now
  if (Duration.toMillis(yield* pause.remaining(endpoint)) > 0) {
    for (const item of items) settleItem(runtime, request, item, () => Effect.succeed(repeat([])))
    return
  }
  for (const item of items) for (const waiter of item.waiters) watch(runtime, waiter, request)
  const contexts = items.flatMap(({ waiters }) => [...waiters].map(({ ask }) => ask.context))
  const resends = Math.max(0, ...contexts.map(({ attempts }) => attempts.length))
  const [single, second] = items
  const { deadline, headers: own, maxItemBytes = 0, reading } = contexts[0] ?? {}
  const maxBytes = Math.max(...contexts.map((context) => context.maxBytes))
  let bytes: BytesResult | undefined
  const outgoing: Http.Request = {
    // Sound: the headers were checked with the options of the call.
    endpoint: own === undefined ? endpoint : Result.getOrThrow(Endpoint.withHeaders(endpoint, own)),
    headers: { ...jsonHeaders, ...headers },
    body: BatchState.bodyOf(items),
  }
  const sent = {
    ...attributes,
    "rpc.method": single !== undefined && second === undefined ? Telemetry.methodLabel(single.call.method) : "batch",
    "daybook.batch.size": items.length,
  }
  const sending = Http.send(outgoing, {
    fetch,
    maxBytes,
    within: Duration.millis(Math.max(0, request.endsAtMillis - now)),
    deadline,
    attributes: resends === 0 ? sent : { ...sent, "http.request.resend_count": resends },
    onPhase: (phase) => (request.phase = phase),
    takeUp: reading?.takeUp(Math.min(maxBytes, maxItemBytes), (result) => (bytes = result)),
  })
  const report = onEvent && EventReporter.make(onEvent, single?.call.id ?? 0, outgoing)
  report?.request(resends + 1)
  const exit = yield* Effect.exit(sending)
  if (Exit.isSuccess(exit)) report?.response(resends + 1, exit.value)
  const fault = faultOf(exit)
  if (fault !== undefined) report?.fault(resends + 1, fault)
  const jitter = (yield* Random.Random).nextDoubleUnsafe()
  const outcome = Exit.isSuccess(exit) ? String(exit.value.status) : "fault"
  Telemetry.requested(endpoint.host, outcome, items.length, yield* Effect.context())
  settleExit(runtime, request, exit, fault, jitter, bytes)
})

/** Sends a request in the context of its first caller, with its span linked to those of the others. */
const send = (runtime: Runtime, request: InFlight): void => {
  const [first, ...others] = request.items.flatMap(({ waiters }) => [...waiters])
  if (first === undefined) return
  const spans = others.flatMap(({ context }) =>
    context === first.context ? [] : Option.toArray(Context.getOption(context, Tracer.ParentSpan)),
  )
  const posting = post(runtime, request).pipe(
    Effect.catchCause((cause) =>
      Effect.sync(() => {
        for (const item of request.items) settleItem(runtime, request, item, () => Effect.failCause(cause))
      }),
    ),
  )
  request.fiber = Effect.runForkWith(first.context)(spans.length === 0 ? posting : Effect.linkSpans(posting, spans))
}

const schedule = (runtime: Runtime, queue: Queue, windowMillis: number, waiter: Waiter): void => {
  const due = () =>
    execute(runtime, BatchState.step(runtime.state, { _tag: "Due", queue, limit: runtime.detectedLimit() }))
  // A turn of the scheduler does not need a fiber.
  if (windowMillis <= 0) return waiter.dispatcher.scheduleTask(due, 0)
  Effect.runForkWith(waiter.context)(Effect.andThen(Effect.sleep(Duration.millis(windowMillis)), Effect.sync(due)))
}

const execute = (runtime: Runtime, actions: ReadonlyArray<BatchState.Action<Waiter>>): void => {
  for (const action of actions) {
    switch (action._tag) {
      case "Send":
        send(runtime, action.request)
        break
      case "Schedule":
        schedule(runtime, action.queue, action.windowMillis, action.waiter)
        break
      case "Watch":
        watch(runtime, action.waiter, action.request)
        break
      case "Cancel":
        action.request.fiber?.interruptUnsafe()
        break
    }
  }
}

/** Makes a waiter for a caller that waits in a fiber. */
const waiterOf = <A>(
  { context, currentDispatcher: dispatcher }: Fiber.Fiber<unknown, unknown>,
  ask: BatchState.Ask<A>,
  settle: (outcome: Effect.Effect<Outcome<A>>) => void,
): Waiter => ({
  ask,
  context,
  dispatcher,
  // Sound: a waiter is settled with the outcome of its own ask, decoded by its own `decode`.
  settle: settle as Waiter["settle"],
  timer: undefined,
  item: undefined,
})

const ask =
  (runtime: Runtime): Batcher["ask"] =>
  <A>(one: BatchState.Ask<A>, queue: Queue) =>
    Effect.withFiber((fiber) =>
      Effect.callback<Outcome<A>>((resume) => {
        const waiter = waiterOf(fiber, one, resume)
        const { state } = runtime
        execute(runtime, BatchState.step(state, { _tag: "Joined", waiter, queue, limit: runtime.detectedLimit() }))
        return Effect.sync(() => {
          waiter.timer?.interruptUnsafe()
          execute(runtime, BatchState.step(state, { _tag: "Left", waiter }))
        })
      }),
    )

/** Outcomes decoded in one turn. For ranges of blocks they are about one mebibyte. */
const decodedPerTurn = 16

const askAll =
  (runtime: Runtime): Batcher["askAll"] =>
  <A>(asks: ReadonlyArray<BatchState.Ask<A>>, maxCalls: number) =>
    Effect.withFiber((fiber) => {
      const outcomes: Array<Effect.Effect<Outcome<A>>> = []
      let settled = 0
      let onSettled = () => {}
      const waiters = asks.map((one, at) =>
        waiterOf(fiber, one, (outcome) => {
          outcomes[at] = outcome
          if (++settled === asks.length) onSettled()
        }),
      )
      const limit = Math.min(maxCalls, runtime.detectedLimit())
      const items = BatchState.listOf(runtime.state, waiters, limit)
      if (items === null) return Effect.succeed(null)
      const sent = Effect.callback<void>((resume) => {
        onSettled = () => resume(Effect.void)
        execute(runtime, [BatchState.send(items)])
        return Effect.sync(() => {
          for (const waiter of waiters) execute(runtime, BatchState.step(runtime.state, { _tag: "Left", waiter }))
        })
      })
      const decode = (outcome: Effect.Effect<Outcome<A>>, at: number) =>
        at > 0 && at % decodedPerTurn === 0 ? Effect.andThen(Effect.yieldNow, outcome) : outcome
      return Effect.andThen(
        sent,
        Effect.suspend(() => Effect.forEach(outcomes, decode)),
      )
    })

/** Makes the batcher of an endpoint. */
export const make = (options: Options): Batcher => {
  const runtime: Runtime = { ...options, state: BatchState.initial(options.maxRequestBytes) }
  return { endpoint: options.endpoint, queue: options.queue, ask: ask(runtime), askAll: askAll(runtime) }
}
