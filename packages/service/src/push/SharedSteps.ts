/**
 * The steps of a stream, of which those without a row of its wallet are taken from what all streams of the chain share. They are the same
 * as those of `WalletEvents.step`, and read nothing for one stream alone.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { Advance } from "../query/RecentChanges.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as Events from "./WalletEvents.ts"

/** Whether the new blocks have no row of a wallet, which is still watched. */
const isQuiet = ({ checkpoint, wallets, watched }: Advance, wallet: string, next: number): boolean =>
  !wallets.has(wallet) && (watched === null || watched.has(wallet)) && WatchList.firstBlock(checkpoint, wallet) <= next

const stepOf = (advance: Advance, { position }: Events.State): Events.Step => {
  const { checkpoint, final, isComplete, last, newest, next, serial } = advance
  const changed = { ...position, journal: newest }
  const covered = { ...changed, next }
  const sent: Array<Events.PlacedEvent> = []
  if (final !== null) sent.push({ event: { _tag: "Final", block: final }, position: changed })
  if (isComplete && last !== null && (final !== null || next !== position.next)) {
    sent.push({ event: { _tag: "Covered", block: last }, position: covered })
  }
  return {
    sent,
    state: { position: covered, pending: null, isCovered: true },
    serial,
    finalized: checkpoint.finalized,
    awaited: isComplete ? newest.change : null,
  }
}

/** The next step of a stream that has sent all, where its wallet has no row in what changed since; `null` where it may have. */
export const quiet = (
  { chain, isFinal, wallet }: Pick<Events.Subscription, "chain" | "isFinal" | "wallet">,
  state: Events.State,
): Effect.Effect<Events.Step | null, StoreError> => {
  const { isCovered, pending, position } = state
  if (isCovered !== true || pending !== null) return Effect.succeed(null)
  const { journal, next } = position
  return Effect.map(chain.recent.since({ journal, next, isFinal }), (advance) =>
    advance !== null && isQuiet(advance, wallet, next) ? stepOf(advance, state) : null,
  )
}

/** Takes one step, as `WalletEvents.step` does. */
export const step = (
  subscription: Events.Subscription,
  state: Events.State,
): Effect.Effect<Events.Step, Events.StreamError> =>
  Effect.flatMap(quiet(subscription, state), (found) =>
    found === null ? Events.step(subscription, state) : Effect.succeed(found),
  )
