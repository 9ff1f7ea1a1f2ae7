/**
 * What changed in the index of a chain since a place that many readers share: read once for all of them, with the wallets that have rows in
 * the new blocks. A reader of another wallet goes on without reading. So a block costs what it contains, however many wait for it.
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

/** Up to where a reader has read all rows. */
export interface Place {
  readonly journal: Journal.Position
  /** First block that it has not read. */
  readonly next: number
  /** It reads final blocks alone. */
  readonly isFinal: boolean
}

/** Blocks that were added above a place, where nothing below it changed. */
export interface Advance {
  readonly checkpoint: Checkpoint
  /** The watched wallets; `null` for all. */
  readonly watched: ReadonlySet<string> | null
  /** Wallets with rows in the new blocks. */
  readonly wallets: ReadonlySet<string>
  /** The last change that this has. */
  readonly newest: Journal.Position
  /** It is the newest one. */
  readonly isComplete: boolean
  /** The first block that was not added. */
  readonly next: number
  /** The last block below that; `null` where it is not stored. */
  readonly last: BlockRef | null
  /** The last block that became final; `null` where none did. */
  readonly final: BlockRef | null
  readonly serial: number
}

/** What readers of a chain share. */
export interface RecentChanges {
  /** Waits until the newest change is another one than a known one, and gives its number. */
  readonly awaitChange: ChainReader["awaitChange"]
  /** What was added since a place; `null` where more changed than that, or it is not certain: the reader reads for itself. */
  readonly since: (place: Place) => Effect.Effect<Advance | null, StoreError>
}

/** Changes and blocks that are read at once; the blocks of one change more. */
const [maxChanges, maxBlocks] = [512, 256]
/** Places of which the result is kept, and wallets of all of them. */
const [maxKept, maxKeptWallets] = [8, 100_000]

/** Changes that a reader applies at once: they add blocks or make them final, and leave those that it has as they are. */
interface Applied {
  readonly newest: Journal.Position
  /** The highest block that they added; that below `next` for none. */
  readonly top: number
  readonly final: BlockRef | null
}

/** The first changes, as many as add a bounded number of blocks; `null` where one of them changes blocks that the reader has. */
const apply = (changes: ReadonlyArray<Journal.Change>, { isFinal, journal, next }: Place): Applied | null => {
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

/** The last block to read; `null` where a reader that has all changes has not read all blocks. */
const lastOf = (
  { isFinal, next }: Place,
  { finalized, head }: Checkpoint,
  applied: Applied,
  isComplete: boolean,
): number | null => {
  // Read before all changes are applied, a block would be read again with the change that added it.
  if (isFinal) return isComplete ? Math.min(finalized ?? -1, head.number) : next - 1
  return isComplete && applied.top < head.number ? null : applied.top
}

const readIn = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  place: Place,
): Effect.fn.Return<Advance | null, StoreError> {
  const { journal, next } = place
  const checkpoint = yield* snapshot.checkpoint
  if (checkpoint === null) return null
  const { changes, isLost, newest } = yield* snapshot.changes(journal, maxChanges)
  // A restored store or a lagging replica has not reached the position yet: the reader reads for itself, and waits for its next change.
  const applied = isLost || newest.change < journal.change ? null : apply(changes, place)
  if (applied === null) return null
  const { head } = checkpoint
  const isComplete = applied.newest.change === newest.change
  const last = lastOf(place, checkpoint, applied, isComplete)
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

const keyOf = ({ isFinal, journal, next }: Place): string =>
  `${Journal.formatPosition(journal)} ${next} ${isFinal ? "final" : "head"}`

const read = Effect.fnUntraced(function* (
  reader: ChainReader,
  place: Place,
): Effect.fn.Return<Advance | null, StoreError> {
  const advance = yield* reader.snapshot((snapshot) => readIn(snapshot, place))
  if (advance === null) return null
  const gaps = yield* reader.gaps({ from: place.next, to: advance.next - 1, limit: 1 })
  return gaps.length > 0 ? null : advance
})

/** Makes what readers of a chain share. */
export const make = (reader: ChainReader): RecentChanges => {
  /** What was read last, by place. It stays right: what changed later is that of a later place. */
  const kept = new Map<string, Advance>()
  const keep = (key: string, { journal }: Place, advance: Advance | null): void => {
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
    since: (place) =>
      Effect.suspend(() => {
        const key = keyOf(place)
        const found = kept.get(key)
        if (found !== undefined) return Effect.succeed(found)
        const own = Effect.tap(read(reader, place), (advance) => Effect.sync(() => keep(key, place, advance)))
        return reads(key, own)
      }),
  }
}
