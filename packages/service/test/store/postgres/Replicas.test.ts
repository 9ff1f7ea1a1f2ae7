/**
 * Which server reads a page: by the state that servers have reached, their failures, and what is known of the primary.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import type * as Chain from "../../../src/store/postgres/Chain.ts"
import type { Source } from "../../../src/store/postgres/Pool.ts"
import * as Replicas from "../../../src/store/postgres/Replicas.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { sessionOf, snapshotRow } from "./scripted.ts"

const failed = new StoreError({ message: "Unreachable.", isRetryable: true, cause: undefined })
const unproved = new StoreError({ message: "Index changing.", isRetryable: true, isUnproved: true, cause: undefined })
const query = { key: `0x${"1".repeat(40)}`, from: 0, to: 9, order: "ASC", after: null, limit: 2 } as const

interface Scripted {
  serial: number
  failure: StoreError | null
  isStandby: boolean
  isDistributed: boolean
}

/** A server by name, which records whether each read is in a transaction or a single statement. */
const serverOf = (name: string, replica: Replicas.Replica | null, notes: Array<string>) => {
  const state: Scripted = { serial: 1, failure: null, isStandby: false, isDistributed: false }
  const { at } = sessionOf((sql) => {
    if (sql === "SELECT pg_is_in_recovery()") return [[state.isStandby]]
    return [snapshotRow(state.serial, state.isDistributed)]
  })
  const reading =
    (way: string): Chain.Reading =>
    <A, E, R>(read: (at: Chain.At) => Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | StoreError, R> => {
        notes.push(`${name} ${way}`)
        return state.failure === null ? read(at) : Effect.fail(state.failure)
      })
  const layout = { isTogether: false }
  const server: Replicas.Server = { reading: reading("transaction"), single: reading("statement"), replica, layout }
  return { state, server }
}

/** A primary and replicas, and the reads of pages on them. */
const servers = Effect.fnUntraced(function* (count: number) {
  const notes: Array<string> = []
  const logs: Array<string> = []
  const replicas = yield* Replicas.make(Array.from({ length: count }, () => ({}) as Source))
  const primary = serverOf("primary", null, notes)
  const others = replicas.all.map((replica, at) => serverOf(`replica ${at}`, replica, notes))
  const all = [primary, ...others]
  const reading = Replicas.reading(
    replicas,
    all.map(({ server }) => server),
    primary.server,
  )
  /** The result of a read, which is its serial unless the read fails, and the servers that were used. */
  const read = (atLeast = 0, page = false, fails?: string) =>
    Effect.gen(function* () {
      notes.length = 0
      const expected = page ? { page: query } : undefined
      const outcome = yield* Effect.result(
        reading({ atLeast, expected }, ({ serial }) =>
          fails === undefined ? Effect.succeed(serial) : Effect.fail(fails),
        ),
      )
      return [Result.isSuccess(outcome) ? outcome.success : outcome.failure, [...notes]] as const
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])))
  return { read, primary, others, logs }
})

const transaction = (name: string) => `${name} transaction`

describe("Replicas", () => {
  it.effect("reading: asks the primary first and every five seconds, and each replica in turn in between", () =>
    Effect.gen(function* () {
      const { read } = yield* servers(2)
      const asked = Effect.map(read(), ([, notes]) => notes)
      const first = [yield* asked, yield* asked, yield* asked, yield* asked]
      yield* TestClock.adjust("4999 millis")
      const before = yield* asked
      yield* TestClock.adjust("1 millis")
      const after = [yield* asked, yield* asked]

      expect(first.flat()).toEqual(["primary", "replica 0", "replica 1", "replica 0"].map(transaction))
      expect(before).toEqual([transaction("replica 0")])
      expect(after.flat()).toEqual(["primary", "replica 0"].map(transaction))
    }),
  )

  it.effect(
    "reading: reads on the next server if a replica has not reached the state, and keeps using the replica",
    () =>
      Effect.gen(function* () {
        const { others, primary, read } = yield* servers(2)
        yield* read()
        primary.state.serial = 5
        others[1]!.state.serial = 5
        const [behind, reached] = [yield* read(6), yield* read(5)]
        others[0]!.state.serial = 5

        expect(behind).toEqual([5, ["replica 0", "replica 1", "primary"].map(transaction)])
        expect(reached).toEqual([5, [transaction("replica 1")]])
        expect(yield* read(5)).toEqual([5, [transaction("replica 0")]])
      }),
  )

  it.effect("reading: reads a primary that has not reached the state, unless it is itself a standby", () =>
    Effect.gen(function* () {
      const { primary, read } = yield* servers(0)
      const newest = yield* read(2)
      primary.state.isStandby = true
      const [failure] = yield* read(2)

      expect(newest).toEqual([1, [transaction("primary")]])
      expect(failure).toMatchObject({ message: expect.stringContaining("Index behind: daybook_test of database.") })
      expect((yield* read(1))[0]).toBe(1)
    }),
  )

  it.effect("reading: skips a failed replica for a growing time, and logs its first failure", () =>
    Effect.gen(function* () {
      const { logs, others, primary, read } = yield* servers(1)
      yield* read()
      others[0]!.state.failure = failed
      primary.state.serial = 3
      const [fallback, left] = [yield* read(), yield* read()]
      yield* TestClock.adjust("3 seconds")
      const again = yield* read()
      others[0]!.state.failure = null
      yield* TestClock.adjust("30 seconds")
      yield* read()
      const healed = yield* read()
      others[0]!.state.failure = failed
      yield* read()

      expect([fallback, left]).toEqual([
        [3, ["replica 0", "primary"].map(transaction)],
        [3, [transaction("primary")]],
      ])
      expect(again).toEqual([3, ["replica 0", "primary"].map(transaction)])
      expect(healed[1]).toEqual([transaction("replica 0")])
      expect(logs).toEqual(["Replica skipped: Unreachable.", "Replica skipped: Unreachable."])
    }),
  )

  it.effect("reading: continues if the nodes of a replica moved on, and does not skip it", () =>
    Effect.gen(function* () {
      const { logs, others, read } = yield* servers(1)
      yield* read()
      others[0]!.state.failure = unproved
      const moved = yield* read()
      others[0]!.state.failure = null

      expect(moved).toEqual([1, ["replica 0", "primary"].map(transaction)])
      expect(yield* read()).toEqual([1, [transaction("replica 0")]])
      expect(logs).toEqual([])
    }),
  )

  it.effect("reading: reads lagging replicas if the primary fails, and fails with its error if none can", () =>
    Effect.gen(function* () {
      const { others, primary, read } = yield* servers(1)
      primary.state.failure = failed
      const lagging = yield* read()
      others[0]!.state.failure = unproved
      yield* TestClock.adjust("5 seconds")

      expect(lagging).toEqual([1, ["primary", "replica 0"].map(transaction)])
      expect(yield* read()).toEqual([failed, ["primary", "replica 0"].map(transaction)])
    }),
  )

  it.effect(
    "reading: returns the failure of the read itself, on the primary and on a replica, without another read",
    () =>
      Effect.gen(function* () {
        const { read } = yield* servers(1)

        expect(yield* read(0, false, "stale")).toEqual(["stale", [transaction("primary")]])
        expect(yield* read(0, false, "stale")).toEqual(["stale", [transaction("replica 0")]])
      }),
  )

  it.effect(
    "reading: a replica must have reached the primary's state of 15 seconds ago, polled every five seconds",
    () =>
      Effect.gen(function* () {
        const { primary, read } = yield* servers(1)
        const perTurn: Array<ReadonlyArray<string>> = []
        primary.state.serial = 2
        for (const millis of [0, 5_000, 5_000, 4_999, 1, 5_000]) {
          yield* TestClock.adjust(millis)
          yield* read()
          perTurn.push((yield* read())[1])
        }

        const replica = [transaction("replica 0")]
        const both = ["replica 0", "primary"].map(transaction)
        expect(perTurn).toEqual([replica, replica, replica, replica, both, both])
      }),
  )

  it.effect("reading: reads a page in one statement once the rows are known to be on one node", () =>
    Effect.gen(function* () {
      const { primary, read } = yield* servers(0)
      const asked = (page: boolean) => Effect.map(read(0, page), ([, notes]) => notes)
      const [first, next, other] = [yield* asked(true), yield* asked(true), yield* asked(false)]
      primary.state.isDistributed = true
      const [moved, apart] = [yield* asked(true), yield* asked(true)]

      expect([first, next, other]).toEqual([["primary transaction"], ["primary statement"], ["primary transaction"]])
      expect([moved, apart]).toEqual([["primary statement", "primary transaction"], ["primary transaction"]])
      expect((yield* read(0, true, "stale"))[0]).toBe("stale")
    }),
  )

  it.effect("reading: does not repeat in a transaction a read that fails in one statement", () =>
    Effect.gen(function* () {
      const { primary, read } = yield* servers(0)
      yield* read(0, true)
      primary.state.failure = failed

      expect(yield* read(0, true)).toEqual([failed, ["primary statement"]])
    }),
  )
})
