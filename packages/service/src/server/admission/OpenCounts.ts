/** Counts by name what callers hold open, such as connections and streams. */

/** Counts of one kind. */
export interface OpenCounts {
  /** Changes the count of a name by a number, which may be negative. */
  readonly add: (name: string, number: number) => void
  /** The limit that one more would exceed; undefined if there is room. */
  readonly reached: (name: string) => string | undefined
}

/** Makes counts of at most `max` for each name; `limit` is the configuration key of the limit. */
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
