/**
 * Seeded random numbers. Each part of a simulated world uses a separate stream, so that the draws of one part do not shift those of
 * another.
 */
import * as Random from "@daybook/testkit/internal/Random"

/** A stream of random numbers. */
export interface SeededRandom {
  /** A whole number from 0 to below a limit. */
  readonly below: (bound: number) => number
  /** A whole number between two bounds, inclusive. */
  readonly between: (low: number, high: number) => number
  /** True with the given probability. */
  readonly is: (probability: number) => boolean
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  /** A separate named stream. */
  readonly fork: (name: string) => SeededRandom
}

const mix = (seed: number, name: string): number => {
  let hash = seed ^ 0x9e3779b9
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** The stream of a seed. */
export const make = (seed: number): SeededRandom => {
  // Reverts the change that `Random` makes to a seed: recorded seeds of counterexamples depend on this sequence.
  const { integer: below, next, pick } = Random.make(seed ^ 0x9e3779b9)
  return {
    below,
    pick,
    between: (low, high) => low + below(high - low + 1),
    is: (probability) => next() < probability,
    fork: (name) => make(mix(seed, name)),
  }
}
