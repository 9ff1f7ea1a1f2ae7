/**
 * Fills in the past of wallets added to an index of watched wallets. It searches the state of an archive node for blocks that concern them,
 * and stores their transactions in the indexed blocks. It runs concurrently with the indexer, in its session. Stored results persist if it
 * is stopped at any time, and the next search continues after them.
 *
 * Source: decisions 0047 and 0055.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Backoff from "@daybook/transport/internal/Backoff"
import type { Checkpoint } from "../block/BlockRows.ts"
import type * as DiscoveredBlocks from "../discovery/DiscoveredBlocks.ts"
import * as Discovery from "../discovery/Discovery.ts"
import * as DiscoveryStep from "../discovery/DiscoveryStep.ts"
import * as BlockFetcher from "../fetch/BlockFetcher.ts"
import * as KeptRows from "../fetch/KeptRows.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import * as Calls from "../node/Calls.ts"
import { ChainReorganized } from "../node/CallsError.ts"
import type { DiscoveryState } from "../discovery/DiscoveryState.ts"
import type { Node } from "../node/Node.ts"
import * as CallPace from "../proof/CallPace.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { ChainStore } from "../store/Database.ts"
import type { PastProgress } from "../store/StatusBoard.ts"
import * as WatchList from "../store/WatchList.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import { fromDefect } from "../supervision/UnexpectedFailure.ts"

/** How to search. */
export interface Options {
  readonly node: Node
  readonly chainId: number
  /** Session of the indexer, which writes the blocks. */
  readonly session: ChainSession
  readonly store: Pick<ChainStore, "audit" | "changeWatch">
  /** How to assemble the blocks of the chain, for all of its wallets. */
  readonly assembling: DiscoveredBlocks.Source["assembling"]
  /** Maximum number of state calls per minute; blocks are fetched as fast as the node returns them. */
  readonly callsPerMinute: number
  /** Backoff after failed turns. Default: 5 seconds, doubling up to 5 minutes. */
  readonly backoff?: Backoff.Backoff | undefined
  /** Receives the progress of a search; `null` when nothing is left. */
  readonly onProgress: (progress: PastProgress | null) => Effect.Effect<void>
}

/** Wallets whose past is searched together. */
interface Target {
  readonly wallets: ReadonlyArray<string>
  /** Last block already searched; the one below the first indexed block if nothing is. */
  readonly searchedTo: number
  /** The block before the first one that has all transactions of the wallets. */
  readonly closing: { readonly number: number; readonly hash: string }
}

/** Maximum number of calls of one search; the next one continues after what it has stored. */
const maxCalls = 200_000

/** Number of blocks stored between two progress updates. */
const noteEvery = 4

const pauseMillis = 1_000
const defaultBackoff: Backoff.Backoff = { firstMillis: 5_000, maxMillis: 300_000 }

const startOf = (checkpoint: Checkpoint, wallet: string): number =>
  WatchList.searchedTo(checkpoint, wallet) ?? checkpoint.first - 1

/** The next search; `null` for none. */
const nextTarget = ({ session }: Options) =>
  session.snapshot(
    Effect.fnUntraced(function* (snapshot) {
      const checkpoint = yield* snapshot.checkpoint
      const waiting = (checkpoint?.watch ?? []).filter(
        (wallet) => session.watch?.has(wallet) === true && WatchList.isSearching(checkpoint!, wallet),
      )
      const [first] = waiting
      if (checkpoint === null || first === undefined) return null
      const [searchedTo, from] = [startOf(checkpoint, first), WatchList.completeFrom(checkpoint, first)]
      const wallets = waiting.filter(
        (wallet) => startOf(checkpoint, wallet) === searchedTo && WatchList.completeFrom(checkpoint, wallet) === from,
      )
      const closing = yield* snapshot.block(from - 1)
      return closing === null ? null : ({ wallets, searchedTo, closing } satisfies Target)
    }),
  )

/** Stores the transactions of searched wallets in a block of the index. */
const storeBlock = Effect.fnUntraced(function* (
  { assembling, session, store }: Options,
  source: Calls.Budgeted,
  { wallets }: Target,
  { hasGaps, hash, number, rows: found }: DiscoveredBlock,
) {
  if (found.length === 0 && !hasGaps) return
  const range = yield* store.audit.range(number, number)
  const [stored] = range.blocks
  const options = { ...assembling, ...KeptRows.withStored(range, number, wallets) }
  const fetched = yield* Calls.withRetries(source, BlockFetcher.block(source.node, number, options))
  const rows = KeptRows.keepRows(stored, fetched, wallets, assembling.decoder)
  const isFound = fetched.hash === hash
  if (isFound && (yield* session.replace(KeptRows.keepTraces(stored, rows)))) return
  const expected = isFound ? (stored?.hash ?? "no block") : hash
  return yield* new ChainReorganized({ block: number, expected, received: fetched.hash })
})

/** Searches the past of wallets to its end, or until the list of wallets has changed. */
const search = Effect.fnUntraced(function* (options: Options, source: DiscoveredBlocks.Source, target: Target) {
  const { closing, wallets } = target
  let [searchedTo, unnoted] = [target.searchedTo, 0]
  const note = (to: number) =>
    Effect.map(options.store.changeWatch({ _tag: "Searched", wallets, from: searchedTo, to }), ({ changed }) => {
      searchedTo = to
      unnoted = 0
      return changed.length > 0
    })
  const startedAt = yield* MonotonicClock.millis
  const progress = Effect.fnUntraced(function* (state: DiscoveryState) {
    const { calls } = source.usage()
    const callsLeft = DiscoveryStep.callsLeft(state)
    const millis = (yield* MonotonicClock.millis) - startedAt
    const etaMillis = calls === 0 ? undefined : Math.round((millis / calls) * callsLeft)
    yield* options.onProgress({ wallets, searchedTo, end: closing.number, calls, callsLeft, etaMillis })
  })
  const opening = Math.max(0, searchedTo)
  if (opening < closing.number) {
    const scope = { chainId: options.chainId, addresses: wallets, opening, closing }
    const state = DiscoveryStep.initial(scope)
    yield* progress(state)
    yield* Discovery.make(source, Discovery.nothingFound(state), progress).blocks.pipe(
      Stream.mapEffect((block) =>
        Effect.gen(function* () {
          yield* storeBlock(options, source, target, block)
          return ++unnoted < noteEvery || (yield* note(block.number))
        }),
      ),
      Stream.takeWhile((isCurrent) => isCurrent),
      Stream.runDrain,
    )
  }
  if (yield* note(closing.number)) yield* Effect.logInfo(`Found the past of added wallets: ${wallets.join(", ")}`)
})

/** Runs until interrupted. Failures are logged once and retried. */
export const run = Effect.fn("PastSearch.run")(function* (options: Options): Effect.fn.Return<never> {
  const { assembling, backoff = defaultBackoff, callsPerMinute, node } = options
  const budgeted = {
    node: CallPace.paced(node, callsPerMinute),
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
  }
  // Sound: the callee sets it.
  let last = null as PastProgress | null
  const onProgress = (progress: PastProgress | null) =>
    Effect.suspend(() => {
      last = progress
      return options.onProgress(progress)
    })
  let failures = 0
  const turn = Effect.gen(function* () {
    const target = yield* nextTarget(options)
    if (target === null) {
      if (last !== null) yield* onProgress(null)
      return false
    }
    // What the nodes do not return in several turns becomes a gap.
    const patient = { ...assembling, failures }
    const source = Calls.limited({ ...budgeted, maxCalls, assembling: patient }, maxCalls)
    yield* search({ ...options, assembling: patient, onProgress }, source, target)
    return true
  })
  let logged = ""
  for (;;) {
    const outcome = yield* Effect.result(fromDefect(turn))
    if (outcome._tag === "Success") {
      failures = 0
      if (!outcome.success) yield* Effect.sleep(pauseMillis)
      continue
    }
    const { message } = outcome.failure
    if (message !== logged) yield* Effect.logWarning(`The past of added wallets has not been found yet: ${message}`)
    logged = message
    failures += 1
    if (last !== null) yield* onProgress({ ...last, issue: message })
    yield* Effect.sleep(Backoff.delayMillis(backoff, failures))
  }
})
