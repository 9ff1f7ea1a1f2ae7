/**
 * Who is next for the time of a thread, which holders of API keys share by quanta of some milliseconds. Each holder stands where its quantum
 * began: at the time that it had used by then, and at least where the thread has reached, the lowest standing of those that wait. The one
 * that stands lowest is next. So those that wait have equal shares, and a holder that has used less than its share is next, until it has used a
 * quantum more. What a holder used while no other waited does not count against it.
 *
 * Many stand equal where they begin at the same time. Then one is next whose runs usually end within a quantum: a run is work of a holder until
 * nothing of it waits. Short runs alternate as a whole, the shorter first, so that no piece of a short request waits for a piece of each other
 * holder. Of long ones, that is next which has used the least of its quantum.
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
  /** A holder does not wait any longer, which ends its run. */
  readonly leave: (holder: string) => void
  /** The holder whose work is next, which does not wait any longer; undefined where none waits. */
  readonly next: () => string | undefined
  /** Adds the milliseconds that work of a holder took, which was next when it began; it goes on where more of the holder waits. */
  readonly add: (holder: string, millis: number, goesOn: boolean) => void
}

/** What is known of a holder. */
interface Usage {
  /** Where its quantum began. */
  readonly standing: number
  /** Milliseconds that it has used of its quantum, and its runs that have ended in it. */
  readonly used: number
  readonly runs: number
  /** Milliseconds of the run that goes on; 0 between two runs. */
  readonly run: number
  /** Milliseconds that a run usually takes. */
  readonly usual: number
  /** Where it stood when its work was last taken to have met a pause. */
  readonly pausedAt: number
}

/** A holder that waits, with what decides whether it is next. */
interface Waiting extends Pick<Usage, "standing" | "usual"> {
  readonly holder: string
  /** Its run takes longer than a quantum. */
  readonly isLong: boolean
  /** What it has had of its quantum: milliseconds where its run is long, else runs. One that goes on is before those that have had as many. */
  readonly had: number
  /** Its number in the order of arrival. */
  readonly order: number
}

/** Milliseconds of a quantum. */
const quantumMillis = 8

/** Milliseconds of a run of a holder of which nothing is known: it counts as long. */
const unknownMillis = 2 * quantumMillis

/** Milliseconds that a holder uses between two pieces that may have met a pause: all else that it uses counts in full. */
const pauseEveryMillis = 32 * quantumMillis

/** The part of what is usual that a run makes which took less, and one which took more: it may have met a pause, as to collect garbage. */
const [weightOfLess, weightOfMore] = [1 / 4, 1 / 16]

/** Holders that are remembered before those are forgotten that stand no higher than one that is new. */
const maxRemembered = 10_000

const isBefore = (one: Waiting, other: Waiting): boolean => {
  if (one.standing !== other.standing) return one.standing < other.standing
  if (one.isLong !== other.isLong) return other.isLong
  if (one.had !== other.had) return one.had < other.had
  return one.usual === other.usual ? one.order < other.order : one.usual < other.usual
}

/** Makes shares that no holder has used. */
export const make = (): FairShares => {
  const known = new Map<string, Usage>()
  const waiting = new Map<string, Waiting>()
  // One that has left is in it until it would be first.
  const heap = Heap.make<Waiting>(isBefore)
  let reached = 0
  /** What the thread had reached when none waited last: none of the holders has waited for its share before. */
  let idleAt = 0
  let arrived = 0
  let nextSweep = maxRemembered

  /** The least that a holder stands at: one that has used less than its share may use a quantum before it stands as the others do. */
  const least = (): number => Math.max(idleAt, reached - quantumMillis)

  /** What is known of a holder. Its quantum ends when it is used up, and when others have used as much since. */
  const usageOf = (holder: string): Usage => {
    const found = known.get(holder)
    if (found === undefined) {
      return { standing: reached, used: 0, runs: 0, run: 0, usual: unknownMillis, pausedAt: -Infinity }
    }
    const end = found.standing + found.used
    if (found.used >= quantumMillis || end <= least()) {
      return { ...found, standing: Math.max(least(), end), used: 0, runs: 0 }
    }
    return found.standing >= least() ? found : { ...found, standing: least(), used: end - least() }
  }

  const forget = () => {
    for (const [holder, { standing, used }] of known) if (standing + used <= least()) known.delete(holder)
    nextSweep = 2 * known.size + maxRemembered
  }

  return {
    standing: (holder) => usageOf(holder).standing,
    enter: (holder) => {
      const { run, runs, standing, used, usual } = usageOf(holder)
      const isLong = Math.max(usual, run) > quantumMillis
      const had = isLong ? used : run > 0 ? runs - 1 : runs
      const entry = { holder, standing, isLong, had, usual, order: arrived++ }
      waiting.set(holder, entry)
      heap.add(entry)
    },
    leave: (holder) => {
      const found = known.get(holder)
      // One that runs does not wait: its run goes on until the work ends.
      if (!waiting.delete(holder) || found === undefined || found.run === 0) return
      known.set(holder, { ...found, run: 0, runs: found.runs + 1 })
    },
    next: () => {
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        heap.removeFirst()
        if (waiting.get(first.holder) !== first) continue
        waiting.delete(first.holder)
        reached = Math.max(reached, first.standing)
        return first.holder
      }
      return undefined
    },
    add: (holder, millis, goesOn) => {
      const { pausedAt, run: before, runs, standing, used, usual } = usageOf(holder)
      const isPause = millis > usual + quantumMillis && standing >= pausedAt + pauseEveryMillis
      const counted = isPause ? usual + quantumMillis : millis
      const run = Math.min(before + counted, unknownMillis)
      const weight = run < usual ? weightOfLess : weightOfMore
      const outcome = goesOn ? { run, runs, usual } : { run: 0, runs: runs + 1, usual: usual + weight * (run - usual) }
      known.set(holder, { ...outcome, standing, used: used + counted, pausedAt: isPause ? standing : pausedAt })
      if (waiting.size === 0) {
        reached = Math.max(reached, standing + used + counted)
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
