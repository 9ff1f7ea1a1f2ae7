/**
 * A small seeded generator of numbers, so that a scenario is the same wherever it runs.
 *
 * Not for secrets.
 */

/** Draws from one stream; each call moves it on. */
export interface Random {
  /** A number in [0, 1). */
  readonly next: () => number
  /** A whole number in [0, `below`). */
  readonly integer: (below: number) => number
  /** One of the given items. Throws on an empty list. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** A whole amount in [`least`, `most`]. */
  readonly amount: (least: bigint, most: bigint) => bigint
  /** `0x` and this many random bytes. */
  readonly hex: (bytes: number) => `0x${string}`
}

/** Makes a stream from a seed: equal seeds give equal streams. */
export const make = (seed: number): Random => {
  let state = (seed ^ 0x9e3779b9) >>> 0
  // mulberry32: one 32-bit state, enough for test traffic.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const integer = (below: number) => Math.floor(next() * below)
  const hex: Random["hex"] = (bytes) =>
    `0x${Array.from({ length: bytes }, () => integer(256).toString(16).padStart(2, "0")).join("")}`
  return {
    next,
    integer,
    hex,
    pick: (items) => {
      const item = items[integer(items.length)]
      if (item === undefined) throw new RangeError("pick: no items")
      return item
    },
    amount: (least, most) => least + (BigInt(hex(16)) % (most - least + 1n)),
  }
}
