import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import * as Report from "../../src/index/Report.ts"
import { openStore } from "./chain.ts"

/** A voice over an empty store, and what it says: lines with their levels, and events. */
const made = Effect.gen(function* () {
  const store = yield* openStore
  const lines: Array<string> = []
  const events: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const onEvent: Report.OnEvent = (event) => Effect.sync(() => events.push(event._tag))
  const report = yield* Report.make({ chain: "test", store, onEvent })
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
