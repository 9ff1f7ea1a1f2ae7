/**
 * Queries of the index for Otterscan methods. What the index does not cover is an error, never a shorter list.
 *
 * Source: decisions 0016 and 0070.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Effect from "effect/Effect"
import type * as CompleteRange from "../../query/CompleteRange.ts"
import type * as QueryError from "../../query/QueryError.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import { code } from "../relay/RelayError.ts"

/** The index lacks what was requested. */
type NotCovered = CompleteRange.Incomplete | QueryError.NotDerived | QueryError.NotTraced | QueryError.NotWatched

/** Why a query cannot be answered. */
export type ReadError = NotCovered | QueryError.Stale | StoreError

const reasonOf = (error: NotCovered): string => {
  switch (error._tag) {
    case "Incomplete":
      return error.message
    case "NotDerived":
      return `rows of this kind are not derived yet from block ${error.next ?? error.checkpoint.first} of ${error.chain} on`
    case "NotTraced":
      return `no block of ${error.chain} has traces`
    case "NotWatched":
      return `the wallet ${error.wallet} is not watched on ${error.chain}`
  }
}

/** The index lacks what was requested. */
const notIndexed = (what: string): LocalMethod.CallFailed => LocalMethod.failed(`Not indexed: ${what}`)

const busy = (message: string): LocalMethod.CallFailed =>
  new LocalMethod.CallFailed({ failure: { code: code.unavailable, message }, retryAfterSeconds: 1 })

/** The chain was reorganised while it was read. */
export const reorganizes = busy("The chain is reorganizing. Retry later.")

/** Number of times that a query is repeated after a reorg. */
const maxRestarts = 3

const ofStore = (error: StoreError): Effect.Effect<never, LocalMethod.CallFailed> => {
  if (error.damagedBlock !== undefined) {
    const failure = notIndexed(`block ${error.damagedBlock} cannot be read`)
    return Effect.andThen(UnavailableLog.write(error), Effect.fail(failure))
  }
  const failure = error.isRetryable
    ? busy("The index cannot be read now. Retry later.")
    : LocalMethod.failed(UnavailableLog.issueOf(error), JsonRpc.code.internalError)
  return Effect.andThen(UnavailableLog.write(error), Effect.fail(failure))
}

/** Reads the index; if it lacks the answer, `otherwise` is called with the failure. */
export const read = <A, B>(
  query: Effect.Effect<A, ReadError>,
  otherwise: (failure: LocalMethod.CallFailed) => Effect.Effect<B, LocalMethod.CallFailed>,
): Effect.Effect<A | B, LocalMethod.CallFailed> =>
  query.pipe(
    Effect.retry({ times: maxRestarts, while: ({ _tag }) => _tag === "Stale" }),
    Effect.catch((error): Effect.Effect<B, LocalMethod.CallFailed> => {
      if (error._tag === "Stale") return Effect.fail(reorganizes)
      return error._tag === "StoreError" ? ofStore(error) : otherwise(notIndexed(reasonOf(error)))
    }),
  )
