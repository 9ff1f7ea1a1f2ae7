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
    "Writes a chain and reads its pages through PgBouncer. Fails if a page is torn, if anything fails with session pooling, or if an error with transaction pooling and without prepared statements does not name PgBouncer. Skipped without PgBouncer.",
  options: { database: [undefined, "URL of a PostgreSQL server, or of a database of a coordinator, which is emptied"] },
  plan: Effect.fnUntraced(function* ({ database }, { print }) {
    const version = Pooler.version()
    if (version === undefined) {
      print("Skipped: pgbouncer is not on the PATH.")
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
