/**
 * Answers the errors of the operations that read an index.
 *
 * Source: decision 0012.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "../../store/StoreError.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import type { InvalidParameter } from "../http/InvalidParameter.ts"
import type * as PagedQuery from "./PagedQuery.ts"

/** How an operation names rows that are not derived yet, and what its caller can do. */
export type NotComplete = Pick<Parameters<typeof ErrorResponse.notDerived>[0], "what" | "advice">

type Failure = InvalidParameter | PagedQuery.NotDerived | PagedQuery.StaleCursor | StoreError

/** Answers the errors of an operation. */
export const answer = <A, R>(
  response: Effect.Effect<A, Failure | ErrorResponse.ErrorResponse, R>,
  notComplete: NotComplete,
): Effect.Effect<A, ErrorResponse.ErrorResponse, R> =>
  Effect.catchTags(response, {
    InvalidParameter: ErrorResponse.badRequest,
    NotDerived: ({ chain, checkpoint, next }) =>
      ErrorResponse.notDerived(
        { ...notComplete, chain, next: next ?? checkpoint.first },
        IndexCoverage.headers(checkpoint),
      ),
    StaleCursor: ({ checkpoint, resumeFromBlock }) =>
      ErrorResponse.staleCursor(resumeFromBlock, IndexCoverage.headers(checkpoint)),
    StoreError: ErrorResponse.fromStore,
  })
