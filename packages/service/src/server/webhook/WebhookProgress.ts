/**
 * Positions of a webhook's wallets, in the memory of the process that sends it. Wallets at the shared position are only in the database.
 * Memory holds the few with their own position, and reads them in windows if there are many.
 *
 * Source: decision 0073.
 */
import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../../block/BlockRows.ts"
import * as SharedPosition from "../../push/SharedPosition.ts"
import * as SharedSteps from "../../push/SharedSteps.ts"
import type * as Events from "../../push/WalletEvents.ts"
import type * as Webhook from "../../push/Webhook.ts"
import * as WebhookPosition from "../../push/WebhookPosition.ts"
import * as Coverage from "../../query/Coverage.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { NotDerived, NotWatched, Stale } from "../../query/QueryError.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as WatchList from "../../store/WatchList.ts"
import type { Webhooks } from "../../store/Webhooks.ts"
import type { WebhookWallet } from "../../store/WebhookWallets.ts"
import * as WebhookLookups from "./WebhookLookups.ts"

/** A range of wallets with their own position that is read at once. */
interface Window {
  /** It starts after this address. */
  readonly after: string | undefined
  /** Its last address; `null` if no wallet follows. */
  readonly end: string | null
}

/** What is known about the wallets of a webhook. */
export interface Progress {
  /** Maximum number of wallets in a window. */
  readonly windowSize: number
  /** Wallets of the window with their own position. */
  readonly states: Map<string, Events.State>
  /** Wallets that are at the shared position in the database, because nothing was sent for them since. */
  readonly unsaved: Set<string>
  /** The shared position, which may be ahead of the stored one; `null` if it is not read. */
  sharedPosition: WebhookPosition.Position | null
  /** `null` if none is read. */
  window: Window | null
  /** Address after which the next window starts. */
  nextWindow: string | undefined
  /** When the wallets became known, for lookups. */
  since: number
  /** Number of messages made in the window. */
  messages: number
  /** Digest of the watched wallets with which the wallets were compared. */
  watch: string
  /** The change that all stored positions have reached. */
  storedChange: number
}

/** Makes an empty state. */
export const make = (windowSize = 1_000): Progress => ({
  windowSize,
  states: new Map(),
  unsaved: new Set(),
  sharedPosition: null,
  window: null,
  nextWindow: undefined,
  since: 0,
  messages: 0,
  watch: "",
  storedChange: 0,
})

/** Drops what will be read from the database again. */
export const forget = (progress: Progress): void => {
  progress.states.clear()
  progress.unsaved.clear()
  Object.assign(progress, { sharedPosition: null, window: null, nextWindow: undefined, messages: 0, watch: "" })
}

/** Awaited change if there is more to read: no change has this number. */
const hasMore = -1

/** A webhook, with what is needed to read its wallets. */
export interface Source {
  readonly name: string
  readonly chain: IndexedChain
  readonly webhook: Webhook.Webhook
  readonly webhooks: Pick<Webhooks, "walletsOf">
  readonly lookups: WebhookLookups.WebhookLookups
}

const sharedOf = ({ chain, webhook: { finality, types } }: Source): SharedPosition.Shared => ({
  chain,
  isFinal: finality === "final",
  hasMovements: types.includes("wallet.movement"),
})

// Webhooks do not send coverage without rows, so a wallet may continue from here with what all wallets share.
const stateOf = (position: Events.State["position"]): Events.State => ({ position, pending: null, isCovered: true })

/** True if memory holds all wallets with their own position. */
export const isWhole = ({ window }: Progress): boolean =>
  window !== null && window.after === undefined && window.end === null

/** True if memory holds so many wallets that the shared position stays until some are done. The blocks of one read may add more. */
export const isFull = ({ states, windowSize }: Progress): boolean => states.size >= 2 * windowSize

/** True if wallets of other windows should take their turn, even if those of this one have more to send. */
export const isServed = (progress: Progress): boolean =>
  progress.messages >= 2 * progress.windowSize && (!isWhole(progress) || isFull(progress))

/** Reads the shared position, and a window of the wallets with their own position. */
export const load = Effect.fnUntraced(function* (
  source: Source,
  progress: Progress,
): Effect.fn.Return<void, StoreError> {
  const { lookups, name, webhook, webhooks } = source
  if (progress.sharedPosition === null) {
    progress.since = lookups.now()
    const stored = webhook.place === undefined ? null : WebhookPosition.fromStored(webhook.place)
    progress.sharedPosition = stored ?? (yield* SharedPosition.newest(sharedOf(source)))
    progress.storedChange = progress.sharedPosition.journal.change
  }
  if (progress.window !== null) return
  const { nextWindow: after, windowSize } = progress
  const rows = yield* webhooks.walletsOf(name, { position: "own", after, limit: windowSize })
  progress.states.clear()
  for (const row of rows) {
    const position = WebhookPosition.positionOf(row, null)
    // A wallet without a position was added since, by a change after which everything is read again.
    if (position === null) continue
    progress.states.set(row.wallet, stateOf(position))
    progress.storedChange = Math.min(progress.storedChange, position.journal.change)
  }
  progress.window = { after, end: rows.length < windowSize ? null : rows.at(-1)!.wallet }
})

/** Schedules the next window, or the first one after the last. */
export const leaveWindow = (progress: Progress): void => {
  progress.nextWindow = progress.window?.end ?? undefined
  progress.window = null
  progress.messages = 0
}

/** Wallets at the shared position that must read for themselves; `null` if there are more than fit in memory. */
const affected = Effect.fnUntraced(function* (
  { lookups, name, webhooks }: Source,
  { since, states, windowSize }: Progress,
  { active, sentFrom }: SharedPosition.Passage,
): Effect.fn.Return<ReadonlyArray<WebhookWallet> | null, StoreError> {
  const found: Array<WebhookWallet> = []
  const add = (wallets: ReadonlyArray<WebhookWallet>) =>
    found.push(...wallets.filter(({ wallet }) => !states.has(wallet)))
  const position = "shared"
  const limit = windowSize + states.size + 1
  if (active === "all") add(yield* webhooks.walletsOf(name, { position, limit }))
  else if (yield* lookups.mayHave(name, since, active)) {
    for (const among of WebhookLookups.partsOf(active)) add(yield* webhooks.walletsOf(name, { position, among }))
  }
  if (sentFrom !== null) add(yield* webhooks.walletsOf(name, { position, highestFrom: sentFrom, limit }))
  return found.length > windowSize && (active === "all" || sentFrom !== null) ? null : found
})

const watchDigests = new WeakMap<Checkpoint, string>()

/** Digest of the watched wallets; empty for an index of all wallets. */
const watchOf = (checkpoint: Checkpoint | null): string => {
  if (checkpoint?.watch === undefined) return ""
  const known = watchDigests.get(checkpoint)
  if (known !== undefined) return known
  const digest = hash("sha256", JSON.stringify([checkpoint.watch, checkpoint.addedFrom]), "base64url")
  watchDigests.set(checkpoint, digest)
  return digest
}

/**
 * Compares all wallets with those of the index if the latter have changed; returns those whose rows are only indexed from above the
 * position.
 */
const checkWatched = Effect.fnUntraced(function* (
  { chain, name, webhooks }: Source,
  progress: Progress,
  { next }: WebhookPosition.Position,
  checkpoint: Checkpoint | null,
): Effect.fn.Return<ReadonlyArray<WebhookWallet>, NotWatched | StoreError> {
  const watch = watchOf(checkpoint)
  if (watch === progress.watch || checkpoint === null) return []
  const late: Array<WebhookWallet> = []
  for (let after: string | undefined, isLast = false; !isLast;) {
    const rows: ReadonlyArray<WebhookWallet> = yield* webhooks.walletsOf(name, {
      position: "shared",
      after,
      limit: progress.windowSize,
    })
    for (const row of rows) {
      yield* Coverage.checkWallet(chain, checkpoint, row.wallet)
      if (WatchList.firstBlock(checkpoint, row.wallet) > next && !progress.states.has(row.wallet)) late.push(row)
    }
    after = rows.at(-1)?.wallet
    isLast = rows.length < progress.windowSize
  }
  return late
})

/**
 * Advances the shared position as far as the index reaches, or until memory is full. Returns the awaited change, or the position at which a
 * statement must store all wallets because they exceed memory.
 */
export const passShared = Effect.fnUntraced(function* (
  source: Source,
  progress: Progress,
): Effect.fn.Return<number | WebhookPosition.Position, Stale | NotDerived | NotWatched | StoreError> {
  for (;;) {
    if (isFull(progress)) return hasMore
    // Sound: `load` reads it.
    const before = progress.sharedPosition!
    const passage = yield* SharedPosition.pass(sharedOf(source), before)
    const late = yield* checkWatched(source, progress, before, passage.checkpoint)
    const found = yield* affected(source, progress, passage)
    // Set only now, because a statement may have failed: the wallets are then compared again.
    progress.watch = passage.checkpoint === null ? progress.watch : watchOf(passage.checkpoint)
    progress.sharedPosition = passage.position
    if (found === null || late.length > progress.windowSize) return before
    for (const row of [...late, ...found]) {
      // Sound: the shared position exists.
      progress.states.set(row.wallet, stateOf(WebhookPosition.positionOf(row, before)!))
      progress.unsaved.add(row.wallet)
    }
    if (passage.awaited !== null) return passage.awaited
  }
})

const isAtPosition = (
  { isCovered, pending, position }: Events.State,
  sharedPosition: WebhookPosition.Position | null,
): boolean =>
  sharedPosition !== null && pending === null && isCovered === true && WebhookPosition.isSame(position, sharedPosition)

/**
 * The wallets that may have something to send, in the order of their turns, starting after the one that was delivered last. Wallets at the
 * shared position have nothing to send, because it is the newest one.
 */
export const inTurn = ({ sharedPosition, states }: Progress, last: string | null): ReadonlyArray<string> => {
  const wallets = [...states]
    .filter(([, state]) => !isAtPosition(state, sharedPosition))
    .map(([wallet]) => wallet)
    .toSorted()
  const first = last === null ? 0 : wallets.findIndex((wallet) => wallet > last)
  return first < 0 ? wallets : [...wallets.slice(first), ...wallets.slice(0, first)]
}

/** Wallets that can rejoin the shared position by a database change. Wallets for which nothing was sent since rejoin without one. */
export const joining = ({ sharedPosition, states, unsaved }: Progress): number => {
  let count = 0
  for (const [wallet, state] of states) {
    if (!isAtPosition(state, sharedPosition)) continue
    if (!unsaved.delete(wallet)) count++
    else states.delete(wallet)
  }
  return count
}

/** Which part of the memory is stored with a change of a webhook. */
export interface Options {
  /** A wallet that keeps its position because its message is pending. */
  readonly kept?: string | undefined
  /** A wallet whose message was delivered. */
  readonly moved?: string | undefined
  /** True to store the positions of all wallets. */
  readonly isAll?: boolean
}

/** The database changes that store the memory, and how to update the memory afterwards. */
export const saving = (progress: Progress, { isAll = false, kept, moved }: Options) => {
  const { sharedPosition, states, unsaved } = progress
  const move: Array<WebhookWallet> = []
  const joined: Array<string> = []
  for (const [wallet, state] of states) {
    if (wallet !== kept && isAtPosition(state, sharedPosition)) {
      joined.push(wallet)
      if (wallet === moved || !unsaved.has(wallet)) move.push(WebhookPosition.sharedWallet(wallet, state.position))
    } else if (isAll || wallet === moved || unsaved.has(wallet))
      move.push(WebhookPosition.ownWallet(wallet, state.position))
  }
  const done = (): void => {
    for (const wallet of joined) states.delete(wallet)
    unsaved.clear()
    if (isAll && sharedPosition !== null) progress.storedChange = sharedPosition.journal.change
  }
  return { sharedPosition, wallets: { move }, done }
}

/**
 * Advances wallets as far as none of them has a row, without the database of webhooks. Returns the lowest awaited change; `null` if a
 * wallet may have a row.
 */
export const passOver = Effect.fnUntraced(function* (
  source: Source,
  progress: Progress,
): Effect.fn.Return<number | null, StoreError> {
  const { chain, lookups, name } = source
  const shared = sharedOf(source)
  if (progress.sharedPosition === null || !isWhole(progress)) return null
  let sharedPosition: WebhookPosition.Position = progress.sharedPosition
  let awaited: number | null = null
  while (awaited === null) {
    const advance = yield* chain.recent.since({ ...sharedPosition, isFinal: shared.isFinal })
    if (advance === null || watchOf(advance.checkpoint) !== progress.watch) return null
    if (yield* lookups.mayHave(name, progress.since, advance.wallets)) return null
    sharedPosition = { journal: advance.newest, next: advance.next }
    if (advance.isComplete) awaited = advance.newest.change
  }
  const own = yield* SharedSteps.passOver(shared, [...progress.states.keys()], progress.states)
  if (own === null) return null
  progress.sharedPosition = sharedPosition
  return Math.min(awaited, own)
})
