/**
 * Calls of one endpoint that wait for a request or are in flight: which calls share a request, when it is sent, and when it is cancelled.
 * `step` only decides; `Batcher` executes its actions.
 *
 * The state is mutated in place: calls arrive by the thousands per second, and copying the waiting ones for each would be quadratic.
 */
import type { Phase } from "@daybook/transport/ClientError"
import type * as Fiber from "effect/Fiber"
import type { RequestItem } from "./reply/match.ts"
import type { CallContext } from "./reply/read.ts"

/** One attempt of one call. */
export interface Ask<A> {
  readonly call: RequestItem
  /** End of the attempt, in milliseconds of the monotonic clock. */
  readonly endsAtMillis: number
  readonly context: CallContext<A>
  /** True if identical calls may share its request. */
  readonly isShared: boolean
  /** Waits at least this long for other calls. */
  readonly windowMillis: number
}

/** A caller that waits for the outcome of an attempt. */
export interface Waiter {
  readonly ask: Ask<unknown>
  /** Set when the waiter joins. */
  item: Item<this> | undefined
}

/** One item of a request, for one or more identical calls. */
export interface Item<W> {
  readonly call: RequestItem
  /** Key by which identical calls find it; undefined if it is not shared. */
  readonly key: string | undefined
  readonly text: string
  maxBatchSize: number
  readonly waiters: Set<W>
  /** Request that contains it; undefined while it waits. */
  request: InFlight<W> | undefined
}

/** A request in flight. */
export interface InFlight<W> {
  readonly items: ReadonlyArray<Item<W>>
  /** Latest end of its attempts, in milliseconds of the monotonic clock. */
  readonly endsAtMillis: number
  /** Items that still have waiters. */
  waiting: number
  phase: Phase
  /** Start of the request in milliseconds since 1970; 0 before it is sent. */
  startedAtMillis: number
  /** The same time in milliseconds of the monotonic clock. */
  sentAtMillis: number
  fiber: Fiber.Fiber<void> | undefined
}

/** Items that wait to be sent together. */
export interface Queue<W> {
  readonly maxCalls: number
  readonly windowMillis: number
  items: Array<Item<W>>
}

export interface State<W> {
  /** Items that identical calls can join, waiting or in flight, by key. */
  readonly shared: Map<string | undefined, Item<W>>
  /** Maximum number of bytes of one request, unless a single call is longer. */
  readonly maxRequestBytes: number
}

/** `limit` is the largest batch known to be accepted by the endpoint. */
export type Input<W> =
  | { readonly _tag: "Joined"; readonly waiter: W; readonly queue: Queue<W>; readonly limit: number }
  | { readonly _tag: "Left"; readonly waiter: W }
  | { readonly _tag: "Due"; readonly queue: Queue<W>; readonly limit: number }

/**
 * - `Schedule`: report `Due` after the window, or at the end of the current turn if it is 0.
 * - `Watch`: the waiter joined a request in flight that may outlast the waiter's own deadline.
 * - `Cancel`: no caller waits for the request any more.
 */
export type Action<W> =
  | { readonly _tag: "Send"; readonly request: InFlight<W> }
  | { readonly _tag: "Schedule"; readonly queue: Queue<W>; readonly windowMillis: number; readonly waiter: W }
  | { readonly _tag: "Watch"; readonly request: InFlight<W>; readonly waiter: W }
  | { readonly _tag: "Cancel"; readonly request: InFlight<W> }

export const initial = <W>(maxRequestBytes: number): State<W> => ({ shared: new Map(), maxRequestBytes })

export const queue = <W>(maxCalls: number, windowMillis: number): Queue<W> => ({ maxCalls, windowMillis, items: [] })

/** The JSON text of a request item. */
const requestText = (call: RequestItem): string =>
  `{"jsonrpc":"2.0","id":${call.id},"method":${JSON.stringify(call.method)},"params":${JSON.stringify(call.params)}}`

/** The JSON text of a request: one item alone, or a batch. */
export const bodyOf = <W>(items: ReadonlyArray<Item<W>>): string => {
  const [first, second] = items
  return first !== undefined && second === undefined ? first.text : `[${items.map(({ text }) => text).join(",")}]`
}

const bytesOf = (text: string): number =>
  // eslint-disable-next-line no-control-regex -- only characters beyond ASCII take more than one byte
  /^[\x00-\x7f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length

/**
 * Splits items into batches, in order. No batch exceeds `maxCalls`, the `maxBatchSize` of any of its items or, unless it is a single item,
 * `maxBytes`.
 */
export const split = <I extends { readonly text: string; readonly maxBatchSize: number }>(
  items: ReadonlyArray<I>,
  limits: { readonly maxCalls: number; readonly maxBytes: number },
): ReadonlyArray<ReadonlyArray<I>> => {
  if (items.length === 1) return [items]
  const batches: Array<Array<I>> = []
  let batch: Array<I> = []
  let bytes = 0
  let maxCalls = limits.maxCalls
  for (const item of items) {
    const size = bytesOf(item.text) + 1
    maxCalls = Math.min(maxCalls, item.maxBatchSize)
    if (batch.length === 0 || batch.length >= maxCalls || bytes + size > limits.maxBytes) {
      batch = []
      bytes = 0
      maxCalls = Math.min(limits.maxCalls, item.maxBatchSize)
      batches.push(batch)
    }
    batch.push(item)
    bytes += size
  }
  return batches
}

/** Sends items in one request. */
export const send = <W extends Waiter>(items: ReadonlyArray<Item<W>>): Action<W> => {
  let endsAtMillis = 0
  for (const { waiters } of items) {
    for (const { ask } of waiters) endsAtMillis = Math.max(endsAtMillis, ask.endsAtMillis)
  }
  const request: InFlight<W> = {
    items,
    endsAtMillis,
    waiting: items.length,
    phase: "headers",
    startedAtMillis: 0,
    sentAtMillis: 0,
    fiber: undefined,
  }
  for (const item of items) item.request = request
  return { _tag: "Send", request }
}

const flush = <W extends Waiter>(state: State<W>, of: Queue<W>, limit: number): ReadonlyArray<Action<W>> => {
  const waiting = of.items.filter(({ waiters }) => waiters.size > 0)
  of.items = []
  return split(waiting, { maxCalls: Math.min(of.maxCalls, limit), maxBytes: state.maxRequestBytes }).map(send)
}

const keyOf = ({ call, context, isShared }: Ask<unknown>): string | undefined =>
  isShared
    ? `${Boolean(context.reading)} ${context.maxBytes} ${context.maxItemBytes} ${call.method} ${JSON.stringify(call.params)}`
    : undefined

const joinShared = <W extends Waiter>(item: Item<W>, waiter: W): ReadonlyArray<Action<W>> => {
  item.waiters.add(waiter)
  item.maxBatchSize = Math.min(item.maxBatchSize, waiter.ask.context.maxBatchSize)
  waiter.item = item
  return item.request === undefined ? [] : [{ _tag: "Watch", request: item.request, waiter }]
}

/** Makes the item of a waiter. */
const itemOf = <W extends Waiter>(waiter: W, key: string | undefined): Item<W> => {
  const { call, context } = waiter.ask
  const { maxBatchSize } = context
  const text = requestText(call)
  const item: Item<W> = { call, key, text, maxBatchSize, waiters: new Set([waiter]), request: undefined }
  waiter.item = item
  return item
}

const join = <W extends Waiter>(state: State<W>, waiter: W, to: Queue<W>, limit: number): ReadonlyArray<Action<W>> => {
  const { ask } = waiter
  const key = keyOf(ask)
  const same = state.shared.get(key)
  if (same !== undefined) return joinShared(same, waiter)
  const item = itemOf(waiter, key)
  if (key !== undefined) state.shared.set(key, item)
  if (item.maxBatchSize === 1) return [send([item])]
  to.items.push(item)
  if (to.items.length >= Math.min(to.maxCalls, limit)) return flush(state, to, limit)
  if (to.items.length > 1) return []
  return [{ _tag: "Schedule", queue: to, windowMillis: Math.max(to.windowMillis, ask.windowMillis), waiter }]
}

const forget = <W>(state: State<W>, item: Item<W>): void => {
  if (state.shared.get(item.key) === item) state.shared.delete(item.key)
}

const leave = <W extends Waiter>(state: State<W>, waiter: W): ReadonlyArray<Action<W>> => {
  const { item } = waiter
  if (item === undefined || !item.waiters.delete(waiter) || item.waiters.size > 0) return []
  forget(state, item)
  const { request } = item
  if (request === undefined || --request.waiting > 0) return []
  return [{ _tag: "Cancel", request }]
}

/** Items of attempts that are sent together, or `null` if they do not fit into one request. */
export const listOf = <W extends Waiter>(
  { maxRequestBytes }: State<W>,
  waiters: ReadonlyArray<W>,
  maxCalls: number,
): ReadonlyArray<Item<W>> | null => {
  const items = waiters.map((waiter) => itemOf(waiter, undefined))
  return split(items, { maxCalls, maxBytes: maxRequestBytes }).length === 1 ? items : null
}

/** Applies an input. Actions are executed in order. */
export const step = <W extends Waiter>(state: State<W>, input: Input<W>): ReadonlyArray<Action<W>> => {
  switch (input._tag) {
    case "Joined":
      return join(state, input.waiter, input.queue, input.limit)
    case "Left":
      return leave(state, input.waiter)
    case "Due":
      return flush(state, input.queue, input.limit)
  }
}

/** Ends an item that has an outcome: later identical calls are sent anew. Returns its waiters. */
export const end = <W>(state: State<W>, item: Item<W>): ReadonlyArray<W> => {
  forget(state, item)
  const waiters = [...item.waiters]
  item.waiters.clear()
  return waiters
}
