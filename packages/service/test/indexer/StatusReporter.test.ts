import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as StatusReporter from "../../src/indexer/StatusReporter.ts"
import { openStore } from "./chain.ts"

/** A voice over an empty store, and what it says: lines with their levels, and events. */
const made = Effect.gen(function* () {
  const store = yield* openStore
  const lines: Array<string> = []
  const events: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const onEvent: StatusReporter.OnEvent = (event) => Effect.sync(() => events.push(event._tag))
  const report = yield* StatusReporter.make({ chain: "test", store, onEvent })
  const heard = <A, E>(work: Effect.Effect<A, E>) => Effect.provide(work, Logger.layer([logger]))
  return { store, report, lines, events, heard }
})

const at = (number: number) => `The node is at block ${number}; waiting for block 9, where indexing begins.`

describe("Report", () => {
  describe("expecting", () => {
    it.effect("says once, and not as a warning, that the chain has yet to come to a block", () =>
      Effect.gen(function* () {
        const { events, heard, lines, report, store } = yield* made
        yield* heard(Effect.forEach([4, 5, 6], (number) => report.expecting(at(number))))

        expect(lines).toEqual([`Info test: ${at(4)}`])
        expect(events).toEqual(["Waiting"])
        expect((yield* store.readStatus)?.state).toBe("waiting")
      }),
    )

    it.effect("says it again after something else stood in the way", () =>
      Effect.gen(function* () {
        const { heard, lines, report } = yield* made
        yield* heard(
          Effect.all([report.expecting(at(4)), report.waiting("The node is gone."), report.expecting(at(5))]),
        )

        expect(lines).toEqual([`Info test: ${at(4)}`, "Warn test: The node is gone.", `Info test: ${at(5)}`])
      }),
    )
  })

  describe("starting", () => {
    it.effect("gives way at once to what stands in the way", () =>
      Effect.gen(function* () {
        const { heard, report, store } = yield* made
        yield* heard(report.starting)
        const first = yield* store.readStatus
        yield* heard(report.waiting("The node is gone."))

        expect(first).toMatchObject({
          state: "waiting",
          message: "The indexer has started; no node has answered yet.",
        })
        expect((yield* store.readStatus)?.message).toBe("The node is gone.")
      }),
    )
  })

  describe("beating", () => {
    it.effect("tells again what was told, and that the node is quiet when the work tells nothing more", () =>
      Effect.gen(function* () {
        const { heard, lines, report, store } = yield* made
        yield* heard(report.following(7, 7))
        const fiber = yield* Effect.forkScoped(heard(report.beating))
        yield* TestClock.adjust("6 seconds")
        const alive = yield* store.readStatus
        yield* TestClock.adjust("14 seconds")
        const quiet = yield* store.readStatus
        yield* heard(report.following(8, 8))
        const back = yield* store.readStatus
        yield* Fiber.interrupt(fiber)

        expect(alive).toMatchObject({ state: "following", nodeHead: 7, updatedAtMillis: 5_000 })
        expect(quiet).toMatchObject({ state: "waiting", message: "The node has not answered for 20 s." })
        expect(lines.filter((line) => line.startsWith("Warn"))).toEqual([
          "Warn test: The node has not answered for 20 s.",
        ])
        expect(back).toMatchObject({ state: "following", nodeHead: 8 })
      }),
    )

    it.effect("says nothing more once another indexer has written, nor that it was stopped", () =>
      Effect.gen(function* () {
        const { heard, report, store } = yield* made
        yield* heard(report.following(7, 7))
        yield* Effect.forkScoped(heard(report.beating))
        const other = { state: "backfill", traces: "off", nodeHead: 9, message: "Mine.", updatedAtMillis: 1 } as const
        yield* store.writeStatus(other)
        yield* TestClock.adjust("60 seconds")
        yield* heard(report.stopped)

        expect(yield* store.readStatus).toEqual(other)
      }),
    )
  })

  describe("stopped", () => {
    it.effect("is told at once, with what stood in the way; not by one that never wrote", () =>
      Effect.gen(function* () {
        const { heard, report, store } = yield* made
        yield* heard(report.stopped)
        expect(yield* store.readStatus).toBeNull()
        yield* heard(Effect.andThen(report.following(7, 7), report.stopped))
        expect(yield* store.readStatus).toMatchObject({
          state: "stopped",
          message: 'The indexer was stopped; "daybook serve" goes on.',
        })
        yield* heard(Effect.andThen(report.waiting("The node is gone."), report.stopped))
        expect((yield* store.readStatus)?.message).toBe(
          'The indexer was stopped; "daybook serve" goes on. Before that: The node is gone.',
        )
      }),
    )
  })

  describe("waiting", () => {
    it.effect("warns once of what is the same, whatever the words", () =>
      Effect.gen(function* () {
        const { heard, lines, report } = yield* made
        yield* heard(
          Effect.all([
            report.waiting("The node is at block 4, below the index.", "below"),
            report.waiting("The node is at block 5, below the index.", "below"),
            report.waiting("The node is gone."),
            report.waiting("The node is gone."),
          ]),
        )

        expect(lines).toEqual(["Warn test: The node is at block 4, below the index.", "Warn test: The node is gone."])
      }),
    )

    it.effect("tells nothing of traces before a node has answered", () =>
      Effect.gen(function* () {
        const { heard, report, store } = yield* made
        yield* heard(report.waiting("The node is gone."))
        expect(yield* store.readStatus).toMatchObject({ state: "waiting", traces: null })

        yield* heard(Effect.all([report.connected("off"), report.waiting("The node is gone again.")]))
        expect(yield* store.readStatus).toMatchObject({ traces: "off" })
      }),
    )
  })
})
