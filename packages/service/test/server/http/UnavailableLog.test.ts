import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { TestClock } from "effect/testing"
import * as Caller from "../../../src/server/etherscan/Caller.ts"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import { RequestFacts } from "../../../src/server/http/RequestFacts.ts"
import * as UnavailableLog from "../../../src/server/http/UnavailableLog.ts"
import * as RelayCaller from "../../../src/server/relay/RelayCaller.ts"
import { behind, StoreError } from "../../../src/store/StoreError.ts"
import { makeAuthentication } from "../relay/authentication.ts"

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

  it.effect(
    "logs once what the operator must repair, and responds in each form without the names of files and servers",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
          lines.push(`${logLevel} ${String(message)}`)
        })
        const cause = new Error("SqlError", { cause: new Error("no such column: x") })
        const failed = new StoreError({
          message: "Database failed: eth.db (SQLite code 1).",
          isRetryable: false,
          cause,
        })
        const damaged = new StoreError({
          message: "Database damaged: /srv/keys.db. Restore a backup.",
          isRetryable: false,
          cause: undefined,
        })
        const authentication = { ...makeAuthentication(1).authentication, grant: () => Effect.fail(damaged) }
        const request = {} as HttpServerRequest
        const relayed = RelayCaller.make(authentication, [])({ chain: "eth", apiKey: "a" }, request)
        const [rest, relay, etherscan] = yield* Effect.all([
          Effect.flip(ErrorResponse.fromStore(failed)),
          Effect.flip(relayed),
          Effect.flip(Caller.authenticate(authentication, request, "a")),
        ]).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(UnavailableLog.LoggedAt, new Map()),
          Effect.provideService(RequestFacts, {}),
        )

        const text = "Database damaged. The log of the server states where, and what to do."
        expect([rest.error.code, rest.message]).toEqual([
          "internal",
          "Database failed. The log of the server states where, and what to do.",
        ])
        expect(relay).toMatchObject({ code: -32_603, reason: "internal", message: text })
        expect(etherscan).toMatchObject({ message: "NOTOK", result: `Error! ${text}` })
        expect(lines).toEqual([
          "Error Requests fail: Database failed: eth.db (SQLite code 1). (no such column: x)",
          "Error Requests fail: Database damaged: /srv/keys.db. Restore a backup.",
        ])
      }),
  )

  it.effect("logs an error whose causes never end", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const cause = new Error("endless")
      cause.cause = cause
      const failed = new StoreError({ message: "Database failed: eth.db.", isRetryable: false, cause })
      yield* UnavailableLog.write(failed).pipe(
        Effect.provide(logger),
        Effect.provideService(UnavailableLog.LoggedAt, new Map()),
      )

      expect(lines).toEqual(["Requests fail: Database failed: eth.db. (endless)"])
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
