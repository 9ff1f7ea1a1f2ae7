/**
 * Keeps a client below a configured rate, in calls or cost units, so that the server does not reject its calls. The bucket is a plain value
 * with pure transitions; `make` holds one and waits.
 *
 * Source: decision 0057.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InvalidOption } from "../ClientError.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as OptionCheck from "./OptionCheck.ts"

/** The option `rateLimit` of a client. */
export interface Options {
  /** Units per second; a function is read before each call. */
  readonly perSecond: number | (() => number)
  /** Units that may be used at once after an idle time. Default `perSecond`, and at least 1. */
  readonly burst?: number | undefined
  /** Cost of a call by the name of its method. */
  readonly units?: Readonly<Record<string, number>> | undefined
  /** Cost of methods that are not in `units`. Default 1. */
  readonly defaultUnits?: number | undefined
}

/** Checks the option `rateLimit` with its current rate. `moreKinds` are members that a client adds. */
export const check = (
  given: Options,
  moreKinds: Readonly<Record<string, OptionCheck.Kind>> = {},
): Result.Result<void, InvalidOption> => {
  const rate = typeof given?.perSecond === "function" ? { ...given, perSecond: given.perSecond() } : given
  const checked = OptionCheck.members(rate, { perSecond: "rate", burst: "rate", ...moreKinds }, "rateLimit")
  return Result.isSuccess(checked) && rate.perSecond === undefined
    ? Result.fail(OptionCheck.invalid("rateLimit.perSecond", "a number above 0", undefined))
    : Result.map(checked, () => undefined)
}

/** Content of a bucket that fills at `perSecond` up to `burst`. */
export interface State {
  readonly perSecond: number
  readonly burst: number
  /** Units in the bucket at `filledAtMillis`; negative while callers wait for units that they have already taken. */
  readonly level: number
  /** Milliseconds of the monotonic clock; undefined before the first call. */
  readonly filledAtMillis: number | undefined
}

const burstOf = (perSecond: number, burst: number | undefined): number => burst ?? Math.max(perSecond, 1)

export const initial = ({
  burst,
  perSecond,
}: {
  readonly burst?: number | undefined
  readonly perSecond: number
}): State => {
  const size = burstOf(perSecond, burst)
  return { perSecond, burst: size, level: size, filledAtMillis: undefined }
}

/** Changes the rate of a bucket; it holds at most its burst. */
const withRate = (state: State, perSecond: number, burst: number | undefined): State => {
  const size = burstOf(perSecond, burst)
  return { ...state, perSecond, burst: size, level: Math.min(state.level, size) }
}

/** The bucket at a later time. */
export const fill = (state: State, nowMillis: number): State => {
  const elapsed = Math.max(0, nowMillis - (state.filledAtMillis ?? nowMillis))
  return {
    ...state,
    level: Math.min(state.burst, state.level + (elapsed * state.perSecond) / 1000),
    filledAtMillis: nowMillis,
  }
}

/** Time until the bucket holds `units`, in milliseconds; 0 or less when it does. */
export const waitMillis = (state: State, units: number): number => ((units - state.level) * 1000) / state.perSecond

/** Takes units in advance: later callers queue behind this one, in call order. */
export const take = (state: State, units: number): State => ({ ...state, level: state.level - units })

/** Returns the units of a caller that stopped waiting. */
export const giveBack = (state: State, units: number): State => ({
  ...state,
  level: Math.min(state.burst, state.level + units),
})

/** The rate limit of one endpoint. */
export interface TokenBucket {
  /** Time that a call would have to wait, in milliseconds; 0 or less for none. `nowMillis` is a reading of the monotonic clock. */
  readonly waitMillis: (method: string, nowMillis: number) => number
  /**
   * Takes the units of a call and waits for them for at most `withinMillis`. If the wait would be longer, takes nothing and returns its
   * length; otherwise returns undefined.
   */
  readonly take: (method: string, withinMillis: number) => Effect.Effect<Duration.Duration | undefined>
}

/** Makes a full bucket. */
export const make = (options: Options): TokenBucket => {
  const { burst, defaultUnits = 1, perSecond, units = {} } = options
  const rateNow = typeof perSecond === "function" ? perSecond : () => perSecond
  let state = initial({ burst, perSecond: rateNow() })

  const unitsOf = (method: string): number =>
    Math.min(Object.hasOwn(units, method) ? units[method]! : defaultUnits, state.burst)

  const waitFor: TokenBucket["waitMillis"] = (method, nowMillis) => {
    state = withRate(fill(state, nowMillis), rateNow(), burst)
    return waitMillis(state, unitsOf(method))
  }

  return {
    waitMillis: waitFor,
    take: (method, withinMillis) =>
      Effect.flatMap(MonotonicClock.millis, (now) => {
        const millis = waitFor(method, now)
        if (millis >= withinMillis) return Effect.succeed(Duration.millis(Math.ceil(millis)))
        const taken = unitsOf(method)
        state = take(state, taken)
        if (millis <= 0) return Effect.undefined
        return Effect.sleep(Duration.millis(millis)).pipe(
          Effect.onInterrupt(() => Effect.sync(() => (state = giveBack(state, taken)))),
          Effect.as(undefined),
        )
      }),
  }
}
