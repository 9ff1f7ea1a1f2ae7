/**
 * Events of a wallet, in steps: each reads one snapshot and returns what changed since the position. Past and live events come from one
 * loop, which sends rows up to the head and continues with each change of the journal. It has no state beyond its position.
 *
 * Source: decision 0073.
 */
import type * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint, Gap, LinkedBlock } from "../block/BlockRows.ts"
import * as Coverage from "../query/Coverage.ts"
import type { IndexedChain } from "../query/IndexedChain.ts"
import { type NotDerived, type NotWatched, Stale } from "../query/QueryError.ts"
import * as Range from "../query/Range.ts"
import * as Movements from "../query/WalletMovements.ts"
import type * as WalletPage from "../query/WalletPage.ts"
import * as Transactions from "../query/WalletTransactions.ts"
import type { PageRow, Snapshot } from "../store/ChainReader.ts"
import type * as Journal from "../store/Journal.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import type { EventPosition } from "./EventPosition.ts"

/** Selection of a stream. */
export interface Subscription {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly types: ReadonlySet<WalletEvent.RowType>
  /** Selection of movements. */
  readonly selection: Pick<Movements.Selection, "asset" | "kind">
  /** Whether rows are only sent once their block is final. */
  readonly isFinal: boolean
  /** Maximum size of a step's rows, in bytes. */
  readonly maxBytes: number
}

const sorted = (values: ReadonlyArray<string> | undefined) => values?.toSorted() ?? null

/** Selection of a stream as text, to which a cursor belongs however the events are sent. */
export const selectionText = ({ chain, isFinal, selection, types, wallet }: Subscription): string =>
  JSON.stringify([chain.id, wallet, [...types].toSorted(), isFinal, sorted(selection.asset), sorted(selection.kind)])

/** A block or a range of blocks with gaps in the index. */
export interface GapEvent {
  readonly from: number
  readonly to: number
  /** Kind of a gap, `not_indexed`, or `many` for a range with more gaps than are sent individually. */
  readonly reason: string
  readonly transaction: string | null
}

/** An event to send. */
export type Event =
  | { readonly _tag: "Transaction"; readonly row: PageRow; readonly block: LinkedBlock }
  | { readonly _tag: "Movement"; readonly row: Movements.MovementRow; readonly block: LinkedBlock }
  | { readonly _tag: "Voided" | "Final" | "Covered"; readonly block: BlockRef }
  | { readonly _tag: "Gap"; readonly gap: GapEvent }

/** An event, and the position after it. */
export interface PositionedEvent {
  readonly event: Event
  readonly position: EventPosition
}

/** Where a stream starts. */
export type Beginning = { readonly _tag: "Now" } | { readonly _tag: "At"; readonly bound: Range.Bound }

/** Blocks that are read again, or lie below those that were sent, before a change counts as applied. */
interface Pending {
  readonly next: number
  readonly to: number
  readonly following: Journal.Position
}

/** State of a stream between two steps. */
export interface State {
  readonly position: EventPosition
  readonly pending: Pending | null
  /** Whether the last step reported the block up to which everything was sent. */
  readonly isCovered?: boolean
}

/** Result of a step. */
export interface Step {
  readonly sent: ReadonlyArray<PositionedEvent>
  readonly state: State
  /** Serial of the state that was read, which is the revision of its rows. */
  readonly serial: number
  readonly finalized: number | null
  /** The newest change, if everything up to it was sent; `null` if the next step has more. */
  readonly awaited: number | null
}

/** Why a stream ends. */
export type StreamError = Stale | NotWatched | NotDerived | StoreError

/** Maximum number of changes per step. */
const stepChanges = 256
/** Maximum number of rows of each type per step, unless one block has more. */
const stepRows = 200
/** Maximum number of blocks that a change may have derived again; beyond it, the receiver starts again at the first of them. */
const maxRewritten = 1_000
/** Maximum number of removed blocks per change, which is also the number kept. */
const maxRemoved = 100_000
/** Maximum number of individually sent gaps per step; further ones are sent as one range. */
const maxGaps = 100

/** First state of a stream that continues after a position. */
export const after = (position: EventPosition): State => ({ position, pending: null })

/** First positions of streams of several wallets, by wallet, in one state of the index. */
export const startAll = (
  subscription: Omit<Subscription, "wallet">,
  wallets: ReadonlyArray<string>,
  at: Beginning,
): Effect.Effect<ReadonlyMap<string, EventPosition>, StreamError> =>
  subscription.chain.reader.snapshot(
    Effect.fnUntraced(function* (
      snapshot: Snapshot,
    ): Effect.fn.Return<ReadonlyMap<string, EventPosition>, StreamError> {
      const checkpoint = yield* checkedIndex(subscription, snapshot)
      const { newest: journal } = yield* snapshot.changes(null, 0)
      const last = lastOf(subscription, checkpoint)
      const positions = new Map<string, EventPosition>()
      /** Next block by the first block that the index has. */
      const known = new Map<number, number>()
      for (const wallet of wallets) {
        yield* Coverage.checkWallet(subscription.chain, checkpoint, wallet)
        const own = checkpoint && WatchList.ofWallet(checkpoint, wallet)
        const first = own?.first ?? 0
        const next = known.get(first) ?? (yield* nextOf(snapshot, at, own, last + 1))
        known.set(first, next)
        positions.set(wallet, { journal, from: next, next, highest: -1 })
      }
      return positions
    }),
  )

/** The first state of a stream. */
export const start = (subscription: Subscription, at: Beginning): Effect.Effect<State, StreamError> => {
  const { wallet } = subscription
  // Sound: it has a position for each wallet.
  return Effect.map(startAll(subscription, [wallet], at), (positions) => after(positions.get(wallet)!))
}

const nextOf = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  start: Beginning,
  checkpoint: Checkpoint | null,
  after: number,
): Effect.fn.Return<number, StoreError> {
  if (start._tag === "Now") return after
  const { bound } = start
  if (bound._tag === "Block") return bound.block
  if (checkpoint === null) return 0
  return (yield* Range.firstBlock(snapshot, bound, checkpoint)) ?? after
})

/** Checkpoint of the index, after verifying that it has the rows of all blocks. */
const checkedIndex = Effect.fnUntraced(function* (
  { chain, types }: Pick<Subscription, "chain" | "types">,
  snapshot: Snapshot,
): Effect.fn.Return<Checkpoint | null, StreamError> {
  const checkpoint = yield* snapshot.checkpoint
  if (types.has("wallet.movement") && checkpoint !== null) {
    yield* Coverage.checkDerived(Movements.source, snapshot, chain.name, checkpoint)
  }
  return checkpoint
})

/** Checkpoint of the wallet, after verifying that the index has its rows. */
const checked = Effect.fnUntraced(function* (
  subscription: Subscription,
  snapshot: Snapshot,
): Effect.fn.Return<Checkpoint | null, StreamError> {
  const { chain, wallet } = subscription
  yield* Coverage.checkWallet(chain, yield* snapshot.checkpoint, wallet)
  const checkpoint = yield* checkedIndex(subscription, snapshot)
  return checkpoint && WatchList.ofWallet(checkpoint, wallet)
})

/** Rows of some blocks, and the last block whose rows are complete. */
interface Slice {
  readonly rows: ReadonlyArray<Extract<Event, { readonly block: LinkedBlock }>>
  readonly last: number
}

/** Reads the rows of a source in a range; those of its first block completely. */
const rowsOf = Effect.fnUntraced(function* <Row, Selection, E>(
  source: WalletPage.Source<Row, Selection, E>,
  snapshot: Snapshot,
  { maxBytes, wallet }: Subscription,
  selection: Selection,
  [from, to]: readonly [number, number],
): Effect.fn.Return<WalletPage.SourceRows<Row>, StoreError> {
  const query = { wallet, from, order: "ASC", limit: stepRows, maxBytes, selection } as const
  const found = yield* source.read(snapshot, { ...query, to, after: null })
  if (found.next === null || found.next.block > from) return found
  const rows = [...found.rows]
  for (let after: WalletPage.Place | null = found.next; after !== null;) {
    const more: WalletPage.SourceRows<Row> = yield* source.read(snapshot, { ...query, to: from, after })
    rows.push(...more.rows)
    after = more.next
  }
  return { rows, next: { block: from + 1, index: 0 } }
})

/** Reads the first rows of a range of blocks whose first block is stored. */
const readSlice = Effect.fnUntraced(function* (
  subscription: Subscription,
  snapshot: Snapshot,
  range: readonly [from: number, to: number],
): Effect.fn.Return<Slice, StoreError> {
  const { selection, types } = subscription
  const none = { rows: [], next: null }
  const transactions = types.has("wallet.transaction")
    ? yield* rowsOf(Transactions.direct, snapshot, subscription, { internal: false }, range)
    : none
  const movements = types.has("wallet.movement")
    ? yield* rowsOf(Movements.source, snapshot, subscription, selection, range)
    : none
  const last = [transactions, movements].reduce(
    (lowest, { next }) => (next === null ? lowest : Math.min(lowest, next.block - 1)),
    range[1],
  )
  const blocks = new Map<number, LinkedBlock>()
  const rows: Array<Slice["rows"][number]> = []
  for (const row of transactions.rows) {
    if (row.block > last) continue
    const block = blocks.get(row.block) ?? (yield* snapshot.block(row.block))
    if (block === null) return yield* Effect.die(new Error("A block of a row is not stored."))
    blocks.set(row.block, block)
    rows.push({ _tag: "Transaction", row, block })
  }
  for (const row of movements.rows) {
    // Opening balances are read from a node at any time, and belong to no change.
    if (row.block.number <= last && row.movement.kind !== "genesis") {
      rows.push({ _tag: "Movement", row, block: row.block })
    }
  }
  return { rows: rows.toSorted((a, b) => a.block.number - b.block.number), last }
})

/** Returns events, the last of which advances the position. */
const ending = (
  events: ReadonlyArray<Event>,
  before: EventPosition,
  after: EventPosition,
): ReadonlyArray<PositionedEvent> =>
  events.map((event, at) => ({ event, position: at === events.length - 1 ? after : before }))

/** Returns the rows of blocks in ascending order; the last one of each block advances the position. */
const rowsBelow = (rows: Slice["rows"], position: EventPosition): ReadonlyArray<PositionedEvent> =>
  rows.map((event, at) => {
    const { number } = event.block
    const isLast = rows[at + 1]?.block.number !== number
    const highest = Math.max(position.highest, number)
    return { event, position: { ...position, next: isLast ? number + 1 : number, highest } }
  })

/** What was applied of the changes in a step. */
interface Applied {
  readonly sent: Array<PositionedEvent>
  state: State
  final: BlockRef | null
}

/** Void events of a range of blocks by their hashes, highest first. */
const voidsOf = (blocks: ReadonlyArray<BlockRef>): ReadonlyArray<Event> =>
  blocks.map((block) => ({ _tag: "Voided", block }))

const stale = (checkpoint: Checkpoint | null, resumeFromBlock: number) => new Stale({ resumeFromBlock, checkpoint })

/** Applies a change to what was sent. */
const applyChange = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  checkpoint: Checkpoint | null,
  applied: Applied,
  change: Journal.Change,
): Effect.fn.Return<void, Stale | StoreError> {
  const { position } = applied.state
  const journal = { change: change.change, mark: change.mark }
  const after = { ...position, journal }
  const lowest = Math.max(change.lowest, position.from)
  /** Blocks that were read, and those with rows that were sent. */
  const [read, highest] = [position.next - 1, position.highest].map((last) => Math.min(last, change.highest)) as [
    number,
    number,
  ]
  // A removal moves the next block back, whether or not the receiver has rows of it.
  const isBack = change.kind === "remove" && lowest < position.next
  applied.state = { position: isBack ? { ...after, next: lowest } : after, pending: null }
  if (change.kind === "final") {
    applied.final = change.hash === null ? applied.final : { number: change.highest, hash: change.hash }
    return
  }
  if (lowest > Math.max(read, highest)) return
  const pending = { next: lowest, to: read, following: journal }
  if (change.kind === "append") {
    if (lowest <= read) applied.state = { position, pending }
    return
  }
  if (change.kind === "remove") {
    if (lowest > highest) return
    const removed = yield* snapshot.removed(change.change, highest + 1, maxRemoved)
    const own = removed.filter(({ number }) => number >= lowest)
    if (own.length < highest - lowest + 1) return yield* stale(checkpoint, lowest)
    const next = { ...after, next: Math.min(position.next, lowest) }
    applied.state = { position: next, pending: null }
    applied.sent.push(...ending(voidsOf(own), position, next))
    return
  }
  if (Math.max(read, highest) - lowest >= maxRewritten) return yield* stale(checkpoint, lowest)
  for (let number = highest; number >= lowest; number--) {
    const block = yield* snapshot.block(number)
    if (block !== null) applied.sent.push({ event: { _tag: "Voided", block }, position })
  }
  applied.state = { position, pending }
})

/** Last block whose rows are sent; -1 for none. */
const lastOf = ({ isFinal }: Pick<Subscription, "isFinal">, checkpoint: Checkpoint | null): number => {
  if (checkpoint === null) return -1
  const { finalized, head } = checkpoint
  return isFinal ? Math.min(finalized ?? -1, head.number) : head.number
}

/** Sends the next rows of blocks that a change added below, or derived again. */
const readPending = Effect.fnUntraced(function* (
  subscription: Subscription,
  snapshot: Snapshot,
  checkpoint: Checkpoint | null,
  { pending, position }: State & { readonly pending: Pending },
): Effect.fn.Return<Pick<Step, "sent" | "state">, StoreError> {
  const { following, next, to } = pending
  // Blocks that were removed since belong to a later change.
  const last = Math.min(to, lastOf(subscription, checkpoint))
  const slice = next > last ? { rows: [], last: to } : yield* readSlice(subscription, snapshot, [next, last])
  const highest = Math.max(position.highest, slice.rows.at(-1)?.block.number ?? -1)
  const after = { ...position, highest }
  const sent = slice.rows.map((event) => ({ event, position: after }))
  if (slice.last < last) return { sent, state: { position: after, pending: { ...pending, next: slice.last + 1 } } }
  return { sent, state: { position: { ...after, journal: following }, pending: null } }
})

/** What a step read from new blocks. */
interface Advanced extends Pick<Step, "sent" | "state"> {
  /** Whether all rows were sent. */
  readonly isComplete: boolean
  /** Blocks whose rows were read; `null` for none. */
  readonly read: readonly [from: number, to: number] | null
}

/** Sends the next rows, up to the last block. */
const advance = Effect.fnUntraced(function* (
  subscription: Subscription,
  snapshot: Snapshot,
  checkpoint: Checkpoint | null,
  position: EventPosition,
): Effect.fn.Return<Advanced, StoreError> {
  const last = lastOf(subscription, checkpoint)
  if (checkpoint === null || position.next > last) {
    return { sent: [], state: { position, pending: null }, isComplete: true, read: null }
  }
  const from = Math.max(position.next, checkpoint.first)
  const gap = { from: position.next, to: from - 1, reason: "not_indexed", transaction: null }
  const below: ReadonlyArray<PositionedEvent> = from > position.next ? [{ event: { _tag: "Gap", gap }, position }] : []
  const slice = yield* readSlice(subscription, snapshot, [from, last])
  const highest = Math.max(position.highest, slice.rows.at(-1)?.block.number ?? -1)
  const after = { ...position, next: slice.last + 1, highest }
  const sent = [...below, ...rowsBelow(slice.rows, position)]
  const state = { position: after, pending: null }
  return { sent, state, isComplete: slice.last === last, read: [from, slice.last] }
})

/** Event for the block up to which everything was sent; none if the block is not stored. */
const coveredOf = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  position: EventPosition,
): Effect.fn.Return<ReadonlyArray<PositionedEvent>, StoreError> {
  const block = yield* snapshot.block(position.next - 1)
  return block === null ? [] : [{ event: { _tag: "Covered", block }, position }]
})

type StepRead = Step & Pick<Advanced, "read">

/** Takes one step in a snapshot. */
const stepIn = Effect.fnUntraced(function* (
  subscription: Subscription,
  snapshot: Snapshot,
  state: State,
): Effect.fn.Return<StepRead, StreamError> {
  const checkpoint = yield* checked(subscription, snapshot)
  const facts = { serial: snapshot.serial, finalized: checkpoint?.finalized ?? null, read: null, awaited: null }
  const { pending, position } = state
  if (pending !== null) {
    return { ...facts, ...(yield* readPending(subscription, snapshot, checkpoint, { pending, position })) }
  }
  const { changes, isLost, newest } = yield* snapshot.changes(position.journal, stepChanges)
  if (isLost) {
    const certain = Math.min(position.next, (checkpoint?.finalized ?? -1) + 1)
    return yield* stale(checkpoint, Math.max(position.from, certain))
  }
  const applied: Applied = { sent: [], state, final: null }
  for (const change of changes) {
    yield* applyChange(snapshot, checkpoint, applied, change)
    if (applied.state.pending !== null) break
  }
  const { final, sent } = applied
  if (final !== null) sent.push({ event: { _tag: "Final", block: final }, position: applied.state.position })
  if (applied.state.pending !== null || changes.length === stepChanges) return { ...facts, sent, state: applied.state }
  const { isComplete, ...advanced } = yield* advance(subscription, snapshot, checkpoint, applied.state.position)
  const all = [...sent, ...advanced.sent]
  const isMoved = state.isCovered !== true || all.length > 0 || advanced.state.position.next !== position.next
  const covered = isComplete && isMoved ? yield* coveredOf(snapshot, advanced.state.position) : []
  const next = { ...advanced.state, isCovered: isComplete }
  return {
    ...facts,
    read: advanced.read,
    sent: [...all, ...covered],
    state: next,
    awaited: isComplete ? newest.change : null,
  }
})

const gapsOf = (gaps: ReadonlyArray<Gap>, to: number): ReadonlyArray<GapEvent> => {
  const sent = gaps
    .slice(0, maxGaps)
    .map(({ block, kind, transaction }) => ({ from: block, to: block, reason: kind, transaction: transaction ?? null }))
  const more = gaps[maxGaps]
  return more === undefined ? sent : [...sent, { from: more.block, to, reason: "many", transaction: null }]
}

/**
 * Takes one step.
 *
 * **Errors**
 * - `Stale`: the journal no longer has the position, or more blocks were derived again than a stream resends.
 * - `NotWatched`, `NotDerived`: the index lacks the rows of the wallet.
 */
export const step = (subscription: Subscription, state: State): Effect.Effect<Step, StreamError> => {
  const { reader } = subscription.chain
  return Effect.gen(function* () {
    const { read, ...taken } = yield* reader.snapshot((snapshot) => stepIn(subscription, snapshot, state))
    if (read === null) return taken
    const [from, to] = read
    const gaps = gapsOf(yield* reader.gaps({ from, to, limit: maxGaps + 1 }), to)
    const before = gaps.map((gap): PositionedEvent => ({ event: { _tag: "Gap", gap }, position: state.position }))
    return { ...taken, sent: [...before, ...taken.sent] }
  })
}
