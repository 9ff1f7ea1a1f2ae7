import { LocalServer } from "@daybook/harness"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Sink, Stdio, Stream } from "effect"
import * as Server from "../../src/mcp/Server.ts"

const message = (id: number | string, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params })

const initialize = (protocolVersion: string) =>
  message("start", "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } })

const chains = (id: number) => message(id, "tools/call", { name: "chains", arguments: {} })

/** The output for lines of input, by the id of the request. */
const outputOf = Effect.fnUntraced(function* (
  lines: ReadonlyArray<object | string>,
  url = "http://127.0.0.1:1",
  version = "2025-11-25",
) {
  const written: Array<string> = []
  const text = [initialize(version), ...lines]
    .map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
    .join("")
  const streams = Stdio.layerTest({
    stdin: Stream.make(new TextEncoder().encode(text)),
    stdout: () => Sink.forEach((part) => Effect.sync(() => written.push(String(part)))),
  })
  yield* Server.run({ url, key: Redacted.make("key") }, "1.0.0").pipe(Effect.scoped, Effect.provide(streams))
  return written.slice(1).map((line) => JSON.parse(line))
})

describe("Server of standard input and output", () => {
  it.effect.each(["garbage", "{", '{"a":1} trailing'])(
    "answers a line that is not JSON with an error, and continues: %s",
    (line) =>
      Effect.gen(function* () {
        const [refused, answered] = yield* outputOf([line, "", "   ", message(1, "ping")])

        expect(refused).toEqual({
          jsonrpc: "2.0",
          id: null,
          error: { code: -32_700, message: "Invalid message: expected JSON on one line, received other text." },
        })
        expect(answered).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
      }),
  )

  it.effect("answers a value that is not a message with an error, and continues", () =>
    Effect.gen(function* () {
      const found = yield* outputOf([
        { id: 1 },
        [],
        "null",
        "5",
        { ...message(2, "ping"), id: null },
        message(3, "ping"),
      ])

      expect(found.map(({ error, id }) => [id, error?.code])).toEqual([
        [1, -32_600],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [3, undefined],
      ])
    }),
  )

  it.live("answers concurrent requests with the same id, and continues", () =>
    Effect.gen(function* () {
      const found = yield* outputOf([chains(7), chains(7), message(8, "ping")])

      expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([7, 7, 8]))
      expect(found).toHaveLength(3)
      expect(found.filter(({ result }) => result.isError)).toHaveLength(2)
    }),
  )

  it.live("does not answer a cancelled request, and aborts its work", () =>
    Effect.gen(function* () {
      const { url } = yield* LocalServer.scoped(() => LocalServer.start(() => undefined))
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }

      expect(yield* outputOf([chains(7), cancel, message(8, "ping")], url)).toEqual([
        { jsonrpc: "2.0", id: 8, result: {} },
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("accepts a batch only in the protocol version that has batches", () =>
    Effect.gen(function* () {
      const batch = [message(1, "ping"), message(2, "ping")]
      const result = { jsonrpc: "2.0", result: {} }
      const [refused] = yield* outputOf([batch])

      expect(yield* outputOf([batch], undefined, "2025-03-26")).toEqual([
        [
          { ...result, id: 1 },
          { ...result, id: 2 },
        ],
      ])
      expect(refused.error.code).toBe(-32_600)
    }),
  )

  it.effect("rejects subscriptions, since no notifications would follow", () =>
    Effect.gen(function* () {
      const found = yield* outputOf([message(1, "resources/subscribe", { uri: "daybook://eth" })])

      expect(found).toEqual([
        { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "Method not found: resources/subscribe" } },
      ])
    }),
  )

  it.live("answers a message that states a version in that version", () =>
    Effect.gen(function* () {
      const version = "2026-07-28"
      const meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
      }
      const [discovered, called] = yield* outputOf([
        message(1, "server/discover", { _meta: meta }),
        message(2, "tools/call", { name: "chains", arguments: {}, _meta: meta }),
      ])

      expect(discovered.result.supportedVersions).toContain(version)
      expect(Object.keys(discovered.result.capabilities)).toEqual(["tools", "resources"])
      expect(called.result).toMatchObject({ isError: true, resultType: "complete" })
    }),
  )
})
