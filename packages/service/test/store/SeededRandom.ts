/**
 * Random events, the same for the same seed. Each part of a simulated world draws from a separate stream, so that one
 * part's draws do not shift another's.
 */
import { Random } from "@daybook/harness"

/** A stream of random. */
export interface SeededRandom {
  /** A whole number from 0 up to an exclusive bound. */
  readonly below: (bound: number) => number
  /** A whole number from one to another, both included. */
  readonly between: (low: number, high: number) => number
  /** True with a probability. */
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
  // Undoes the kit's change of the seed, so that seeds create the same worlds as before.
  const { integer: below, next, pick } = Random.make(seed ^ 0x9e3779b9)
  return {
    below,
    pick,
    between: (low, high) => low + below(high - low + 1),
    is: (probability) => next() < probability,
    fork: (name) => make(mix(seed, name)),
  }
}
