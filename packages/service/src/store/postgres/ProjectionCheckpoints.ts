/**
 * The checkpoints of projections, each with its checksum.
 *
 * Source: decision 0034.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../../block/Projection.ts"
import * as ProjectionPlan from "../rows/ProjectionPlan.ts"
import * as ProjectionRow from "../rows/ProjectionRow.ts"
import { StoreError } from "../StoreError.ts"
import type { At, Chain } from "./Chain.ts"
import * as Values from "./Values.ts"

/** The checkpoint in a row that was read. */
export const fromColumns = (
  chain: Chain,
  columns: ProjectionRow.Columns,
): Effect.Effect<ProjectionRow.StoredCheckpoint, StoreError> => {
  const checkpoint = ProjectionRow.read(columns)
  if (checkpoint !== null) return Effect.succeed(checkpoint)
  const message = `Stored checkpoint damaged: projection ${columns[1]} of ${chain.name}. Stop the service and restore a backup, or drop the schema.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}

/** The checkpoint of a projection; `null` if it was never registered. */
export const read = Effect.fnUntraced(function* (
  { chain, session }: At,
  id: string,
): Effect.fn.Return<ProjectionRow.StoredCheckpoint | null, StoreError> {
  const [columns] = yield* session.rows<ProjectionRow.Columns>(chain.sql.projection, [Values.text(id)])
  return columns === undefined ? null : yield* fromColumns(chain, columns)
})

/** The checkpoints of all projections. */
export const list = ({
  chain,
  session,
}: At): Effect.Effect<ReadonlyArray<ProjectionRow.StoredCheckpoint>, StoreError> =>
  Effect.flatMap(session.rows<ProjectionRow.Columns>(chain.sql.allProjections, []), (rows) =>
    Effect.forEach(rows, (columns) => fromColumns(chain, columns)),
  )

/** Writes checkpoints. */
export const write = (
  { chain, session }: At,
  checkpoints: ReadonlyArray<ProjectionRow.StoredCheckpoint>,
): Effect.Effect<void, StoreError> =>
  Effect.forEach(
    checkpoints.map(ProjectionRow.make),
    ([number, id, kind, revision, next, checksum]) =>
      session.rows(chain.sql.writeProjection, [
        Values.int(number),
        Values.text(id),
        Values.text(kind),
        Values.int(revision),
        Values.big(next),
        Values.int(checksum),
      ]),
    { discard: true },
  )

/** Registers projections; a projection with another revision is derived again from the first block on. The checkpoint is locked. */
export const register = (
  at: At,
  first: number | null,
  projections: ReadonlyArray<Projection>,
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(list(at), (stored) => write(at, ProjectionPlan.register(stored, first, projections)))
