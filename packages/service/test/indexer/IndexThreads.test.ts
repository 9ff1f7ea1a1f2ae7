import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as IndexThreads from "../../src/indexer/IndexThreads.ts"
import type { FromWorker, ToWorker } from "../../src/indexer/Worker.ts"
import * as WorkerThread from "../../src/supervision/WorkerThread.ts"

/** Sound: only the name of a job is read. */
const jobOf = (chain: string) => ({ chain }) as unknown as ChainJob

/** Threads whose messages the test sends. Work that still runs at its end is not waited for. */
const threads = (max: number) => {
  const started: Array<{
    readonly posted: Array<string>
    isTerminated: boolean
    readonly send: (message: FromWorker) => void
    readonly end: (reason: string) => void
  }> = []
  const start: IndexThreads.StartThread = () => {
    const listeners: { onMessage?: (message: FromWorker) => void; onEnd?: (reason: string) => void } = {}
    const thread = {
      posted: [] as Array<string>,
      isTerminated: false,
      send: (message: FromWorker) => listeners.onMessage?.(message),
      end: (reason: string) => listeners.onEnd?.(reason),
    }
    started.push(thread)
    return Result.succeed({
      listen: (onMessage, onEnd) => void Object.assign(listeners, { onMessage, onEnd }),
      post: (message: ToWorker) =>
        void thread.posted.push(message._tag === "Run" ? message.job.chain : `stop ${message.chain}`),
      terminate: () => {
        thread.isTerminated = true
        return Promise.resolve(0)
      },
    })
  }
  const pool = IndexThreads.make({ max, start })
  const run = (chain: string) =>
    Effect.forkDetach(
      pool.run(jobOf(chain), () => {}),
      { startImmediately: true },
    )
  const posted = () => started.map((thread) => thread.posted.join())
  return { start, started, run, posted }
}

const stopped = (chain: string): FromWorker => ({ _tag: "Ended", chain, failure: null })

describe("IndexThreads", () => {
  it.effect("run: gives each chain a thread up to the limit, and then the thread with the fewest chains", () =>
    Effect.gen(function* () {
      const { posted, run, started } = threads(2)
      for (const chain of ["a", "b", "c", "d", "e"]) yield* run(chain)
      const before = posted()
      started[1]!.send(stopped("b"))
      yield* run("f")

      expect(before).toEqual(["a,c,e", "b,d"])
      expect(posted()).toEqual(["a,c,e", "b,d,f"])
    }),
  )

  it.effect("run: forwards reports of its chain only, and fails with the error that ended it", () =>
    Effect.gen(function* () {
      const { started } = threads(1)
      const reports: Array<string> = []
      const pool = IndexThreads.make({
        max: 1,
        start: () =>
          Result.succeed({
            listen: (onMessage, onEnd) =>
              void started.push({ posted: [], isTerminated: false, send: onMessage, end: onEnd }),
            post: () => {},
            terminate: () => Promise.resolve(0),
          }),
      })
      const report = ({ chain }: IndexThreads.ChainMessage) => void reports.push(chain)
      const first = yield* Effect.forkDetach(pool.run(jobOf("a"), report), { startImmediately: true })
      yield* Effect.forkDetach(
        pool.run(jobOf("b"), () => {}),
        { startImmediately: true },
      )
      for (const chain of ["a", "b", "unknown"]) {
        started[0]!.send({ _tag: "Event", chain, event: { _tag: "Waiting", message: "" } })
      }
      started[0]!.send({ _tag: "Ended", chain: "a", failure: "out of memory" })

      expect(yield* Fiber.join(first)).toBe("out of memory")
      expect(reports).toEqual(["a"])
      expect(started).toHaveLength(1)
    }),
  )

  it.effect("run: after a thread with several chains has ended, gives each of them a separate one", () =>
    Effect.gen(function* () {
      const { posted, run, started } = threads(1)
      const [a, b] = [yield* run("a"), yield* run("b")]
      started[0]!.end("exit code 1")
      const reasons = [yield* Fiber.join(a), yield* Fiber.join(b)]
      for (const chain of ["a", "b", "c", "d"]) yield* run(chain)

      expect(reasons).toEqual(["exit code 1", "exit code 1"])
      expect(posted()).toEqual(["a,b", "a", "b", "c,d"])
    }),
  )

  it.effect("run: on interruption, stops its chain, and ends a thread with its last chain", () =>
    Effect.gen(function* () {
      const { posted, run, started } = threads(1)
      const [a, b] = [yield* run("a"), yield* run("b")]
      const stopA = yield* Effect.forkDetach(Fiber.interrupt(a), { startImmediately: true })
      started[0]!.send(stopped("a"))
      yield* Fiber.join(stopA)
      const isTerminatedBefore = started[0]!.isTerminated
      const stopB = yield* Effect.forkDetach(Fiber.interrupt(b), { startImmediately: true })
      started[0]!.send(stopped("b"))
      yield* Fiber.join(stopB)

      expect(posted()).toEqual(["a,b,stop a,stop b"])
      expect([isTerminatedBefore, started[0]!.isTerminated]).toEqual([false, true])
    }),
  )

  it.effect(
    "run: ends the thread of a chain that does not stop within 5 seconds, and names that chain to the others",
    () =>
      Effect.gen(function* () {
        const { posted, run, started } = threads(1)
        const [a, b] = [yield* run("a"), yield* run("b")]
        const stopA = yield* Effect.forkDetach(Fiber.interrupt(a), { startImmediately: true })
        yield* TestClock.adjust(5_000)
        yield* Fiber.join(stopA)
        const reason = yield* Fiber.join(b)
        yield* run("b")

        expect(reason).toBe("another chain on its thread, a, did not stop")
        expect(started[0]!.isTerminated).toBe(true)
        expect(posted()).toEqual(["a,b,stop a", "b"])
      }),
  )

  it.effect("run: fails if a thread does not start, or does not accept the job", () =>
    Effect.gen(function* () {
      const failed = new WorkerThread.ThreadNotStarted({ message: "no thread" })
      const none = IndexThreads.make({ max: 1, start: () => Result.fail(failed) })
      let isTerminated = false
      const refusing = IndexThreads.make({
        max: 1,
        start: () =>
          Result.succeed({
            listen: () => {},
            post: (message) => void structuredClone({ message, own: () => 1 }),
            terminate: () => {
              isTerminated = true
              return Promise.resolve(0)
            },
          }),
      })
      const notStarted = yield* Effect.flip(none.run(jobOf("a"), () => {}))
      const notTaken = yield* Effect.flip(refusing.run(jobOf("a"), () => {}))

      expect(notStarted.message).toBe("no thread")
      expect(notTaken.message).toContain("could not be cloned")
      expect(isTerminated).toBe(true)
    }),
  )

  it.effect("startAhead: starts a thread immediately for the first chain, and then one for each other chain", () =>
    Effect.gen(function* () {
      const { start, started } = threads(2)
      const startThread = yield* IndexThreads.startAhead(start)
      const before = started.length
      const pool = IndexThreads.make({ max: 2, start: startThread })
      for (const chain of ["a", "b", "c"]) {
        yield* Effect.forkDetach(
          pool.run(jobOf(chain), () => {}),
          { startImmediately: true },
        )
      }

      expect(before).toBe(1)
      expect(started.map(({ posted }) => posted.join())).toEqual(["a,c", "b"])
    }),
  )

  it.effect("startAhead: ends the thread with the scope only if no chain has used it", () =>
    Effect.gen(function* () {
      const { start, started } = threads(1)
      yield* Effect.scoped(IndexThreads.startAhead(start))
      yield* Effect.scoped(Effect.map(IndexThreads.startAhead(start), (startThread) => startThread()))

      expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, false])
    }),
  )

  it("starter: reports the end of a thread also to listeners that were added later", async () => {
    const thread = Result.getOrThrow(IndexThreads.starter("None")())
    await thread.terminate()
    const reason = await new Promise<string>((resolve) => thread.listen(() => {}, resolve))

    expect(reason).toMatch(/^exit code \d$/)
  })
})
