/**
 * Effect of a write on the blocks and the checkpoint of a chain, decided from the stored checkpoint: an engine reads it and executes the
 * plan in the same transaction. Pure.
 */
import * as Result from "effect/Result"
import type { BlockRef, BlockRows, Checkpoint, LinkedBlock } from "../../block/BlockRows.ts"
import { CheckpointConflict } from "../StoreError.ts"
import * as BlockLinks from "./BlockLinks.ts"
import type * as BlockRow from "./BlockRow.ts"
import { fromHex } from "./Bytes.ts"
import * as CheckpointRow from "./CheckpointRow.ts"
import type * as JournalRow from "./JournalRow.ts"
import * as WatchedWallets from "./WatchedWallets.ts"

/** A write of blocks. */
export interface Write {
  readonly change: JournalRow.Range
  /** Checkpoint after the write, with the serial and the change number from before it. */
  readonly columns: CheckpointRow.Columns
}

type Planned<A> = Result.Result<A, CheckpointConflict>

const conflict = (expected: BlockRef | null, found: BlockRef | null): Planned<never> =>
  Result.fail(new CheckpointConflict({ expected, found: found && { number: found.number, hash: found.hash } }))

const checkLinks = (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>): void => {
  const issue = BlockLinks.issue(expected, blocks)
  if (issue !== null) throw new Error(issue)
}

/**
 * Plans to add blocks above the head; `null` if there are none. `madeFor` are the wallets for which the blocks were made, or `null` for
 * all. Throws if the blocks do not extend each other.
 */
export const append = (
  columns: CheckpointRow.Columns,
  expected: BlockRef | null,
  blocks: ReadonlyArray<BlockRows>,
  madeFor: ReadonlySet<string> | null,
): Planned<(Write & { readonly from: number | null }) | null> => {
  checkLinks(expected, blocks)
  const head = CheckpointRow.headOf(columns)
  if (!BlockLinks.isSame(head, expected)) return conflict(expected, head)
  const [lowest, last] = [blocks[0], blocks.at(-1)]
  if (lowest === undefined || last === undefined) return Result.succeed(null)
  const watch = WatchedWallets.stored(columns.watch, madeFor, last.number + 1)
  const { number, timestamp } = last
  const hash = fromHex(last.hash)
  const first = columns.first ?? lowest.number
  return Result.succeed({
    from: head === null ? null : head.number + 1,
    change: { kind: "append", lowest: lowest.number, highest: number, hash },
    columns: { ...columns, first, number, hash, timestamp, watch },
  })
}

/** Plans to add blocks below the stored `first` one; otherwise as `append`. */
export const prepend = (
  columns: CheckpointRow.Columns,
  first: LinkedBlock | null,
  expected: BlockRef,
  blocks: ReadonlyArray<BlockRows>,
  madeFor: ReadonlySet<string> | null,
): Planned<Write | null> => {
  if (first === null || !BlockLinks.isSame(first, expected)) return conflict(expected, first)
  const [lowest, highest] = [blocks[0], blocks.at(-1)]
  if (lowest === undefined || highest === undefined) return Result.succeed(null)
  checkLinks(null, [...blocks, { ...first, decoderRevision: 0, transactions: [] }])
  const watch = WatchedWallets.stored(columns.watch, madeFor, first.number)
  return Result.succeed({
    change: { kind: "append", lowest: lowest.number, highest: highest.number, hash: fromHex(highest.hash) },
    columns: { ...columns, first: lowest.number, watch },
  })
}

/** A removal of the newest blocks. */
export interface Unwind extends Write {
  /** True if no block is left. */
  readonly isEmpty: boolean
  /** Removed blocks in ranges, both ends inclusive, between which other fibers may run. */
  readonly steps: ReadonlyArray<readonly [from: number, to: number]>
}

/** Number of blocks in one step of a removal. */
const stepBlocks = 1000

const stepsOf = (lowest: number, head: number): Unwind["steps"] =>
  Array.from({ length: Math.ceil((head - lowest + 1) / stepBlocks) }, (_, step) => {
    const from = lowest + step * stepBlocks
    return [from, Math.min(head, from + stepBlocks - 1)]
  })

/** Plans to remove every block above `to`, whose stored block is `target`; `null` if there is nothing to remove. */
export const unwind = (
  columns: CheckpointRow.Columns,
  expected: BlockRef,
  to: BlockRef | null,
  target: LinkedBlock | null,
): Planned<Unwind | null> => {
  const head = CheckpointRow.headOf(columns)
  if (head === null || !BlockLinks.isSame(head, expected)) return conflict(expected, head)
  if (!BlockLinks.isSame(target, to)) return conflict(to, target ?? head)
  const { change, finalized, first, serial, watch } = columns
  // Sound: the index has a head.
  const lowest = target === null ? first! : target.number + 1
  if (lowest > head.number) return Result.succeed(null)
  const unwound = WatchedWallets.unwound(watch, target === null ? 0 : lowest)
  const below = target && {
    first,
    number: target.number,
    hash: fromHex(target.hash),
    timestamp: target.timestamp,
    finalized: finalized && Math.min(finalized, target.number),
  }
  return Result.succeed({
    change: { kind: "remove", lowest, highest: head.number, hash: columns.hash },
    columns: { ...CheckpointRow.empty, ...below, serial, change, watch: unwound },
    isEmpty: target === null,
    steps: stepsOf(lowest, head.number),
  })
}

/** Plans to raise the finalized mark; `null` if it is already as high. `block` is the stored block with the number. */
export const finalize = (columns: CheckpointRow.Columns, number: number, block: LinkedBlock | null): Write | null => {
  const { finalized, first } = columns
  if ((finalized ?? -1) >= number) return null
  const lowest = finalized === null ? Math.min(first ?? number, number) : finalized + 1
  const hash = block && fromHex(block.hash)
  return { change: { kind: "final", lowest, highest: number, hash }, columns: { ...columns, finalized: number } }
}

/**
 * Whether rows may be stored under their number: replacing the same block, or in a gap between blocks to which they link. `near` are the
 * adjacent stored blocks.
 */
export const fits = (
  checkpoint: Checkpoint | null,
  near: ReadonlyArray<BlockRow.StoredHeader>,
  { hash, number, parentHash }: BlockRows,
): boolean => {
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
  const intact = (wanted: number) => near.find((block) => block.number === wanted && !block.isDamaged)
  const stored = intact(number)
  if (stored !== undefined) return stored.hash === hash
  if (number === checkpoint.head.number && hash !== checkpoint.head.hash) return false
  const below = intact(number - 1)?.hash ?? parentHash
  return below === parentHash && (intact(number + 1)?.parentHash ?? hash) === hash
}
