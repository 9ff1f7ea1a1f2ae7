/**
 * Progress of a stream of events: where it continues after a connection ends, and which of the following events were already emitted. A
 * service resends all rows of a block if the connection was cut within it. Pure, with bounded memory.
 *
 * Source: decision 0073.
 */
import type { WalletEvent } from "@daybook/schema/WalletEvent"

/** A row emitted since the position last advanced. */
interface Known {
  readonly revision: number
  readonly blockHash: string
}

/** What has been received so far. */
export interface EventProgress {
  /** Where the stream continues; undefined before the first event. */
  readonly cursor: string | undefined
  /** Rows that a new connection may receive again, by their ids. */
  readonly known: Map<string, Known>
  /** Hash of the block up to which everything was emitted, if a `covered` event was the last one emitted. */
  readonly covered: string | undefined
  /** Connections since the last event. */
  readonly idle: number
}

/** Maximum number of rows whose repeats are recognised. A repeat beyond it is emitted again with the same row and revision. */
const maxKnown = 10_000

/** Progress of a new stream. */
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
 * The rows to recognise after an event. When the position advances, rows of its block are kept: a connection cut within a block resumes at
 * the first row of that block, and by then positions may have other texts. Rows of a voided block are forgotten. The map belongs to one
 * stream and is changed in place, because a block may have thousands of rows.
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

/** Records an event by its id and reports whether it is new. */
export const take = (
  progress: EventProgress,
  event: WalletEvent,
  id: string,
): readonly [next: EventProgress, isNew: boolean] => {
  const isNew = !isRepeated(progress, event)
  const covered = event.type === "covered" ? event.data.hash : undefined
  return [{ cursor: id, known: knownAfter(progress, event, id), covered, idle: 0 }, isNew]
}

/** Skips an event of an unknown type or with an invalid row. */
export const skip = (progress: EventProgress, id: string): EventProgress => ({ ...progress, cursor: id, idle: 0 })

/** Counts a connection. */
export const connected = (progress: EventProgress): EventProgress => ({ ...progress, idle: progress.idle + 1 })
