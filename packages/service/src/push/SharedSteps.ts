/**
 * Steps of a stream, taken from shared data of the chain's streams if they have no row of its wallet. They equal those of
 * `WalletEvents.step`, but read nothing for a single stream.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { Advance } from "../query/RecentChanges.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as Events from "./WalletEvents.ts"

/** True if the new blocks have no row of a wallet that is still watched. */
const isQuiet = ({ checkpoint, wallets, watched }: Advance, wallet: string, next: number): boolean =>
  !wallets.has(wallet) && (watched === null || watched.has(wallet)) && WatchList.firstBlock(checkpoint, wallet) <= next

/** State of a stream after changes. */
const stateAfter = ({ newest, next }: Advance, { position }: Events.State): Events.State => ({
  position: { ...position, journal: newest, next },
  pending: null,
  isCovered: true,
})

/** The change that a stream waits for after these; `null` if more can be read. */
const awaitedAfter = ({ isComplete, newest }: Advance): number | null => (isComplete ? newest.change : null)

const stepOf = (advance: Advance, before: Events.State): Events.Step => {
  const { checkpoint, final, isComplete, last, newest, next, serial } = advance
  const { position } = before
  const state = stateAfter(advance, before)
  const sent: Array<Events.PositionedEvent> = []
  if (final !== null) sent.push({ event: { _tag: "Final", block: final }, position: { ...position, journal: newest } })
  if (isComplete && last !== null && (final !== null || next !== position.next)) {
    sent.push({ event: { _tag: "Covered", block: last }, position: state.position })
  }
  return { sent, state, serial, finalized: checkpoint.finalized, awaited: awaitedAfter(advance) }
}

/** True if a stream has sent everything up to its position, so that it can use what others read. */
const isShared = ({ isCovered, pending }: Events.State): boolean => isCovered === true && pending === null

type Shared = Pick<Events.Subscription, "chain" | "isFinal">

const since = ({ chain, isFinal }: Shared, { position: { journal, next } }: Events.State) =>
  chain.recent.since({ journal, next, isFinal })

/** Next step of a stream that has sent everything, if its wallet has no row in the changes since; `null` if it may have one. */
export const quiet = (
  { wallet, ...shared }: Shared & Pick<Events.Subscription, "wallet">,
  state: Events.State,
): Effect.Effect<Events.Step | null, StoreError> => {
  if (!isShared(state)) return Effect.succeed(null)
  return Effect.map(since(shared, state), (advance) =>
    advance !== null && isQuiet(advance, wallet, state.position.next) ? stepOf(advance, state) : null,
  )
}

/** A state of wallets, and its successor. */
interface Passage {
  readonly before: Events.State
  readonly advance: Advance
  readonly after: Events.State
}

const isSamePosition = (a: Events.State, b: Events.State): boolean =>
  a.position.next === b.position.next &&
  a.position.journal.change === b.position.journal.change &&
  a.position.journal.mark === b.position.journal.mark

const isSame = (a: Events.State, b: Events.State): boolean =>
  a === b || (isSamePosition(a, b) && a.position.from === b.position.from && a.position.highest === b.position.highest)

/**
 * Advances wallets as far as they have no rows; returns the lowest awaited change, or `null` if one of them may have a row or has no state.
 * Successive wallets in equal states are merged into one state, so that a block only costs each wallet a lookup.
 */
export const passOver = Effect.fnUntraced(function* (
  shared: Shared,
  wallets: ReadonlyArray<string>,
  states: Map<string, Events.State>,
): Effect.fn.Return<number | null, StoreError> {
  let awaited = Number.POSITIVE_INFINITY
  let known: Passage | null = null
  for (const wallet of wallets) {
    for (let isBehind = true; isBehind;) {
      const state = states.get(wallet)
      if (state === undefined || !isShared(state)) return null
      if (known === null || !isSame(known.before, state)) {
        const advance: Advance | null =
          known !== null && isSamePosition(known.before, state) ? known.advance : yield* since(shared, state)
        if (advance === null) return null
        known = { before: state, advance, after: stateAfter(advance, state) }
      }
      const { advance, after } = known
      if (!isQuiet(advance, wallet, state.position.next)) return null
      states.set(wallet, after)
      const change = awaitedAfter(advance)
      isBehind = change === null
      awaited = Math.min(awaited, change ?? awaited)
    }
  }
  return awaited
})

/** Takes one step, like `WalletEvents.step`. */
export const step = (
  subscription: Events.Subscription,
  state: Events.State,
): Effect.Effect<Events.Step, Events.StreamError> =>
  Effect.flatMap(quiet(subscription, state), (found) =>
    found === null ? Events.step(subscription, state) : Effect.succeed(found),
  )
