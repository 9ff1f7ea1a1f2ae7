import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScriptedServer from "../src/ScriptedServer.ts"

const ask = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

describe("ScriptedServer", () => {
  it.live("plays its script, the last step for ever, and notes what it saw", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.script(
        ScriptedServer.reply(503, "busy", { "retry-after": "1" }),
        ScriptedServer.reply(200, "done"),
      )

      const first = yield* ask(`${server.url}/a?b=c`, { method: "POST", body: "one", headers: { "x-key": "k" } })
      const texts = [first, yield* ask(server.url), yield* ask(server.url)]

      assert.deepStrictEqual(
        texts.map(({ status }) => status),
        [503, 200, 200],
      )
      assert.strictEqual(first.headers.get("retry-after"), "1")
      assert.strictEqual(yield* Effect.promise(() => first.text()), "busy")
      const [seen] = server.seen
      assert.deepStrictEqual(
        [seen?.method, seen?.url, seen?.body, seen?.headers["x-key"]],
        ["POST", "/a?b=c", "one", "k"],
      )
      assert.strictEqual(server.seen.length, 3)
    }),
  )

  it.live("tells when a client has closed, also who asks before", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.script(() => {})
      const closed = server.closed(1)
      const controller = new AbortController()
      const asking = fetch(server.url, { signal: controller.signal }).catch(() => "aborted")
      while (server.seen.length === 0) yield* Effect.sleep("2 millis")
      controller.abort()

      assert.strictEqual(yield* Effect.promise(() => asking), "aborted")
      yield* Effect.promise(() => closed)
    }),
  )

  it.live("shows handlers and tests what is read of a request, and stops with its scope", () =>
    Effect.gen(function* () {
      const served = Effect.gen(function* () {
        const server = yield* ScriptedServer.serveAs(
          ({ body }) => body.length,
          (length, response) => void response.end(String(length)),
        )
        const response = yield* ask(server.url, { method: "POST", body: "four" })
        return { server, text: yield* Effect.promise(() => response.text()) }
      })

      const { server, text } = yield* Effect.scoped(served)

      assert.strictEqual(text, "4")
      assert.deepStrictEqual(server.seen, [4])
      const late = yield* Effect.promise(() =>
        fetch(server.url).then(
          () => "answered",
          () => "refused",
        ),
      )
      assert.strictEqual(late, "refused")
    }),
  )
})
