/**
 * Removes the upper part of an index, so that the indexer fetches it again when it starts. It goes down in steps, each of which
 * leaves a whole index: a stop in the middle loses nothing but work.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { BlockRef, CheckpointConflict, StoreError, StoreShape } from "../store/Store.ts"

/** An indexer is at work on the chain, and would fetch what is removed while it is. */
export class IndexerAtWork extends Data.TaggedError("IndexerAtWork")<{ readonly chain: string }> {
  override get message() {
    return `An indexer of ${this.chain} is at work: stop it first, then start it again.`
  }
}

/** What was removed. */
export interface Removed {
  readonly blocks: number
  /** The head that is left; `null` when nothing is. */
  readonly head: BlockRef | null
}

const blocksAtOnce = 5_000
const leaseMillis = 30_000
/** A lease of an indexer that was killed ends by itself within this time. */
const usualPatienceMillis = 8_000
const lookMillis = 500

/** Takes the right to write, waiting for a lease that nobody renews. */
const takeLease = Effect.fnUntraced(function* (
  chain: string,
  store: StoreShape,
  owner: string,
  patienceMillis: number,
): Effect.fn.Return<void, StoreError | IndexerAtWork> {
  const until = (yield* Clock.currentTimeMillis) + patienceMillis
  while (!(yield* store.lease(owner, leaseMillis))) {
    if ((yield* Clock.currentTimeMillis) > until) return yield* new IndexerAtWork({ chain })
    yield* Effect.sleep(lookMillis)
  }
})

/** Tells readers how the index stands, in place of what an indexer said of the blocks that go. */
const tell = Effect.fnUntraced(function* (store: StoreShape, message: string) {
  const before = yield* store.readStatus
  if (before === null) return
  const updatedAtMillis = yield* Clock.currentTimeMillis
  yield* store.writeStatus({ state: "stopped", traces: before.traces, nodeHead: null, message, updatedAtMillis })
})

/**
 * Removes all blocks from `from` on.
 *
 * **Errors**
 * - `IndexerAtWork`: an indexer holds the chain.
 * - `StoreError`, `CheckpointConflict`: what was removed so far stays removed.
 */
export const run = Effect.fn("Reindex.run")(function* (
  store: StoreShape,
  options: {
    readonly chain: string
    readonly owner: string
    readonly from: number
    /** How long to wait for an indexer to give the chain up. Default 8 seconds. */
    readonly patienceMillis?: number
  },
): Effect.fn.Return<Removed, StoreError | CheckpointConflict | IndexerAtWork> {
  const { chain, from, owner, patienceMillis = usualPatienceMillis } = options
  yield* takeLease(chain, store, owner, patienceMillis)
  yield* tell(store, `Blocks from ${from} on are being removed.`)
  const removing = Effect.gen(function* () {
    let blocks = 0
    for (;;) {
      const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
      if (checkpoint === null) return { blocks, head: null }
      const { first, head } = checkpoint
      if (head.number < from) return { blocks, head }
      const keep = Math.max(from - 1, head.number - blocksAtOnce)
      const [to = null] = keep < first ? [] : yield* store.headers(keep, keep)
      yield* store.unwind(head, to)
      blocks += head.number - (to?.number ?? first - 1)
      yield* store.lease(owner, leaseMillis)
    }
  })
  const done = Effect.tap(removing, () =>
    tell(store, `Blocks from ${from} on were removed; "daybook serve" fetches them again.`),
  )
  return yield* Effect.ensuring(done, Effect.ignore(store.lease(owner, 0)))
})
