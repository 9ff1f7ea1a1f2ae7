/** Runs receivers of events a number of times, on SQLite or PostgreSQL; fails if a table differs from the list of the service. */
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as ReceiverRun from "./ReceiverRun.ts"

const started = Effect.acquireRelease(
  Effect.promise(() => EmbeddedServer.start()),
  ({ stop, url }) => Effect.promise(() => TestServer.removeAll(url).then(stop)),
)

Campaign.main({
  name: "receivers",
  about:
    "Runs a chain with reorgs, repairs and finality, two services that are restarted and take over from each other, and receivers that are slow, disconnected and reconnect. The senders of a webhook are killed, pause and take over from each other, and its receiver is down, slow, loses responses and is restored from a backup. Fails if a table differs from the list of the service.",
  seeds: 10_000,
  options: {
    on: ["sqlite", "sqlite or postgres"],
    database: Campaign.database,
  },
  plan: Effect.fnUntraced(function* ({ database, on }, report, seeds) {
    const isPostgres = on === "postgres" || database !== undefined
    const server = isPostgres ? (database ?? (yield* started).url) : ""
    const nextLocation = Effect.gen(function* () {
      if (!isPostgres) return { url: "sqlite:data", folder: yield* temporaryFolder }
      return { url: (yield* TestServer.emptied(server)).url, folder: "/nowhere" } satisfies ReceiverRun.DatabaseLocation
    })
    let [events, runs, messages, attempts] = [0, 0, 0, 0]
    return {
      cases: Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed) {
          const outcome = yield* ReceiverRun.run(yield* nextLocation, seed)
          events += outcome.events
          messages += outcome.messages
          attempts += outcome.attempts
          runs++
          for (const difference of outcome.differences) report.fail(difference)
        }),
      ),
      after: ({ print }) =>
        Effect.sync(() =>
          print(
            `${runs} runs, ${events} events, ${messages} messages of webhooks in ${attempts} attempts on ${isPostgres ? "postgres" : "sqlite"}`,
          ),
        ),
    }
  }),
})
