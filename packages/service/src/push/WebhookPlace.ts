/**
 * Where the wallets of a webhook are: nearly all share one place in the journal, so that a block moves them on together. A wallet with rows to
 * send has a place of its own until they are delivered. Pure.
 *
 * Source: decision 0073.
 */
import * as Result from "effect/Result"
import * as Journal from "../store/Journal.ts"
import type { WebhookWallet } from "../store/WebhookWallets.ts"
import type { EventPosition } from "./EventPosition.ts"

/** A place that wallets share: all rows of blocks below `next` were sent, as the journal has them at its position. */
export interface Place extends Pick<EventPosition, "journal" | "next"> {}

/** A place as it is stored. */
export interface StoredPlace {
  readonly journal: string
  readonly next: number
}

/** A place as it is stored. */
export const toStored = ({ journal, next }: Place): StoredPlace => ({ journal: Journal.formatPosition(journal), next })

/** The place of a stored one; `null` for a text that is none. */
export const fromStored = ({ journal, next }: StoredPlace): Place | null => {
  const position = Journal.parsePosition(journal)
  return Result.isSuccess(position) ? { journal: position.success, next } : null
}

/** Whether two places are the same. */
export const isSame = (a: Place, b: Place): boolean =>
  a.next === b.next && a.journal.change === b.journal.change && a.journal.mark === b.journal.mark

/** The position of a wallet; `null` where its rows have no place yet, and for one at the shared place where there is none. */
export const positionOf = (
  { highest, journal, next, start: from }: WebhookWallet,
  shared: Place | null,
): EventPosition | null => {
  const place = journal === null ? shared : fromStored({ journal, next })
  // A reorg may have moved the place that others share below the first block of this one.
  return place === null ? null : { ...place, next: Math.max(place.next, from), from, highest }
}

/** A wallet with a position of its own. */
export const ownWallet = (wallet: string, { from, highest, ...place }: EventPosition): WebhookWallet => ({
  wallet,
  ...toStored(place),
  start: from,
  highest,
})

/** A wallet at the shared place. */
export const sharedWallet = (wallet: string, { from, highest }: EventPosition): WebhookWallet => ({
  wallet,
  journal: null,
  next: 0,
  start: from,
  highest,
})
