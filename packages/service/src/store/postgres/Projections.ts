/**
 * Projections: how their rows are derived, appended and removed. Each function runs in a transaction that holds the checkpoint.
 */
import * as Effect from "effect/Effect"
import type { LedgerProjection, Projection } from "../../block/Projection.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { StoredRow } from "../rows/DocumentRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as RowId from "../rows/RowId.ts"
import { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import type { At } from "./Chain.ts"
import * as Documents from "./Documents.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Values from "./Values.ts"

/** Runs the derivation of a projection, which throws for a document that cannot be read. */
const derive = <A>(derive: (block: BlockRows) => A, block: BlockRows): Effect.Effect<A, StoreError> =>
  Effect.try({
    try: () => derive(block),
    catch: (cause) =>
      new StoreError({
        message: `Stored block damaged: block ${block.number} has a document that cannot be read. Run "daybook repair".`,
        isRetryable: false,
        damagedBlock: block.number,
        cause,
      }),
  })

type Entry = readonly [number: number, id: number, key: Uint8Array, body: Uint8Array]

const insertEntries = ({ chain: { sql }, session }: At, entries: ReadonlyArray<Entry>) =>
  entries.length === 0
    ? Effect.void
    : session.rows(sql.insertEntries, [
        Values.ints(Values.column(entries, 0)),
        Values.bigs(Values.column(entries, 1)),
        Values.manyBytes(Values.column(entries, 2)),
        Values.manyBytes(Values.column(entries, 3)),
      ])

/** Inserts the rows of blocks that have none of this projection yet. */
export const insert = Effect.fnUntraced(function* (
  at: At,
  projection: Projection,
  number: number,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  if (projection.kind === "ledger") {
    const ledgers = yield* Effect.forEach(blocks, (block) =>
      Effect.map(
        block.ledger === undefined ? derive(projection.ledger, block) : Effect.succeed(block.ledger),
        (packed) => [block.number, packed] as const,
      ),
    )
    return yield* Ledgers.insert(at, ledgers)
  }
  const derived = yield* Effect.forEach(blocks, (block) =>
    Effect.map(derive(projection.rows, block), (rows) => ({ block, rows })),
  )
  switch (projection.kind) {
    case "appearances": {
      const entries = derived.flatMap(({ block, rows }) =>
        rows.flatMap(({ index, keys }) => Appearances.entriesOf(RowId.of(block.number, index), keys)),
      )
      return yield* Appearances.insert(at, entries)
    }
    case "documents": {
      const replaced = derived.flatMap(({ block, rows }) => {
        const texts = new Map(rows.map(({ body, index }) => [index, body]))
        return block.transactions.flatMap((row) => {
          const body = texts.get(row.index)
          const { decoderRevision = block.decoderRevision } = row as Partial<StoredRow>
          if (body == null || decoderRevision === projection.revision) return []
          return [[block.number, { ...row, body, decoderRevision: projection.revision }] as const]
        })
      })
      return yield* Documents.replace(at, replaced, codec)
    }
    case "entries": {
      const entries = derived.flatMap(({ block, rows }) => {
        const keyed = rows.flatMap(({ body, keys }) => keys.map((key) => [key, body ?? ""] as const))
        return keyed.map(([key, body], position): Entry => [
          number,
          RowId.of(block.number, position),
          fromHex(key),
          Buffer.from(body),
        ])
      })
      yield* insertEntries(at, entries)
    }
  }
})

/** Inserts the rows of blocks that are added with their documents, which may be decoded already. */
const insertAdded = (
  at: At,
  projection: Projection,
  number: number,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
) => {
  const isDerived = ({ decoderRevision }: BlockRows) =>
    projection.kind === "documents" && decoderRevision === projection.revision
  return insert(
    at,
    projection,
    number,
    blocks.filter((block) => !isDerived(block)),
    codec,
  )
}

/** Applies the projections that are at the head to appended blocks. `from` is the block after the head, `null` for an empty index. */
export const append = Effect.fnUntraced(function* (
  at: At,
  projections: ReadonlyArray<Projection>,
  from: number | null,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  const next = blocks.at(-1)!.number + 1
  const stored = yield* ProjectionCheckpoints.list(at)
  for (const projection of projections) {
    const state = stored.find(({ id }) => id === projection.id)
    if (state === undefined || state.revision !== projection.revision || state.next !== from) continue
    yield* insertAdded(at, projection, state.number, blocks, codec)
    yield* ProjectionCheckpoints.write(at, { ...state, next })
  }
})

/**
 * Applies projections to blocks that were added below the first one. Those that are not derived with the present revision begin again
 * with the lowest block.
 */
export const prepend = Effect.fnUntraced(function* (
  at: At,
  projections: ReadonlyArray<Projection>,
  blocks: ReadonlyArray<BlockRows>,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  for (const stored of yield* ProjectionCheckpoints.list(at)) {
    const { id, next, number, revision } = stored
    const projection = projections.find((candidate) => candidate.id === id && candidate.revision === revision)
    if (projection !== undefined) yield* insertAdded(at, projection, number, blocks, codec)
    else if (next !== null) yield* ProjectionCheckpoints.write(at, { ...stored, next: blocks[0]!.number })
  }
})

/** Removes the rows of all projections from a block on. `isEmpty`: no block is left. */
export const unwind = Effect.fnUntraced(function* (
  at: At,
  lowest: number,
  isEmpty: boolean,
): Effect.fn.Return<void, StoreError> {
  yield* at.session.rows(at.chain.sql.deleteEntries, [Values.big(RowId.of(lowest, 0))])
  yield* ProjectionCheckpoints.change(at, ({ next }) =>
    isEmpty ? null : next === null ? null : Math.min(next, lowest),
  )
})

/** Inserts the appearances and the ledger of a block that was replaced; entries are derived again from it on. */
export const replace = Effect.fnUntraced(function* (
  at: At,
  appearances: Projection,
  ledger: LedgerProjection,
  block: BlockRows,
  codec: Frame.Codec,
): Effect.fn.Return<void, StoreError> {
  yield* insert(at, appearances, 0, [block], codec)
  yield* Ledgers.remove(at, block.number, block.number)
  const state = yield* ProjectionCheckpoints.read(at, ledger.id)
  if (state?.revision === ledger.revision && (state.next ?? 0) > block.number) {
    yield* insert(at, ledger, state.number, [block], codec)
  }
  yield* ProjectionCheckpoints.change(at, ({ kind, next }) =>
    kind === "entries" && next !== null && next > block.number ? block.number : next,
  )
})
