/**
 * Decides who is next on a thread that holders of API keys share in quanta of a few milliseconds. Usage is counted in milliseconds, and the
 * holder with the lowest usage is next, so waiting holders get equal shares. A holder that did not wait starts at no less than what the
 * thread has reached, minus one quantum. The pieces of its request therefore follow each other while it is below its share. Unused time
 * beyond that is not saved, and time used while no other holder waited does not count against it.
 *
 * A run is work of a holder, such as a request, until nothing of it waits. A holder whose runs usually end within a quantum may be two
 * quanta ahead of holders with long runs. Its standing is that of the start of its run, so no piece of a short request waits for a piece of
 * every other holder. The usual duration is known for each kind of run, because one kind may be short and another long. There are few
 * kinds, such as the routes of a server.
 *
 * Source: decision 0039.
 */
import * as Heap from "./Heap.ts"

/** Shares of a thread. */
export interface FairShares {
  /** Standing of a holder's next work: the lowest is next. */
  readonly standing: (holder: string) => number
  /**
   * Adds a holder to those waiting, if it is not among them. `kind` is the kind of its work if this begins a run. Default: the kind of its
   * last run.
   */
  readonly enter: (holder: string, kind?: string) => void
  /** Removes a holder from those waiting, which ends its run. */
  readonly leave: (holder: string) => void
  /** Removes and returns the holder whose work is next; undefined if none waits. */
  readonly next: () => string | undefined
  /** Adds the milliseconds used by a holder's work that was next when it began; the run continues if more of the holder's work waits. */
  readonly add: (holder: string, millis: number, goesOn: boolean) => void
}

/** Usage of a holder. */
interface Usage {
  /** Milliseconds used; at least what the thread had reached, minus a quantum, when the holder began to wait. */
  readonly used: number
  /** Milliseconds of the current run; 0 between two runs. */
  readonly run: number
  /** Kind of the last run. */
  readonly kind: string
  /** Usual milliseconds of a run, by kind. */
  readonly usual: Map<string, number>
  /** Usage when its work was last considered to have met a pause. */
  readonly pausedAt: number
}

/** A waiting holder, with what decides whether it is next. */
interface Waiting {
  readonly holder: string
  readonly standing: number
  readonly kind: string
  /** Usual milliseconds of its run; 0 if a run continues. */
  readonly usual: number
  /** Position in the order of arrival. */
  readonly order: number
}

/** Milliseconds of a quantum. */
const quantumMillis = 8

/** Milliseconds by which a holder with short runs may be ahead of others. */
const aheadMillis = 2 * quantumMillis

/** Milliseconds assumed for a kind of run that a holder never had: it counts as long. */
const unknownMillis = 2 * quantumMillis

/** Minimum usage of a holder between two pieces that may have met a pause, in milliseconds: everything else counts in full. */
const pauseEveryMillis = 32 * quantumMillis

/**
 * Weight of a run in the usual duration if it took less, and if it took more: a longer run may have met a pause, such as a garbage
 * collection.
 */
const [weightOfLess, weightOfMore] = [1 / 4, 1 / 16]

/** Number of remembered holders above which those with no more usage than a new holder are forgotten. */
const maxRemembered = 10_000

const isBefore = (one: Waiting, other: Waiting): boolean => {
  if (one.standing !== other.standing) return one.standing < other.standing
  return one.usual === other.usual ? one.order < other.order : one.usual < other.usual
}

const usualOf = ({ usual }: Usage, kind: string): number => usual.get(kind) ?? unknownMillis

const standingOf = (usage: Usage, kind: string): number => {
  const { run, used } = usage
  return Math.max(usualOf(usage, kind), run) > quantumMillis ? used : used - run - aheadMillis
}

/** Usage of an unknown holder. */
const unknownAt = (used: number): Usage => ({ used, run: 0, kind: "", usual: new Map(), pausedAt: -Infinity })

/** Makes shares without any usage. */
export const make = (): FairShares => {
  const known = new Map<string, Usage>()
  const waiting = new Map<string, Waiting>()
  // An entry that has left remains in the heap until it would be first.
  const heap = Heap.make<Waiting>(isBefore)
  /** Lowest standing of the waiting holders. */
  let reached = 0
  /** What the thread had reached when last none waited: time unused until then is not saved. */
  let idleAt = 0
  let arrived = 0
  let nextSweep = maxRemembered
  /** The entry that was last next. */
  let current: Waiting | undefined

  /** Lowest usage of a known holder. */
  const least = (): number => Math.max(idleAt, reached - quantumMillis)

  const usageOf = (holder: string): Usage => {
    const found = known.get(holder)
    if (found === undefined) return unknownAt(reached)
    return found.used >= least() ? found : { ...found, used: least() }
  }

  const forget = () => {
    for (const [holder, { used }] of known) if (used <= least()) known.delete(holder)
    nextSweep = 2 * known.size + maxRemembered
  }

  return {
    standing: (holder) => {
      const usage = usageOf(holder)
      return standingOf(usage, usage.kind)
    },
    enter: (holder, given) => {
      const usage = usageOf(holder)
      const goesOn = usage.run > 0
      const kind = goesOn ? usage.kind : (given ?? usage.kind)
      const usual = goesOn ? 0 : usualOf(usage, kind)
      const entry = { holder, kind, standing: standingOf(usage, kind), usual, order: arrived++ }
      waiting.set(holder, entry)
      heap.add(entry)
    },
    leave: (holder) => {
      const found = known.get(holder)
      // A running holder does not wait: its run continues until the work ends.
      if (waiting.delete(holder) && found !== undefined) known.set(holder, { ...found, run: 0 })
    },
    next: () => {
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        heap.removeFirst()
        if (waiting.get(first.holder) !== first) continue
        waiting.delete(first.holder)
        current = first
        reached = Math.max(reached, first.standing)
        return first.holder
      }
      return undefined
    },
    add: (holder, millis, goesOn) => {
      const usage = usageOf(holder)
      const { pausedAt, run: before, used } = usage
      const kind = current?.holder === holder ? current.kind : usage.kind
      const usual = usualOf(usage, kind)
      // A piece of a short run that takes a quantum by itself may have met a pause too; otherwise its run would count as long.
      const longest = usual > quantumMillis ? usual + quantumMillis : quantumMillis
      const isPause = millis > longest && used >= pausedAt + pauseEveryMillis
      const counted = isPause ? Math.min(millis, usual + quantumMillis) : millis
      // A pause does not count as work of the run.
      const run = Math.min(before + (isPause ? usual : millis), unknownMillis)
      const weight = run < usual ? weightOfLess : weightOfMore
      if (!goesOn) usage.usual.set(kind, usual + weight * (run - usual))
      const outcome = { kind, run: goesOn ? run : 0, usual: usage.usual }
      known.set(holder, { ...outcome, used: used + counted, pausedAt: isPause ? used : pausedAt })
      if (waiting.size === 0) {
        reached = Math.max(reached, used + counted)
        idleAt = reached
      }
      if (known.size > nextSweep) forget()
    },
  }
}

/** The candidate with the lowest standing; undefined if there are none. */
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
