import { describe, expect, it } from "@effect/vitest"
import { reply, script } from "@daybook/harness/ScriptedServer"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
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

/** Only the global `fetch` of the platform sends this header. */
const isGlobal = (seen: { readonly headers: Readonly<Record<string, unknown>> } | undefined): boolean =>
  seen?.headers["sec-fetch-mode"] !== undefined

describe("platformFetch", () => {
  it.live("platformFetch: sends requests with Node's modules", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "one"))

      expect(yield* textOf(server.url)).toBe("one")

      expect(isGlobal(server.seen[0])).toBe(false)
    }),
  )

  it.live("platformFetch: uses a global fetch that a program replaced", () =>
    Effect.gen(function* () {
      const original = globalThis.fetch
      globalThis.fetch = () => Promise.resolve(new Response("a replacement"))
      yield* Effect.addFinalizer(() => Effect.sync(() => void (globalThis.fetch = original)))

      expect(yield* textOf("http://127.0.0.1:1")).toBe("a replacement")
    }),
  )

  it.live("platformFetch: uses the global fetch when a program set the global dispatcher", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "two"))
      const original = getGlobalDispatcher()
      setGlobalDispatcher(new Agent())
      yield* Effect.addFinalizer(() => Effect.sync(() => setGlobalDispatcher(original)))

      expect(yield* textOf(server.url)).toBe("two")

      expect(isGlobal(server.seen[0])).toBe(true)
    }),
  )

  it.live("platformFetch: uses the global fetch on a platform without Node's modules", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "three"))
      const original = process.getBuiltinModule
      Reflect.set(process, "getBuiltinModule", undefined)
      yield* Effect.addFinalizer(() => Effect.sync(() => void (process.getBuiltinModule = original)))

      expect(yield* textOf(server.url)).toBe("three")

      expect(isGlobal(server.seen[0])).toBe(true)
    }),
  )

  /** The output of a program that prepares its platform, loads the default `fetch`, and requests a URL. */
  const printedBy = (prepare: string, url: string) =>
    Effect.promise(async () => {
      const program = `
        ${prepare}
        const { platformFetch } = await import(${JSON.stringify(new URL("../../src/internal/platform.node.ts", import.meta.url).href)})
        const init = { method: "GET", headers: {}, redirect: "manual", signal: new AbortController().signal }
        const { body } = await platformFetch(${JSON.stringify(url)}, init)
        console.log(new TextDecoder().decode((await body.getReader().read()).value))`
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--no-warnings", "--input-type=module", "--eval", program],
        { cwd: import.meta.dirname },
      )
      return stdout.trim()
    })

  it.live("platformFetch: uses a global fetch that was replaced before the client was loaded", () =>
    Effect.gen(function* () {
      const prepare = 'globalThis.fetch = () => Promise.resolve(new Response("a replacement"))'

      expect(yield* printedBy(prepare, "http://127.0.0.1:1")).toBe("a replacement")
    }),
  )

  it.live("platformFetch: uses a global dispatcher that was set before the client was loaded", () =>
    Effect.gen(function* () {
      const prepare = `
        const { MockAgent, setGlobalDispatcher } = await import("undici")
        const agent = new MockAgent()
        agent.disableNetConnect()
        agent.get("http://mock.test").intercept({ path: "/" }).reply(200, "a mock")
        setGlobalDispatcher(agent)`

      expect(yield* printedBy(prepare, "http://mock.test/")).toBe("a mock")
    }),
  )

  it.live(
    "platformFetch: uses interceptors that were composed with the global dispatcher before the client was loaded",
    () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "one"))
        const prepare = `
        const { Agent, setGlobalDispatcher } = await import("undici")
        setGlobalDispatcher(new Agent().compose((dispatch) => (options, handler) => dispatch(options, handler)))`

        expect(yield* printedBy(prepare, server.url)).toBe("one")

        expect(isGlobal(server.seen[0])).toBe(true)
      }),
  )

  it.live("platformFetch: sends requests with Node's modules after a program used its fetch", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, "one"), reply(200, "two"))
      const prepare = `await (await fetch(${JSON.stringify(server.url)})).text()`

      expect(yield* printedBy(prepare, server.url)).toBe("two")

      expect(server.seen.map(isGlobal)).toEqual([true, false])
    }),
  )
})
