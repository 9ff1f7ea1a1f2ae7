/**
 * Bounded waits for a condition that no event reports, for tests of real processes and sockets.
 *
 * Prefer an event or the test clock. A wait returns as soon as the condition holds, so the bound is reached only by a failure.
 */
import { Effect, Schema } from "effect"

/** How to wait. */
export interface Options {
  /** Default 60,000. */
  readonly withinMillis?: number
  /** Time between two evaluations. Default 5. */
  readonly everyMillis?: number
  /** Completes the message `Condition not met within 60000 ms: <what>.` */
  readonly what?: string
}

/** The condition did not hold within the time allowed. */
export class ConditionNotMet extends Schema.TaggedError<ConditionNotMet>()("ConditionNotMet", {
  message: Schema.String,
}) {}

/** Long enough that only a hang exceeds it, even on a busy machine. */
const longest = 60_000

/** Maximum time that an evaluation may last beyond the time allowed. */
const maxGraceMillis = 10_000

const notMet = ({ withinMillis = longest, what = "no description" }: Options) =>
  new ConditionNotMet({ message: `Condition not met within ${withinMillis} ms: ${what}.` })

/** Resolves when `condition` is true; rejects with `ConditionNotMet`. */
export const until = async (condition: () => boolean | Promise<boolean>, options: Options = {}): Promise<void> => {
  const { withinMillis = longest, everyMillis = 5 } = options
  const deadline = performance.now() + withinMillis
  while (!(await condition())) {
    if (performance.now() >= deadline) throw notMet(options)
    await new Promise((resolve) => setTimeout(resolve, everyMillis))
  }
}

/** Fails some time after the time allowed, for an evaluation that does not end. */
const giveUp = (options: Options): Effect.Effect<never, ConditionNotMet> =>
  Effect.callback((resume) => {
    const { withinMillis = longest } = options
    const graceMillis = Math.min(withinMillis, maxGraceMillis)
    const timer = setTimeout(() => resume(Effect.fail(notMet(options))), withinMillis + graceMillis)
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Succeeds when `condition` returns true, using the real clock even if a test clock is installed.
 *
 * **Errors**
 * - `ConditionNotMet`: it did not hold in time, or an evaluation did not end.
 */
export const untilEffect = <E, R>(
  condition: Effect.Effect<boolean, E, R>,
  options: Options = {},
): Effect.Effect<void, E | ConditionNotMet, R> => {
  const { withinMillis = longest, everyMillis = 5 } = options
  const pause = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, everyMillis)))
  const attempt = (deadline: number): Effect.Effect<void, E | ConditionNotMet, R> =>
    Effect.flatMap(condition, (holds) => {
      if (holds) return Effect.void
      if (performance.now() >= deadline) return Effect.fail(notMet(options))
      return Effect.andThen(pause, attempt(deadline))
    })
  const evaluated = Effect.suspend(() => attempt(performance.now() + withinMillis))
  return Effect.raceFirst(evaluated, giveUp(options))
}
