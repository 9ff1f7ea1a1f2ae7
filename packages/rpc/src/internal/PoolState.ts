/**
 * The state of an endpoint pool and its transitions: plain values and pure functions. `EndpointPool` runs them.
 */

import * as Backoff from "@daybook/transport/internal/Backoff"

/**
 * How the first endpoint of a call is chosen.
 *
 * **Details**
 * - `priority`: the configured order. A recovered endpoint is used again as soon as its cooldown ends.
 * - `sticky`: the preferred endpoint; when another endpoint answers in its place, that one becomes preferred.
 * - `spread`: each call starts at the next endpoint in turn, or at the one of its `key`. For calls with the same result at every endpoint,
 *   such as blocks far below the head.
 *
 * With each strategy, endpoints that are paused, cooling down, lagging or without the method come last.
 */
export type Strategy = "priority" | "sticky" | "spread"

/**
 * What is known about an endpoint. Times are in milliseconds of the monotonic clock.
 */
export interface EndpointState {
  /** Consecutive failures since the last success. */
  readonly failures: number
  /** True once the endpoint has answered a call. */
  readonly hasAnswered: boolean
  /** End of the cooldown after a failure; 0 without one. */
  readonly cooldownUntil: number
  /** End of the pause that the server requested; 0 without one. */
  readonly pausedUntil: number
  /** Methods that the endpoint reported as unsupported and has not answered since. */
  readonly unsupportedMethods: ReadonlySet<string>
  /** Largest batch that the endpoint accepts, as detected from its errors; infinite while unknown. */
  readonly detectedLimit: number
  /** True once the verification hook has accepted the endpoint. */
  readonly isVerified: boolean
  /** Highest block that the endpoint has shown; -1 while unknown. */
  readonly height: bigint
}

/**
 * How long an endpoint is left alone after a failure.
 */
export interface Limits {
  /** Cooldown after the first failure, in milliseconds; doubles with each further one. */
  readonly cooldownMillis: number
  /** Longest cooldown, in milliseconds. */
  readonly maxCooldownMillis: number
  /** Longest pause granted to a server, in milliseconds. */
  readonly maxPauseMillis: number
}

/**
 * The state of a pool: a plain value that `step` advances.
 */
export interface State {
  readonly endpoints: ReadonlyArray<EndpointState>
  /** Index of the preferred endpoint. */
  readonly preferred: number
  /** Number of calls that were spread without a key. */
  readonly turns: number
  /** Highest block recently seen at any endpoint; -1 while unknown. */
  readonly highest: bigint
  /** When an endpoint last showed that block or a later one. */
  readonly highestAt: number
  readonly limits: Limits
}

/**
 * What the outcome of a call implies for its endpoint, and whether the next endpoint is called.
 *
 * **Details**
 * - `Final`: a value, or an error that every endpoint would return. No other endpoint is called. `method` is no longer unsupported.
 * - `Empty`: the endpoint has no data, such as `null` for a block. Returned if no other endpoint has data.
 * - `Declined`: the endpoint works but does not answer this call; another may. `unsupportedMethod` is remembered.
 * - `Unavailable`: the endpoint failed and cools down. With `isDisconnected` it is verified again before its next call.
 *
 * `pauseMillis` is the pause that the server requested.
 */
export type Verdict =
  | { readonly _tag: "Final"; readonly method?: string | undefined }
  | { readonly _tag: "Empty" }
  | {
      readonly _tag: "Declined"
      readonly unsupportedMethod?: string | undefined
      readonly pauseMillis?: number | undefined
    }
  | { readonly _tag: "Unavailable"; readonly pauseMillis?: number | undefined; readonly isDisconnected?: boolean }

/**
 * An event in a pool. `index` is the endpoint's position; `now` is in milliseconds of the monotonic clock.
 */
export type Event =
  | { readonly _tag: "Judged"; readonly index: number; readonly verdict: Verdict; readonly now: number }
  | { readonly _tag: "Preferred"; readonly index: number }
  | { readonly _tag: "Verified"; readonly index: number }
  | { readonly _tag: "VerificationReset" }
  | { readonly _tag: "BatchLimited"; readonly index: number; readonly limit: number }
  | {
      readonly _tag: "HeightSeen"
      readonly index: number
      readonly height: bigint
      readonly isHead: boolean
      readonly now: number
    }
  | { readonly _tag: "TurnTaken" }

/**
 * Criteria for the order of endpoints.
 */
export interface Query {
  /** Current time, in milliseconds of the monotonic clock. */
  readonly now: number
  /** Default `priority`. */
  readonly strategy?: Strategy | undefined
  /** For `spread`: calls with the same key, such as a block number, start at the same endpoint. */
  readonly key?: number | undefined
  /** Indexes of the endpoints that may be called. Default all. */
  readonly among?: ReadonlyArray<number> | undefined
  /** Wire name of the method, so that endpoints without it come last. */
  readonly method?: string | undefined
  /** True for a call whose result depends on the newest block, so that lagging endpoints come last. Default false. */
  readonly needsHead?: boolean | undefined
  /** Time until an endpoint accepts a call, in milliseconds. Default: until its pause ends. */
  readonly waitMillis?: ((index: number) => number) | undefined
}

/** Time after which a highest block that no endpoint shows any more is forgotten. One wrong head must not disable the other endpoints. */
const maxHighestMillis = 60_000

const fresh: EndpointState = {
  failures: 0,
  hasAnswered: false,
  cooldownUntil: 0,
  pausedUntil: 0,
  unsupportedMethods: new Set(),
  detectedLimit: Number.POSITIVE_INFINITY,
  isVerified: false,
  height: -1n,
}

/**
 * Initial state of a pool, with nothing known about its endpoints.
 *
 * **Example** (Making the state of two endpoints)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 *
 * console.log(EndpointPool.initial(2).endpoints.length) // 2
 * ```
 */
export const initial = (
  size: number,
  { cooldownMillis = 1_000, maxCooldownMillis = 30_000, maxPauseMillis = 86_400_000 }: Partial<Limits> = {},
): State => ({
  endpoints: Array.from({ length: size }, () => fresh),
  preferred: 0,
  turns: 0,
  highest: -1n,
  highestAt: 0,
  limits: { cooldownMillis, maxCooldownMillis, maxPauseMillis },
})

const pausedUntil = (state: State, one: EndpointState, pauseMillis: number | undefined, now: number): number =>
  pauseMillis === undefined
    ? one.pausedUntil
    : Math.max(one.pausedUntil, now + Math.min(pauseMillis, state.limits.maxPauseMillis))

const judged = (state: State, one: EndpointState, verdict: Verdict, now: number): EndpointState => {
  switch (verdict._tag) {
    case "Final":
    case "Empty": {
      const unsupportedMethods = new Set(one.unsupportedMethods)
      const isSupported = verdict._tag === "Final" && unsupportedMethods.delete(verdict.method ?? "")
      return one.hasAnswered && one.failures === 0 && one.cooldownUntil === 0 && !isSupported
        ? one
        : { ...one, hasAnswered: true, failures: 0, cooldownUntil: 0, unsupportedMethods }
    }
    case "Declined": {
      const { unsupportedMethod, pauseMillis } = verdict
      const unsupportedMethods =
        unsupportedMethod === undefined
          ? one.unsupportedMethods
          : new Set([...one.unsupportedMethods, unsupportedMethod])
      return { ...one, unsupportedMethods, pausedUntil: pausedUntil(state, one, pauseMillis, now) }
    }
    case "Unavailable": {
      const { pauseMillis, isDisconnected = false } = verdict
      const { cooldownMillis, maxCooldownMillis } = state.limits
      const failures = one.failures + 1
      return {
        ...one,
        failures,
        cooldownUntil:
          now + Backoff.delayMillis({ firstMillis: cooldownMillis, maxMillis: maxCooldownMillis }, failures),
        pausedUntil: pausedUntil(state, one, pauseMillis, now),
        isVerified: one.isVerified && !isDisconnected,
      }
    }
  }
}

const change = (state: State, index: number, next: (one: EndpointState) => EndpointState): State => {
  const one = state.endpoints[index]
  if (one === undefined) return state
  const changed = next(one)
  return changed === one ? state : { ...state, endpoints: state.endpoints.with(index, changed) }
}

/**
 * Applies an event to the state. Returns the same value if nothing changes.
 *
 * **Example** (Recording a height)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 *
 * const event = { _tag: "HeightSeen", index: 0, height: 100n, isHead: true, now: 0 } as const
 * console.log(EndpointPool.step(EndpointPool.initial(1), event).highest) // 100n
 * ```
 */
export const step = (state: State, event: Event): State => {
  switch (event._tag) {
    case "Judged":
      return change(state, event.index, (one) => judged(state, one, event.verdict, event.now))
    case "Preferred":
      return event.index === state.preferred || state.endpoints[event.index] === undefined
        ? state
        : { ...state, preferred: event.index }
    case "Verified":
      return change(state, event.index, (one) => (one.isVerified ? one : { ...one, isVerified: true }))
    case "VerificationReset":
      return { ...state, endpoints: state.endpoints.map((one) => ({ ...one, isVerified: false })) }
    case "BatchLimited":
      return change(state, event.index, (one) =>
        event.limit < one.detectedLimit ? { ...one, detectedLimit: Math.max(1, event.limit) } : one,
      )
    case "HeightSeen": {
      const { height, index, isHead, now } = event
      const next = change(state, index, (one) =>
        height > one.height || (isHead && height !== one.height) ? { ...one, height } : one,
      )
      const sinceMillis = now - state.highestAt
      const isShown = height > state.highest || (height === state.highest && sinceMillis > 0)
      return isShown || (isHead && sinceMillis > maxHighestMillis) ? { ...next, highest: height, highestAt: now } : next
    }
    case "TurnTaken":
      return { ...state, turns: state.turns + 1 }
  }
}

/** Weights of the reasons against an endpoint; endpoints with a lower total are called earlier. */
const penalty = { paused: 4, coolingDown: 4, methodUnsupported: 8, behindHead: 6, behind: 1 }

const penaltyOf = (state: State, one: EndpointState, query: Query, waitMillis: number): number =>
  (waitMillis > 0 ? penalty.paused : 0) +
  (one.cooldownUntil > query.now ? penalty.coolingDown : 0) +
  (query.method !== undefined && one.unsupportedMethods.has(query.method) ? penalty.methodUnsupported : 0) +
  (one.height >= 0n && one.height < state.highest
    ? query.needsHead === true
      ? penalty.behindHead
      : penalty.behind
    : 0)

const firstOf = (state: State, query: Query): number => {
  switch (query.strategy ?? "priority") {
    case "priority":
      return 0
    case "sticky":
      return state.preferred
    case "spread":
      return state.preferred + (query.key ?? state.turns)
  }
}

/**
 * Indexes of the endpoints in call order: by the weight of the reasons against them, then by the shortest wait, then by the strategy.
 *
 * **Example** (Calling the second endpoint while the first cools down)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 *
 * const verdict = { _tag: "Unavailable", pauseMillis: undefined } as const
 * const state = EndpointPool.step(EndpointPool.initial(2), { _tag: "Judged", index: 0, verdict, now: 0 })
 * console.log(EndpointPool.callOrder(state, { now: 1 })) // [ 1, 0 ]
 * ```
 */
export const callOrder = (state: State, query: Query): ReadonlyArray<number> => {
  const size = state.endpoints.length
  const among = query.among ?? Array.from(state.endpoints.keys())
  if (among.length <= 1) return among
  const start = firstOf(state, query) % size
  const waitOf = query.waitMillis ?? ((index) => (state.endpoints[index]?.pausedUntil ?? 0) - query.now)
  return among
    .map((index) => {
      const wait = Math.max(0, waitOf(index))
      const one = state.endpoints[index] ?? fresh
      return { index, wait, penalty: penaltyOf(state, one, query, wait), turn: (index - start + 2 * size) % size }
    })
    .toSorted((one, other) => one.penalty - other.penalty || one.wait - other.wait || one.turn - other.turn)
    .map(({ index }) => index)
}

/**
 * True if the endpoint's last call succeeded.
 *
 * **Example** (Checking whether an endpoint has answered)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 *
 * const state = EndpointPool.step(EndpointPool.initial(1), { _tag: "Judged", index: 0, verdict: { _tag: "Final" }, now: 0 })
 * console.log(EndpointPool.isHealthy(state.endpoints[0]!)) // true
 * ```
 */
export const isHealthy = (one: EndpointState): boolean => one.hasAnswered && one.failures === 0
