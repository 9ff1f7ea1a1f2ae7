/**
 * Projections: derives, inserts and removes their rows, and advances their checkpoints. Each function runs in a transaction that holds the
 * checkpoint.
 */
import * as Effect from "effect/Effect"
import type { BlockRows } from "../../block/BlockRows.ts"
import type { LedgerProjection, Projection } from "../../block/Projection.ts"
import type * as Frame from "../rows/Frame.ts"
import * as ProjectionPlan from "../rows/ProjectionPlan.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Values from "./Values.ts"

type Entry = ReturnType<typeof ProjectionPlan.entriesUnsafe>[number]

const insertEntries = ({ chain: { sql }, session }: At, entries: ReadonlyArray<Entry>) =>
  entries.length === 0
    ? Effect.void
    : Effect.asVoid(
        session.rows(sql.insertEntries, [
          Values.ints(Values.column(entries, 0)),
          Values.bigs(Values.column(entries, 1)),
          Values.manyBytes(Values.column(entries, 2)),
          // A body may contain characters that PostgreSQL text cannot.
          Values.manyBytes(entries.map(([, , , body]) => Buffer.from(body))),
        ]),
      )

/** Inserts the rows of blocks that have none of this projection yet. */
export const insert = (
  at: At,
  { blocks, number, projection }: ProjectionPlan.Derivation,
  codec: Frame.Codec,
): Effect.Effect<void, StoreError> => {
  const derived = <A>(derive: (block: BlockRows) => ReadonlyArray<A>) => Documents.attempt(() => blocks.flatMap(derive))
  switch (projection.kind) {
    case "ledger": {
      const ledgers = derived((block) => [[block.number, ProjectionPlan.ledgerUnsafe(projection, block)] as const])
      return Effect.flatMap(ledgers, (packed) => Ledgers.insert(at, packed))
    }
    case "appearances": {
      const entries = derived((block) =>
        ProjectionPlan.appearancesUnsafe(projection, block).flatMap(([id, addresses]) =>
          Appearances.entriesOf(id, addresses),
        ),
      )
      return Effect.flatMap(entries, (own) => Appearances.insert(at, own))
    }
    case "documents": {
      const rows = derived((block) =>
        ProjectionPlan.documentsUnsafe(projection, block).map((row) => [block.number, row] as const),
      )
      return Effect.flatMap(rows, (replaced) => Documents.replace(at, replaced, codec))
    }
    case "entries": {
      const entries = derived((block) => ProjectionPlan.entriesUnsafe(projection, number, block))
      return Effect.flatMap(entries, (own) => insertEntries(at, own))
    }
  }
}

const apply = (at: At, { checkpoints, derivations }: ProjectionPlan.Update, codec: Frame.Codec) =>
  Effect.andThen(
    Effect.forEach(derivations, (derivation) => insert(at, derivation, codec), { discard: true }),
    ProjectionCheckpoints.write(at, checkpoints),
  )

/** Applies the projections that are at the head to appended blocks. `from` is the block after the head, or `null` for an empty index. */
export const append = (
  at: At,
  projections: ReadonlyArray<Projection>,
  from: number | null,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(ProjectionCheckpoints.list(at), (stored) =>
    apply(at, ProjectionPlan.append(stored, projections, from, blocks), codec),
  )

/** Applies projections to blocks that were added below the first one. */
export const prepend = (
  at: At,
  projections: ReadonlyArray<Projection>,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(ProjectionCheckpoints.list(at), (stored) =>
    apply(at, ProjectionPlan.prepend(stored, projections, blocks), codec),
  )

/** Removes the rows of all projections from a block on. `isEmpty`: no block is left. */
export const unwind = Effect.fnUntraced(function* (
  at: At,
  lowest: number,
  isEmpty: boolean,
): Effect.fn.Return<void, StoreError> {
  yield* at.session.rows(at.chain.sql.deleteEntries, [Values.big(RowId.make(lowest, 0))])
  const stored = yield* ProjectionCheckpoints.list(at)
  yield* ProjectionCheckpoints.write(at, ProjectionPlan.unwind(stored, lowest, isEmpty))
})

/** Inserts the appearances and the ledger of a replaced block; entries are derived again from it on. */
export const replace = Effect.fnUntraced(function* (
  at: At,
  appearances: Projection,
  ledger: LedgerProjection,
  block: BlockRows,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  yield* insert(at, { projection: appearances, number: 0, blocks: [block] }, codec)
  yield* Ledgers.remove(at, block.number, block.number)
  const stored = yield* ProjectionCheckpoints.list(at)
  const checkpoint = stored.find(({ id }) => id === ledger.id) ?? null
  if (ProjectionPlan.isDerived(checkpoint, ledger, block.number)) {
    yield* insert(at, { projection: ledger, number: 0, blocks: [block] }, codec)
  }
  yield* ProjectionCheckpoints.write(at, ProjectionPlan.replace(stored, block.number))
})
