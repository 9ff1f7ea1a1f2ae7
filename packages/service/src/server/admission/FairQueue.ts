/**
 * Runs long computations of many callers, so that no caller spends the time of others. One of a caller and a few of all callers run at
 * a time. The next one is that of the caller who waited longest since its last. What waits is bounded, and what is interrupted is taken
 * out.
 *
 * Source: decision 0049.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** How much runs and waits. */
export interface Options {
  /** Computations of all callers that run at once. */
  readonly concurrency: number
  /** Computations of a caller that wait. */
  readonly maxWaitingPerCaller: number
  /** Computations of all callers that wait. */
  readonly maxWaiting: number
}

/** A computation is refused, since too many wait: of its caller, or of all. */
export class QueueFull extends Data.TaggedError("QueueFull")<{
  readonly scope: "caller" | "total"
  readonly max: number
}> {}

/** Computations by caller. */
export interface FairQueue {
  readonly run: <A, E, R>(caller: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | QueueFull, R>
  /** Computations that run, and that wait. */
  readonly size: () => { readonly running: number; readonly waiting: number }
}

/** Makes a queue. */
export const make = ({ concurrency, maxWaiting, maxWaitingPerCaller }: Options): FairQueue => {
  /** What waits of each caller, in the order of arrival; callers in the order of their turns. */
  const waiting = new Map<string, Array<() => void>>()
  const running = new Set<string>()
  let waitingCount = 0

  /** Starts what may run: of callers in turn, of which none runs. */
  const startNext = () => {
    for (const [caller, queue] of waiting) {
      if (running.size >= concurrency) return
      if (running.has(caller)) continue
      const start = queue.shift()
      waiting.delete(caller)
      if (queue.length > 0) waiting.set(caller, queue)
      if (start === undefined) continue
      waitingCount--
      running.add(caller)
      start()
    }
  }

  const release = (caller: string) =>
    Effect.sync(() => {
      running.delete(caller)
      startNext()
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
      if (!running.has(caller) && running.size < concurrency) {
        running.add(caller)
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
        const at = queue.indexOf(start)
        if (at < 0) return
        queue.splice(at, 1)
        waitingCount--
        if (queue.length === 0 && waiting.get(caller) === queue) waiting.delete(caller)
      })
    })

  return {
    run: (caller, work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(turn(caller)), () => Effect.ensuring(restore(work), release(caller))),
      ),
    size: () => ({ running: running.size, waiting: waitingCount }),
  }
}
