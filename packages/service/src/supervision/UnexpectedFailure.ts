/**
 * How a loop that must continue handles a defect: it fails like any other attempt, so that it is logged and retried.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** An attempt failed with something outside its declared errors. */
export class UnexpectedFailure extends Data.TaggedError("UnexpectedFailure")<{ readonly message: string }> {}

/** Converts a defect of an attempt to a failure. */
export const fromDefect = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E | UnexpectedFailure, R> =>
  Effect.catchDefect(attempt, (defect) =>
    Effect.fail(new UnexpectedFailure({ message: defect instanceof Error ? defect.message : String(defect) })),
  )
