/**
 * The checkpoint of a chain: reads it and compares it with its checksum, which every write updates together with it. A write first locks
 * its row, which serialises the writers of the chain.
 *
 * Source: decisions 0034 and 0051.
 */
import * as Effect from "effect/Effect"
import type { FencingToken } from "../Leases.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import { LeaseLost, StoreError } from "../StoreError.ts"
import type { At, Chain } from "./Chain.ts"
import * as Marks from "./Marks.ts"
import * as Values from "./Values.ts"

type LockedRow = readonly [...CheckpointRow.Row, isDistributed: boolean, token: number, clock: number]

const refuse = (message: string) => new StoreError({ message, isRetryable: false, cause: undefined })

/** Columns of a chain's row. */
export const fromRow = (
  chain: Chain,
  row: readonly [...CheckpointRow.Row, ...Array<unknown>] | undefined,
): Effect.Effect<CheckpointRow.Columns, StoreError> => {
  const damaged = `Stored checkpoint damaged: ${chain.name}. Stop the service and restore a backup, or drop the schema.`
  const columns = row === undefined ? null : CheckpointRow.read(row)
  if (row === undefined || columns === null) return Effect.fail(refuse(damaged))
  const [held] = row
  if (held === chain.ref.id) return Effect.succeed(columns)
  return Effect.fail(
    refuse(
      `Wrong chain in database schema ${chain.name}: expected chain ${chain.ref.id}, found chain ${held}. Correct the chain's id, or drop the schema.`,
    ),
  )
}

/** Creates the checkpoint of an empty index if the schema has none. */
export const claim = Effect.fnUntraced(function* ({ chain, session }: At) {
  const [id, ...row] = CheckpointRow.make(chain.ref.id, CheckpointRow.empty)
  yield* session.rows(chain.sql.claim, [Values.big(id), Values.int(row.at(-1) as number)])
  yield* session.rows(chain.sql.claimIndexer, [])
  yield* read({ chain, session })
})

/** Reads the checkpoint. */
export const read = ({ chain, session }: At): Effect.Effect<CheckpointRow.Columns, StoreError> =>
  Effect.flatMap(session.rows<CheckpointRow.Row>(chain.sql.checkpoint, []), ([row]) => fromRow(chain, row))

/** Checkpoint of a write, whose row is locked, with the time of the database. */
export interface Locked {
  readonly columns: CheckpointRow.Columns
  readonly clock: number
  /** True if tables are distributed over nodes. */
  readonly isDistributed: boolean
}

/**
 * Locks the checkpoint until the transaction ends; `token` is null for a write that needs no lease.
 *
 * **Errors**
 * - `LeaseLost`: the token is not the current one.
 */
export const lock = Effect.fnUntraced(function* (
  { chain, session }: At,
  token: FencingToken | null,
): Effect.fn.Return<Locked, StoreError | LeaseLost> {
  const [row] = yield* session.rows<LockedRow>(chain.sql.lockCheckpoint, [])
  const columns = yield* fromRow(chain, row)
  const [isDistributed, current, clock] = row!.slice(-3) as [boolean, number, number]
  if (token !== null && token !== current) return yield* new LeaseLost({ chain: chain.ref.name })
  if (isDistributed) yield* Marks.lock({ chain, session }, columns.serial)
  return { columns, clock, isDistributed }
})

/** Parameters of a checkpoint row. */
export const valuesOf = (row: CheckpointRow.Row): ReadonlyArray<Values.Value> => {
  const [, first, number, hash, timestamp, finalized, watch, serial, change, checksum] = row
  return [
    Values.big(first),
    Values.big(number),
    Values.bytes(hash),
    Values.big(timestamp),
    Values.big(finalized),
    Values.text(watch),
    Values.big(serial),
    Values.big(change),
    Values.int(checksum),
  ]
}

/** Writes the checkpoint. */
export const write = ({ chain, session }: At, columns: CheckpointRow.Columns): Effect.Effect<void, StoreError> =>
  Effect.asVoid(session.rows(chain.sql.writeCheckpoint, valuesOf(CheckpointRow.make(chain.ref.id, columns))))
