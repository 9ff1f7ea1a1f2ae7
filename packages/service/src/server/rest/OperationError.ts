/**
 * Responds to the errors of operations that read an index.
 *
 * Source: decisions 0012, 0013 and 0048.
 */
import * as Effect from "effect/Effect"
import type * as QueryError from "../../query/QueryError.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as WatchList from "../../store/WatchList.ts"
import type * as FairQueue from "../admission/FairQueue.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as IndexCoverage from "./IndexCoverage.ts"

/** How an operation refers to the ledgers that it reads, and what its caller can do without them. */
export interface Wording {
  /** What is not derived yet. */
  readonly what: string
  readonly whenNotDerived: string
}

type Failure =
  | InvalidParameter
  | QueryError.NotDerived
  | QueryError.NotIndexed
  | QueryError.NotSearched
  | QueryError.NotTraced
  | QueryError.NotWatched
  | QueryError.Stale
  | StoreError

const notDerived =
  ({ what, whenNotDerived: advice }: Wording) =>
  ({ chain, checkpoint, next }: QueryError.NotDerived) =>
    ErrorResponse.notComplete(
      `${what} not complete: ${chain}, derived up to block ${(next ?? checkpoint.first) - 1}. ${advice}`,
      IndexCoverage.ofCheckpoint(checkpoint),
    )

const notSearched =
  ({ what }: Wording) =>
  ({ chain, checkpoint, searchEnd, searchedTo, wallet }: QueryError.NotSearched) => {
    const coverage = { checkpoint: WatchList.ofWallet(checkpoint, wallet), missing: 0, reconciledTo: null }
    return ErrorResponse.notComplete(
      `${what} not complete: ${wallet} on ${chain}, whose past is searched up to block ${searchedTo ?? "none"} of ${searchEnd}. Retry later.`,
      IndexCoverage.headers({ ...coverage, searchedTo: searchedTo ?? undefined }),
    )
  }

const notIndexed = ({ checkpoint: { first, head }, range: { from, to } }: QueryError.NotIndexed) => {
  const [name, bound] = to._tag === "Open" ? (["from", from] as const) : (["to", to] as const)
  return ErrorResponse.badRequest(
    InvalidParameter.fromIssue({
      path: `${name}_${bound._tag === "Date" ? "date" : "block"}`,
      expected: `a range that includes indexed blocks (${first} to ${head.number})`,
      received: "a range without any",
    }),
  )
}

const notTraced = ({ chain }: QueryError.NotTraced) => {
  const message = `Traces not indexed: ${chain}. Send the request without "include".`
  return ErrorResponse.badRequest(new InvalidParameter({ parameter: "include", code: "traces_not_indexed", message }))
}

const notWatched = ({ chain, wallet }: QueryError.NotWatched) => {
  const message = `Wallet not indexed: ${wallet} on ${chain}. Use a wallet that this service indexes.`
  return ErrorResponse.badRequest(new InvalidParameter({ parameter: "address", code: "address_not_watched", message }))
}

const stale = ({ checkpoint, resumeFromBlock }: QueryError.Stale) =>
  ErrorResponse.staleCursor(resumeFromBlock, IndexCoverage.ofCheckpoint(checkpoint))

/** Responds to a request for which a queue has no room; `what` are the requests in the plural. */
export const queueFull =
  (what: string) =>
  ({ max, scope }: FairQueue.QueueFull) =>
    scope === "caller"
      ? ErrorResponse.rateLimited(`Too many ${what} at once: ${max} of this API key are waiting. Retry later.`, {
          "retry-after": "1",
        })
      : ErrorResponse.unavailable(`Too many ${what} at once: ${max} are waiting. Retry later.`)

/** Responds to the errors of an operation. */
export const answer = <A, R>(
  response: Effect.Effect<A, Failure | ErrorResponse.ErrorResponse, R>,
  wording: Wording,
): Effect.Effect<A, ErrorResponse.ErrorResponse, R> =>
  Effect.catchTags(response, {
    InvalidParameter: ErrorResponse.badRequest,
    NotDerived: notDerived(wording),
    NotIndexed: notIndexed,
    NotSearched: notSearched(wording),
    NotTraced: notTraced,
    NotWatched: notWatched,
    Stale: stale,
    StoreError: ErrorResponse.fromStore,
  })
