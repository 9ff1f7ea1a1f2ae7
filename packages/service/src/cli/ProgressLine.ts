/**
 * A line at the bottom of a terminal that shows the progress of each chain while it catches up. Log lines are written above it. If standard
 * error is not a terminal, there is no line.
 */
import type { IndexerEvent } from "../indexer/IndexerEvent.ts"
import * as Throughput from "../indexer/Throughput.ts"

/** Progress of a chain. */
export interface Advance {
  readonly chain: string
  readonly first: number
  readonly head: number
  readonly nodeHead: number
  readonly blocksPerSecond: number
  readonly etaMillis: number | null
}

/** The progress line and its operations. */
export interface Progress {
  /** Handles an event of a chain's indexer. */
  readonly take: (chain: string, event: IndexerEvent) => void
  /** Writes other output, removing the line meanwhile. */
  readonly above: (write: () => void) => void
  /** Removes the line permanently. */
  readonly end: () => void
}

const barCells = 24
const redrawMillis = 100

const bar = (share: number): string => {
  const full = Math.floor(share * barCells)
  return "█".repeat(full) + "░".repeat(barCells - full)
}

const shareOf = ({ first, head, nodeHead }: Advance): number =>
  nodeHead <= first ? 1 : Math.max(0, Math.min(1, (head - first) / (nodeHead - first)))

const percent = (share: number): string => `${Math.floor(share * 100)}%`.padStart(4)

/** Text for the chains that are catching up, at most `columns` wide; empty if there are none. */
export const line = (advances: ReadonlyArray<Advance>, columns: number): string => {
  const parts = advances.map((advance) => {
    const { blocksPerSecond, chain, etaMillis, head, nodeHead } = advance
    const share = shareOf(advance)
    const eta = etaMillis === null ? "" : `, ${Throughput.formatMillis(etaMillis)} left`
    const speed = `${Math.round(blocksPerSecond)} blocks/s${eta}`
    return advances.length === 1
      ? `${chain} ${bar(share)}${percent(share)} block ${head} of ${nodeHead}, ${speed}`
      : `${chain}${percent(share)}${eta}`
  })
  return parts.join(" | ").slice(0, Math.max(0, columns - 1))
}

const clear = "\r\u001b[2K"

/** Makes the line on a terminal; `now` is the time in milliseconds. */
export const make = (terminal: {
  readonly write: (text: string) => void
  readonly columns: () => number
  readonly now: () => number
}): Progress => {
  const { columns, now, write } = terminal
  const advances = new Map<string, Advance>()
  let shown = ""
  let drawnAt = Number.NEGATIVE_INFINITY

  const jitter = () => {
    drawnAt = now()
    const text = line([...advances.values()], columns())
    if (text === "" && shown === "") return
    shown = text
    write(clear + text)
  }

  return {
    take: (chain, event) => {
      if (event._tag === "Prepended") return
      if (event._tag === "Indexed" && event.head < event.nodeHead) {
        const isNew = !advances.has(chain)
        advances.set(chain, { chain, ...event })
        if (isNew || now() - drawnAt >= redrawMillis) jitter()
        return
      }
      if (advances.delete(chain)) jitter()
    },
    above: (writeOther) => {
      if (shown !== "") write(clear)
      writeOther()
      if (shown !== "") write(shown)
    },
    end: () => {
      advances.clear()
      jitter()
    },
  }
}
