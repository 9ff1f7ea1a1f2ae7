/** Verifies that the pages of an engine are consistent, as a short form of the command `consistency`. */
import { Effect } from "effect"
import { expect } from "vitest"
import * as Checker from "./Checker.ts"

/** Checks an empty database. */
export const expectExact = (url: string) =>
  Effect.map(Checker.run({ url, pages: 100, seed: 1 }), (seen) => {
    expect(seen).toMatchObject({ torn: 0, falselyStale: 0, accepted: 0, damaged: 0 })
    expect([...seen.failures.keys(), ...seen.unavailable.keys()]).toEqual([])
    expect(Math.min(seen.crashes, seen.stalls, seen.refused, seen.reorgs)).toBeGreaterThan(0)
  })
