/**
 * Advances the position that wallets of a webhook share through the journal, and reports which of them must read for themselves. These are
 * wallets with rows in the new blocks, or with sent rows of blocks that were removed or derived again. The others are not examined.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../block/BlockRows.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import * as Coverage from "../query/Coverage.ts"
import type { IndexedChain } from "../query/IndexedChain.ts"
import { type NotDerived, Stale } from "../query/QueryError.ts"
import * as Movements from "../query/WalletMovements.ts"
import type { Snapshot } from "../store/ChainReader.ts"
import type * as Journal from "../store/Journal.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { Position } from "./WebhookPosition.ts"

/** Combined selection of the wallets. */
export interface Shared {
  readonly chain: IndexedChain
  readonly isFinal: boolean
  /** Whether ledger rows are sent. */
  readonly hasMovements: boolean
}

/** Result of advancing. */
export interface Passage {
  readonly position: Position
  /** The awaited change; `null` if more can be read at once. */
  readonly awaited: number | null
  /** Wallets with rows in what was read; `all` if uncertain. */
  readonly active: ReadonlySet<string> | "all"
  /** Wallets that were sent rows of this block or a higher one may have to void them; `null` for none. */
  readonly sentFrom: number | null
  readonly checkpoint: Checkpoint | null
}

/** Maximum number of changes read at once, of blocks whose wallets are read, and of returned wallets. */
const [maxChanges, maxBlocks, maxActive] = [256, 256, 100_000]
/** Maximum number of blocks that a change may have derived again; beyond it, each wallet decides. */
const maxRewritten = 1_000

type Range = readonly [from: number, to: number]

/** Effect of changes on a position. */
interface Applied {
  position: Position
  /** Blocks below the position with changed rows. */
  readonly ranges: Array<Range>
  sentFrom: number | null
  isCertain: boolean
}

/** Applies a change as a stream does, see `WalletEvents`. Pure. */
const apply = (applied: Applied, { change, highest, kind, lowest, mark }: Journal.Change): void => {
  const { next } = applied.position
  applied.position = { journal: { change, mark }, next: kind === "remove" ? Math.min(next, lowest) : next }
  if (kind === "final") return
  const read = Math.min(next - 1, highest)
  if (kind !== "append") applied.sentFrom = Math.min(applied.sentFrom ?? lowest, lowest)
  if (kind === "remove" || lowest > read) return
  if (kind !== "append" && read - lowest >= maxRewritten) applied.isCertain = false
  else applied.ranges.push([lowest, read])
}

/** Last block whose rows are sent; -1 for none. */
const lastOf = (isFinal: boolean, checkpoint: Checkpoint | null): number => {
  if (checkpoint === null) return -1
  const { finalized, head } = checkpoint
  return isFinal ? Math.min(finalized ?? -1, head.number) : head.number
}

/** Wallets with rows in ranges of blocks; `all` if uncertain. */
const activeIn = Effect.fnUntraced(function* (
  { chain, hasMovements }: Shared,
  snapshot: Snapshot,
  checkpoint: Checkpoint,
  ranges: ReadonlyArray<Range>,
): Effect.fn.Return<ReadonlySet<string> | "all", NotDerived | StoreError> {
  if (hasMovements) yield* Coverage.checkDerived(Movements.source, snapshot, chain.name, checkpoint)
  const derived = WalletLedger.nextOf(yield* snapshot.projection(WalletLedger.id))
  if (derived === null || derived <= checkpoint.head.number) return "all"
  const active = new Set<string>()
  for (const [from, to] of ranges) {
    for (let first = from; first <= to; first += maxBlocks) {
      const own = yield* snapshot.activeWallets(first, Math.min(to, first + maxBlocks - 1))
      if (own === null || active.size > maxActive) return "all"
      for (const wallet of own) active.add(wallet)
    }
  }
  return active
})

/** A passage, and its new blocks. */
type PassageRead = Passage & { readonly read: Range | null }

const passIn = Effect.fnUntraced(function* (
  shared: Shared,
  snapshot: Snapshot,
  before: Position,
): Effect.fn.Return<PassageRead, Stale | NotDerived | StoreError> {
  const checkpoint = yield* snapshot.checkpoint
  const { changes, isLost, newest } = yield* snapshot.changes(before.journal, maxChanges)
  if (isLost) {
    const resumeFromBlock = Math.min(before.next, (checkpoint?.finalized ?? -1) + 1)
    return yield* new Stale({ resumeFromBlock, checkpoint })
  }
  const applied: Applied = { position: before, ranges: [], sentFrom: null, isCertain: true }
  for (const change of changes) apply(applied, change)
  const { journal, next } = applied.position
  const last = lastOf(shared.isFinal, checkpoint)
  const hasAll = changes.length < maxChanges
  const to = hasAll ? Math.min(last, next + maxBlocks - 1) : -1
  const read: Range | null = to >= next ? [next, to] : null
  const ranges = read === null ? applied.ranges : [...applied.ranges, read]
  const isBelow = read !== null && checkpoint !== null && next < checkpoint.first
  const isCertain = applied.isCertain && !isBelow
  const active =
    ranges.length === 0 || checkpoint === null
      ? new Set<string>()
      : yield* activeIn(shared, snapshot, checkpoint, ranges)
  return {
    position: { journal, next: read === null ? next : to + 1 },
    awaited: hasAll && (read === null || to === last) ? newest.change : null,
    active: isCertain ? active : "all",
    sentFrom: applied.sentFrom,
    checkpoint,
    read,
  }
})

/**
 * Advances a position.
 *
 * **Errors**
 * - `Stale`: the journal no longer has the position.
 * - `NotDerived`: the ledger lacks the rows of some blocks.
 */
export const pass = Effect.fnUntraced(function* (
  shared: Shared,
  position: Position,
): Effect.fn.Return<Passage, Stale | NotDerived | StoreError> {
  const { chain, isFinal } = shared
  const advance = yield* chain.recent.since({ ...position, isFinal })
  if (advance !== null) {
    const { checkpoint, isComplete, newest, next, wallets } = advance
    const awaited = isComplete ? newest.change : null
    return { position: { journal: newest, next }, awaited, active: wallets, sentFrom: null, checkpoint }
  }
  const { read, ...passage } = yield* chain.reader.snapshot((snapshot) => passIn(shared, snapshot, position))
  if (read === null) return passage
  const gaps = yield* chain.reader.gaps({ from: read[0], to: read[1], limit: 1 })
  return gaps.length === 0 ? passage : { ...passage, active: "all" }
})

/** The position after everything stored. */
export const newest = ({ chain, isFinal }: Shared): Effect.Effect<Position, StoreError> =>
  chain.reader.snapshot(
    Effect.fnUntraced(function* (snapshot: Snapshot): Effect.fn.Return<Position, StoreError> {
      const { newest: journal } = yield* snapshot.changes(null, 0)
      return { journal, next: lastOf(isFinal, yield* snapshot.checkpoint) + 1 }
    }),
  )
