import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ClientError, Endpoint, RequestExecutor, PromiseFace } from "../src/index.ts"
import { script, type Server } from "@daybook/testkit/ScriptedServer"

const call = (server: Server, timeout: number) =>
  RequestExecutor.makeUnsafe().request(
    { endpoint: Endpoint.makeUnsafe({ url: server.url }), timeout },
    RequestExecutor.accept,
  )
const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it should have been rejected"),
      (error: unknown) => error,
    ),
  )

describe("PromiseFace", () => {
  describe("run", () => {
    it("resolves with the value", async () => {
      assert.strictEqual(await PromiseFace.run(Effect.succeed(1)), 1)
    })
    it.live("rejects with the typed error itself, an Error with a name and a stack", () =>
      Effect.gen(function* () {
        const failure = new ClientError.Unauthorized({ host: "a.test", status: 401 })
        const error = yield* rejection(PromiseFace.run(Effect.fail(failure)))

        assert.strictEqual(error, failure)
        assert.instanceOf(error, Error)
        assert.strictEqual(failure.name, "Unauthorized")
        assert.include(failure.stack, "does not accept the API key")
      }),
    )
    it.live("rejects with the signal's reason, closes the socket and lets go of the signal", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const controller = new AbortController()
        const promise = PromiseFace.run(call(server, 5_000), { signal: controller.signal })
        yield* Effect.sleep(50)
        controller.abort()
        const error = yield* rejection(promise)

        assert.strictEqual(error instanceof Error && error.name, "AbortError")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("sends nothing when the signal was aborted before", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const reason = new Error("the user left")
        const error = yield* rejection(PromiseFace.run(call(server, 5_000), { signal: AbortSignal.abort(reason) }))

        assert.strictEqual(error, reason)
        assert.strictEqual(server.seen.length, 0)
      }),
    )
    it.live("keeps the deadline when a signal is given", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const { signal } = new AbortController()
        const error = yield* rejection(PromiseFace.run(call(server, 100), { signal }))

        assert.strictEqual(error instanceof Error && "_tag" in error && error._tag, "TimeoutError")
      }),
    )
  })
})
