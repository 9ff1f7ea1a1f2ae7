/**
 * Runs long computations of many callers, so that no caller spends the time of others. One or a few of a caller and a few of all callers
 * run at a time. The next one is that of the caller who has used the least of the thread, and of those that have used as much, of the one
 * who waited longest since its last. What waits is bounded, and what is interrupted is taken out.
 *
 * Source: decision 0049.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FairShares from "./FairShares.ts"

/** How much runs and waits. */
export interface Options {
  /** Computations of all callers that run at once. */
  readonly concurrency: number
  /** Computations of a caller that run at once, also by the number of callers of whom some run. Default 1. */
  readonly concurrencyPerCaller?: number | ((callers: number) => number)
  /** Computations of a caller that wait. */
  readonly maxWaitingPerCaller: number
  /** Computations of all callers that wait. */
  readonly maxWaiting: number
}

/**
 * A few computations of a caller run at once. Those of others do not wait behind them: each may take its time, for a node or for a long
 * history.
 */
export const besideOthers: Options = {
  concurrency: Infinity,
  concurrencyPerCaller: 4,
  maxWaitingPerCaller: 100,
  maxWaiting: 10_000,
}

/** A computation is refused, since too many wait: of its caller, or of all. */
export class QueueFull extends Data.TaggedError("QueueFull")<{
  readonly scope: "caller" | "total"
  readonly max: number
}> {}

/** Computations by caller. */
export interface FairQueue {
  readonly run: <A, E, R>(caller: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | QueueFull, R>
  /** Waits for the turn of a caller, which ends with the scope. */
  readonly enter: (caller: string) => Effect.Effect<void, QueueFull, Scope.Scope>
  /** Computations that run, and that wait. */
  readonly size: () => { readonly running: number; readonly waiting: number }
}

/** Makes a queue. `shares` is what the callers have used of the thread. Default: equal shares. */
export const make = (
  { concurrency, concurrencyPerCaller = 1, maxWaiting, maxWaitingPerCaller }: Options,
  shares: FairShares.FairShares = FairShares.make(),
): FairQueue => {
  /** What waits of each caller, in the order of arrival; callers in the order of their turns. */
  const waiting = new Map<string, Array<() => void>>()
  /** How many run of each caller. */
  const running = new Map<string, number>()
  let [runningCount, waitingCount] = [0, 0]

  const hasTurn = (caller: string): boolean => {
    const own = running.get(caller) ?? 0
    if (typeof concurrencyPerCaller === "number") return own < concurrencyPerCaller
    return own < concurrencyPerCaller(own > 0 ? running.size : running.size + 1)
  }

  /** Adds to what runs of a caller; takes from it where the number is negative. */
  const addRunning = (caller: string, number: number) => {
    runningCount += number
    const count = (running.get(caller) ?? 0) + number
    if (count > 0) running.set(caller, count)
    else running.delete(caller)
  }

  /** Starts what may run of some callers. One that still has more waiting comes after others that have used as much. */
  const startNext = (callers: () => Iterable<string>) => {
    while (runningCount < concurrency) {
      const caller = FairShares.first(shares, callers(), hasTurn)
      if (caller === undefined) return
      // Sound: a caller of whom nothing waits is removed.
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
      // Where there was room, each caller waits for its own computations alone.
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

  /** Waits for the turn of a caller, which then has to be released. */
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
