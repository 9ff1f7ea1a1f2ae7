/**
 * Chooses the thread of a pool for the next range: the one with the fewest ranges among those that run or may be restarted. Pure.
 */
import * as Backoff from "@daybook/transport/internal/Backoff"

/**
 * A thread, as known from its responses.
 */
export interface ThreadState {
  /** Number of ranges that it is fetching. */
  readonly ranges: number
  /** Number of blocks that its nodes accept at once, by its last response. */
  readonly size: number
  /** Number of times it was lost since its last response. */
  readonly losses: number
  /** It receives no range before this instant, in milliseconds. */
  readonly restsUntilMillis: number
}

/**
 * The threads of a pool, by index.
 */
export type PoolState = ReadonlyArray<ThreadState>

/** Number of blocks in the first range of a thread. */
const firstSize = 4
/** Delay before a lost thread is restarted. */
const backoff: Backoff.Backoff = { firstMillis: 500, maxMillis: 30_000 }

const initial: ThreadState = { ranges: 0, size: firstSize, losses: 0, restsUntilMillis: 0 }

/**
 * Makes the state of threads that have not started.
 */
export const make = (threads: number): PoolState => Array.from({ length: threads }, () => initial)

/**
 * An event of a thread.
 */
export type Input =
  | { readonly _tag: "Assigned"; readonly index: number }
  | { readonly _tag: "Answered"; readonly index: number; readonly size: number }
  | { readonly _tag: "Interrupted"; readonly index: number }
  /** It cannot fetch a range, and probably not the next one either. */
  | { readonly _tag: "Declined"; readonly index: number; readonly nowMillis: number }
  | { readonly _tag: "Lost"; readonly index: number; readonly nowMillis: number }

const applyTo = (thread: ThreadState, input: Input): ThreadState => {
  const { losses, ranges, size } = thread
  switch (input._tag) {
    case "Assigned":
      return { ...thread, ranges: ranges + 1 }
    case "Answered":
      return { ...thread, ranges: Math.max(0, ranges - 1), size: Math.max(1, input.size), losses: 0 }
    case "Interrupted":
      return { ...thread, ranges: Math.max(0, ranges - 1) }
    case "Declined":
      return { ...thread, ranges: Math.max(0, ranges - 1), restsUntilMillis: input.nowMillis + backoff.maxMillis }
    case "Lost": {
      // Every range of a lost thread fails; only the first failure counts.
      const isKnown = input.nowMillis < thread.restsUntilMillis
      const lost = isKnown ? losses : losses + 1
      const restsUntilMillis = isKnown ? thread.restsUntilMillis : input.nowMillis + Backoff.delayMillis(backoff, lost)
      return { size: Math.min(size, firstSize), ranges: Math.max(0, ranges - 1), losses: lost, restsUntilMillis }
    }
  }
}

/**
 * Applies an input.
 */
export const step = (state: PoolState, input: Input): PoolState =>
  state.map((thread, index) => (index === input.index ? applyTo(thread, input) : thread))

/**
 * Index of the thread that fetches the next range; `null` while all threads were lost or have just declined.
 */
export const next = (state: PoolState, nowMillis: number): number | null => {
  let found: number | null = null
  for (const [index, { ranges, restsUntilMillis }] of state.entries()) {
    if (nowMillis < restsUntilMillis) continue
    if (found === null || ranges < state[found]!.ranges) found = index
  }
  return found
}
