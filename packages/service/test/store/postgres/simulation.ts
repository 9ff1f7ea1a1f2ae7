/** Simulates a world on PostgreSQL with the command `simulate` in a child process, which replaces the driver that the engine loads. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Server from "../../simulation/Server.ts"
import * as Edit from "../../consistency/Edit.ts"

/** A seed whose simulation has a kill in a transaction. */
const seed = 18
const command = fileURLToPath(new URL("../../simulation/run.ts", import.meta.url))

const simulate = async (url: string): Promise<string> => {
  const { args, env } = Edit.processWith(Server.edits)
  const options = ["--seed", `${seed}`, "--database", url]
  const { stdout } = await promisify(execFile)(process.execPath, [...args, command, ...options], { env })
  return stdout
}

/** Registers the simulation of a world whose indexer is killed in a transaction. */
export const simulation = (url: () => string): void => {
  it.live(
    "simulation: an indexer that is killed between statements reaches the chain's state",
    () =>
      Effect.gen(function* () {
        const printed = yield* Effect.promise(() => simulate(url()))

        expect(printed).toContain("killed between begin and commit")
        expect(printed).toMatch(/^passed: 1 of 1 cases/m)
      }),
    180_000,
  )
}
