/**
 * Compares the tables of event receivers with the lists of services on PostgreSQL that are restarted and take over from each other. Runs
 * if `DAYBOOK_RECEIVER_RUNS` is set to a number of runs; `pnpm --filter @daybook/service receivers --on postgres` runs many.
 */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ReceiverRun from "../../push/ReceiverRun.ts"
import * as TestServer from "./TestServer.ts"

const runs = Number(process.env["DAYBOOK_RECEIVER_RUNS"] ?? 0)

/** Registers the tests of events on a server. */
export const events = (server: () => string): void => {
  it.live.skipIf(runs === 0)(
    "walletEvents: the table of a receiver equals the lists by row id on PostgreSQL",
    () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < runs; seed++) {
          const { url } = yield* TestServer.emptied(server())
          const { differences } = yield* ReceiverRun.run({ url, folder: "/nowhere" }, seed)

          expect(differences).toEqual([])
        }
      }).pipe(Effect.scoped),
    180_000,
  )
}
