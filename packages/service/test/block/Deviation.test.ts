import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import * as Deviation from "../../src/block/Deviation.ts"

describe("Deviation.makeLog", () => {
  it.effect("report: logs a set of unknown header fields once, and at most 100 sets", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const { report } = Deviation.makeLog()
      for (let block = 0; block < 1_000; block++) {
        yield* report(block, [{ kind: "unknown header fields", detail: `field${block}` }])
        yield* report(block, [{ kind: "unknown header fields", detail: "field0" }])
      }

      expect(lines).toHaveLength(100)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("report: keeps a limit of the nodes for the status, and does not log it", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const { limits, report } = Deviation.makeLog()
      expect(limits()).toEqual([])

      yield* report(1, [{ kind: "log indexes per transaction", detail: "the index of log 1: expected 1, received 0" }])
      yield* report(2, [{ kind: "log indexes per transaction", detail: "the index of log 3: expected 3, received 0" }])

      expect(limits()).toEqual(["log indexes per transaction (numbered by Daybook)"])
      expect(lines).toEqual([])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
