/**
 * Steps of a wallet's event stream, independent of the transport: where it starts, what it selects, how many streams a caller may have, and
 * its events as JSON.
 *
 * Source: decision 0073.
 */
import * as Issue from "@daybook/schema/Issue"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import type { Decoder } from "@daybook/abi/Decoder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as SharedSteps from "../../push/SharedSteps.ts"
import * as Events from "../../push/WalletEvents.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import type { Bounds } from "../admission/Bounds.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import type * as Response from "../http/Response.ts"
import * as Dates from "./Dates.ts"
import * as EventText from "./EventText.ts"
import type * as OperationError from "./OperationError.ts"
import * as WalletTransactions from "./WalletTransactions.ts"

/** Dependencies of streams. */
export interface Options {
  readonly bounds: Bounds["Service"]
  readonly config: Pick<Config, "empty" | "limits">
  readonly contracts: ChainContracts["Service"]
  readonly decoder: Decoder
}

/** A stream requested by a caller. */
export interface StreamRequest {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly query: Omit<WalletEvent.EventQuery, "chain">
  /** The cursor in the header `Last-Event-ID`, which takes precedence; empty if absent. */
  readonly lastEventId: string
  readonly grant: KeyGrant
  /** Headers of a response that rejects it. */
  readonly headers: Response.Headers
}

/** A started stream, which counts towards its caller's limit until it is released. */
export interface EventSteps {
  /** Stops counting it; further calls have no effect. */
  readonly release: Effect.Effect<void>
  /** The first step, so that its errors precede the stream. */
  readonly first: Events.Step
  readonly take: (state: Events.State) => Effect.Effect<Events.Step, Events.StreamError>
  /** Formats the events of a step as JSON. */
  readonly textsOf: (step: Events.Step) => Effect.Effect<ReadonlyArray<EventText.EventText>, Events.StreamError>
}

/** How errors refer to the ledgers that a stream reads. */
export const wording: OperationError.Wording = {
  what: "Ledger",
  whenNotDerived: "Retry later, or use types=wallet.transaction.",
}

/** Maximum number of bytes of rows per step. */
const stepBytes = 256 * 1024
/** Seconds after which a client with too many streams may retry. */
const retrySeconds = 10
/** No chain has longer block numbers. */
const blockPattern = /^[0-9]{1,15}$/

/** What `from` accepts, for messages. */
const expectedBeginning =
  "now, a block number in digits, the cursor of an event, or a date such as 2021-05-07T11:08:35Z"

/** Where a stream starts: at the position of a cursor, or at a position that is looked up. */
export type Beginning = { readonly _tag: "After"; readonly position: EventPosition.EventPosition } | Events.Beginning

const fromCursor = (
  path: string,
  text: string,
  selection: string,
  what: string,
): Result.Result<Beginning, InvalidParameter> =>
  Result.mapBoth(EventPosition.parse(text, selection), {
    onSuccess: (position): Beginning => ({ _tag: "After", position }),
    onFailure: (expected) => InvalidParameter.fromIssue({ path, expected, received: "other text" }, what),
  })

/** Reads where events start: a block, a date, the cursor of a selection, or `now`. Errors refer to it as `what`. */
export const readBeginning = (
  from: string,
  selection: string,
  what = "query parameter",
): Result.Result<Beginning, InvalidParameter> => {
  if (from === "now") return Result.succeed({ _tag: "Now" })
  if (EventPosition.isText(from)) return fromCursor("from", from, selection, what)
  if (blockPattern.test(from)) return Result.succeed({ _tag: "At", bound: { _tag: "Block", block: Number(from) } })
  return Result.mapBoth(Dates.read("from", from), {
    onSuccess: (date): Beginning => ({ _tag: "At", bound: { _tag: "Date", date } }),
    onFailure: () =>
      InvalidParameter.fromIssue({ path: "from", expected: expectedBeginning, received: Issue.describe(from) }, what),
  })
}

const beginningOf = (lastEventId: string, from: string, selection: string) =>
  lastEventId === "" ? readBeginning(from, selection) : fromCursor("last-event-id", lastEventId, selection, "header")

/** Starts a stream if its caller may have another one. */
export type Open = (
  request: StreamRequest,
) => Effect.Effect<EventSteps, ErrorResponse.ErrorResponse | Events.StreamError | InvalidParameter>

/** Makes the function that starts streams. */
export const make = ({ bounds, config, contracts, decoder }: Options): Open => {
  const { pageBytes } = config.limits
  const { eventStreams, turns } = bounds
  const decode = WalletTransactions.rowDecoder(decoder, pageBytes)

  const subscriptionOf = ({ chain, query, wallet }: StreamRequest): Events.Subscription => ({
    chain,
    wallet,
    types: new Set(query.types ?? WalletEvent.rowTypes),
    selection: { asset: query.asset, kind: query.kind },
    isFinal: query.finality === "final",
    maxBytes: Math.min(stepBytes, pageBytes),
  })

  const begin = Effect.fnUntraced(function* (
    request: StreamRequest,
    release: EventSteps["release"],
  ): Effect.fn.Return<EventSteps, Events.StreamError | InvalidParameter> {
    const { chain, grant, lastEventId, query, wallet } = request
    const subscription = subscriptionOf(request)
    const selection = Events.selectionText(subscription)
    const take = (state: Events.State) => turns.run(SharedSteps.step(subscription, state))
    const beginning = yield* Effect.fromResult(beginningOf(lastEventId, query.from ?? "now", selection))
    const state =
      beginning._tag === "After"
        ? Events.after(beginning.position)
        : yield* turns.run(Events.start(subscription, beginning))
    return {
      release,
      first: yield* take(state),
      take,
      textsOf: Effect.fnUntraced(function* (step) {
        const { decoder: contractDecoder, label } = yield* contracts.find(chain)
        return EventText.events(step, yield* Clock.currentTimeMillis, {
          chain,
          wallet,
          selection,
          label,
          empty: grant.empty ?? config.empty,
          contractDecoder,
          decode,
        })
      }),
    }
  })

  // It counts before its first step is awaited, so that concurrently opened streams see it.
  return Effect.fnUntraced(function* (request) {
    const holder = holderOf(request.grant)
    const bound = eventStreams.reached(holder)
    if (bound !== undefined) {
      const message = `Too many open streams: ${bound} is reached. Close one first.`
      return yield* ErrorResponse.rateLimited(message, { ...request.headers, "retry-after": String(retrySeconds) })
    }
    eventStreams.add(holder, 1)
    let isHeld = true
    const release = Effect.sync(() => {
      if (isHeld) eventStreams.add(holder, -1)
      isHeld = false
    })
    return yield* Effect.onError(begin(request, release), () => release)
  })
}
