import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ClientError, Endpoint, RequestExecutor } from "../../src/index.ts"
import * as PromiseRunner from "../../src/internal/PromiseRunner.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { script, type Server } from "@daybook/harness/ScriptedServer"

const call = (server: Server, timeout: number) =>
  RequestExecutor.makeUnsafe().request(
    { endpoint: Endpoint.makeUnsafe({ url: server.url }), timeout },
    RequestExecutor.accept,
  )
const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => expect.unreachable("the promise must reject"),
      (error: unknown) => error,
    ),
  )

describe("PromiseRunner", () => {
  describe("run", () => {
    it("run: resolves with the value", async () => {
      expect(await PromiseRunner.run(Effect.succeed(1))).toBe(1)
    })
    it.live("run: rejects with the typed error, an Error with a name and a stack", () =>
      Effect.gen(function* () {
        const failure = new ClientError.Unauthorized({ host: "a.test", status: 401 })
        const error = yield* rejection(PromiseRunner.run(Effect.fail(failure)))

        expect(error).toBe(failure)
        expect(error).toBeInstanceOf(Error)
        expect(failure.name).toBe("Unauthorized")
        expect(failure.stack).toContain("API key rejected: a.test")
      }),
    )
    it.live("run: the stack of an error names the caller, and an inspection shows it with the fields", () =>
      Effect.gen(function* () {
        const callOfProgram = () =>
          PromiseRunner.run(Effect.fail(new ClientError.Unauthorized({ host: "a.test", status: 401 })))
        const error = yield* rejection(callOfProgram())
        const text = inspect(error)

        expect((error as Error).stack).toMatch(/^Unauthorized: API key rejected: a\.test[^\n]*\n[^]*callOfProgram/)
        expect(text.startsWith((error as Error).stack ?? "none")).toBe(true)
        expect(text).toContain("status: 401")
        expect(Object.keys(error as object)).not.toContain("stack")
      }),
    )
    it.live("run: an aborted signal rejects with its reason and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const controller = new AbortController()
        const promise = PromiseRunner.run(call(server, 5_000), { signal: controller.signal })
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 1))
        controller.abort()
        const error = yield* rejection(promise)

        expect(error instanceof Error && error.name).toBe("AbortError")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("run: sends nothing when the signal is already aborted", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const reason = new Error("the user left")
        const error = yield* rejection(PromiseRunner.run(call(server, 5_000), { signal: AbortSignal.abort(reason) }))

        expect(error).toBe(reason)
        expect(server.seen.length).toBe(0)
      }),
    )
    it.live("run: keeps the deadline when a signal is given", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const { signal } = new AbortController()
        const error = yield* rejection(PromiseRunner.run(call(server, 100), { signal }))

        expect(error instanceof Error && "_tag" in error && error._tag).toBe("TimeoutError")
      }),
    )
  })
})
