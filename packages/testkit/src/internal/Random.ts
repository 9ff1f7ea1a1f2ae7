/**
 * Seeded pseudorandom numbers: the same seed gives the same stream on every machine. Not for secrets.
 */

/** A stream of pseudorandom values; every call advances it. */
export interface Random {
  /** A number in [0, 1). */
  readonly next: () => number
  /** A whole number in [0, `below`). */
  readonly integer: (below: number) => number
  /** One of the items. Throws a `RangeError` on an empty list. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** A whole amount in [`min`, `max`]. */
  readonly amount: (min: bigint, max: bigint) => bigint
  /** `0x` and this many random bytes in hex. */
  readonly hex: (bytes: number) => `0x${string}`
}

/** The two digits of each byte. */
const byteDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Makes the stream of a seed. */
export const make = (seed: number): Random => {
  let state = (seed ^ 0x9e3779b9) >>> 0
  // mulberry32: one 32-bit state.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const integer = (below: number) => Math.floor(next() * below)
  const hex: Random["hex"] = (bytes) => {
    let text: `0x${string}` = "0x"
    for (let left = bytes; left > 0; left--) text = `${text}${byteDigits[integer(256)]!}`
    return text
  }
  return {
    next,
    integer,
    hex,
    pick: (items) => {
      const item = items[integer(items.length)]
      if (item === undefined) throw new RangeError("pick: no items")
      return item
    },
    amount: (min, max) => min + (BigInt(hex(16)) % (max - min + 1n)),
  }
}
