/**
 * Statuses in the schemas of their chains, with the database's clock.
 */
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import * as StatusJson from "../rows/StatusJson.ts"
import type { DiskUse, ReportedStatus, StatusBoard } from "../StatusBoard.ts"
import { LeaseLost, StoreError } from "../StoreError.ts"
import type { At, Reading } from "./Chain.ts"
import type { WithChain } from "./Leases.ts"
import * as Values from "./Values.ts"

/** Status in a chain's schema; `null` if none was written. */
export const read = Effect.fnUntraced(function* ({
  chain,
  session,
}: At): Effect.fn.Return<ReportedStatus | null, StoreError> {
  const [row] = yield* session.rows<readonly [status: string | null, age: number | null]>(chain.sql.status, [])
  if (row === undefined || row[0] === null) return null
  const status = yield* Effect.mapError(
    StatusJson.decode(row[0]),
    (cause) => new StoreError({ message: `Database failed: ${chain.name}.`, isRetryable: false, cause }),
  )
  const age = row[1] ?? -1
  return { ...status, ageMillis: age < 0 ? null : age }
})

const tablesBytes = `SELECT sum(pg_total_relation_size(c.oid))::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind = 'r'`

/** Size of a chain's tables with their indexes, in bytes; PostgreSQL has one log for all. */
const diskUse = ({ chain, session }: At): Effect.Effect<DiskUse | null, StoreError> =>
  Effect.map(session.rows<readonly [bytes: number | null]>(tablesBytes, [Values.text(chain.schema)]), ([row]) =>
    row === undefined || row[0] === null ? null : { data: row[0], log: null },
  )

/** The statuses of a database. */
export const make = (withChain: WithChain, readingOf: (chain: ChainRef) => Reading): StatusBoard => ({
  write: (chain, status, token) =>
    withChain(
      chain,
      Effect.fnUntraced(function* ({ chain: { sql }, session }): Effect.fn.Return<void, StoreError | LeaseLost> {
        const text = yield* Effect.orDie(StatusJson.encode(status))
        const written = yield* session.rows(sql.writeStatus, [Values.big(token), Values.text(text)])
        if (written.length === 0) return yield* new LeaseLost({ chain: chain.name })
      }),
    ),
  diskUse: (chain) => Effect.suspend(() => readingOf(chain)(diskUse)),
  // Whether the user may write is only known once it writes.
  writeIssue: () => Effect.succeed(null),
  read: (chain) => Effect.suspend(() => readingOf(chain)(read)),
})
