/**
 * Statuses in the files of their chains. The clock is this machine's, which all processes on a SQLite file share.
 */
import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import type { ReportedStatus, StatusBoard } from "../StatusBoard.ts"
import { LeaseLost, type StoreError } from "../StoreError.ts"
import * as StatusJson from "../rows/StatusJson.ts"
import * as Connection from "./Connection.ts"
import type { WithFile } from "./Leases.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Statements from "./Statements.ts"

interface StoredStatus {
  readonly status: string | null
  readonly writtenAt: number | null
}

/** Status in a chain's file; `null` if none was written. */
export const read = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  chain: number,
): Effect.fn.Return<ReportedStatus | null, StoreError> {
  const [row] = yield* connection.attempt(() => connection.rowsUnsafe<StoredStatus>(Statements.status, [chain]))
  if (row === undefined || row.status === null) return null
  const status = yield* Effect.mapError(StatusJson.decode(row.status), (cause) =>
    Connection.storeError(connection.name, cause),
  )
  const age = row.writtenAt === null ? -1 : (yield* Clock.currentTimeMillis) - row.writtenAt
  return { ...status, ageMillis: age < 0 ? null : age }
})

const bytesOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size

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
        const text = yield* Effect.orDie(StatusJson.encode(status))
        const now = yield* Clock.currentTimeMillis
        const written = yield* file.statement(Statements.writeStatus, [text, now, chain.id, token])
        if (written.length === 0) return yield* new LeaseLost({ chain: chain.name })
      }),
    ),
  diskUse: (chain) =>
    Effect.sync(() => {
      const data = bytesOf(fileOf(chain))
      return data === undefined ? null : { data, log: bytesOf(`${fileOf(chain)}-wal`) ?? 0 }
    }),
  writeIssue: (chain) => Effect.sync(() => Connection.writeIssue(fileOf(chain))),
  read: (chain) => Effect.suspend(() => pool(chain).lend((connection) => read(connection, chain.id))),
})
