/**
 * The checkpoint of a chain: reads it and compares it with its checksum, which every write renews with it. A write locks its row first,
 * which orders the writers of the chain.
 *
 * Source: decisions 0034 and 0051.
 */
import * as Effect from "effect/Effect"
import type { FencingToken } from "../Leases.ts"
import type * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checksum from "../rows/Checksum.ts"
import { LeaseLost, StoreError } from "../StoreError.ts"
import type { At, Chain } from "./Chain.ts"
import * as Marks from "./Marks.ts"
import * as Values from "./Values.ts"

/** A row as statements give it. */
export type Row = readonly [
  chain: number,
  first: number | null,
  number: number | null,
  hash: Uint8Array | null,
  timestamp: number | null,
  finalized: number | null,
  watch: string | null,
  serial: number,
  checksum: number,
]

type LockedRow = readonly [...Row, isDistributed: boolean, token: number, clock: number]

type Columns = CheckpointRow.Columns

const empty: Columns = {
  first: null,
  number: null,
  hash: null,
  timestamp: null,
  finalized: null,
  watch: null,
  serial: 0,
}

const checksumOf = (chain: number, { finalized, first, hash, number, serial, timestamp, watch }: Columns): number =>
  Checksum.of([chain, first, number, hash, timestamp, finalized, watch, serial])

const refuse = (message: string) => new StoreError({ message, isRetryable: false, cause: undefined })

/** The columns of the row of a chain. */
export const fromRow = (
  chain: Chain,
  row: readonly [...Row, ...Array<unknown>] | undefined,
): Effect.Effect<Columns, StoreError> => {
  const damaged = `Stored checkpoint damaged: ${chain.name}. Stop the service and restore a backup, or drop the schema.`
  if (row === undefined) return Effect.fail(refuse(damaged))
  const [held, first, number, hash, timestamp, finalized, watch, serial, checksum] = row
  const columns = { first, number, hash, timestamp, finalized, watch, serial }
  if (checksumOf(held, columns) !== checksum) return Effect.fail(refuse(damaged))
  if (held === chain.ref.id) return Effect.succeed(columns)
  return Effect.fail(
    refuse(
      `Wrong chain in database schema ${chain.name}: expected chain ${chain.ref.id}, found chain ${held}. Correct the chain's id, or drop the schema.`,
    ),
  )
}

/** Makes the checkpoint of an empty index, if the schema has none. */
export const claim = Effect.fnUntraced(function* ({ chain, session }: At) {
  const { id } = chain.ref
  yield* session.rows(chain.sql.claim, [Values.big(id), Values.int(checksumOf(id, empty))])
  yield* session.rows(chain.sql.claimIndexer, [])
  yield* read({ chain, session })
})

/** Reads the checkpoint. */
export const read = ({ chain, session }: At): Effect.Effect<Columns, StoreError> =>
  Effect.flatMap(session.rows<Row>(chain.sql.checkpoint, []), ([row]) => fromRow(chain, row))

/** The checkpoint of a write, whose row is locked, with the time of the database. */
export interface Locked {
  readonly columns: Columns
  readonly clock: number
  /** Whether tables are distributed over nodes. */
  readonly isDistributed: boolean
}

/**
 * Locks the checkpoint until the transaction ends; `token` null for a write that needs no lease.
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

/** Writes the checkpoint. */
export const write = ({ chain, session }: At, columns: Columns): Effect.Effect<void, StoreError> => {
  const { finalized, first, hash, number, serial, timestamp, watch } = columns
  return Effect.asVoid(
    session.rows(chain.sql.writeCheckpoint, [
      Values.big(first),
      Values.big(number),
      Values.bytes(hash),
      Values.big(timestamp),
      Values.big(finalized),
      Values.text(watch),
      Values.big(serial),
      Values.int(checksumOf(chain.ref.id, columns)),
    ]),
  )
}

/**
 * Writes the checkpoint of changed blocks under the next serial. Serials follow the clock, so that those of a primary that was lost are
 * not used again by the standby that replaces it.
 */
export const advance = Effect.fnUntraced(function* (
  at: At,
  { clock, columns, isDistributed }: Locked,
  changed: Partial<Columns>,
  change: Marks.Change = "changed",
): Effect.fn.Return<void, StoreError> {
  const serial = Math.max(columns.serial + 1, clock)
  if (isDistributed) yield* Marks.move(at, serial, change)
  yield* write(at, { ...columns, ...changed, serial })
})
