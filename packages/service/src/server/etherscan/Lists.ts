/**
 * Reads the rows of a list: pages of a query in sequence, until the list has the requested number of rows. Coverage and errors of the query
 * are translated to the dialect: a list is either complete or an error.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as CompleteRange from "../../query/CompleteRange.ts"
import type * as Coverage from "../../query/Coverage.ts"
import type * as QueryError from "../../query/QueryError.ts"
import * as WalletPage from "../../query/WalletPage.ts"
import type { StoreError } from "../../store/StoreError.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import * as FairQueue from "../admission/FairQueue.ts"
import type { Turns } from "../admission/Turns.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import type { Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as ListPlaces from "./ListPlaces.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import type { ListParameters } from "./Parameters.ts"

/** Which list to read. */
export interface Options<Row, Selection> {
  readonly request: Request
  readonly wallet: string
  readonly list: ListParameters
  readonly selection: Selection
  /** Kind of rows listed, for their positions. */
  readonly kind: string
  readonly read: (
    query: WalletPage.Query<Selection>,
  ) => Effect.Effect<WalletPage.Page<Row>, QueryError.Stale | ReadError>
  /** Requirements of the rows on a block. Default: transactions that the wallet sent or received. */
  readonly needs?: CompleteRange.Needs
}

/** Why a page cannot be read. */
type ReadError =
  | CompleteRange.Incomplete
  | QueryError.NotDerived
  | QueryError.NotTraced
  | QueryError.NotWatched
  | QueryError.TooManyTexts
  | StoreError

/** Rows of a list, and what the index covers. */
export interface Rows<Wire> {
  readonly rows: ReadonlyArray<Wire>
  /** Approximate size of the rows as text. */
  readonly bytes: number
  readonly coverage: Coverage.Coverage
}

/** Maximum number of bytes of stored texts read at once. */
const pageBytes = 256 * 1024

/** Maximum number of bytes of the rows in a response. */
export const maxBytes = 16 * 1024 * 1024

/** Maximum number of pages read for one response: most of them have few matching rows. */
const maxPages = 2_000

/** Time that a list waits for the head of a node. */
const maxHeadMillis = 1_000

/** Number of times that a list is read again after a reorg. */
const maxRestarts = 3

/** Translates an error of a query to the dialect. */
export const refusalOf = (error: ReadError | QueryError.NotSearched): Effect.Effect<never, Envelope.Refused> => {
  switch (error._tag) {
    case "Incomplete":
      return Effect.fail(Envelope.notIndexed(error.message))
    case "NotDerived": {
      const from = error.next ?? error.checkpoint.first
      return Effect.fail(
        Envelope.notIndexed(`rows of this kind are not derived yet from block ${from} of ${error.chain} on`),
      )
    }
    case "NotTraced":
      return Effect.fail(Envelope.notIndexed(`no block of ${error.chain} has traces`))
    case "NotSearched": {
      const { searchEnd, searchedTo } = error
      return Effect.fail(
        Envelope.notIndexed(`the past of the wallet is searched up to block ${searchedTo ?? "none"} of ${searchEnd}`),
      )
    }
    case "NotWatched":
      return Effect.fail(Envelope.notIndexed(`the wallet ${error.wallet} is not watched on ${error.chain}`))
    case "TooManyTexts":
      return Effect.fail(Envelope.tooMuch)
    case "StoreError":
      if (error.damagedBlock !== undefined) {
        return Effect.andThen(
          UnavailableLog.write(error),
          Effect.fail(Envelope.notIndexed(`block ${error.damagedBlock} cannot be read`)),
        )
      }
      return Effect.andThen(
        UnavailableLog.write(error),
        Effect.fail(Envelope.unreadable(error, "the index cannot be read now.")),
      )
  }
}

const bound = (block: number) => ({ _tag: "Block", block }) as const

/** State shared by all lists of a process. */
interface Shared {
  readonly calls: NodeCalls
  readonly turns: Turns
  readonly places: ListPlaces.ListPlaces
  /** Lists for which preceding rows are being counted. */
  readonly skips: FairQueue.FairQueue
}

/**
 * While its rows are counted, a list keeps a snapshot and waits for turns. Few snapshots may be open, and pages need one. A caller has at
 * most as many such lists as it may read at once.
 */
const skipBounds: FairQueue.Options = { ...FairQueue.besideOthers, concurrency: 3, concurrencyPerCaller: 1 }

const refuseMore = ({ max }: FairQueue.QueueFull) => Effect.fail(Envelope.queueFull("lists", max))

/** Reads a list once. */
const readOnce = Effect.fnUntraced(function* <Row, Selection, Wire>(
  { kind, ...options }: Options<Row, Selection>,
  { calls, places, skips, turns }: Shared,
  toWire: (rows: ReadonlyArray<Row>, coverage: Coverage.Coverage) => Effect.Effect<ReadonlyArray<Wire>, StoreError>,
) {
  const { list, needs, read, request, selection, wallet } = options
  const { chain } = request
  const skipping = <A, E>(page: Effect.Effect<A, E>) => skips.run(holderOf(request.grant), page)
  const { from, limit, order, skipped, to } = list
  const ownPlaces = { chain, wallet, list, kind }
  const range = { from: bound(from), to: bound(to) }
  const found: Array<Wire> = []
  let position: WalletPage.Position =
    skipped === 0
      ? WalletPage.first
      : { _tag: "Skip", rows: skipped, known: places.find(ownPlaces, skipped), inTurn: turns.run }
  let bytes = 0
  for (let pages = 1; ; pages++) {
    const query = { chain, wallet, range, order, position, limit: limit - found.length, maxBytes: pageBytes, selection }
    const { after, coverage, next, rows } = yield* position._tag === "Skip" ? skipping(read(query)) : read(query)
    if (pages === 1) {
      const readHead = calls.head(request).pipe(
        Effect.timeout(maxHeadMillis),
        Effect.orElseSucceed(() => undefined),
      )
      yield* CompleteRange.check(chain, coverage, { from, to }, { needs, readHead })
      if (after !== null) places.keep(ownPlaces, { place: after, rows: skipped }, coverage)
    }
    const wires = yield* turns.run(toWire(rows, coverage))
    for (const wire of wires) {
      found.push(wire)
      bytes += JSON.stringify(wire).length
    }
    if (bytes > maxBytes) return yield* Envelope.tooMuch
    if (next !== null) places.keep(ownPlaces, { place: next.after, rows: skipped + found.length }, coverage)
    if (next === null || found.length >= limit) return { rows: found, bytes, coverage }
    if (pages === maxPages) return yield* Envelope.tooMuch
    position = { _tag: "After", continuation: next }
  }
})

/**
 * Makes the reader of lists. A caller may read a few of them at a time, since one may search a whole history.
 *
 * **Errors**
 * - `Refused`: the index lacks part of the list, the list is too large, too many requests of its caller wait, or the database cannot be
 *   read at present.
 */
export const make = (turns: Turns, calls: NodeCalls) => {
  const skips = FairQueue.make(skipBounds, turns.shares)
  const shared: Shared = { calls, turns, places: ListPlaces.make(), skips }
  const queue = FairQueue.make(FairQueue.besideOthers)

  const attempt = <Row, Selection, Wire>(
    options: Options<Row, Selection>,
    toWire: (rows: ReadonlyArray<Row>, coverage: Coverage.Coverage) => Effect.Effect<ReadonlyArray<Wire>, StoreError>,
    restarts = 0,
  ): Effect.Effect<Rows<Wire>, Envelope.Refused> =>
    readOnce(options, shared, toWire).pipe(
      Effect.catch((error): Effect.Effect<Rows<Wire>, Envelope.Refused> => {
        if (error._tag === "Refused") return Effect.fail(error)
        if (error._tag === "QueueFull") return refuseMore(error)
        if (error._tag !== "Stale") return refusalOf(error)
        return restarts === maxRestarts
          ? Effect.fail(Envelope.busy("the chain is reorganizing."))
          : attempt(options, toWire, restarts + 1)
      }),
    )

  return <Row, Selection, Wire>(
    options: Options<Row, Selection>,
    toWire: Parameters<typeof attempt<Row, Selection, Wire>>[1],
  ): Effect.Effect<Rows<Wire>, Envelope.Refused> =>
    queue.run(holderOf(options.request.grant), attempt(options, toWire)).pipe(Effect.catchTag("QueueFull", refuseMore))
}

/** Reads lists. */
export type ReadList = ReturnType<typeof make>
