import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import * as Deviation from "../../src/block/Deviation.ts"

describe("Deviation.makeReporter", () => {
  it.effect("makeReporter: logs a set of unknown header fields once, and at most 100 sets", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const report = Deviation.makeReporter()
      for (let block = 0; block < 1_000; block++) {
        yield* report(block, [{ kind: "unknown header fields", detail: `field${block}` }])
        yield* report(block, [{ kind: "unknown header fields", detail: "field0" }])
      }

      expect(lines).toHaveLength(100)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
