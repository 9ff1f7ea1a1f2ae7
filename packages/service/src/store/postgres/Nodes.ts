/**
 * Citus nodes over which the rows of a chain are distributed, and what an operator should know about them.
 *
 * Source: decision 0051.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "../StoreError.ts"
import type { At } from "./Chain.ts"
import * as Marks from "./Marks.ts"
import type { Session } from "./Pool.ts"
import * as Values from "./Values.ts"

const placements = `SELECT count(DISTINCT p.groupid)::int4 FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
  JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = 'document'`

/** In milliseconds; PostgreSQL states settings in their own units. */
const recoveryInterval = "SELECT setting::int4 FROM pg_settings WHERE name = 'citus.recover_2pc_interval'"
/** Maximum interval with which indexing continues within ten seconds after a lost node is back. */
const goodIntervalMillis = 5_000

const hasCitus = (session: Session): Effect.Effect<boolean, StoreError> =>
  Effect.map(session.rows(Marks.citus, []), ({ length }) => length > 0)

/** Number of nodes that store the rows of a chain; 0 if these are next to its checkpoint. */
export const count = Effect.fnUntraced(function* ({ chain, session }: At): Effect.fn.Return<number, StoreError> {
  if (!(yield* hasCitus(session))) return 0
  const [[nodes] = [0]] = yield* session.rows<readonly [number]>(placements, [Values.text(chain.schema)])
  return nodes
})

/** Logs where the rows of a chain are stored in a database with Citus, and a setting that would keep its index from continuing. */
export const report = Effect.fnUntraced(function* (at: At): Effect.fn.Return<void, StoreError> {
  const { chain, session } = at
  if (!(yield* hasCitus(session))) return
  const nodes = yield* count(at)
  if (nodes === 0) {
    yield* Effect.logWarning(
      `${chain.name} is not distributed: it was created before the database had Citus with nodes. Index it again in a new schema to distribute it.`,
    )
    return
  }
  yield* Effect.logInfo(`${chain.name} is distributed over ${nodes} ${nodes === 1 ? "node" : "nodes"} of Citus`)
  const [[millis] = [0]] = yield* session.rows<readonly [number]>(recoveryInterval, [])
  if (millis <= goodIntervalMillis) return
  yield* Effect.logWarning(
    `Citus settles the writes of a lost node after up to ${millis / 1000} s, and no block is stored until then. Set citus.recover_2pc_interval to 2s on its nodes.`,
  )
})
