import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Eventually from "../src/Eventually.ts"
import * as ScriptedServer from "../src/ScriptedServer.ts"

const request = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

describe("ScriptedServer", () => {
  it.live("script: responds with one handler per request, repeats the last one, and records the requests", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.script(
        ScriptedServer.reply(503, "busy", { "retry-after": "1" }),
        ScriptedServer.reply(200, "done"),
      )

      const first = yield* request(`${server.url}/a?b=c`, { method: "POST", body: "one", headers: { "x-key": "k" } })
      const responses = [first, yield* request(server.url), yield* request(server.url)]

      expect(responses.map(({ status }) => status)).toEqual([503, 200, 200])
      expect(first.headers.get("retry-after")).toBe("1")
      expect(yield* Effect.promise(() => first.text())).toBe("busy")
      expect(server.seen).toHaveLength(3)
      expect(server.seen[0]).toMatchObject({ method: "POST", url: "/a?b=c", body: "one", headers: { "x-key": "k" } })
    }),
  )

  it.live("closed: resolves when the client closes the connection, also when awaited before the request", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.script(() => {})
      const closed = server.closed(1)
      const controller = new AbortController()
      const response = fetch(server.url, { signal: controller.signal }).catch(() => "aborted")
      yield* Effect.promise(() => Eventually.until(() => server.seen.length === 1))
      controller.abort()

      expect(yield* Effect.promise(() => response)).toBe("aborted")
      yield* Effect.promise(() => closed)
    }),
  )

  it.live("serveAs: passes the converted request to the handler and stops with its scope", () =>
    Effect.gen(function* () {
      const served = Effect.gen(function* () {
        const server = yield* ScriptedServer.serveAs(
          ({ body }) => body.length,
          (length, response) => void response.end(String(length)),
        )
        const response = yield* request(server.url, { method: "POST", body: "four" })
        return { server, text: yield* Effect.promise(() => response.text()) }
      })

      const { server, text } = yield* Effect.scoped(served)

      expect(text).toBe("4")
      expect(server.seen).toEqual([4])
      const late = Effect.promise(() =>
        fetch(server.url).then(
          () => "answered",
          () => "rejected",
        ),
      )
      expect(yield* late).toBe("rejected")
    }),
  )
})
