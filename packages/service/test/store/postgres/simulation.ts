/** A simulated world on PostgreSQL, in the smaller form of the command `simulate`. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Server from "../../simulation/Server.ts"
import * as Simulation from "../../simulation/Simulation.ts"
import * as TestServer from "./TestServer.ts"

/** A short life with most kinds of events. */
const seed = 14

/** Lives one world. */
export const simulation = (url: () => string): void => {
  it.live(
    "simulation: an indexer that is killed between statements reaches the chain's state",
    () =>
      Effect.gen(function* () {
        const server = yield* Server.open(yield* TestServer.blank(url()))

        const { counts, divergence } = yield* Effect.promise(() => Simulation.run({ seed, server }))

        expect(divergence).toBe(null)
        expect(counts.byKind.get("killed between begin and commit")).toBeGreaterThan(0)
      }),
    60_000,
  )
}
