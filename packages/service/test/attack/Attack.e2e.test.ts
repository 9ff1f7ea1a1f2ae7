import { describe, expect, it } from "vitest"
import * as Scenario from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"

/** One attack of each kind; `pnpm --filter @daybook/service attack` runs all of them at their full size. */
const names = [
  "pages of 8 MB internal transactions",
  "expensive bodies next to a healthy client",
  "random changes of bytes of the database file",
  "the system clock set back and forward",
  "incomplete TLS handshakes",
  "changed MCP messages",
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
