/** Simulated worlds on PostgreSQL, in the smaller form of the command `simulate`. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Server from "../../simulation/Server.ts"
import * as Simulation from "../../simulation/Simulation.ts"
import * as TestServer from "./TestServer.ts"

/** Lives of which the first had kills in transactions when it was found. */
const seeds = [3, 9, 14, 45, 1, 2]
const wanted = "killed between begin and commit"

/** Lives worlds until an indexer was killed in a transaction. */
export const simulation = (url: () => string): void => {
  it.live(
    "simulation: an indexer that is killed between statements reaches the chain's state",
    () =>
      Effect.gen(function* () {
        const server = yield* Server.open(yield* TestServer.blank(url()))
        const diverged: Array<string> = []
        let kills = 0
        for (const seed of seeds) {
          if (kills > 0) break
          const { counts, divergence } = yield* Effect.promise(() => Simulation.run({ seed, server }))
          kills += counts.byKind.get(wanted) ?? 0
          if (divergence !== null) diverged.push(`seed ${seed}: ${divergence}`)
        }

        expect(diverged).toEqual([])
        expect(kills).toBeGreaterThan(0)
      }),
    180_000,
  )
}
