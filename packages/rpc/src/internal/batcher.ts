/**
 * Batches the calls to one endpoint: gathers them into requests, shares identical ones, and gives each caller the answer to its own call.
 * It tries once; whether and where a call is tried again is decided in `retry`. While no call waits, nothing runs.
 */
import type { Attempt } from "@daybook/transport/Attempt"
import { TimeoutError } from "@daybook/transport/ClientError"
import type { Phase } from "@daybook/transport/ClientError"
import type { Endpoint } from "@daybook/transport/Endpoint"
import * as Http from "@daybook/transport/Http"
import type * as Backoff from "@daybook/transport/Backoff"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { SchedulerDispatcher } from "effect/Scheduler"
import * as Tracer from "effect/Tracer"
import type { Answer, Outcome } from "./reading.ts"
import { readFault, readReply } from "./reading.ts"
import * as telemetry from "./telemetry.ts"
import { requestText, type RequestItem } from "./wire.ts"

/** One attempt of one call. */
export interface Ask {
  readonly call: RequestItem
  /** When the attempt has to be over, by the monotonic clock. */
  readonly endsAtMillis: number
  /** The time that a `TimeoutError` names. */
  readonly deadline: Duration.Duration
  readonly maxBytes: number
  readonly maxItemBytes: number
  /** What the call has tried before. */
  readonly attempts: ReadonlyArray<Attempt>
  readonly isShared: boolean
  /** Calls that may stand in its request, itself included. */
  readonly maxBatchSize: number
  /** Waits at least so long for company. */
  readonly windowMillis: number
}

/** Calls that wait to be sent together. */
export interface Queue {
  readonly maxCalls: number
  readonly windowMillis: number
  items: Array<Item>
}

/** What is sent once, for however many callers. */
interface Item {
  readonly call: RequestItem
  readonly key: string | undefined
  readonly text: string
  maxBatchSize: number
  readonly waiters: Set<Waiter>
  executor: RequestExecutor | undefined
}

interface Waiter {
  readonly ask: Ask
  readonly context: Context.Context<never>
  /** Where the caller's own turns are scheduled. */
  readonly dispatcher: SchedulerDispatcher
  readonly settle: (outcome: Effect.Effect<Outcome>) => void
  timer: Fiber.Fiber<void> | undefined
}

/** A request on its way. */
interface RequestExecutor {
  readonly items: ReadonlyArray<Item>
  readonly endsAtMillis: number
  waiting: number
  phase: Phase
  startedAtMillis: number
  fiber: Fiber.Fiber<void> | undefined
}

export interface Batcher {
  readonly endpoint: Endpoint
  /** Where calls of the client meet by themselves. */
  readonly queue: Queue
  readonly ask: (ask: Ask, queue: Queue) => Effect.Effect<Outcome>
}

export interface Options {
  readonly endpoint: Endpoint
  readonly pause: Backoff.Backoff
  readonly fetch: Http.Fetch
  readonly queue: Queue
  /** Bytes of one request at most, unless one call alone is longer. */
  readonly maxRequestBytes: number
  readonly attributes: Readonly<Record<string, unknown>>
}

const headers = { "content-type": "application/json", accept: "application/json" }

/** Deadlines this close together count as one: a busy machine is no more exact. */
const closeMillis = 5

const bytesOf = (text: string): number =>
  // eslint-disable-next-line no-control-regex -- everything beyond ASCII takes more bytes than characters
  /^[\x00-\x7f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length

export const make = (options: Options): Batcher => {
  const { endpoint, pause, fetch, maxRequestBytes } = options
  const known = new Map<string, Item>()
  /** The most calls that this endpoint takes in one request, as far as it has said so. */
  let detectedLimit = Number.POSITIVE_INFINITY

  const finish = (item: Item, waiter: Waiter, outcome: Effect.Effect<Outcome>): void => {
    item.waiters.delete(waiter)
    waiter.timer?.interruptUnsafe()
    waiter.settle(outcome)
  }

  const forget = (item: Item): void => {
    if (item.key !== undefined && known.get(item.key) === item) known.delete(item.key)
  }

  /** Ends a request that nobody waits for any more. */
  const leave = (item: Item, waiter: Waiter): void => {
    if (!item.waiters.delete(waiter)) return
    waiter.timer?.interruptUnsafe()
    if (item.waiters.size > 0) return
    forget(item)
    const { executor } = item
    if (executor !== undefined && --executor.waiting === 0) executor.fiber?.interruptUnsafe()
  }

  const settleItem = (item: Item, outcomeOf: (waiter: Waiter, isFirst: boolean) => Effect.Effect<Outcome>): void => {
    forget(item)
    let isFirst = true
    for (const waiter of item.waiters) {
      finish(item, waiter, outcomeOf(waiter, isFirst))
      isFirst = false
    }
  }

  const watch = (item: Item, waiter: Waiter, executor: RequestExecutor, nowMillis: number): void => {
    const { ask, context } = waiter
    if (ask.endsAtMillis >= executor.endsAtMillis - closeMillis) return
    const expire = Effect.sync(() => {
      const last: Attempt = {
        host: endpoint.host,
        at: new Date(executor.startedAtMillis),
        outcome: `TimeoutError ${executor.phase}`,
        duration: Duration.millis(ask.endsAtMillis - nowMillis),
      }
      const { attempts, deadline } = ask
      const error = new TimeoutError({
        host: endpoint.host,
        phase: executor.phase,
        deadline,
        attempts: [...attempts, last],
      })
      const outcome: Outcome = { _tag: "Failure", error, jitter: 0, maxBatchSize: ask.maxBatchSize, mustSplit: false }
      if (!item.waiters.has(waiter)) return
      leave(item, waiter)
      waiter.settle(Effect.succeed(outcome))
    })
    waiter.timer = Effect.runForkWith(context)(
      Effect.andThen(Effect.sleep(Duration.millis(Math.max(0, ask.endsAtMillis - nowMillis))), expire),
    )
  }

  const settleAll = (
    executor: RequestExecutor,
    exit: Exit.Exit<Http.Reply, Parameters<typeof readFault>[0]>,
    jitter: number,
  ): void => {
    const items = executor.items.filter(({ waiters }) => waiters.size > 0)
    if (Exit.isFailure(exit)) {
      const reason = exit.cause.reasons.find((one) => one._tag === "Fail")
      for (const item of items) {
        settleItem(item, ({ ask }) =>
          reason === undefined
            ? Effect.failCause(exit.cause as never)
            : Effect.succeed(readFault(reason.error, ask, executor.items.length, jitter)),
        )
      }
      return
    }
    const reading = readReply(
      exit.value,
      executor.items.map(({ call }) => call),
    )
    if (reading.detectedLimit !== undefined) detectedLimit = Math.min(detectedLimit, reading.detectedLimit)
    for (const item of items) {
      settleItem(item, ({ ask }, isFirst) => {
        const outcome = reading.outcomeOf(item.call, ask, jitter)
        return Effect.succeed(
          isFirst || outcome._tag !== "Answer" ? outcome : { ...outcome, answer: copy(outcome.answer) },
        )
      })
    }
  }

  const post = Effect.fnUntraced(function* (items: ReadonlyArray<Item>, executor: RequestExecutor) {
    const paused = yield* pause.remaining(endpoint)
    if (Duration.toMillis(paused) > 0) {
      for (const item of items) settleItem(item, () => Effect.succeed({ _tag: "Paused" }))
      return
    }
    const clock = yield* Clock.Clock
    executor.startedAtMillis = clock.currentTimeMillisUnsafe()
    const now = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const asks = items.flatMap(({ waiters }) => [...waiters].map(({ ask }) => ask))
    for (const item of items) for (const waiter of item.waiters) watch(item, waiter, executor, now)
    const [first] = items
    const exit = yield* Effect.exit(
      Http.send(
        {
          endpoint,
          headers,
          body: items.length === 1 && first !== undefined ? first.text : `[${items.map(({ text }) => text).join(",")}]`,
        },
        {
          fetch,
          maxBytes: Math.max(...asks.map(({ maxBytes }) => maxBytes)),
          within: Duration.millis(Math.max(0, executor.endsAtMillis - now)),
          ...(asks[0] === undefined ? {} : { deadline: asks[0].deadline }),
          attributes: {
            ...options.attributes,
            "rpc.method":
              items.length === 1 && first !== undefined ? telemetry.methodLabel(first.call.method) : "batch",
            "daybook.batch.size": items.length,
            "daybook.attempt": Math.max(...asks.map(({ attempts }) => attempts.length)) + 1,
          },
          onPhase: (phase) => (executor.phase = phase),
        },
      ),
    )
    const jitter = (yield* Random.Random).nextDoubleUnsafe()
    const outcome = Exit.isSuccess(exit) ? String(exit.value.status) : "fault"
    telemetry.requested(endpoint.host, outcome, items.length, yield* Effect.context())
    settleAll(executor, exit, jitter)
  })

  const send = (items: ReadonlyArray<Item>): void => {
    const waiters = items.flatMap((item) => [...item.waiters])
    const [first] = waiters
    if (first === undefined) return
    const endsAtMillis = Math.max(...waiters.map(({ ask }) => ask.endsAtMillis))
    const executor: RequestExecutor = {
      items,
      endsAtMillis,
      waiting: items.length,
      phase: "headers",
      startedAtMillis: 0,
      fiber: undefined,
    }
    for (const item of items) item.executor = executor
    const others = waiters
      .slice(1)
      .flatMap(({ context }) => Option.toArray(Context.getOption(context, Tracer.ParentSpan)))
    const posting = post(items, executor).pipe(
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          for (const item of items) settleItem(item, () => Effect.failCause(cause))
        }),
      ),
    )
    executor.fiber = Effect.runForkWith(first.context)(
      others.length === 0 ? posting : Effect.linkSpans(posting, others),
    )
  }

  const flush = (queue: Queue): void => {
    const waiting = queue.items.filter(({ waiters }) => waiters.size > 0)
    queue.items = []
    const most = Math.min(queue.maxCalls, detectedLimit)
    let chunk: Array<Item> = []
    let bytes = 0
    let limit = most
    const close = () => {
      if (chunk.length > 0) send(chunk)
      chunk = []
      bytes = 0
      limit = most
    }
    for (const item of waiting) {
      const size = bytesOf(item.text) + 1
      limit = Math.min(limit, item.maxBatchSize)
      if (chunk.length >= limit || bytes + size > maxRequestBytes) {
        close()
        limit = Math.min(most, item.maxBatchSize)
      }
      chunk.push(item)
      bytes += size
    }
    close()
  }

  const enqueue = (item: Item, waiter: Waiter, queue: Queue): void => {
    const windowMillis = Math.max(queue.windowMillis, waiter.ask.windowMillis)
    queue.items.push(item)
    if (queue.items.length >= Math.min(queue.maxCalls, detectedLimit)) return flush(queue)
    if (queue.items.length > 1) return
    // As much of a turn as a yield takes, without a fiber for it.
    if (windowMillis <= 0) return waiter.dispatcher.scheduleTask(() => flush(queue), 0)
    Effect.runForkWith(waiter.context)(
      Effect.andThen(
        Effect.sleep(Duration.millis(windowMillis)),
        Effect.sync(() => flush(queue)),
      ),
    )
  }

  const enter = (waiter: Waiter, queue: Queue): Item => {
    const { call, isShared, maxBatchSize, maxBytes, maxItemBytes } = waiter.ask
    const key = isShared ? `${maxBytes} ${maxItemBytes} ${call.method} ${JSON.stringify(call.params)}` : undefined
    const same = key === undefined ? undefined : known.get(key)
    if (same !== undefined) {
      same.waiters.add(waiter)
      same.maxBatchSize = Math.min(same.maxBatchSize, maxBatchSize)
      return same
    }
    const item: Item = {
      call,
      key,
      text: requestText(call),
      maxBatchSize,
      waiters: new Set([waiter]),
      executor: undefined,
    }
    if (key !== undefined) known.set(key, item)
    if (maxBatchSize === 1) send([item])
    else enqueue(item, waiter, queue)
    return item
  }

  const ask: Batcher["ask"] = (one, queue) =>
    Effect.withFiber((fiber) =>
      Effect.callback<Outcome>((resume) => {
        const { context, currentDispatcher: dispatcher } = fiber
        const waiter: Waiter = { ask: one, context, dispatcher, settle: resume, timer: undefined }
        const item = enter(waiter, queue)
        const { executor } = item
        if (executor !== undefined && item.waiters.size > 1 && item.waiters.has(waiter)) {
          const clock = fiber.getRef(Clock.Clock)
          watch(item, waiter, executor, Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
        }
        return Effect.sync(() => leave(item, waiter))
      }),
    )

  return { endpoint, queue: options.queue, ask }
}

/** Callers who share an answer must not see what another does to it. */
const copy = (answer: Answer): Answer => ({ ...answer, value: structuredClone(answer.value) })
