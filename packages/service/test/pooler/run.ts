/** Writes a chain and reads its pages through PgBouncer, with session and transaction pooling. */
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as Pooler from "./Pooler.ts"

const embedded = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => EmbeddedServer.start()),
    ({ stop }) => Effect.promise(stop),
  ),
  ({ url }) => url,
)

Campaign.main({
  name: "poolers",
  about:
    "Writes a chain and walks its pages through PgBouncer. Fails for a torn page, for a pooler of sessions with which anything fails, and for one of transactions that forgets statements whose failures do not name it. Without PgBouncer nothing is run, which is stated.",
  options: { database: [undefined, "URL of a PostgreSQL server, or of a database of a coordinator, which is emptied"] },
  plan: Effect.fnUntraced(function* ({ database }, { print }) {
    const version = Pooler.version()
    if (version === undefined) {
      print("Skipped: no pgbouncer is on the PATH.")
      return { cases: [] }
    }
    print(`PgBouncer ${version[0]}`)
    const url = database ?? (yield* embedded)
    return {
      columns: ["pool_mode", "pages", "torn", "appends", "outcome"],
      cases: Pooler.modes.map((mode): Campaign.Case => ({
        name: mode,
        run: (report) => Pooler.run(url, mode, report),
      })),
    }
  }),
})
