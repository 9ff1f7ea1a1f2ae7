import { EventEmitter } from "node:events"
import { describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as MonotonicClock from "../../../src/supervision/MonotonicClock.ts"
import * as AccessLog from "../../../src/server/monitoring/AccessLog.ts"

describe("AccessLog", () => {
  it.effect("the time of a request is measured with the clock in the context", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ fiber }) => lines.push(fiber.getRef(References.CurrentLogAnnotations)["millis"]))
    return Effect.gen(function* () {
      const begin = AccessLog.make(true, yield* Effect.context<never>())
      const startedAt = yield* MonotonicClock.millis
      const response = Object.assign(new EventEmitter(), { writableFinished: true })
      const request = { method: "GET", route: "/a", status: 200, requestId: "1", address: "", facts: {}, startedAt }
      begin({ socket: { bytesWritten: 0 } }, response)(request)
      yield* TestClock.adjust("90 seconds")
      response.emit("close")
      yield* Effect.yieldNow

      expect(lines).toEqual([90_000])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
