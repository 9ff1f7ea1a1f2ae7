import { describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as StatusReporter from "../../src/indexer/StatusReporter.ts"
import * as ChainSession from "../../src/store/ChainSession.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import * as TestStore from "../store/TestStore.ts"
import { openStore } from "./chain.ts"

/** A reporter over an empty store, with its log lines and events. */
const setup = Effect.gen(function* () {
  const { database, ref: chain } = yield* openStore
  const store = yield* ChainSession.open(database, { chain, owner: "me", leaseMillis: 5_000 })
  yield* store.holdLease
  const lines: Array<string> = []
  const events: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push(`${logLevel} ${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })
  const onEvent: StatusReporter.OnEvent = (event) => Effect.sync(() => events.push(event._tag))
  const reporter = yield* StatusReporter.make({ store, onEvent })
  const logged = <A, E>(work: Effect.Effect<A, E>) => Effect.provide(work, Logger.layer([logger]))
  return { database, store, reporter, lines, events, logged }
})

/** Reports that the index is at the head of the node. */
const synced = ({ report }: StatusReporter.StatusReporter) =>
  Effect.andThen(report({ _tag: "HeadSeen", nodeHead: 7 }), report({ _tag: "Synced", head: 7 }))

describe("StatusReporter", () => {
  it.effect("report: stores the status, logs with annotations and emits the event", () =>
    Effect.gen(function* () {
      const { events, lines, logged, reporter, store } = yield* setup
      yield* logged(synced(reporter))

      expect(yield* store.readStatus).toMatchObject({ state: "synced", nodeHead: 7 })
      expect(lines).toEqual(['Info Synced {"block":7,"nodeHead":7,"blocks":0,"transactions":0,"elapsed":"0.0 s"}'])
      expect(events).toEqual(["Synced"])
    }),
  )

  it.effect("heartbeat: rewrites the last status while nothing is reported", () =>
    Effect.gen(function* () {
      const { logged, reporter, store } = yield* setup
      yield* logged(synced(reporter))
      const fiber = yield* Effect.forkScoped(logged(reporter.heartbeat))
      yield* TestClock.adjust("6 seconds")
      const alive = yield* store.readStatus
      yield* TestClock.adjust("14 seconds")
      const waiting = yield* store.readStatus
      yield* Fiber.interrupt(fiber)

      expect(alive).toMatchObject({ state: "synced", nodeHead: 7, ageMillis: 1_000 })
      expect(waiting).toMatchObject({ state: "waiting", message: "The node has not responded for 20 s." })
    }),
  )

  it.effect("heartbeat, stopped: do not overwrite the status of another indexer", () =>
    Effect.gen(function* () {
      const { database, logged, reporter } = yield* setup
      yield* logged(synced(reporter))
      yield* Effect.forkScoped(logged(reporter.heartbeat))
      const other = { state: "backfill", traces: "off", nodeHead: 9, message: "Mine." } as const
      const next = yield* TestStore.open(database, { name: "test", id: 31337 })
      yield* TestClock.adjust("5 seconds")
      yield* next.writeStatus(other)
      yield* TestClock.adjust("60 seconds")
      yield* logged(reporter.stopped)

      expect(yield* next.readStatus).toMatchObject(other)
    }),
  )

  it.effect.each([
    ["back", -3_600_000],
    ["forward", 3_600_000],
  ] as const)("heartbeat: continues if the clock is set %s an hour", ([, step]) =>
    Effect.gen(function* () {
      const { logged, reporter, store } = yield* setup
      const clock = yield* Clock.Clock
      let offset = 7_200_000
      const wall = () => clock.currentTimeMillisUnsafe() + offset
      const stepped: Clock.Clock = {
        currentTimeMillisUnsafe: wall,
        currentTimeMillis: Effect.sync(wall),
        currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration),
      }
      const inClock = <A, E>(work: Effect.Effect<A, E>) => Effect.provideService(work, Clock.Clock, stepped)
      yield* inClock(logged(synced(reporter)))
      yield* Effect.forkScoped(inClock(logged(reporter.heartbeat)))
      offset += step
      yield* TestClock.adjust("6 seconds")

      expect(yield* inClock(store.readStatus)).toMatchObject({
        state: "synced",
        headAgeMillis: 5_000,
        ageMillis: 1_000,
      })
    }),
  )

  it.effect("stopped: records the stop, and nothing for an indexer that never reported", () =>
    Effect.gen(function* () {
      const { logged, reporter, store } = yield* setup
      yield* logged(reporter.stopped)
      expect(yield* store.readStatus).toBeNull()
      yield* logged(Effect.andThen(synced(reporter), reporter.stopped))

      expect(yield* store.readStatus).toMatchObject({ state: "stopped" })
    }),
  )

  it.effect("report: logs a status that cannot be stored, and continues", () =>
    Effect.gen(function* () {
      const { events, lines, logged } = yield* setup
      const failure = new StoreError({ message: "The disk is full.", isRetryable: true, cause: null })
      const store = { readStatus: Effect.succeed(null), writeStatus: () => Effect.fail(failure) }
      const onEvent: StatusReporter.OnEvent = (event) => Effect.sync(() => events.push(event._tag))
      const reporter = yield* StatusReporter.make({ store, onEvent })
      yield* logged(reporter.report({ _tag: "Waiting", message: "The node is gone." }))

      expect(lines).toEqual(["Warn The disk is full. {}", "Warn The node is gone. {}"])
      expect(events).toEqual(["Waiting"])
    }),
  )
})
