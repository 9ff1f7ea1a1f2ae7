import { describe, expect, it } from "vitest"
import * as PlantedBug from "./PlantedBug.ts"
import * as Simulation from "./Simulation.ts"

describe("Simulation", () => {
  describe("run", () => {
    it("run: repeats the same events from the same seed", { timeout: 60_000 }, async () => {
      const live = async () => {
        const events: Array<string> = []
        await Simulation.run({
          seed: 3,
          onEvent: (millis, what) => events.push(`${millis} ${what.replace(/Interrupt\(\d+\)/, "")}`),
        })
        return events
      }

      expect(await live()).toEqual(await live())
    })

    it("run: finds no divergence in 50 seeds", { timeout: 180_000 }, async () => {
      const diverged: Array<string> = []
      const happened = new Set<string>()
      for (let seed = 1; seed <= 50; seed++) {
        const { counts, divergence } = await Simulation.run({ seed })
        for (const kind of counts.byKind.keys()) happened.add(kind)
        if (divergence !== null) diverged.push(`pnpm --filter @daybook/service simulate --seed ${seed}: ${divergence}`)
      }

      expect(diverged).toEqual([])
      expect([...happened]).toEqual(
        expect.arrayContaining([
          "killed between begin and commit",
          "killed outside a transaction",
          "reorg deeper than 10",
          "a node answers from an older head",
          "a node answers from another branch",
          "faulty response: wrong parent",
          "faulty response: no receipts",
          "faulty response: error of the tracer",
          "status 429",
          "a node lacks the state of a block",
          "a statement fails: disk full",
          "a walk goes stale",
          "worlds with a second indexer",
          "the first block is lowered",
          "blocks are stored below the first one",
          "the ledgers are derived again",
        ]),
      )
    })

    it.each(PlantedBug.names)("run: finds the planted bug: %s", { timeout: 60_000 }, async (bug) => {
      let found: number | undefined
      for (let seed = 1; seed <= 1000 && found === undefined; seed++) {
        if ((await Simulation.run({ seed, bug })).divergence !== null) found = seed
      }

      expect(found).toBeDefined()
    })
  })
})
