/**
 * What a stream of events has received: where it goes on after a connection ended, and which of the events that follow were given before.
 * A service sends the rows of a block again that were cut off within it. Pure, with bounded memory.
 *
 * Source: decision 0073.
 */
import type { WalletEvent } from "@daybook/schema/WalletEvent"

/** A row that was given since the position last moved on. */
interface Known {
  readonly revision: number
  readonly blockHash: string
}

/** What was received so far. */
export interface EventProgress {
  /** Where the stream goes on; undefined before the first event. */
  readonly cursor: string | undefined
  /** Rows that a new connection may receive again, by their ids. */
  readonly known: Map<string, Known>
  /** Hash of the block up to which all was given, where that is the last thing that was given. */
  readonly covered: string | undefined
  /** Connections since the last event. */
  readonly idle: number
}

/** Rows whose repeats are recognised, at most: a repeat beyond them has its row and revision once more. */
const maxKnown = 10_000

/** Nothing, of a new stream. */
export const initial = (): EventProgress => ({ cursor: undefined, known: new Map(), covered: undefined, idle: 0 })

const knownOf = (event: WalletEvent): readonly [row: string, known: Known] | undefined => {
  if (event.type !== "wallet.transaction" && event.type !== "wallet.movement") return undefined
  const { data } = event
  const { block_hash: blockHash } = "transaction" in data ? data.transaction : data.movement
  return [data.row, { revision: data.revision, blockHash }]
}

const isRepeated = ({ covered, known }: EventProgress, event: WalletEvent): boolean => {
  if (event.type === "covered") return covered === event.data.hash
  const [row, { revision }] = knownOf(event) ?? ["", { revision: 0 }]
  const before = known.get(row)
  return before !== undefined && before.revision >= revision
}

/**
 * The rows to recognise after an event. A position that moved on leaves those of its block: a connection that was cut within a block goes on
 * with its first row, and by then positions have other texts. Those of a block that is voided are forgotten. The map belongs to one stream and
 * is changed in place, since a block may have thousands of rows.
 */
const knownAfter = ({ cursor, known }: EventProgress, event: WalletEvent, id: string): EventProgress["known"] => {
  const added = knownOf(event)
  const isVoided = event.type === "block.voided"
  const hash = isVoided ? event.data.hash : added?.[1].blockHash
  if (event.type === "covered") known.clear()
  else if (isVoided || (added !== undefined && id !== cursor)) {
    for (const [row, { blockHash }] of known) if ((blockHash === hash) === isVoided) known.delete(row)
  }
  if (added !== undefined && known.size < maxKnown) known.set(...added)
  return known
}

/** Takes an event with its id; states whether it is new. */
export const take = (
  progress: EventProgress,
  event: WalletEvent,
  id: string,
): readonly [next: EventProgress, isNew: boolean] => {
  const isNew = !isRepeated(progress, event)
  const covered = event.type === "covered" ? event.data.hash : undefined
  return [{ cursor: id, known: knownAfter(progress, event, id), covered, idle: 0 }, isNew]
}

/** Skips an event of a type that is unknown, or whose row is invalid. */
export const skip = (progress: EventProgress, id: string): EventProgress => ({ ...progress, cursor: id, idle: 0 })

/** Counts a connection. */
export const connected = (progress: EventProgress): EventProgress => ({ ...progress, idle: progress.idle + 1 })
