/** Abort signals of the promise client over real sockets. */
import { describe, expect, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { createRpcClient } from "../src/promise.ts"
import { gives, type Handler, script } from "./server.ts"

const stall: Handler = (_seen, response) => void response.writeHead(200).write("{")

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.unreachable(`expected a rejection, got ${String(value)}`),
    (error: unknown) => error,
  )

const tagOf = (error: unknown): unknown => (error instanceof Error && "_tag" in error ? error._tag : error)

describe("promise", () => {
  it.live("signal: rejects with its reason and closes the socket", () =>
    Effect.gen(function* () {
      const server = yield* script(stall)
      const controller = new AbortController()
      const client = createRpcClient({ url: server.url }).with({ signal: controller.signal })

      const pending = rejection(client.eth_chainId())
      yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))
      controller.abort(new Error("enough"))
      const error = yield* Effect.promise(() => pending)

      expect(error instanceof Error && error.message === "enough").toBe(true)
      yield* Effect.promise(() => server.closed(1))
    }),
  )

  it.live("signal: those of the client and of the call both apply", () =>
    Effect.gen(function* () {
      const server = yield* script(stall)
      const outer = new AbortController()
      const client = createRpcClient({ url: server.url, signal: outer.signal })

      const pending = rejection(client.with({ signal: new AbortController().signal }).eth_chainId())
      yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))
      outer.abort(new Error("all of it"))

      expect(((yield* Effect.promise(() => pending)) as Error).message).toBe("all of it")
    }),
  )

  it.live("signal: does not replace the timeout", () =>
    Effect.gen(function* () {
      const server = yield* script(stall)
      const client = createRpcClient({ url: server.url, timeout: 80, signal: new AbortController().signal })
      const long = createRpcClient({ url: server.url }).with({
        signal: new AbortController().signal,
        timeout: "80 millis",
      })

      expect(tagOf(yield* Effect.promise(() => rejection(client.eth_chainId())))).toBe("TimeoutError")
      expect(tagOf(yield* Effect.promise(() => rejection(long.eth_chainId())))).toBe("TimeoutError")
    }),
  )

  it.live("signal: no request is made when it is already aborted", () =>
    Effect.gen(function* () {
      const server = yield* script(gives("0x1"))
      const client = createRpcClient({ url: server.url, signal: AbortSignal.abort() })

      const error = yield* Effect.promise(() => rejection(client.eth_chainId()))

      expect((error as Error).name).toBe("AbortError")
      expect(server.seen.length).toBe(0)
    }),
  )
})
