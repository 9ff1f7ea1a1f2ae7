import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { RateLimiterError, RateLimiterStore } from "effect/persistence/RateLimiter"
import { expect } from "vitest"
import * as Authentication from "../../../src/server/admission/Authentication.ts"
import * as RateLimit from "../../../src/server/admission/RateLimit.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

const request = { remoteAddress: Option.some("127.0.0.1") }

describe("Authentication", () => {
  it.live("retries a use of a key that could not be recorded with the next one", () =>
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const { apiKeys } = database
      const key = (yield* apiKeys.add({ name: "a", operator: false, empty: null }))!
      let failures = 0
      const use: typeof apiKeys.use = (name, at) =>
        Effect.suspend(() =>
          failures++ === 0
            ? Effect.fail(new StoreError({ message: "busy", isRetryable: true, cause: undefined }))
            : apiKeys.use(name, at),
        )
      const engine = Layer.succeed(Engine.Engine, { ...database, apiKeys: { ...apiKeys, use } })
      const layers = Layer.provide(Authentication.layer({ access: "keyed" }), [
        engine,
        RateLimit.layer({ perSecond: 1_000, burst: 1_000 }),
      ])
      const { grant } = Context.get(yield* Layer.build(layers), Authentication.Authentication)
      yield* grant(key, request)
      yield* Effect.promise(() => Eventually.until(() => failures === 1, { what: "the failure" }))
      yield* grant(key, request)
      yield* Effect.promise(() => Eventually.until(() => failures === 2, { what: "the second attempt" }))
      yield* grant(key, request)

      const used = Effect.map(apiKeys.list, ([stored]) => stored!.lastUsed !== null)
      yield* Effect.promise(() => Eventually.until(() => Effect.runPromise(used), { what: "the last use" }))
      expect(failures).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.live("responds 503 if the store of the limits fails", () =>
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const failing = () => Effect.fail(new RateLimiterError({ reason: new Error("gone") as never }))
      const store = Layer.succeed(RateLimiterStore, {
        fixedWindow: failing,
        tokenBucket: failing,
        adaptiveConsume: failing,
        adaptiveFeedback: failing,
      })
      const layers = Layer.provide(Authentication.layer({ access: "keyed" }), [
        Layer.succeed(Engine.Engine, database),
        RateLimit.layer({ perSecond: 1, burst: 1 }, store),
      ])
      const authentication = Context.get(yield* Layer.build(layers), Authentication.Authentication)
      const key = (yield* database.apiKeys.add({ name: "a", operator: false, empty: null }))!
      const received = { ...request, headers: { "x-api-key": Redacted.value(key) } }
      // Sound: with a key, authentication reads only these members.
      const error = yield* Effect.flip(Authentication.authenticate(authentication, received as never))

      expect(error.error).toMatchObject({ code: "unavailable", message: "Rate limit cannot be read. Retry later." })
      expect(error.headers).toEqual({ "retry-after": "1" })
    }).pipe(Effect.scoped),
  )
})
