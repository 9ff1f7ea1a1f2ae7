/**
 * Removes the upper part of an index, so that the indexer refetches it when it starts. Works downwards in steps, each of which leaves a
 * consistent index: an interruption loses nothing but work.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { ChainRef } from "../store/ChainRef.ts"
import type { Database } from "../store/Database.ts"
import type { FencingToken } from "../store/Leases.ts"
import type { CheckpointConflict, LeaseLost, StoreError } from "../store/StoreError.ts"
import * as MaintenanceLease from "./MaintenanceLease.ts"
import * as StoredChain from "./StoredChain.ts"

/** The result of a removal. */
export interface Removed {
  /** Number of removed blocks. */
  readonly blocks: number
  /** Remaining head; `null` if no block remains. */
  readonly head: BlockRef | null
}

const blocksAtOnce = 5_000

/** Replaces the status left by the indexer of the removed blocks. */
const writeStatus = Effect.fnUntraced(function* (
  { status }: Database,
  chain: ChainRef,
  token: FencingToken,
  message: string,
  from: number,
) {
  const before = yield* status.read(chain)
  if (before === null) return
  const { settings = AppliedSettings.fromTraces(before.traces), traces } = before
  const kept = AppliedSettings.unwound(settings, from - 1)
  yield* status.write(chain, { state: "stopped", traces, nodeHead: null, message, settings: kept }, token)
})

/** Removes blocks from the head down to `from`, a step at a time. */
const remove = Effect.fnUntraced(function* (
  database: Database,
  chain: ChainRef,
  token: FencingToken,
  from: number,
): Effect.fn.Return<Removed, StoreError | CheckpointConflict | LeaseLost, Scope.Scope> {
  const { reader, writer: openWriter } = database.chain(chain)
  const writer = yield* openWriter()
  let blocks = 0
  for (;;) {
    const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
    if (checkpoint === null) return { blocks, head: null }
    const { first, head } = checkpoint
    if (head.number < from) return { blocks, head }
    const keep = Math.max(from - 1, head.number - blocksAtOnce)
    const [to = null] = keep < first ? [] : yield* reader.headers(keep, keep)
    yield* writer.unwind(head, to, token)
    blocks += head.number - (to?.number ?? first - 1)
    yield* database.leases.renew(chain, token, MaintenanceLease.leaseMillis)
  }
}, Effect.scoped)

/**
 * Removes all blocks from a number up.
 *
 * **Errors**
 * - `IndexerRunning`: an indexer holds the lease of the chain.
 * - `StoreError`, `CheckpointConflict`, `LeaseLost`: blocks removed so far stay removed.
 */
export const run = Effect.fn("Reindex.run")(function* (
  database: Database,
  options: {
    readonly chain: ChainRef
    /** Owner of the lease. */
    readonly owner: string
    /** First block to remove. */
    readonly from: number
    /** Time to wait for the lease, in milliseconds. Default 8,000. */
    readonly waitMillis?: number
  },
): Effect.fn.Return<Removed, StoreError | CheckpointConflict | LeaseLost | MaintenanceLease.IndexerRunning> {
  const { chain, from, owner, waitMillis = MaintenanceLease.defaultWaitMillis } = options
  yield* StoredChain.check(database.chain(chain))
  const token = yield* MaintenanceLease.acquire(database, chain, owner, waitMillis)
  const removing = Effect.gen(function* () {
    const before = yield* database.chain(chain).reader.snapshot(({ checkpoint }) => checkpoint)
    if (before === null || before.head.number < from) return { blocks: 0, head: before?.head ?? null }
    yield* writeStatus(database, chain, token, `Removing blocks from ${from} on.`, from)
    const removed = yield* remove(database, chain, token, from)
    yield* writeStatus(
      database,
      chain,
      token,
      `Blocks from ${from} on were removed; "daybook serve" fetches them again.`,
      from,
    )
    return removed
  })
  return yield* Effect.ensuring(removing, Effect.ignore(database.leases.release(chain, token)))
})
