/** Counts what callers hold open, such as connections and streams, by a name. */

/** Counts of one kind. */
export interface OpenCounts {
  /** Adds to the count of a name; takes from it where the number is negative. */
  readonly add: (name: string, number: number) => void
  /** The bound that one more would exceed; undefined where there is room. */
  readonly reached: (name: string) => string | undefined
}

/** Makes counts of at most `max` of each name; `limit` is the key of the bound in the configuration. */
export const make = (limit: string, max: number): OpenCounts => {
  const open = new Map<string, number>()
  return {
    add: (name, number) => {
      const sum = (open.get(name) ?? 0) + number
      if (sum > 0) open.set(name, sum)
      else open.delete(name)
    },
    reached: (name) => ((open.get(name) ?? 0) >= max ? `${limit} (${max})` : undefined),
  }
}
