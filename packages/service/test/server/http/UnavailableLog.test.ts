import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import * as UnavailableLog from "../../../src/server/http/UnavailableLog.ts"
import { behind, StoreError } from "../../../src/store/StoreError.ts"

describe("UnavailableLog", () => {
  it.effect("logs each reason of refused requests once a minute, and keeps a bounded number of them", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        lines.push(`${logLevel} ${String(message)}`)
      })
      const loggedAt = new Map<string, number>()
      const refuse = (message: string) =>
        Effect.flip(ErrorResponse.fromStore(new StoreError({ message, isRetryable: true, cause: null }))).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(UnavailableLog.LoggedAt, loggedAt),
        )

      const { error } = yield* refuse("Database unreachable.")
      yield* refuse("Database unreachable.")
      yield* refuse("Database full.")
      yield* TestClock.adjust("59 seconds")
      yield* refuse("Database unreachable.")
      yield* TestClock.adjust("1 second")
      yield* refuse("Database unreachable.")
      for (let at = 0; at < 150; at++) yield* refuse(`Reason ${at}.`)

      expect(error.message).toBe("The index cannot be read now. Retry later.")
      expect(lines.slice(0, 4)).toEqual([
        "Warn Requests are refused: Database unreachable.",
        "Warn Requests are refused: Database full.",
        "Warn Requests are refused: Database unreachable.",
        "Warn Requests are refused: Reason 0.",
      ])
      expect([lines.length, loggedAt.size]).toEqual([153, 52])
    }),
  )

  it.effect("logs nothing for a cursor that is ahead of the index, which the response states", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
      const { error } = yield* Effect.flip(ErrorResponse.fromStore(behind("eth"))).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(UnavailableLog.LoggedAt, new Map()),
      )

      expect([error.code, error.message, lines]).toEqual([
        "unavailable",
        "Index behind: eth. It has not reached the blocks of the cursor. Try again.",
        [],
      ])
    }),
  )
})
