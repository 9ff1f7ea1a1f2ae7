/**
 * Keeps proofs, opening balances and tokens up to date, concurrently with an indexer: compares the watched wallets at each new final block,
 * and reads opening balances and self-descriptions of tokens once they appear. It works while the index is at the head, within a number of
 * calls per minute.
 *
 * Source: decisions 0050 and 0054.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Calls from "../node/Calls.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import { fromDefect, type UnexpectedFailure } from "../supervision/UnexpectedFailure.ts"
import type { Node } from "../node/Node.ts"
import type { ChainStore } from "../store/Database.ts"
import { isProved, type UnreadOpenings, type WalletOpening } from "../store/Proofs.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Backoff from "@daybook/transport/internal/Backoff"
import * as CallPace from "./CallPace.ts"
import * as LedgerBooks from "./LedgerBooks.ts"
import * as LedgerScope from "./LedgerScope.ts"
import * as OpeningReader from "./OpeningReader.ts"
import type * as Proof from "./Proof.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as TokenReader from "./TokenReader.ts"
import * as WatchedProofs from "./WatchedProofs.ts"

/** How to keep proofs. */
export interface Options {
  readonly chain: string
  readonly node: Node
  readonly store: ChainStore
  /** The wallets whose transactions are all indexed, lower case; `null` for all, in which case none is compared. */
  readonly watch: Effect.Effect<ReadonlySet<string> | null, StoreError>
  /** Maximum number of calls per minute. */
  readonly callsPerMinute: number
  /**
   * Whether the chain is a development chain, on which little becomes final, so that every indexed block counts. After a reorg, blocks are
   * examined again.
   */
  readonly isToHead?: boolean
  /** False while the indexer has other work. */
  readonly isIdle: () => boolean
  /** Receives how far the watched wallets are proved, after each turn. */
  readonly onWallets?: (wallets: WatchedProofs.WatchedProofs) => void
}

/** Default maximum number of calls per minute. */
export const defaultCallsPerMinute = 600

/** Maximum number of calls for one comparison of a wallet, since anyone may send it tokens. */
const callsPerWallet = 20_000
/** Number of holdings whose opening balances are read at once. */
const openingsPerTurn = 100
/** Number of tokens read at once. */
const tokensPerTurn = 30

const pauseMillis = 1_000
/** Time after which a node without the state of the first block is tried again. */
const withoutStateMillis = 3_600_000
const backoff: Backoff.Backoff = { firstMillis: 5_000, maxMillis: 300_000 }
/** Pause after blocks were examined, as a multiple of the time that it took. */
const dutyFactor = 9

type Failure = Proof.ProofError | Reconciliation.ReconciliationError | LedgerScope.NotIndexed | UnexpectedFailure

/** Key of tokens in `restingUntil`. */
const tokens = "tokens"

/** The first block was replaced, or blocks were added below it. */
class IndexReplaced extends Data.TaggedError("IndexReplaced")<{}> {}

/** Last comparisons of wallets, for the index with these first and last blocks. */
interface Comparisons {
  first: number
  closing: number
  readonly byWallet: Map<string, WatchedProofs.Compared>
}

interface Context extends Omit<Options, "watch"> {
  readonly watch: ReadonlySet<string> | null
  readonly source: Reconciliation.Source
  /** When a node that lacked a state is called again: by wallet, `null` for opening balances, `tokens` for tokens. */
  readonly restingUntil: Map<string | null, number>
  readonly compared: Comparisons
}

const isResting = ({ restingUntil }: Context, key: string | null): Effect.Effect<boolean> =>
  Effect.map(MonotonicClock.millis, (now) => now < (restingUntil.get(key) ?? 0))

const rest = ({ restingUntil }: Pick<Context, "restingUntil">, key: string | null): Effect.Effect<void> =>
  Effect.map(MonotonicClock.millis, (now) => void restingUntil.set(key, now + withoutStateMillis))

/** Drops comparisons of an index that starts with another block or ends before them. */
const renew = (compared: Comparisons, { closing, first }: Reconciliation.Scope): void => {
  if (compared.first !== first.number || closing.number < compared.closing) compared.byWallet.clear()
  compared.first = first.number
  compared.closing = closing.number
}

/** Last comparison of a wallet: from memory, or else from the store. */
const comparedOf = Effect.fnUntraced(function* ({ compared, source }: Context, wallet: string) {
  const known = compared.byWallet.get(wallet)
  if (known !== undefined) return known
  const stored = yield* source.reader.snapshot((snapshot) => snapshot.proof(wallet))
  if (stored === null) return null
  const found = WatchedProofs.comparedOf(stored)
  compared.byWallet.set(wallet, found)
  return found
})

/** Compares the watched wallets that were not compared at this block yet. */
const proveWatched = Effect.fnUntraced(function* (
  context: Context,
  scope: Reconciliation.Scope,
): Effect.fn.Return<void, Failure> {
  const { compared, isIdle, source, watch } = context
  renew(compared, scope)
  for (const wallet of watch ?? []) {
    if (!isIdle()) return
    if (yield* isResting(context, wallet)) continue
    const before = yield* comparedOf(context, wallet)
    if (before !== null && before.block >= scope.closing.number) continue
    const { proof } = yield* Reconciliation.run(source, scope, wallet, { isContinued: true })
    compared.byWallet.set(wallet, WatchedProofs.comparedOf(proof))
    if (proof.unchecked.length > 0) yield* rest(context, wallet)
    const isNew = before === null || before.state === "proved"
    if (isProved(proof) || !isNew) continue
    const details = { wallet, block: scope.closing.number }
    const message = `Wallet not proved; "daybook reconcile ${wallet}" reports the differences`
    yield* Effect.annotateLogs(Effect.logWarning(message), details)
  }
})

const openingsOf = Effect.fnUntraced(function* (
  { source }: Context,
  first: number,
  { holdings }: UnreadOpenings,
): Effect.fn.Return<ReadonlyArray<WalletOpening>, Failure> {
  const wallets = [...new Set(holdings.map(({ wallet }) => wallet))]
  const wanted: Array<OpeningReader.Wanted> = []
  for (const wallet of wallets) {
    const own = holdings.filter((one) => one.wallet === wallet).map(({ holding }) => holding)
    const books = first === 0 ? yield* LedgerBooks.read(source.reader, wallet, 0, 0) : null
    wanted.push(...OpeningReader.wantedOf(wallet, own, books))
  }
  const amounts = yield* OpeningReader.read(source, first, wanted)
  return wallets.map((wallet) => ({
    wallet,
    balances: wanted.flatMap((one, at) =>
      one.wallet === wallet ? [{ holding: one.holding, amount: amounts[at]! }] : [],
    ),
  }))
})

/** Reads opening balances for the next blocks; false if none are left. */
const readOpenings = Effect.fnUntraced(function* (
  context: Context,
  { closing, first }: Reconciliation.Scope,
): Effect.fn.Return<boolean, Failure | IndexReplaced> {
  const { source, watch } = context
  const query = { to: closing.number, wallets: watch, limit: openingsPerTurn }
  const began = yield* MonotonicClock.millis
  const unread = yield* source.reader.snapshot((snapshot) => snapshot.unreadOpenings(query))
  const openings = yield* openingsOf(context, first.number, unread)
  const block = OpeningReader.blockOf(first.number)
  const header = unread.holdings.length === 0 ? null : yield* source.node.header(block)
  const isSame = first.number === 0 || header === null || header.hash === first.parentHash
  const isKept = isSame && (yield* source.proofs.writeOpenings(first, openings, unread.next))
  if (!isKept) return yield* new IndexReplaced()
  if (unread.holdings.length === 0) yield* Effect.sleep(((yield* MonotonicClock.millis) - began) * dutyFactor)
  return unread.next <= closing.number
})

/**
 * Reads tokens of the next blocks; false if none are left. A failure delays neither opening balances nor proofs, since tokens are retried
 * later.
 */
const readTokens = Effect.fnUntraced(function* (
  context: Context,
  scope: Reconciliation.Scope,
): Effect.fn.Return<boolean, StoreError | IndexReplaced> {
  if (yield* isResting(context, tokens)) return false
  const { source, watch } = context
  const { closing, first } = scope
  const query = { to: closing.number, wallets: watch, limit: tokensPerTurn }
  const began = yield* MonotonicClock.millis
  const unread = yield* source.reader.snapshot((snapshot) => snapshot.unreadTokens(query))
  if (unread.next === unread.from) return false
  const found = yield* Effect.result(TokenReader.read(source, unread.tokens, closing))
  if (Result.isFailure(found)) {
    yield* rest(context, tokens)
    yield* Effect.logWarning(`Token names are not up to date: ${found.failure.message}`)
    return false
  }
  const isKept = yield* source.proofs.writeTokens(first, found.success, unread.next)
  if (!isKept) return yield* new IndexReplaced()
  if (unread.tokens.length === 0) yield* Effect.sleep(((yield* MonotonicClock.millis) - began) * dutyFactor)
  return unread.next <= closing.number
})

/** Works until nothing is left to do, or the indexer has other work. */
const turn = Effect.fnUntraced(function* (context: Context): Effect.fn.Return<void, Failure | IndexReplaced> {
  const { chain, compared, isIdle, isToHead = false, onWallets, source, watch } = context
  const scope = yield* LedgerScope.read(source.reader, chain, isToHead ? "head" : undefined)
  yield* Effect.ensuring(
    proveWatched(context, scope),
    Effect.sync(() => {
      if (watch !== null) onWallets?.(WatchedProofs.count(watch, compared.byWallet))
    }),
  )
  for (let isLeft = true; isLeft && isIdle();) {
    const hasTokens = yield* readTokens(context, scope)
    const hasOpenings = isIdle() && !(yield* isResting(context, null)) && (yield* readOpenings(context, scope))
    isLeft = hasTokens || hasOpenings
  }
})

/** Delay after a failure. The index may be empty, or not final yet. */
const delayOf = (error: Failure | IndexReplaced, failures: number): number =>
  isExpected(error) || error._tag === "StateUnavailable" ? pauseMillis : Backoff.delayMillis(backoff, failures)

const isExpected = ({ _tag }: Failure | IndexReplaced): boolean => _tag === "NotIndexed" || _tag === "IndexReplaced"

const messageOf = (error: Failure | IndexReplaced): string =>
  error._tag === "StateUnavailable"
    ? `Holdings of wallets before the first block are not known: ${error.host} has no state of block ${error.block} ("${error.reason}"). Use an archive node.`
    : `Opening balances and proofs are not up to date: ${error.message}`

/**
 * Runs until interrupted. Failures, including that of opening the store, are logged once and retried.
 */
export const run = Effect.fn("ProofKeeper.run")(function* (
  options: Options,
): Effect.fn.Return<never, never, Scope.Scope> {
  const { callsPerMinute, isIdle, node, store } = options
  const budgeted: Calls.Budgeted = {
    node: CallPace.paced(node, callsPerMinute),
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
    maxCalls: callsPerWallet,
  }
  let source: Reconciliation.Source | undefined
  const restingUntil: Context["restingUntil"] = new Map()
  const compared: Comparisons = { first: 0, closing: 0, byWallet: new Map() }
  const work = Effect.gen(function* () {
    source ??= { ...budgeted, reader: store.reader, proofs: yield* store.proofs }
    const watch = yield* options.watch
    yield* turn({ ...options, watch, source, restingUntil, compared })
  })
  let logged = ""
  for (let failures = 0; ;) {
    const outcome = isIdle() ? yield* Effect.result(fromDefect(work)) : null
    if (outcome === null || outcome._tag === "Success") {
      failures = 0
      yield* Effect.sleep(pauseMillis)
      continue
    }
    const error = outcome.failure
    failures += 1
    if (error._tag === "StateUnavailable") yield* rest({ restingUntil }, null)
    if (!isExpected(error) && messageOf(error) !== logged) {
      logged = messageOf(error)
      yield* Effect.logWarning(logged)
    }
    yield* Effect.sleep(delayOf(error, failures))
  }
})
