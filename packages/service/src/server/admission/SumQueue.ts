/**
 * Computes wallet sums for many key holders: one per holder at a time, and only a few at a time if they take memory. Sums of few assets do
 * not wait for them.
 *
 * Source: decision 0049.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as LedgerGrowth from "../../query/LedgerGrowth.ts"
import * as WalletSums from "../../query/WalletSums.ts"
import * as FairQueue from "./FairQueue.ts"
import type { Turns } from "./Turns.ts"

/** Sums of a process, regardless of the memory that they take. */
const all: FairQueue.Options = { concurrency: 1_024, maxWaitingPerCaller: 16, maxWaiting: 1_024 }

/** Sums that take memory; each also counts among those above. */
const large: FairQueue.Options = { concurrency: 4, maxWaitingPerCaller: 1, maxWaiting: all.concurrency }

/** Sums that keep a snapshot between turns. Few snapshots may be open, and pages need one. */
const kept: FairQueue.Options = { concurrency: 3, maxWaitingPerCaller: 1, maxWaiting: all.concurrency }

/** Maximum number of sums by asset and kind that a holder may have without counting as large. */
const maxSmall = 512

/** Computes sums for a holder. */
export type SumQueue = (
  holder: string,
  query: WalletSums.Query,
) => Effect.Effect<WalletSums.Sums, WalletSums.SumsError | FairQueue.QueueFull>

/** Makes a queue. */
export const make = ({ run, shares }: Pick<Turns, "run" | "shares">): SumQueue => {
  const sum = WalletSums.make()
  const queue = FairQueue.make(all, shares)
  const largeQueue = FairQueue.make(large, shares)
  const keepingQueue = FairQueue.make(kept, shares)

  return (holder, query) => {
    const sums = Effect.gen(function* () {
      const scope = yield* Effect.scope
      let isLarge = false
      const room: LedgerGrowth.Sharing["room"] = (count) => {
        if (isLarge || count <= maxSmall) return Effect.void
        isLarge = true
        // A holder has one at a time, so no queue is ever full.
        return Effect.orDie(Effect.provideService(largeQueue.enter(holder), Scope.Scope, scope))
      }
      // It ends before the sum waits for memory: sums that have memory wait for it.
      const keeping: LedgerGrowth.Sharing["keeping"] = (work) =>
        Effect.catchTag(keepingQueue.run(holder, work), "QueueFull", Effect.die)
      return yield* sum(query, { inTurn: run, room, keeping })
    })
    return queue.run(holder, Effect.scoped(sums))
  }
}
