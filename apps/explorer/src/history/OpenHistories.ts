/**
 * Histories that are open, so that a person who goes back to one finds its rows and position. One that was left stays open for a while: it
 * is still followed, and shows what has happened meanwhile.
 */
import type { History } from "./History.ts"

interface Open {
  readonly history: History<unknown>
  readonly close: () => void
  /** Rows on top of those of the past when the history was left; `null` while it is on screen. */
  leftWith: number | null
  timer: ReturnType<typeof setTimeout> | undefined
}

/** What stays open at most. */
export interface Bounds {
  readonly maxLeft: number
  /** Rows of all that were left. */
  readonly maxRows: number
  readonly leftMillis: number
}

/** The open histories. */
export interface OpenHistories {
  /** The history of an id, while it is open. */
  readonly find: (id: string) => History<unknown> | undefined
  /** Opens a history, which stays open until it is left. */
  readonly open: (id: string, make: (signal: AbortSignal) => History<unknown>) => void
  /** Keeps one that was left open again until it is left; false where none is open. */
  readonly hold: (id: string) => boolean
  readonly leave: (id: string) => void
  /** Rows that were added on top since the history was left. */
  readonly added: (id: string) => number
}

const countOf = ({ history }: Open): number => history.snapshot().count

const liveOf = ({ history }: Open): number => history.snapshot().rows.live.length

export const make = ({ leftMillis, maxLeft, maxRows }: Bounds): OpenHistories => {
  /** Those that were left last come last. */
  const all = new Map<string, Open>()

  const drop = (id: string): void => {
    const known = all.get(id)
    if (known === undefined) return
    clearTimeout(known.timer)
    known.close()
    all.delete(id)
  }

  /** Closes those that were left first, until the others are within the bounds. */
  const trim = (): void => {
    const left = [...all].filter(([, { leftWith }]) => leftWith !== null)
    let count = left.length
    let rows = left.reduce((sum, [, open]) => sum + countOf(open), 0)
    for (const [id, open] of left) {
      if (count <= maxLeft && rows <= maxRows) return
      count -= 1
      rows -= countOf(open)
      drop(id)
    }
  }

  return {
    find: (id) => all.get(id)?.history,
    open: (id, makeHistory) => {
      drop(id)
      const controller = new AbortController()
      const history = makeHistory(controller.signal)
      all.set(id, { history, close: () => controller.abort(), leftWith: null, timer: undefined })
    },
    hold: (id) => {
      const known = all.get(id)
      if (known === undefined) return false
      clearTimeout(known.timer)
      known.leftWith = null
      return true
    },
    leave: (id) => {
      const known = all.get(id)
      if (known === undefined) return
      all.delete(id)
      all.set(id, known)
      known.leftWith = liveOf(known)
      known.timer = setTimeout(() => drop(id), leftMillis)
      trim()
    },
    added: (id) => {
      const known = all.get(id)
      return known === undefined || known.leftWith === null ? 0 : liveOf(known) - known.leftWith
    },
  }
}

/** Those of this tab. */
export const histories = make({ maxLeft: 3, maxRows: 250_000, leftMillis: 300_000 })
