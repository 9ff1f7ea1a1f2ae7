/**
 * Changes in the index of a chain since a position that many readers share: read once for all of them, with the wallets that have rows in
 * the new blocks. A reader of another wallet continues without reading, so a block costs what it contains, regardless of how many readers
 * wait for it.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint } from "../block/BlockRows.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { ChainReader, Snapshot } from "../store/ChainReader.ts"
import * as Journal from "../store/Journal.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as SharedRuns from "../supervision/SharedRuns.ts"

/** Position up to which a reader has read all rows. */
export interface Position {
  readonly journal: Journal.Position
  /** First block not read yet. */
  readonly next: number
  /** Whether it only reads final blocks. */
  readonly isFinal: boolean
}

/** Blocks added above a position, if nothing below it changed. */
export interface Advance {
  readonly checkpoint: Checkpoint
  /** The watched wallets; `null` for all. */
  readonly watched: ReadonlySet<string> | null
  /** Wallets with rows in the new blocks. */
  readonly wallets: ReadonlySet<string>
  /** Last change included. */
  readonly newest: Journal.Position
  /** Whether it is the newest change. */
  readonly isComplete: boolean
  /** First block that was not added. */
  readonly next: number
  /** The block below that; `null` if it is not stored. */
  readonly last: BlockRef | null
  /** Last block that became final; `null` if none did. */
  readonly final: BlockRef | null
  readonly serial: number
}

/** State shared by the readers of a chain. */
export interface RecentChanges {
  /** Waits until the newest change differs from a known one, and returns its number. */
  readonly awaitChange: ChainReader["awaitChange"]
  /** Additions since a position; `null` if there were other changes or it is uncertain, in which case the reader reads for itself. */
  readonly since: (position: Position) => Effect.Effect<Advance | null, StoreError>
}

/** Maximum number of changes and blocks read at once; a single change may have more blocks. */
const [maxChanges, maxBlocks] = [512, 256]
/** Maximum number of positions with kept results, and of wallets in all of them. */
const [maxKept, maxKeptWallets] = [8, 100_000]

/** Changes that a reader applies at once: they add blocks or make them final, and leave those that it has unchanged. */
interface Applied {
  readonly newest: Journal.Position
  /** Highest added block; that below `next` for none. */
  readonly top: number
  readonly final: BlockRef | null
}

/** The first changes that add a bounded number of blocks; `null` if one of them changes blocks that the reader has. */
const apply = (changes: ReadonlyArray<Journal.Change>, { isFinal, journal, next }: Position): Applied | null => {
  let [newest, top]: [Journal.Position, number] = [journal, next - 1]
  let final: BlockRef | null = null
  for (const { change, hash, highest, kind, lowest, mark } of changes) {
    if (kind === "final") {
      if (hash !== null) final = { number: highest, hash }
    } else {
      if (kind !== "append" || lowest < next) return null
      // A reader of final blocks does not read the blocks that a change adds.
      if (!isFinal && highest - next >= maxBlocks && newest !== journal) break
      top = Math.max(top, highest)
    }
    newest = { change, mark }
  }
  return { newest, top, final }
}

/** Last block to read; `null` if a reader that has all changes has not read all blocks. */
const lastOf = (
  { isFinal, next }: Position,
  { finalized, head }: Checkpoint,
  applied: Applied,
  isComplete: boolean,
): number | null => {
  // If a block were read before all changes are applied, it would be read again with the change that added it.
  if (isFinal) return isComplete ? Math.min(finalized ?? -1, head.number) : next - 1
  return isComplete && applied.top < head.number ? null : applied.top
}

const readIn = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  position: Position,
): Effect.fn.Return<Advance | null, StoreError> {
  const { journal, next } = position
  const checkpoint = yield* snapshot.checkpoint
  if (checkpoint === null) return null
  const { changes, isLost, newest } = yield* snapshot.changes(journal, maxChanges)
  // A restored store or a lagging replica has not reached the position yet: the reader reads for itself, and waits for its next change.
  const applied = isLost || newest.change < journal.change ? null : apply(changes, position)
  if (applied === null) return null
  const { head } = checkpoint
  const isComplete = applied.newest.change === newest.change
  const last = lastOf(position, checkpoint, applied, isComplete)
  if (last === null || last < next - 1 || last > head.number || last - next >= maxBlocks) return null
  const derived = WalletLedger.nextOf(yield* snapshot.projection(WalletLedger.id))
  if (derived === null || derived <= head.number) return null
  const wallets = last < next ? new Set<string>() : yield* snapshot.activeWallets(next, last)
  if (wallets === null) return null
  const watched = checkpoint.watch === undefined ? null : new Set(checkpoint.watch)
  return {
    checkpoint,
    watched,
    wallets,
    newest: applied.newest,
    isComplete,
    next: last + 1,
    last: yield* snapshot.block(last),
    final: applied.final,
    serial: snapshot.serial,
  }
})

const keyOf = ({ isFinal, journal, next }: Position): string =>
  `${Journal.formatPosition(journal)} ${next} ${isFinal ? "final" : "head"}`

const read = Effect.fnUntraced(function* (
  reader: ChainReader,
  position: Position,
): Effect.fn.Return<Advance | null, StoreError> {
  const advance = yield* reader.snapshot((snapshot) => readIn(snapshot, position))
  if (advance === null) return null
  const gaps = yield* reader.gaps({ from: position.next, to: advance.next - 1, limit: 1 })
  return gaps.length > 0 ? null : advance
})

/** Makes the state shared by the readers of a chain. */
export const make = (reader: ChainReader): RecentChanges => {
  /** Last results, by position. They stay valid, because later changes belong to a later position. */
  const kept = new Map<string, Advance>()
  const keep = (key: string, { journal }: Position, advance: Advance | null): void => {
    if (advance === null || advance.newest.change === journal.change) return
    kept.set(key, advance)
    let wallets = 0
    for (const [index, [other, { wallets: own }]] of [...kept].toReversed().entries()) {
      wallets += own.size
      if (index >= maxKept || wallets > maxKeptWallets) kept.delete(other)
    }
  }
  const waits = SharedRuns.make<number, number, StoreError>()
  const reads = SharedRuns.make<string, Advance | null, StoreError>()
  return {
    awaitChange: (known) =>
      waits(
        known,
        Effect.suspend(() => reader.awaitChange(known)),
      ),
    since: (position) =>
      Effect.suspend(() => {
        const key = keyOf(position)
        const found = kept.get(key)
        if (found !== undefined) return Effect.succeed(found)
        const own = Effect.tap(read(reader, position), (advance) => Effect.sync(() => keep(key, position, advance)))
        return reads(key, own)
      }),
  }
}
