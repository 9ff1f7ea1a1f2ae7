/**
 * Writes a log line for each request, once its response is sent or its connection is lost. It contains the route instead of the path, and
 * the name of the API key: paths hold addresses and keys.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as References from "effect/References"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as Closing from "../http/Closing.ts"
import type { RequestFacts } from "../http/RequestFacts.ts"

/** An answered request. */
export interface HandledRequest {
  readonly method: string
  /** Path pattern of the route; `undefined` if no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly requestId: string
  /** Address of the client. */
  readonly address: string
  readonly facts: RequestFacts
  /** Time on the clock of the context. */
  readonly startedAt: number
}

/** The observed parts of a request and its response. */
interface IncomingRequest {
  readonly socket: { readonly bytesWritten: number }
}
interface OutgoingResponse extends Closing.Closable {
  readonly writableFinished: boolean
}

/** Writes lines at the level `Info`, or at `Debug` if they are not generally wanted. */
export const make = (isWanted: boolean, context: Context.Context<never>) => {
  const level = isWanted ? "Info" : "Debug"
  const minimum = Context.get(context, References.MinimumLogLevel)
  const isDropped = !isWanted && !["All", "Trace", "Debug"].includes(minimum)
  const run = Effect.runForkWith(context)
  const now = MonotonicClock.readerOf(Context.get(context, Clock.Clock))

  /** Starts counting the bytes of a request; returns a function to be called with its answer. */
  return (message: IncomingRequest, response: OutgoingResponse): ((answered: HandledRequest) => void) => {
    if (isDropped) return () => undefined
    const { socket } = message
    const before = socket.bytesWritten
    return ({ address, facts, method, requestId, route = "(unknown path)", startedAt, status }) => {
      Closing.onClose(response, () => {
        const { chain, key, span } = facts
        const fields = {
          chain,
          method,
          route,
          status,
          key,
          bytes: socket.bytesWritten - before,
          millis: Math.round(now() - startedAt),
          address: address === "" ? undefined : address,
          requestId,
          traceId: span?.traceId,
          isComplete: response.writableFinished ? undefined : false,
        }
        run(Effect.annotateLogs(Effect.logWithLevel(level)("request"), Record.filter(fields, Predicate.isNotUndefined)))
      })
    }
  }
}
