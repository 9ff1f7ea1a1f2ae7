/**
 * Prevents an index with internal transactions from growing without them: it waits for a node that can trace.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { AppliedSettings as Applied } from "../store/StatusBoard.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { StoreError } from "../store/StoreError.ts"

/**
 * The index has internal transactions, but no node can trace.
 */
export class TracerLost extends Data.TaggedError("TracerLost")<{
  /** Last stored block with internal transactions. */
  readonly block: number
}> {
  override get message(): string {
    // `daybook dev` has no configuration, and indexes again from the start.
    const remedy =
      'To continue without them, set "traces": "off" in the configuration of "daybook serve", or restart "daybook dev".'
    return `The index has internal transactions up to block ${this.block}, and no node can trace now. Add such a node. ${remedy}`
  }
}

/**
 * Fails if an index would grow without internal transactions although stored blocks have them. Blocks without transactions do not count,
 * because with only those a node that cannot trace may have been mistaken for one that can.
 */
export const check = Effect.fnUntraced(function* (
  { settings, store }: { readonly settings: Applied; readonly store: Pick<ChainSession, "snapshot"> },
  checkpoint: Checkpoint,
): Effect.fn.Return<void, TracerLost | StoreError> {
  const stored = { from: checkpoint.first, to: checkpoint.head.number }
  const traced = AppliedSettings.ranges(settings, "traces", stored).filter(({ value }) => value === "on")
  for (const { from, to } of traced.toReversed()) {
    if (yield* store.snapshot(({ hasTransactions }) => hasTransactions(from, to)))
      return yield* new TracerLost({ block: to })
  }
})
