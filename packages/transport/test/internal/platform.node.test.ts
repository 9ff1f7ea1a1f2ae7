import { assert, describe, it } from "@effect/vitest"
import { reply, script } from "@daybook/testkit/ScriptedServer"
import { Effect } from "effect"
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici"
import { platformFetch } from "../../src/internal/platform.node.ts"

const init = () => ({ method: "GET", headers: {}, redirect: "manual" as const, signal: new AbortController().signal })

const textOf = (url: string) =>
  Effect.promise(async () => {
    const response = await platformFetch(url, init())
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    return new TextDecoder().decode(value)
  })

/** Nothing but the global `fetch` of the platform says that. */
const isGlobal = (seen: { readonly headers: Readonly<Record<string, unknown>> } | undefined): boolean =>
  seen?.headers["sec-fetch-mode"] !== undefined

describe("platformFetch", () => {
  it.live("asks through undici", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "one"))

      assert.strictEqual(yield* textOf(server.url), "one")

      assert.isFalse(isGlobal(server.seen[0]))
    }),
  )

  it.live("uses a global fetch that a program has put in its place", () =>
    Effect.gen(function* () {
      const original = globalThis.fetch
      globalThis.fetch = () => Promise.resolve(new Response("a stand-in"))
      yield* Effect.addFinalizer(() => Effect.sync(() => void (globalThis.fetch = original)))

      assert.strictEqual(yield* textOf("http://127.0.0.1:1"), "a stand-in")
    }),
  )

  it.live("uses the global fetch once a program has set the global dispatcher", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "two"))
      const original = getGlobalDispatcher()
      setGlobalDispatcher(new Agent())
      yield* Effect.addFinalizer(() => Effect.sync(() => setGlobalDispatcher(original)))

      assert.strictEqual(yield* textOf(server.url), "two")

      assert.isTrue(isGlobal(server.seen[0]))
    }),
  )
})
