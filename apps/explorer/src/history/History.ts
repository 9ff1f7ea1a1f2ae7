/** Reads the history of a wallet for the screen: pages on request, and a stream of new rows. */
import * as Rows from "./HistoryRows.ts"

/** A page of rows, which can request the next page. */
export interface PageOf<Row> {
  readonly result: ReadonlyArray<Row>
  readonly cursor?: string | null | undefined
  readonly next: () => Promise<PageOf<Row> | null>
}

/** A reorg replaced the rows from a block on. */
interface Reverted {
  readonly _tag: "RowsReverted"
  readonly fromBlock: bigint
}

/** The source of the rows of a history. */
export interface Source<Row> extends Rows.Reading<Row> {
  /** Last block of the past; `null` if all blocks, or none, are followed. */
  readonly boundary: number | null
  /** Reads the first page of the past; `null` if the history has no past because every row is followed. */
  readonly first: ((signal: AbortSignal) => Promise<PageOf<Row>>) | null
  /** Streams new rows indefinitely; `null` to follow nothing. */
  readonly follow: ((signal: AbortSignal) => AsyncIterable<Row | Reverted>) | null
}

/** The state of a history on screen. Each change makes a new object. */
export interface Snapshot<Row> {
  readonly rows: Rows.HistoryRows<Row>
  readonly count: number
  readonly isLoading: boolean
  /** All rows of the past are loaded. */
  readonly isComplete: boolean
  readonly error: unknown
  /** A reorg replaced rows of the past, and they were read again. */
  readonly isReloaded: boolean
}

/** An open history of a wallet. */
export interface History<Row> {
  readonly subscribe: (listener: () => void) => () => void
  readonly snapshot: () => Snapshot<Row>
  readonly boundary: number | null
  /** Reads the next page, unless one is being read. */
  readonly loadMore: () => void
  /** Continues after an error. */
  readonly retry: () => void
}

/** Time without a row after which a history that is only followed counts as empty, in milliseconds. */
const emptyMillis = 1_000

/** Delay before a failed stream is restarted, in milliseconds. */
const restartMillis = 3_000

const isStale = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "StaleCursor"

const isReverted = (value: unknown): value is Reverted =>
  typeof value === "object" && value !== null && "_tag" in value && value._tag === "RowsReverted"

const wait = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
  })

/** Opens a history. `signal` closes it. */
export const open = <Row>(source: Source<Row>, signal: AbortSignal): History<Row> => {
  const listeners = new Set<() => void>()
  let rows = Rows.empty<Row>()
  let page: PageOf<Row> | null = null
  const isFollowedAlone = source.first === null && source.follow !== null
  let state = {
    isLoading: isFollowedAlone,
    isComplete: source.first === null,
    error: null as unknown,
    isReloaded: false,
  }
  let snapshot: Snapshot<Row> = { ...state, rows, count: 0 }
  let isAnnounced = false
  /** Number of page requests so far. Only the response to the last one is used. */
  let readings = 0

  /** Many rows may arrive at once: the page is drawn once for all of them. */
  const announce = (next: Partial<typeof state> = {}): void => {
    state = { ...state, ...next }
    if (isAnnounced) return
    isAnnounced = true
    setTimeout(() => {
      isAnnounced = false
      if (signal.aborted) return
      snapshot = { ...state, rows, count: Rows.count(rows) }
      for (const listener of listeners) listener()
    })
  }

  const reload = (): void => {
    rows.past.length = 0
    page = null
    readings++
    announce({ isLoading: false, isComplete: false, isReloaded: true, error: null })
    loadMore()
  }

  const readPage = async (first: NonNullable<typeof source.first>): Promise<void> => {
    const reading = ++readings
    try {
      const next = page === null ? await first(signal) : await page.next()
      // The list was reset in the meantime.
      if (reading !== readings) return
      page = next ?? page
      for (const row of next?.result ?? []) rows.past.push(row)
      const isComplete = next === null || next.cursor === null || next.cursor === undefined
      announce({ isLoading: false, isComplete, error: null })
    } catch (error) {
      if (signal.aborted || reading !== readings) return
      state = { ...state, isLoading: false }
      if (isStale(error)) reload()
      else announce({ error })
    }
  }

  const loadMore = (): void => {
    const { first } = source
    if (first === null || state.isLoading || state.isComplete || state.error !== null) return
    announce({ isLoading: true })
    void readPage(first)
  }

  const takeLive = (value: Row | Reverted): void => {
    if (!isReverted(value)) Rows.addLive(rows, value, source)
    else if (Rows.revert(rows, value.fromBlock, source)) reload()
    announce(isFollowedAlone ? { isLoading: false } : {})
  }

  const follow = async (stream: NonNullable<typeof source.follow>): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const value of stream(signal)) takeLive(value)
      } catch (error) {
        if (!signal.aborted) announce({ error })
      }
      await wait(restartMillis, signal)
      if (signal.aborted) return
      // The restarted stream begins with all rows that are not final.
      rows = { past: rows.past, live: [] }
      announce({ error: null })
    }
  }

  if (source.follow !== null) void follow(source.follow)
  if (isFollowedAlone) void wait(emptyMillis, signal).then(() => announce({ isLoading: false }))
  loadMore()
  return {
    boundary: source.boundary,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    snapshot: () => snapshot,
    loadMore,
    retry: () => {
      announce({ error: null })
      loadMore()
    },
  }
}
