/**
 * The checkpoints of projections, each with its checksum.
 *
 * Source: decision 0034.
 */
import * as Effect from "effect/Effect"
import type { Projection, ProjectionCheckpoint } from "../../block/Projection.ts"
import * as Checksum from "../rows/Checksum.ts"
import { StoreError } from "../StoreError.ts"
import type { At, Chain } from "./Chain.ts"
import * as Values from "./Values.ts"

type Row = readonly [number: number, id: string, kind: string, revision: number, next: number | null, checksum: number]

/** A checkpoint as it is stored. */
export interface StoredCheckpoint extends ProjectionCheckpoint {
  /** Names the projection in its rows. */
  readonly number: number
  readonly id: string
  readonly kind: string
}

const checksumOf = ({ id, kind, next, number, revision }: StoredCheckpoint): number =>
  Checksum.of([number, id, kind, revision, next])

const fromRow = (chain: Chain, [number, id, kind, revision, next, checksum]: Row) => {
  const stored: StoredCheckpoint = { number, id, kind, revision, next }
  if (checksumOf(stored) === checksum) return Effect.succeed(stored)
  const message = `Stored checkpoint damaged: projection ${id} of ${chain.name}. Stop the service and restore a backup, or drop the schema.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}

/** The checkpoint of a projection; `null` when it was never registered. */
export const read = Effect.fnUntraced(function* (
  { chain, session }: At,
  id: string,
): Effect.fn.Return<StoredCheckpoint | null, StoreError> {
  const [row] = yield* session.rows<Row>(chain.sql.projection, [Values.text(id)])
  return row === undefined ? null : yield* fromRow(chain, row)
})

/** The checkpoints of all projections. */
export const list = ({ chain, session }: At): Effect.Effect<ReadonlyArray<StoredCheckpoint>, StoreError> =>
  Effect.flatMap(session.rows<Row>(chain.sql.allProjections, []), (rows) =>
    Effect.forEach(rows, (row) => fromRow(chain, row)),
  )

/** Writes a checkpoint. */
export const write = ({ chain, session }: At, stored: StoredCheckpoint): Effect.Effect<void, StoreError> => {
  const { kind, next, number, revision } = stored
  return Effect.asVoid(
    session.rows(chain.sql.writeProjection, [
      Values.int(number),
      Values.text(kind),
      Values.int(revision),
      Values.big(next),
      Values.int(checksumOf(stored)),
    ]),
  )
}

const insert = ({ chain, session }: At, stored: StoredCheckpoint): Effect.Effect<void, StoreError> => {
  const { id, kind, next, number, revision } = stored
  return Effect.asVoid(
    session.rows(chain.sql.insertProjection, [
      Values.int(number),
      Values.text(id),
      Values.text(kind),
      Values.int(revision),
      Values.big(next),
      Values.int(checksumOf(stored)),
    ]),
  )
}

/** Registers projections; one with another revision is derived again from the first block on. The checkpoint is locked. */
export const register = Effect.fnUntraced(function* (
  at: At,
  first: number | null,
  projections: ReadonlyArray<Projection>,
): Effect.fn.Return<void, StoreError> {
  const stored = yield* list(at)
  let last = Math.max(0, ...stored.map(({ number }) => number))
  for (const { id, kind, revision } of projections) {
    const found = stored.find((candidate) => candidate.id === id)
    if (found === undefined) yield* insert(at, { number: ++last, id, kind, revision, next: first })
    else if (found.revision !== revision) yield* write(at, { ...found, kind, revision, next: first })
  }
})

/** Changes the checkpoints of projections; those that stay the same are not written. */
export const change = Effect.fnUntraced(function* (
  at: At,
  next: (stored: StoredCheckpoint) => number | null,
): Effect.fn.Return<void, StoreError> {
  for (const stored of yield* list(at)) {
    const moved = next(stored)
    if (moved !== stored.next) yield* write(at, { ...stored, next: moved })
  }
})
