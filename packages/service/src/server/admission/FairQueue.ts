/**
 * Runs long computations of many callers so that no caller uses up the time of others. One or a few computations per caller, and a few
 * overall, run at a time. The next one belongs to the caller that has used the thread least; ties go to the caller that has waited longest
 * since its last one. The queue is bounded, and interrupted computations are removed.
 *
 * Source: decision 0049.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FairShares from "./FairShares.ts"

/** Limits on running and waiting computations. */
export interface Options {
  /** Maximum number of concurrent computations. */
  readonly concurrency: number
  /** Maximum number of concurrent computations of a caller; may depend on the number of callers with running ones. Default: 1. */
  readonly concurrencyPerCaller?: number | ((callers: number) => number)
  /** Maximum number of waiting computations of a caller. */
  readonly maxWaitingPerCaller: number
  /** Maximum number of waiting computations. */
  readonly maxWaiting: number
}

/**
 * A few computations of a caller run concurrently. Those of other callers do not wait for them: each may take time, for a node or a long
 * history.
 */
export const besideOthers: Options = {
  concurrency: Infinity,
  concurrencyPerCaller: 4,
  maxWaitingPerCaller: 100,
  maxWaiting: 10_000,
}

/** A computation is rejected because too many wait: those of its caller, or in total. */
export class QueueFull extends Data.TaggedError("QueueFull")<{
  readonly scope: "caller" | "total"
  readonly max: number
}> {}

/** Computations by caller. */
export interface FairQueue {
  readonly run: <A, E, R>(caller: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | QueueFull, R>
  /** Waits for the turn of a caller, which ends with the scope. */
  readonly enter: (caller: string) => Effect.Effect<void, QueueFull, Scope.Scope>
  /** Number of running and of waiting computations. */
  readonly size: () => { readonly running: number; readonly waiting: number }
}

/** Makes a queue. `shares` records how much of the thread callers have used. Default: equal shares. */
export const make = (
  { concurrency, concurrencyPerCaller = 1, maxWaiting, maxWaitingPerCaller }: Options,
  shares: FairShares.FairShares = FairShares.make(),
): FairQueue => {
  /** Waiting computations of each caller in order of arrival; callers in the order of their turns. */
  const waiting = new Map<string, Array<() => void>>()
  /** Number of running computations by caller. */
  const running = new Map<string, number>()
  let [runningCount, waitingCount] = [0, 0]

  const hasTurn = (caller: string): boolean => {
    const own = running.get(caller) ?? 0
    if (typeof concurrencyPerCaller === "number") return own < concurrencyPerCaller
    return own < concurrencyPerCaller(own > 0 ? running.size : running.size + 1)
  }

  /** Changes the number of a caller's running computations. */
  const addRunning = (caller: string, number: number) => {
    runningCount += number
    const count = (running.get(caller) ?? 0) + number
    if (count > 0) running.set(caller, count)
    else running.delete(caller)
  }

  /** Starts computations of some callers as far as limits allow. A caller with more waiting comes after others that have used as much. */
  const startNext = (callers: () => Iterable<string>) => {
    while (runningCount < concurrency) {
      const caller = FairShares.first(shares, callers(), hasTurn)
      if (caller === undefined) return
      // Sound: a caller with nothing waiting is removed.
      const queue = waiting.get(caller)!
      const start = queue.shift()!
      waiting.delete(caller)
      if (queue.length > 0) waiting.set(caller, queue)
      waitingCount--
      addRunning(caller, 1)
      start()
    }
  }

  const release = (caller: string) =>
    Effect.sync(() => {
      // If there was room, each caller waits only for its own computations.
      const hadRoom = runningCount < concurrency
      addRunning(caller, -1)
      startNext(() => (hadRoom ? [caller].filter((own) => waiting.has(own)) : waiting.keys()))
    })

  const isFull = (caller: string): QueueFull | undefined => {
    if ((waiting.get(caller)?.length ?? 0) >= maxWaitingPerCaller) {
      return new QueueFull({ scope: "caller", max: maxWaitingPerCaller })
    }
    return waitingCount >= maxWaiting ? new QueueFull({ scope: "total", max: maxWaiting }) : undefined
  }

  /** Waits for the turn of a caller, which must then be released. */
  const turn = (caller: string): Effect.Effect<void, QueueFull> =>
    Effect.callback((resume) => {
      if (runningCount < concurrency && hasTurn(caller)) {
        addRunning(caller, 1)
        return resume(Effect.void)
      }
      const full = isFull(caller)
      if (full !== undefined) return resume(Effect.fail(full))
      const start = () => resume(Effect.void)
      const queue = waiting.get(caller) ?? []
      queue.push(start)
      waiting.set(caller, queue)
      waitingCount++
      return Effect.sync(() => {
        queue.splice(queue.indexOf(start), 1)
        waitingCount--
        if (queue.length === 0) waiting.delete(caller)
      })
    })

  return {
    run: (caller, work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(turn(caller)), () => Effect.ensuring(restore(work), release(caller))),
      ),
    enter: (caller) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          restore(turn(caller)),
          Effect.addFinalizer(() => release(caller)),
        ),
      ),
    size: () => ({ running: runningCount, waiting: waitingCount }),
  }
}
