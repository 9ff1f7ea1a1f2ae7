import { describe, expect, it } from "vitest"
import * as Scenario from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"

/** One attack of each kind; `pnpm --filter @daybook/service attack` runs all of them at their full size. */
const names = [
  "pages of 8 MB internal transactions",
  "heavy bodies beside a healthy client",
  "random changes of bytes of the database file",
  "the clock of the machine set back and forward",
  "TLS handshakes that do not end",
  "changed messages of models",
]

describe("attack", () => {
  it.for(names)(
    "attack: %s is answered within its bound, and is not attributed to another client",
    { timeout: 120_000 },
    async (name) => {
      const scenario = Scenarios.all.find((candidate) => candidate.name === name)

      const { faults } = await Scenario.run(scenario!, "small")

      expect(faults).toEqual([])
    },
  )
})
