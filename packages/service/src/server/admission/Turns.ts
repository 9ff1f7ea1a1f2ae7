/**
 * Shares the thread of a process by turns of the event loop: the start of requests, pages, steps of sums, chunks of large responses and
 * webhooks. A turn takes a few pieces of work, and the rest waits for the next one, so that sockets are read in between. `FairShares`
 * decides whose piece is next. A page of a key that asks for little waits for one piece of work, however many requests others have sent.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import type { ChainReader } from "../../store/ChainReader.ts"
import type * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as FairShares from "./FairShares.ts"

/** Time after which a turn begins no further piece, and a piece goes on in a later turn, in milliseconds. */
const turnMillis = 2

/** Pieces of a turn at most. */
const piecesPerTurn = 16

/** Holder of the API key for which a fiber works; empty for work of the process. */
export const Holder = Context.Reference<string>("@daybook/service/server/admission/Turns/Holder", {
  defaultValue: () => "",
})

/** Kind of the request for which a fiber works: the path of its route. Default: that of the last work of its holder. */
export const Kind = Context.Reference<string | undefined>("@daybook/service/server/admission/Turns/Kind", {
  defaultValue: () => undefined,
})

/** Admits work by the turns of the event loop. */
export interface Turns {
  /** Runs work of the fiber's `Holder` in a turn: at once where the fiber is in one that it has not used up. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Runs a function in a turn, and passes what it throws to `onError`. Default holder: the process, and kind: that of its last work.
   */
  readonly enter: (work: () => void, onError: (error: unknown) => void, holder?: string, kind?: string) => void
  /** Runs a function at once in a piece of its holder that has time, and else as `enter` does. */
  readonly goOn: Turns["enter"]
  /** What the holders have used. */
  readonly shares: FairShares.FairShares
}

/** A reader each of whose snapshots is read in a turn: it is opened once there is one. */
export const reading = ({ run }: Pick<Turns, "run">, reader: ChainReader): ChainReader => ({
  ...reader,
  snapshot: (read, options) => run(reader.snapshot(read, options)),
})

const rethrow = (error: unknown) => {
  throw error
}

/** Runs what the fibers of an effect begin or go on with later in turns of its `Holder`. Without it, that runs before the next turn. */
export const fibers = <A, E, R>(
  { enter }: Pick<Turns, "enter">,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const [holder, kind] = [fiber.getRef(Holder), fiber.getRef(Kind)]
    const scheduler = new Scheduler.MixedScheduler("async", (steps) => {
      enter(steps, rethrow, holder, kind)
      // Steps that were run at once leave nothing to do.
      return () => undefined
    })
    return Effect.provideService(effect, Scheduler.Scheduler, scheduler)
  })

/** A function whose errors are passed on. */
const caught = (work: () => void, onError: (error: unknown) => void) => (): void => {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}

/** A piece of work that runs, until all that it called back at once has run too. */
interface Piece {
  readonly holder: string
  readonly startedAt: number
}

/** Makes a reader of what a clock has advanced since it was read last. */
const makeElapsed = (read: MonotonicClock.Reader): MonotonicClock.Reader => {
  let last = read()
  return () => {
    const before = last
    last = read()
    return last - before
  }
}

/** Plans a turn after sockets were read. Node runs what a piece calls back at once, such as promises, before the next immediate. */
const planTurn = (begin: () => void, step: () => void, end: () => void) => {
  setImmediate(begin)
  for (let count = 1; count < piecesPerTurn; count++) setImmediate(step)
  setImmediate(end)
}

/**
 * Makes turns by a clock. `waited` reads how long the thread has waited for a core of the machine, which counts for no holder.
 */
export const make = (now: MonotonicClock.Reader, waited: MonotonicClock.Reader = () => 0): Turns => {
  const shares = FairShares.make()
  /** Work of each holder. */
  const waiting = new Map<string, Set<() => void>>()
  let isScheduled = false
  let endsAt = 0
  let piece: Piece | undefined
  const elapsedWait = makeElapsed(waited)

  const wait = (holder: string, resume: () => void, kind?: string) => {
    const own = waiting.get(holder)
    if (own !== undefined) own.add(resume)
    else {
      waiting.set(holder, new Set([resume]))
      // What the piece takes is not known before it ends.
      if (piece?.holder !== holder) shares.enter(holder, kind)
    }
    if (!isScheduled) schedule()
  }

  const leave = (holder: string, resume: () => void) => {
    const own = waiting.get(holder)
    if (own?.delete(resume) !== true || own.size > 0) return
    waiting.delete(holder)
    shares.leave(holder)
  }

  /** Takes the next work of a holder. */
  const take = (holder: string): (() => void) => {
    // Sound: a holder without work does not wait.
    const own = waiting.get(holder)!
    const resume = own.values().next().value!
    own.delete(resume)
    if (own.size === 0) waiting.delete(holder)
    return resume
  }

  /** Ends the piece that ran last; what its holder has beside it waits again. */
  const settle = () => {
    if (piece === undefined) return
    const { holder, startedAt } = piece
    piece = undefined
    const goesOn = waiting.has(holder)
    const millis = now() - startedAt
    // A shorter piece did not wait for long, and is not worth a reading. What it waited is taken off a longer one of the same turn.
    shares.add(holder, millis > turnMillis ? Math.max(0, millis - elapsedWait()) : millis, goesOn)
    if (goesOn) shares.enter(holder)
  }

  const begin = () => {
    endsAt = now() + turnMillis
    elapsedWait()
    step()
  }

  const step = () => {
    settle()
    const startedAt = now()
    const holder = startedAt < endsAt ? shares.next() : undefined
    if (holder === undefined) return
    piece = { holder, startedAt }
    take(holder)()
  }

  const end = () => {
    settle()
    isScheduled = false
    if (waiting.size > 0) schedule()
  }

  const schedule = () => {
    isScheduled = true
    planTurn(begin, step, end)
  }

  const hasTime = (): boolean => piece !== undefined && now() - piece.startedAt < turnMillis

  const next = (holder: string, kind: string | undefined): Effect.Effect<void> =>
    Effect.callback((done) => {
      const resume = () => done(Effect.void)
      wait(holder, resume, kind)
      return Effect.sync(() => leave(holder, resume))
    })

  return {
    shares,
    run: (work) =>
      Effect.withFiber((fiber) =>
        hasTime() ? work : Effect.andThen(next(fiber.getRef(Holder), fiber.getRef(Kind)), work),
      ),
    enter: (work, onError, holder = "", kind) => wait(holder, caught(work, onError), kind),
    goOn: (work, onError, holder = "", kind) => {
      const resume = caught(work, onError)
      if (piece?.holder === holder && hasTime()) resume()
      else wait(holder, resume, kind)
    },
  }
}
