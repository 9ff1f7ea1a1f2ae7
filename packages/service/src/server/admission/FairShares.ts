/**
 * Who is next for the time of a thread, which holders of API keys share: fair queueing. Each holder stands at the time that it has used, and
 * at least where the thread has reached: the lowest standing of those that wait. The next one is that whose work would end first, by how long its
 * work usually takes. So those that wait have equal shares, and a holder that has used less than its share is next. Short work goes before long
 * work of holders that begin at the same time. What a holder used while no other waited does not count against it.
 *
 * Source: decision 0039.
 */
import * as Heap from "./Heap.ts"

/** Shares of a thread. */
export interface FairShares {
  /** Where the next work of a holder stands. */
  readonly standing: (holder: string) => number
  /** Lets a holder wait that does not. */
  readonly enter: (holder: string) => void
  /** A holder does not wait any longer. */
  readonly leave: (holder: string) => void
  /** The holder whose work is next, which does not wait any longer; undefined where none waits. */
  readonly next: () => string | undefined
  /** Adds the milliseconds that work of a holder took, which was next when it began. */
  readonly add: (holder: string, millis: number) => void
}

/** What is known of a holder. */
interface Usage {
  /** Where its next work stands, unless the thread has reached more. */
  used: number
  /** Milliseconds that a piece of its work usually takes. */
  usual: number
}

/** A holder that waits. */
interface Waiting {
  readonly holder: string
  /** Where its work begins. */
  readonly start: number
  /** Where its work would end, if it had begun when the holder had used its share; what waits goes in this order. */
  readonly end: number
  /** Its number in the order of arrival. */
  readonly order: number
}

/** Milliseconds that work is taken to need at most, and where nothing is known of its holder: short work is preferred by no more. */
const longMillis = 8

/** The part of what is usual that one piece of work makes. */
const weight = 1 / 4

/** Holders that are remembered before those are forgotten that stand no higher than one that is new. */
const maxRemembered = 10_000

/** Makes shares that no holder has used. */
export const make = (): FairShares => {
  const known = new Map<string, Usage>()
  const waiting = new Map<string, Waiting>()
  // One that has left is in them until it would be first.
  const byEnd = Heap.make<Waiting>(
    (one, other) => one.end < other.end || (one.end === other.end && one.order < other.order),
  )
  const byStart = Heap.make<Waiting>((one, other) => one.start < other.start)
  let reached = 0
  /** What the thread had reached when none waited last: a holder that has come since has not waited for its share before. */
  let idleAt = 0
  let arrived = 0
  let nextSweep = maxRemembered

  const standing = (holder: string): number => Math.max(reached, known.get(holder)?.used ?? 0)

  /** The first of a heap that still waits. */
  const firstOf = (heap: Heap.Heap<Waiting>): Waiting | undefined => {
    for (let first = heap.first(); first !== undefined; first = heap.first()) {
      if (waiting.get(first.holder) === first) return first
      heap.removeFirst()
    }
    return undefined
  }

  const usageOf = (holder: string): Usage => {
    const found = known.get(holder) ?? { used: 0, usual: longMillis }
    known.set(holder, found)
    return found
  }

  const forget = () => {
    for (const [holder, { used }] of known) if (used <= reached) known.delete(holder)
    nextSweep = 2 * known.size + maxRemembered
  }

  return {
    standing,
    enter: (holder) => {
      const { used = 0, usual = longMillis } = known.get(holder) ?? {}
      const end = Math.max(reached, Math.max(idleAt, used) + Math.min(longMillis, usual))
      const entry = { holder, start: Math.max(reached, used), end, order: arrived++ }
      waiting.set(holder, entry)
      byEnd.add(entry)
      byStart.add(entry)
    },
    leave: (holder) => void waiting.delete(holder),
    next: () => {
      const next = firstOf(byEnd)
      if (next === undefined) return undefined
      // Sound: one waits.
      reached = Math.max(reached, firstOf(byStart)!.start)
      waiting.delete(next.holder)
      usageOf(next.holder).used = next.start
      return next.holder
    },
    add: (holder, millis) => {
      const usage = usageOf(holder)
      usage.used = standing(holder) + millis
      usage.usual += weight * (millis - usage.usual)
      if (waiting.size === 0) {
        reached = usage.used
        idleAt = reached
      }
      if (known.size > nextSweep) forget()
    },
  }
}

/** The first of some holders that stands lowest, of those that may be next; undefined without any. */
export const first = (
  { standing }: Pick<FairShares, "standing">,
  holders: Iterable<string>,
  mayBeNext: (holder: string) => boolean,
): string | undefined => {
  let [found, least]: [string | undefined, number] = [undefined, Infinity]
  for (const holder of holders) {
    if (!mayBeNext(holder)) continue
    const own = standing(holder)
    if (own < least) [found, least] = [holder, own]
  }
  return found
}
