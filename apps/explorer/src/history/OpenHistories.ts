/**
 * Open histories, so that a user who navigates back to one finds its rows and position. A history that was left stays open for a while:
 * it is still followed, and shows what has happened in the meantime.
 */
import type { History } from "./History.ts"

interface Open {
  readonly history: History<unknown>
  readonly close: () => void
  /** Number of live rows when the history was left; `null` while it is on screen. */
  leftWith: number | null
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Limits of the histories that stay open. */
export interface Bounds {
  readonly maxLeft: number
  /** Total rows of all histories that were left. */
  readonly maxRows: number
  readonly leftMillis: number
}

/** The open histories. */
export interface OpenHistories {
  /** The history with an id, while it is open. */
  readonly find: (id: string) => History<unknown> | undefined
  /** Opens a history, which stays open until it is left. */
  readonly open: (id: string, make: (signal: AbortSignal) => History<unknown>) => void
  /** Keeps a history that was left open until it is left again; false if it is no longer open. */
  readonly hold: (id: string) => boolean
  readonly leave: (id: string) => void
  /** Number of rows added on top since the history was left. */
  readonly added: (id: string) => number
}

const countOf = ({ history }: Open): number => history.snapshot().count

const liveOf = ({ history }: Open): number => history.snapshot().rows.live.length

export const make = ({ leftMillis, maxLeft, maxRows }: Bounds): OpenHistories => {
  /** In the order in which they were left, the most recent last. */
  const all = new Map<string, Open>()

  const drop = (id: string): void => {
    const known = all.get(id)
    if (known === undefined) return
    clearTimeout(known.timer)
    known.close()
    all.delete(id)
  }

  /** Closes the histories that were left first, until the others are within the bounds. */
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

/** The open histories of this tab. */
export const histories = make({ maxLeft: 3, maxRows: 250_000, leftMillis: 300_000 })
