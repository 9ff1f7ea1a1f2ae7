/**
 * Positions of a webhook's wallets: nearly all share one position in the journal, so that a block advances them together. A wallet with
 * rows to send has its own position until they are delivered. Pure.
 *
 * Source: decision 0073.
 */
import * as Result from "effect/Result"
import * as Journal from "../store/Journal.ts"
import type { WebhookWallet } from "../store/WebhookWallets.ts"
import type { EventPosition } from "./EventPosition.ts"

/** A position shared by wallets: all rows of blocks below `next` were sent as of its position in the journal. */
export interface Position extends Pick<EventPosition, "journal" | "next"> {}

/** A stored position. */
export interface StoredPosition {
  readonly journal: string
  readonly next: number
}

/** Encodes a position for storage. */
export const toStored = ({ journal, next }: Position): StoredPosition => ({
  journal: Journal.formatPosition(journal),
  next,
})

/** Decodes a stored position; `null` if it is malformed. */
export const fromStored = ({ journal, next }: StoredPosition): Position | null => {
  const position = Journal.parsePosition(journal)
  return Result.isSuccess(position) ? { journal: position.success, next } : null
}

/** True if two positions are equal. */
export const isSame = (a: Position, b: Position): boolean =>
  a.next === b.next && a.journal.change === b.journal.change && a.journal.mark === b.journal.mark

/** Position of a wallet; `null` if its rows have no position yet, or if it shares a position that does not exist. */
export const positionOf = (
  { highest, journal, next, start: from }: WebhookWallet,
  shared: Position | null,
): EventPosition | null => {
  const position = journal === null ? shared : fromStored({ journal, next })
  // A reorg may have moved the shared position below this one's first block.
  return position === null ? null : { ...position, next: Math.max(position.next, from), from, highest }
}

/** A wallet with its own position. */
export const ownWallet = (wallet: string, { from, highest, ...position }: EventPosition): WebhookWallet => ({
  wallet,
  ...toStored(position),
  start: from,
  highest,
})

/** A wallet at the shared position. */
export const sharedWallet = (wallet: string, { from, highest }: EventPosition): WebhookWallet => ({
  wallet,
  journal: null,
  next: 0,
  start: from,
  highest,
})
