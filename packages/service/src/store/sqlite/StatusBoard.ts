/**
 * Statuses in the files of their chains. The clock is that of this machine, which all processes on a SQLite file share.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChainRef } from "../ChainRef.ts"
import type { ReportedStatus, StatusBoard } from "../StatusBoard.ts"
import { LeaseLost, type StoreError } from "../StoreError.ts"
import * as Connection from "./Connection.ts"
import type { WithFile } from "./Leases.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Statements from "./Statements.ts"

const StatusJson = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.Literals(["waiting", "backfill", "synced", "misconfigured", "stopped"]),
    traces: Schema.NullOr(Schema.Literals(["trace_block", "debug_traceBlock", "debug_traceTransaction", "off"])),
    nodeHead: Schema.NullOr(Schema.Number),
    message: Schema.String,
    blocksPerSecond: Schema.optionalKey(Schema.Number),
    headAgeMillis: Schema.optionalKey(Schema.Number),
    pollMillis: Schema.optionalKey(Schema.Number),
    headBlocksPerSecond: Schema.optionalKey(Schema.Number),
    unchecked: Schema.optionalKey(Schema.String),
    settings: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          name: Schema.Literals(["traces", "allFrames", "checks"]),
          value: Schema.String,
          from: Schema.optionalKey(Schema.Number),
        }),
      ),
    ),
    startNote: Schema.optionalKey(Schema.String),
    lacking: Schema.optionalKey(Schema.String),
  }),
)
const decodeStatus = Schema.decodeUnknownEffect(StatusJson)
const encodeStatus = Schema.encodeEffect(StatusJson)

interface StoredStatus {
  readonly status: string | null
  readonly writtenAt: number | null
}

/** The status in a chain's file; `null` when none was written. */
export const read = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  chain: number,
): Effect.fn.Return<ReportedStatus | null, StoreError> {
  const [row] = yield* connection.attempt(() => connection.rowsUnsafe<StoredStatus>(Statements.status, [chain]))
  if (row === undefined || row.status === null) return null
  const status = yield* Effect.mapError(decodeStatus(row.status), (cause) =>
    Connection.storeError(connection.name, cause),
  )
  const age = row.writtenAt === null ? -1 : (yield* Clock.currentTimeMillis) - row.writtenAt
  return { ...status, ageMillis: age < 0 ? null : age }
})

/** The statuses of a folder of chain files. */
export const make = (
  withFile: WithFile,
  pool: (chain: ChainRef) => ReadPool,
  fileOf: (chain: ChainRef) => string,
): StatusBoard => ({
  write: (chain, status, token) =>
    withFile(
      chain,
      Effect.fnUntraced(function* (file): Effect.fn.Return<void, StoreError | LeaseLost> {
        const text = yield* Effect.orDie(encodeStatus(status))
        const now = yield* Clock.currentTimeMillis
        const written = yield* file.statement(Statements.writeStatus, [text, now, chain.id, token])
        if (written.length === 0) return yield* new LeaseLost({ chain: chain.name })
      }),
    ),
  writeIssue: (chain) => Effect.sync(() => Connection.writeIssue(fileOf(chain))),
  read: (chain) => Effect.suspend(() => pool(chain).lend((connection) => read(connection, chain.id))),
})
