/**
 * Who is next for the time of a thread, which holders of API keys share: start-time fair queueing. Each holder stands at the time that it
 * has used, and at least where the last work began. So a holder that has used less than its share is next, those that wait have equal
 * shares, and what a holder used while no other waited does not count against it.
 *
 * Source: decision 0039.
 */

/** Shares of a thread. */
export interface FairShares {
  /** Where the next work of a holder stands; of those that wait, the lowest is next. */
  readonly standing: (holder: string) => number
  /** Where the last work began: no holder stands lower. */
  readonly reached: () => number
  /** Adds the milliseconds that work of a holder took, which was next when it began. */
  readonly add: (holder: string, millis: number) => void
}

/** Holders that are remembered before those are forgotten that stand no higher than one that is new. */
const maxRemembered = 1_000

/** Makes shares that no holder has used. */
export const make = (): FairShares => {
  const used = new Map<string, number>()
  /** Where the last work began. */
  let reached = 0
  let nextSweep = maxRemembered

  const standing = (holder: string): number => Math.max(reached, used.get(holder) ?? 0)

  const forget = () => {
    for (const [holder, standing] of used) if (standing <= reached) used.delete(holder)
    nextSweep = 2 * used.size + maxRemembered
  }

  return {
    standing,
    reached: () => reached,
    add: (holder, millis) => {
      reached = standing(holder)
      used.set(holder, reached + millis)
      if (used.size > nextSweep) forget()
    },
  }
}

/** The first of some holders that stands lowest; undefined without any. Those behind one that none can be below are not looked at. */
export const first = ({ reached, standing }: FairShares, holders: Iterable<string>): string | undefined => {
  let [found, lowest]: [string | undefined, number] = [undefined, Infinity]
  const least = reached()
  for (const holder of holders) {
    const own = standing(holder)
    if (own === least) return holder
    if (own < lowest) [found, lowest] = [holder, own]
  }
  return found
}
