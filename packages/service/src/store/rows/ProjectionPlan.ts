/**
 * How projections follow the blocks: what is derived for added, removed or replaced blocks, and how their checkpoints advance. Functions
 * named `Unsafe` throw a `StoreError` for an unreadable document. Pure.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import type { LedgerProjection, Projection, RowProjection } from "../../block/Projection.ts"
import { StoreError } from "../StoreError.ts"
import { fromHex } from "./Bytes.ts"
import type { StoredRow } from "./DocumentRow.ts"
import type { StoredCheckpoint } from "./ProjectionRow.ts"
import * as RowId from "./RowId.ts"

/** Maximum number of blocks that one filling step reads. */
export const maxFilledBlocks = 500

/** Blocks from which the rows of a projection are derived. */
export interface Derivation {
  readonly projection: Projection
  /** Identifies the projection in its rows. */
  readonly number: number
  readonly blocks: ReadonlyArray<BlockRows>
}

/** Rows to derive, and the checkpoints to write. */
export interface Update {
  readonly derivations: ReadonlyArray<Derivation>
  readonly checkpoints: ReadonlyArray<StoredCheckpoint>
}

/** Checkpoints of projections to write: a new projection, or one with another revision, begins with the first block. */
export const register = (
  stored: ReadonlyArray<StoredCheckpoint>,
  first: number | null,
  projections: ReadonlyArray<Projection>,
): ReadonlyArray<StoredCheckpoint> => {
  let last = Math.max(0, ...stored.map(({ number }) => number))
  return projections.flatMap(({ id, kind, revision }) => {
    const found = stored.find((candidate) => candidate.id === id)
    if (found?.revision === revision) return []
    return [{ number: found?.number ?? ++last, id, kind, revision, next: first }]
  })
}

/** Rows of blocks that are added with their documents, which may already be decoded. */
const added = (projection: Projection, number: number, blocks: ReadonlyArray<BlockRows>): Derivation => {
  const isDecoded = ({ decoderRevision }: BlockRows) =>
    projection.kind === "documents" && decoderRevision === projection.revision
  return { projection, number, blocks: blocks.filter((block) => !isDecoded(block)) }
}

/** Applies the projections that are at the head to appended blocks. `from` is the block after the head, or `null` for an empty index. */
export const append = (
  stored: ReadonlyArray<StoredCheckpoint>,
  projections: ReadonlyArray<Projection>,
  from: number | null,
  blocks: ReadonlyArray<BlockRows>,
): Update => {
  const next = blocks.at(-1)!.number + 1
  const atHead = projections.flatMap((projection) => {
    const checkpoint = stored.find(({ id }) => id === projection.id)
    if (checkpoint?.revision !== projection.revision || checkpoint.next !== from) return []
    return [{ projection, checkpoint }]
  })
  return {
    derivations: atHead.map(({ checkpoint, projection }) => added(projection, checkpoint.number, blocks)),
    checkpoints: atHead.map(({ checkpoint }) => ({ ...checkpoint, next })),
  }
}

/**
 * Applies projections to blocks that were added below the first one. Projections that are not derived with the current revision restart at
 * the lowest block.
 */
export const prepend = (
  stored: ReadonlyArray<StoredCheckpoint>,
  projections: ReadonlyArray<Projection>,
  blocks: ReadonlyArray<BlockRows>,
): Update => {
  const currentOf = ({ id, revision }: StoredCheckpoint) =>
    projections.find((projection) => projection.id === id && projection.revision === revision)
  return {
    derivations: stored.flatMap((checkpoint) => {
      const projection = currentOf(checkpoint)
      return projection === undefined ? [] : [added(projection, checkpoint.number, blocks)]
    }),
    checkpoints: stored.flatMap((checkpoint) =>
      currentOf(checkpoint) === undefined && checkpoint.next !== null
        ? [{ ...checkpoint, next: blocks[0]!.number }]
        : [],
    ),
  }
}

const lowered = (
  stored: ReadonlyArray<StoredCheckpoint>,
  next: (checkpoint: StoredCheckpoint) => number | null,
): ReadonlyArray<StoredCheckpoint> =>
  stored.flatMap((checkpoint) => {
    const moved = next(checkpoint)
    return moved === checkpoint.next ? [] : [{ ...checkpoint, next: moved }]
  })

/** Checkpoints to write once the blocks from `lowest` on are removed. `isEmpty`: no block is left. */
export const unwind = (stored: ReadonlyArray<StoredCheckpoint>, lowest: number, isEmpty: boolean) =>
  lowered(stored, ({ next }) => (isEmpty || next === null ? null : Math.min(next, lowest)))

/** Checkpoints to write once a block is replaced: entries are derived again from it on. */
export const replace = (stored: ReadonlyArray<StoredCheckpoint>, block: number) =>
  lowered(stored, ({ kind, next }) => (kind === "entries" && next !== null ? Math.min(next, block) : next))

/** Whether the rows of a projection are derived from a block with its current revision. */
export const isDerived = (checkpoint: StoredCheckpoint | null, { revision }: Projection, block: number): boolean =>
  checkpoint?.revision === revision && (checkpoint.next ?? 0) > block

/** First block of a filling step; `null` if no block is left. */
export const fillFrom = (
  { next }: StoredCheckpoint,
  index: { readonly first: number | null; readonly number: number | null },
): number | null => {
  // An emptied index may have grown again without this projection.
  const from = next ?? index.first
  return from === null || index.number === null || from > index.number ? null : from
}

/** Last block of a filling step of at least one block, and its number of transactions. */
export const fillTo = (
  counts: ReadonlyArray<readonly [block: number, transactions: number]>,
  from: number,
  maxTransactions: number,
): { readonly to: number; readonly transactions: number } => {
  let to = from
  let transactions = 0
  for (const [block, count] of counts) {
    if (block > from && transactions + count > maxTransactions) break
    to = block
    transactions += count
  }
  return { to, transactions }
}

/** Whether rows are also derived from facts: damaged facts do not keep other projections from the head. */
export const wantsFacts = ({ kind }: Projection): boolean => kind === "entries" || kind === "ledger"

const deriveUnsafe = <A>(derive: (block: BlockRows) => A, block: BlockRows): A => {
  try {
    return derive(block)
  } catch (cause) {
    throw new StoreError({
      message: `Stored block damaged: block ${block.number} has a document that cannot be read. Run "daybook repair".`,
      isRetryable: false,
      damagedBlock: block.number,
      cause,
    })
  }
}

/** The ledger of a block. */
export const ledgerUnsafe = (projection: LedgerProjection, block: BlockRows): Uint8Array =>
  block.ledger ?? deriveUnsafe(projection.ledger, block)

/** Row ids of a block's transactions, each with the wallets whose histories contain it. */
export const appearancesUnsafe = (
  projection: RowProjection,
  block: BlockRows,
): ReadonlyArray<readonly [id: number, addresses: ReadonlyArray<string>]> =>
  deriveUnsafe(projection.rows, block).map(({ index, keys }) => [RowId.make(block.number, index), keys])

/** Transactions of a block whose documents have another revision, with their new documents. */
export const documentsUnsafe = (projection: RowProjection, block: BlockRows): ReadonlyArray<StoredRow> => {
  const texts = new Map(deriveUnsafe(projection.rows, block).map(({ body, index }) => [index, body]))
  return block.transactions.flatMap((row) => {
    const body = texts.get(row.index)
    const { decoderRevision = block.decoderRevision } = row as Partial<StoredRow>
    if (body == null || decoderRevision === projection.revision) return []
    return [{ ...row, body, decoderRevision: projection.revision }]
  })
}

/** The entries of a block. */
export const entriesUnsafe = (
  projection: RowProjection,
  number: number,
  block: BlockRows,
): ReadonlyArray<readonly [number: number, id: number, key: Uint8Array, body: string]> =>
  deriveUnsafe(projection.rows, block)
    .flatMap(({ body, keys }) => keys.map((key) => [key, body ?? ""] as const))
    .map(([key, body], position) => [number, RowId.make(block.number, position), fromHex(key), body])
