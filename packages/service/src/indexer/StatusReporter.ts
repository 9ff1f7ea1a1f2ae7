/**
 * How an indexer tells what it does: events for the program around it, lines for the log, and the status in the store for other
 * processes. Nothing of it holds a key or a URL.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { TraceSource } from "../node/Node.ts"
import type { BlockRef, BlockRows, IndexerStatus, StoreShape } from "../store/Store.ts"
import * as Throughput from "./Throughput.ts"

/**
 * What has been done since the indexer started.
 */
export interface Totals {
  readonly blocks: number
  readonly transactions: number
  /** Time from the node's first answer to the last of these blocks, in milliseconds. */
  readonly elapsedMillis: number
}

/**
 * How fast it goes of late.
 */
export interface Speed {
  readonly blocksPerSecond: number
  /** Time until the node's head is reached at this speed; `null` while it is not known. */
  readonly etaMillis: number | null
}

/**
 * What an indexer tells the program around it.
 */
export type IndexerEvent =
  /** Blocks were stored, of which `first` is the lowest of all; `head` is ours now, `nodeHead` the node's. */
  | ({ readonly _tag: "Indexed"; readonly first: number; readonly head: number; readonly nodeHead: number } & Totals &
      Speed)
  /** The head of the node is reached. */
  | ({ readonly _tag: "CaughtUp"; readonly head: number } & Totals)
  /** Blocks above `to` were removed, down from `from`; `to` is null when all were. */
  | { readonly _tag: "Reorganised"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** Nothing can be done for now; the message says why. */
  | { readonly _tag: "Waiting"; readonly message: string }
  /** The nodes are of another chain; the message holds both ids. */
  | { readonly _tag: "Refused"; readonly message: string }

/**
 * Takes events; must not fail.
 */
export type OnEvent = (event: IndexerEvent) => Effect.Effect<void>

/**
 * The voice of one indexer.
 */
export interface StatusReporter {
  /** Blocks were stored. */
  readonly indexed: (blocks: ReadonlyArray<BlockRows>, nodeHead: number) => Effect.Effect<void>
  /** The node's head is reached; `note` replaces the usual message. */
  readonly following: (head: number, nodeHead: number, note?: string) => Effect.Effect<void>
  readonly reorganised: (from: BlockRef, to: BlockRef | null) => Effect.Effect<void>
  /** The indexer begins; nothing is known of the node yet. */
  readonly starting: Effect.Effect<void>
  /** Tells again and again, for ever, what was told last: readers see that the indexer lives while it waits for an answer. */
  readonly beating: Effect.Effect<never>
  /** The indexer ends in good order, and nobody keeps the index in step from now on. */
  readonly stopped: Effect.Effect<void>
  /** Nothing can be done until something is mended: a warning, once for each `about`, by default the message itself. */
  readonly waiting: (message: string, about?: string) => Effect.Effect<void>
  /** The chain has yet to come to where indexing begins, as it will: told once, however far it is meanwhile. */
  readonly expecting: (message: string) => Effect.Effect<void>
  readonly refused: (message: string) => Effect.Effect<void>
  /** The node answers, and has this tracer; `unchecked` names the checks that the chain's rules leave out. */
  readonly connected: (source: TraceSource, unchecked?: string | null) => Effect.Effect<void>
}

/**
 * Time after which an indexer tells of itself again when nothing changed.
 */
export const heartbeatMillis = 5_000
/** Time without a look at the head after which a following indexer says that it waits. */
const quietMillis = 15_000
const statusMillis = 1_000
const lineMillis = 5_000
/** Blocks that a following indexer may be behind before it says that it backfills. */
const behindBlocks = 16

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/**
 * As a person reads it: `indexed 61 blocks, 546 transactions in 0.9 s`.
 */
export const say = ({ blocks, transactions, elapsedMillis }: Totals): string =>
  `indexed ${count(blocks, "block")}, ${count(transactions, "transaction")} in ${seconds(elapsedMillis)}`

const left = ({ blocksPerSecond, etaMillis }: Speed): string =>
  `${Math.round(blocksPerSecond)} blocks a second, ${etaMillis === null ? "?" : Throughput.sayMillis(etaMillis)} to go`

/**
 * Makes the voice of the indexer of `chain`, which keeps its status in `store`.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly chain: string
  readonly store: StoreShape
  readonly onEvent: OnEvent
  /** Time between two looks at the node's head, in milliseconds. Default 0. */
  readonly pollMillis?: number
}): Effect.fn.Return<StatusReporter> {
  const { chain, store, onEvent, pollMillis = 0 } = options
  const firstOf = store
    .snapshot((snapshot) => snapshot.checkpoint)
    .pipe(
      Effect.map((checkpoint) => checkpoint?.first ?? null),
      Effect.orElseSucceed(() => null),
    )
  const before = yield* Effect.orElseSucceed(store.readStatus, () => null)
  let leftOut: { readonly unchecked?: string } = {}
  let startedAt = 0
  let first: number | null = null
  let throughput = Throughput.make(0)
  let elapsedMillis = 0
  let blocks = 0
  let transactions = 0
  let source: TraceSource | null = before?.traces ?? null
  let nodeHead: number | null = null
  let last: IndexerStatus = before ?? {
    state: "waiting",
    traces: source,
    nodeHead,
    message: "",
    updatedAtMillis: 0,
  }
  let written = false
  /** When the status was written that the store holds, if it is ours. */
  let storedAt = -1
  /** When the work last told something. */
  let wordAt = 0
  let told: TraceSource | undefined
  let lineAt = 0
  let toldHead = -1

  const speedAt = (now: number, blocksLeft: number): Speed => {
    const perSecond = throughput.perSecond(now)
    return { blocksPerSecond: perSecond, etaMillis: Throughput.etaMillis(perSecond, blocksLeft) }
  }
  let blocksLeft = 0

  /** The speed as the status has it: nothing while nothing moves. */
  const speedOf = (now: number) => {
    const { blocksPerSecond, etaMillis } = speedAt(now, blocksLeft)
    if (blocksPerSecond === 0) return {}
    const eta = blocksLeft === 0 || etaMillis === null ? {} : { etaMillis }
    return { blocksPerSecond: Math.round(blocksPerSecond * 100) / 100, ...eta }
  }

  const totals = (): Totals => ({ blocks, transactions, elapsedMillis })

  const put = Effect.fnUntraced(function* (state: IndexerStatus["state"], message: string) {
    const now = yield* Clock.currentTimeMillis
    last = { state, traces: source, nodeHead, message, updatedAtMillis: now, ...speedOf(now), ...leftOut }
    written = true
    yield* store.writeStatus(last).pipe(
      Effect.andThen(Effect.sync(() => (storedAt = now))),
      Effect.catch((error) => Effect.logWarning(`${chain}: ${error.message}`)),
    )
  })

  /** What the store holds is our own word: no other indexer has taken over. */
  const isOurs = store.readStatus.pipe(
    Effect.map((found) => found !== null && [last.updatedAtMillis, storedAt].includes(found.updatedAtMillis)),
    Effect.orElseSucceed(() => false),
  )

  /** Writes when something changed, else only as a sign of life; a status that cannot be written must not stop the work. */
  const write = Effect.fnUntraced(function* (state: IndexerStatus["state"], message: string, mustTell = false) {
    const now = yield* Clock.currentTimeMillis
    wordAt = now
    const isNews = mustTell || !written || state !== last.state || source !== last.traces
    const isChange = nodeHead !== last.nodeHead || message !== last.message
    const age = now - last.updatedAtMillis
    const isDue = isNews || (isChange && (state === "following" || age >= statusMillis)) || age >= heartbeatMillis
    if (isDue) yield* put(state, message)
    return isNews
  })

  /** What stands in the way, as it was last told; `null` while nothing does. */
  let obstacle: string | null = null
  const stuck = Effect.fnUntraced(function* (
    state: "waiting" | "refused",
    message: string,
    about: string,
    tell: (line: string) => Effect.Effect<void>,
  ) {
    const isRepeated = last.state === state && obstacle === about
    obstacle = about
    yield* write(state, message, !isRepeated)
    if (isRepeated) return
    yield* tell(`${chain}: ${message}`)
    yield* onEvent({ _tag: state === "waiting" ? "Waiting" : "Refused", message })
  })

  const beat = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (!written || now - last.updatedAtMillis < heartbeatMillis / 2 || !(yield* isOurs)) return
    const quiet = now - wordAt
    if (last.state === "following" && quiet > quietMillis + pollMillis) {
      const message = `The node has not answered for ${Math.round(quiet / 1000)} s.`
      return yield* stuck("waiting", message, "the node is quiet", (line) => Effect.logWarning(line))
    }
    yield* put(last.state, last.message)
  })

  return {
    starting: Effect.asVoid(write("waiting", "The indexer has started; no node has answered yet.")),
    beating: Effect.forever(Effect.andThen(Effect.sleep(heartbeatMillis), beat)),
    stopped: Effect.gen(function* () {
      if (!written || !(yield* isOurs)) return
      const before = last.state === "refused" || last.state === "waiting" ? ` Before that: ${last.message}` : ""
      yield* put("stopped", `The indexer was stopped; "daybook serve" goes on.${before}`)
    }),
    indexed: Effect.fnUntraced(function* (rows, head) {
      const tip = rows.at(-1)
      if (tip === undefined) return
      blocks += rows.length
      for (const row of rows) transactions += row.transactions.length
      nodeHead = head
      const now = yield* Clock.currentTimeMillis
      wordAt = now
      elapsedMillis = now - startedAt
      first ??= (yield* firstOf) ?? rows[0]!.number
      throughput.add(now, rows.length)
      blocksLeft = Math.max(0, head - tip.number)
      const soFar = totals()
      const speed = speedAt(now, blocksLeft)
      yield* onEvent({ _tag: "Indexed", first, head: tip.number, nodeHead: head, ...soFar, ...speed })
      if (last.state === "following" && head - tip.number <= behindBlocks) return
      if (head > tip.number) yield* write("backfill", `Block ${tip.number} of ${head}; ${say(soFar)}.`)
      if (head === tip.number || now - lineAt < lineMillis) return
      lineAt = now
      yield* Effect.logInfo(`${chain}: block ${tip.number} of ${head}; ${say(soFar)} (${left(speed)})`)
    }),
    following: Effect.fnUntraced(function* (head, remote, note) {
      nodeHead = remote
      blocksLeft = 0
      const soFar = totals()
      const isNews = yield* write("following", note ?? `Following the head, at block ${head}; ${say(soFar)}.`)
      if (head === toldHead && !isNews) return
      const line = `${chain}: ${note ?? `follows the head at block ${head}`}; ${say(soFar)}`
      yield* isNews ? Effect.logInfo(line) : Effect.logDebug(line)
      if (head !== toldHead) yield* onEvent({ _tag: "CaughtUp", head, ...soFar })
      toldHead = head
    }),
    reorganised: Effect.fnUntraced(function* (from, to) {
      toldHead = -1
      if (to === null) first = null
      const removed = to === null ? `all blocks up to ${from.number}` : count(from.number - to.number, "block")
      const standing = to === null ? "nothing is left" : `block ${to.number} stands`
      yield* Effect.logInfo(`${chain}: the chain was reorganised: ${removed} removed, ${standing}`)
      yield* onEvent({ _tag: "Reorganised", from, to })
    }),
    waiting: (message, about = message) => stuck("waiting", message, about, (line) => Effect.logWarning(line)),
    expecting: (message) => stuck("waiting", message, "the chain", (line) => Effect.logInfo(line)),
    refused: (message) => stuck("refused", message, message, (line) => Effect.logWarning(line)),
    connected: Effect.fnUntraced(function* (found, unchecked) {
      if (found === told) return
      if (startedAt === 0) {
        startedAt = lineAt = yield* Clock.currentTimeMillis
        throughput = Throughput.make(startedAt)
        if (unchecked != null) {
          leftOut = { unchecked }
          yield* Effect.logInfo(`${chain}: not checked, as the chain has rules of its own: ${unchecked}`)
        }
      }
      source = told = found
      const where = found === "off" ? "off: the node has no tracer, or they are switched off" : `from ${found}`
      yield* Effect.logInfo(`${chain}: internal transactions are ${where}`)
    }),
  }
})
