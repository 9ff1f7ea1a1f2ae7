import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect, Exit, Fiber, Logger, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import type { ConfigFile } from "../../../src/config/ConfigFile.ts"
import type { ToPrimary } from "../../../src/server/cluster/Message.ts"
import * as Primary from "../../../src/server/cluster/Primary.ts"
import type * as Requests from "../../../src/supervision/Requests.ts"

/** A configuration, as far as processes that do not serve need one. */
const fileOf = (maxLimit: number, drainSeconds = 10): ConfigFile => ({
  config: Result.getOrThrow(
    Config.decode({
      listen: "127.0.0.1:0",
      database: "sqlite:data",
      maxLimit,
      limits: { drainSeconds },
      chains: { eth: { rpc: ["http://127.0.0.1:1"] } },
    }),
  ),
  baseFolder: "/",
  path: null,
})

/** Runs the primary process with processes of a given behaviour. */
const start = (mode: "listen" | "exit" | "stubborn" | "hung", processes: number, ownMetrics = "") =>
  Effect.suspend(() => {
    cluster.setupPrimary({ exec: join(import.meta.dirname, "member.process.ts"), args: [mode], silent: true })
    return Primary.run({ processes, ownMetrics: () => ownMetrics, file: fileOf(1) })
  })

/** Records the lines about ended processes. */
const recordEnds = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => {
    if (String(message).startsWith("A serving process")) lines.push(String(message))
  })
  return { lines, logger }
}

const workers = (): ReadonlyArray<Worker> => Object.values(cluster.workers ?? {}).filter((one) => one !== undefined)

/** What a process reports of its channel, by the entry for tests. */
interface Echo {
  readonly _tag: "Received"
  readonly message: Requests.Message
}

/** The response that a process receives to its own request. */
const request = <Name extends keyof ToPrimary>(worker: Worker, id: number, name: Name, payload: unknown = null) =>
  Effect.promise(
    () =>
      new Promise<ReturnType<ToPrimary[Name]>>((resolve) => {
        worker.on("message", ({ _tag, message }: Echo) => {
          if (_tag !== "Received" || message._tag !== "Response" || message.id !== id) return
          // Sound: the response to a request has the value of its contract.
          resolve(message.value as ReturnType<ToPrimary[Name]>)
        })
        worker.send({ _tag: "Send", message: { _tag: "Request", id, name, payload } })
      }),
  )

/** The limit in the configuration that a process receives. */
const maxLimitOf = (worker: Worker, id: number) =>
  Effect.map(request(worker, id, "configuration"), (file) => file.config.maxLimit)

/** The signals that a process receives from now on. */
const signalsTo = ({ process }: Worker) => {
  const signals: Array<unknown> = []
  const kill = process.kill.bind(process)
  process.kill = (signal) => {
    signals.push(signal)
    return kill(signal)
  }
  return signals
}

const eventually = (condition: () => boolean, what: string) =>
  Effect.promise(() => Eventually.until(condition, { what }))

const take = (worker: Worker, id: number, tokens: number) =>
  request(worker, id, "take", { key: "a", tokens, limit: 5, refillMillis: 1_000 })

describe("Primary", () => {
  it.effect("run: shares buckets between processes and collects their metrics and its own", () =>
    Effect.gen(function* () {
      expect((yield* start("listen", 3, "own metrics")).url).toBe("http://127.0.0.1:1")
      const [first, second, third] = workers()

      expect(yield* take(first!, 71, 2)).toEqual([3, 0])
      expect(yield* take(second!, 72, 2)).toEqual([1, 0])
      expect(yield* take(first!, 73, 2)).toEqual([-1, 0])
      expect(yield* take(second!, 75, 1)).toEqual([0, 0])
      const collected = yield* request(first!, 74, "collect")
      expect(collected.toSorted()).toEqual(
        ["own metrics", ...[second!, third!].map(({ process }) => `metrics of ${process.pid}`)].toSorted(),
      )
      expect(workers()).toHaveLength(3)
    }).pipe(Effect.scoped),
  )

  it.effect.each(["does not respond within a second", "ends before it responds"])(
    "run: omits the metrics of a process that %s",
    (how) =>
      Effect.gen(function* () {
        yield* start("hung", 2)
        const [first, second] = workers()
        const asked = new Promise((resolve) =>
          second!.on("message", ({ message }: Partial<Echo>) => {
            if (message?._tag === "Request" && message.name === "metrics") resolve(null)
          }),
        )
        const collected = yield* Effect.forkChild(request(first!, 75, "collect"), { startImmediately: true })
        yield* Effect.promise(() => asked)
        if (how.startsWith("ends")) second!.process.kill("SIGKILL")
        else yield* TestClock.adjust(1_000)

        expect(yield* Fiber.join(collected)).toEqual([])
      }).pipe(Effect.scoped),
  )

  it.effect("run: restarts a process that ends, logs how it ended, and collects no metrics from it", () =>
    Effect.gen(function* () {
      const { lines, logger } = recordEnds()
      yield* Effect.provide(start("listen", 2), Logger.layer([logger]))
      const [first, second] = workers()
      const { pid } = second!.process
      second!.process.kill("SIGKILL")
      yield* eventually(() => lines.length === 1, "the end is logged")

      expect(lines).toEqual([`A serving process ended: SIGKILL (pid ${pid}). Restarting it in 0.5 s.`])
      expect(yield* request(first!, 81, "collect")).toEqual([])
      yield* TestClock.adjust(500)
      expect(workers()).toHaveLength(2)
    }).pipe(Effect.scoped),
  )

  it.effect("run: closes what a process was handed and did not accept before it ended", () =>
    Effect.gen(function* () {
      const { lines, logger } = recordEnds()
      yield* Effect.provide(start("listen", 1), Logger.layer([logger]))
      const [worker] = workers()
      const handed = yield* Effect.acquireRelease(
        Effect.sync(() => createServer()),
        (server) => Effect.sync(() => server.close()),
      )
      yield* Effect.promise(() => once(handed.listen(0, "127.0.0.1"), "listening"))
      yield* Effect.promise(() => new Promise((resolve) => worker!.process.send({}, handed, undefined, resolve)))
      expect(handed.listening).toBe(true)
      worker!.process.kill("SIGKILL")
      yield* eventually(() => lines.length === 1, "the end is logged")

      expect(handed.listening).toBe(false)
    }).pipe(Effect.scoped),
  )

  it.effect("run: kills and restarts an unresponsive process", () =>
    Effect.gen(function* () {
      const { lines, logger } = recordEnds()
      yield* Effect.provide(start("hung", 1), Logger.layer([logger]))
      const [hung] = workers()
      const signals = signalsTo(hung!)
      const ended = new Promise((resolve) => hung!.on("exit", (_, signal) => resolve(signal)))
      yield* TestClock.adjust(9_999)
      expect(signals).toEqual([])
      yield* TestClock.adjust(1)

      expect(yield* Effect.promise(() => ended)).toBe("SIGKILL")
      yield* eventually(() => lines.length === 1, "the end is logged")
      expect(lines).toEqual([
        `A serving process ended: no answer for 10 s (pid ${hung!.process.pid}). Restarting it in 0.5 s.`,
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("replace: applies a configuration to all processes, including those started later", () =>
    Effect.gen(function* () {
      const { lines, logger } = recordEnds()
      const { replace } = yield* Effect.provide(start("listen", 2), Logger.layer([logger]))
      const [first, second] = workers()
      expect(yield* maxLimitOf(second!, 91)).toBe(1)
      second!.process.kill("SIGKILL")
      yield* eventually(() => lines.length === 1, "the end is logged")
      yield* replace(fileOf(2))
      yield* TestClock.adjust(500)
      const [, third] = workers()
      yield* eventually(() => third!.isConnected(), "another process is started")

      expect(yield* maxLimitOf(first!, 92)).toBe(2)
      expect(yield* maxLimitOf(third!, 93)).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.effect("replace: fails if a process rejects, and all keep the previous configuration", () =>
    Effect.gen(function* () {
      const { replace } = yield* start("listen", 2)
      const [first, second] = workers()
      const taken: Array<number> = []
      first!.on("message", ({ message }: Partial<Echo>) => {
        if (message?._tag !== "Request" || message.name !== "reload") return
        // Sound: the payload of the request is a configuration.
        taken.push((message.payload as ConfigFile).config.maxLimit)
      })
      const error = yield* Effect.flip(replace(fileOf(13)))

      expect(error.message).toBe("13 is refused.")
      expect(taken).toEqual([13, 1])
      expect(yield* maxLimitOf(second!, 94)).toBe(1)
    }).pipe(Effect.scoped),
  )

  it.effect("run: does not kill a process that answers its pings", () =>
    Effect.gen(function* () {
      yield* start("listen", 1)
      const [worker] = workers()
      let pongs = 0
      worker!.on("message", ({ _tag }: Requests.Message) => {
        if (_tag === "Response") pongs++
      })
      for (let ping = 1; ping <= 7; ping++) {
        yield* TestClock.adjust(2_000)
        yield* eventually(() => pongs >= ping, "a ping is answered")
      }

      expect(worker!.isDead()).toBe(false)
    }).pipe(Effect.scoped),
  )

  it.effect("run: fails if a process ends before it listens, and does not restart it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(start("exit", 2))
      yield* TestClock.adjust(60_000)

      expect(error.message).toMatch(
        /^A serving process did not start: exit code 3 \(pid \d+\)\. See its message above\.$/,
      )
      expect(workers()).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.effect("run: stops all processes at the same time", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.provide(start("stubborn", 3), scope)
      const stopped = workers()
      const signals = stopped.map((worker) => new Promise((resolve) => worker.on("exit", (_, name) => resolve(name))))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(12_000)

      expect(yield* Effect.promise(() => Promise.all(signals))).toEqual(["SIGKILL", "SIGKILL", "SIGKILL"])
      yield* Fiber.join(closing)
    }),
  )

  it.effect("run: kills a process that does not stop in time", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.provide(start("stubborn", 1), scope)
      const [worker] = workers()
      const signals = signalsTo(worker!)
      const signal = new Promise((resolve) => worker!.on("exit", (_, name) => resolve(name)))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(11_999)
      expect(signals).toEqual(["SIGTERM"])
      yield* TestClock.adjust(1)

      expect(yield* Effect.promise(() => signal)).toBe("SIGKILL")
      yield* Fiber.join(closing)
    }),
  )

  it.effect("run: gives a process the shutdown time of the current configuration", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { replace } = yield* Scope.provide(start("stubborn", 1), scope)
      const [worker] = workers()
      const signals = signalsTo(worker!)
      const signal = new Promise((resolve) => worker!.on("exit", (_, name) => resolve(name)))
      yield* replace(fileOf(1, 3))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(4_999)
      expect(signals).toEqual(["SIGTERM"])
      yield* TestClock.adjust(1)

      expect(yield* Effect.promise(() => signal)).toBe("SIGKILL")
      yield* Fiber.join(closing)
    }),
  )
})
