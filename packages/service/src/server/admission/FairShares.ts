/**
 * Who is next for the time of a thread, which holders of API keys share by quanta of some milliseconds. What a holder has used is counted in
 * milliseconds, and the one that has used the least is next. So those that wait have equal shares. One that did not wait has used at least
 * what the thread has reached, less a quantum. So the pieces of its request follow each other where it is below its share. More of what it did
 * not use is not saved, and what it used while no other waited does not count against it.
 *
 * A run is work of a holder until nothing of it waits, such as a request. A holder whose runs usually end within a quantum may be two quanta
 * ahead of those with long runs. It stands where its run began, so that no piece of a short request waits for a piece of each other holder.
 * What is usual is known for each kind of runs: one kind may be short and another long. Kinds are few, as the routes of a server.
 *
 * Source: decision 0039.
 */
import * as Heap from "./Heap.ts"

/** Shares of a thread. */
export interface FairShares {
  /** Where the next work of a holder stands: the lowest is next. */
  readonly standing: (holder: string) => number
  /** Lets a holder wait that does not; `kind` is that of its work where it begins a run. Default: the kind of its last run. */
  readonly enter: (holder: string, kind?: string) => void
  /** A holder does not wait any longer, which ends its run. */
  readonly leave: (holder: string) => void
  /** The holder whose work is next, which does not wait any longer; undefined where none waits. */
  readonly next: () => string | undefined
  /** Adds the milliseconds that work of a holder took, which was next when it began; it goes on where more of the holder waits. */
  readonly add: (holder: string, millis: number, goesOn: boolean) => void
}

/** What is known of a holder. */
interface Usage {
  /** Milliseconds that it has used, and at least what the thread had reached, less a quantum, when it began to wait. */
  readonly used: number
  /** Milliseconds of the run that goes on; 0 between two runs. */
  readonly run: number
  /** The kind of its last run. */
  readonly kind: string
  /** Milliseconds that a run of each kind usually takes. */
  readonly usual: Map<string, number>
  /** What it had used when its work was last taken to have met a pause. */
  readonly pausedAt: number
}

/** A holder that waits, with what decides whether it is next. */
interface Waiting {
  readonly holder: string
  readonly standing: number
  readonly kind: string
  /** Milliseconds that its run usually takes; 0 for a run that goes on. */
  readonly usual: number
  /** Its number in the order of arrival. */
  readonly order: number
}

/** Milliseconds of a quantum. */
const quantumMillis = 8

/** Milliseconds that a holder with short runs may have used more than others have. */
const aheadMillis = 2 * quantumMillis

/** Milliseconds of a run of a kind which a holder never had: it counts as long. */
const unknownMillis = 2 * quantumMillis

/** Milliseconds that a holder uses between two pieces that may have met a pause: all else that it uses counts in full. */
const pauseEveryMillis = 32 * quantumMillis

/** The part of what is usual that a run makes which took less, and one which took more: it may have met a pause, as to collect garbage. */
const [weightOfLess, weightOfMore] = [1 / 4, 1 / 16]

/** Holders that are remembered before those are forgotten that have used no more than one that is new. */
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

/** The usage of a holder of which nothing is known. */
const unknownAt = (used: number): Usage => ({ used, run: 0, kind: "", usual: new Map(), pausedAt: -Infinity })

/** Makes shares that no holder has used. */
export const make = (): FairShares => {
  const known = new Map<string, Usage>()
  const waiting = new Map<string, Waiting>()
  // One that has left is in it until it would be first.
  const heap = Heap.make<Waiting>(isBefore)
  /** The lowest standing of those that wait. */
  let reached = 0
  /** What the thread had reached when none waited last: nothing of what a holder did not use until then is saved. */
  let idleAt = 0
  let arrived = 0
  let nextSweep = maxRemembered
  /** What was next. */
  let current: Waiting | undefined

  /** The least that a known holder has used. */
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
      // One that runs does not wait: its run goes on until the work ends.
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
      // A piece of a short run that takes a quantum by itself may have met one too: else its run would become a long one.
      const longest = usual > quantumMillis ? usual + quantumMillis : quantumMillis
      const isPause = millis > longest && used >= pausedAt + pauseEveryMillis
      const counted = isPause ? Math.min(millis, usual + quantumMillis) : millis
      // A pause is no work of the run.
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
