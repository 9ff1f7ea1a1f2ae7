/**
 * Shares the thread of a process in turns of the event loop: request starts, pages, steps of sums, chunks of large responses, and webhooks.
 * A turn runs a few pieces of work and leaves the rest for the next one, so that sockets are read in between. `FairShares` decides whose
 * piece is next. A page of a key with few requests waits for one piece of work, however many requests others have sent.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import type { ChainReader } from "../../store/ChainReader.ts"
import type * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as FairShares from "./FairShares.ts"

/** Milliseconds after which a turn begins no further piece, and a piece continues in a later turn. */
const turnMillis = 2

/** Maximum number of pieces in a turn. */
const piecesPerTurn = 16

/** Holder of the API key for which a fiber works; empty for work of the process. */
export const Holder = Context.Reference<string>("@daybook/service/server/admission/Turns/Holder", {
  defaultValue: () => "",
})

/** Kind of the request for which a fiber works: the path of its route. Default: that of the last work of its holder. */
export const Kind = Context.Reference<string | undefined>("@daybook/service/server/admission/Turns/Kind", {
  defaultValue: () => undefined,
})

/** Schedules work in turns of the event loop. */
export interface Turns {
  /** Runs work of the fiber's `Holder` in a turn: at once if the fiber is in a turn with time left. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Runs a function in a turn, and passes what it throws to `onError`. Default holder: the process; default kind: that of the holder's last
   * work.
   */
  readonly enter: (work: () => void, onError: (error: unknown) => void, holder?: string, kind?: string) => void
  /** Runs a function at once if a piece of its holder has time left, otherwise like `enter`. */
  readonly resume: Turns["enter"]
  /** Usage of the holders. */
  readonly shares: FairShares.FairShares
}

/** A reader that reads each snapshot in a turn: the snapshot is opened once the turn begins. */
export const reading = ({ run }: Pick<Turns, "run">, reader: ChainReader): ChainReader => ({
  ...reader,
  snapshot: (read, options) => run(reader.snapshot(read, options)),
})

const rethrow = (error: unknown) => {
  throw error
}

/** Runs what the fibers of an effect start or continue later in turns of its `Holder`. Otherwise that would run before the next turn. */
export const fibers = <A, E, R>(
  { enter }: Pick<Turns, "enter">,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const [holder, kind] = [fiber.getRef(Holder), fiber.getRef(Kind)]
    const scheduler = new Scheduler.MixedScheduler("async", (steps) => {
      enter(steps, rethrow, holder, kind)
      // Steps that ran at once leave nothing to do.
      return () => undefined
    })
    return Effect.provideService(effect, Scheduler.Scheduler, scheduler)
  })

/** Wraps a function so that its errors are passed on. */
const caught = (work: () => void, onError: (error: unknown) => void) => (): void => {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}

/** A running piece of work, until everything that it called back at once has run too. */
interface Piece {
  readonly holder: string
  readonly startedAt: number
}

/** Makes a reader of the time that a clock has advanced since it was last read. */
const makeElapsed = (read: MonotonicClock.Reader): MonotonicClock.Reader => {
  let last = read()
  return () => {
    const before = last
    last = read()
    return last - before
  }
}

/** Plans a turn after sockets were read. Node.js runs what a piece calls back at once, such as promises, before the next immediate. */
const planTurn = (begin: () => void, step: () => void, end: () => void) => {
  setImmediate(begin)
  for (let count = 1; count < piecesPerTurn; count++) setImmediate(step)
  setImmediate(end)
}

/**
 * Makes turns with a clock. `waited` reads how long the thread has waited for a core of the machine; that time counts for no holder.
 */
export const make = (now: MonotonicClock.Reader, waited: MonotonicClock.Reader = () => 0): Turns => {
  const shares = FairShares.make()
  /** Waiting work of each holder. */
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
      // The duration of the piece is unknown until it ends.
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

  /** Removes and returns the next work of a holder. */
  const take = (holder: string): (() => void) => {
    // Sound: a holder without work does not wait.
    const own = waiting.get(holder)!
    const resume = own.values().next().value!
    own.delete(resume)
    if (own.size === 0) waiting.delete(holder)
    return resume
  }

  /** Ends the piece that ran last; its holder waits again if it has more work. */
  const settle = () => {
    if (piece === undefined) return
    const { holder, startedAt } = piece
    piece = undefined
    const goesOn = waiting.has(holder)
    const millis = now() - startedAt
    // A shorter piece did not wait for long, and is not worth a reading. Its wait is subtracted from a longer piece of the same turn.
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
    resume: (work, onError, holder = "", kind) => {
      const guarded = caught(work, onError)
      if (piece?.holder === holder && hasTime()) guarded()
      else wait(holder, guarded, kind)
    },
  }
}
