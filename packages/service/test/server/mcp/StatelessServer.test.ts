import { describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { expect } from "vitest"
import type { Service } from "../../../src/server/mcp/Handlers.ts"
import * as StatelessServer from "../../../src/server/mcp/StatelessServer.ts"
import type { Json } from "../service.ts"
import { modern, wallet } from "./messages.ts"

describe("StatelessServer", () => {
  const [batch, newest] = ["2025-03-26", "2026-07-28"]
  const internal = { code: -32_603, message: "Internal error. The server log has details." }
  const failure = { code: -32_602, message: "Invalid params" }
  const exitOf = (exit: unknown) => ({ _tag: "Exit", requestId: "1", exit })
  const failed = (...cause: ReadonlyArray<unknown>) => exitOf({ _tag: "Failure", cause })

  it.each([
    ["a value", exitOf({ _tag: "Success", value: { tools: [] } }), { result: { tools: [] } }],
    ["an error", failed({ _tag: "Interrupt" }, { _tag: "Fail", error: failure }), { error: failure }],
    ["a defect of a handler", failed({ _tag: "Die", defect: "secret" }), { error: internal }],
    ["an interruption", failed({ _tag: "Interrupt" }), { error: internal }],
    ["a defect of the connection", { _tag: "Defect", defect: "secret" }, { error: internal }],
    ["another message", { _tag: "Pong" }, { error: internal }],
  ])("answerOf: %s", (_, received, expected) => {
    // Sound: the members that are read from a message.
    expect(StatelessServer.answerOf(received as Parameters<typeof StatelessServer.answerOf>[0])).toEqual(expected)
  })

  /** Answers with a new server, and the requests that the inner server receives, by version and method. */
  const answers = Effect.gen(function* () {
    const requests: Array<string> = []
    const span: Tracer.Tracer["span"] = (options) => {
      const [, request] = /^McpServer\.@effect\/mcp\/(.+)$/.exec(options.name) ?? []
      if (request !== undefined) requests.push(request)
      return new Tracer.NativeSpan(options)
    }
    const server = yield* StatelessServer.make("1.0.0")
    // Sound: no message here reads it.
    const service = {} as Service
    const answer = (method: string, params: object, version: string): Effect.Effect<Json> =>
      Effect.provideService(
        server.answer({ id: 1, method, params }, version, service),
        Tracer.Tracer,
        Tracer.make({ span }),
      )
    return { answer, requests }
  })
  const { _meta } = modern("ping").body.params as Json

  it.effect(
    "answer: initializes for a message of an earlier version, but not for one of the newest version or initialize",
    () =>
      Effect.gen(function* () {
        const { answer, requests } = yield* answers
        const clientInfo = { name: "test", version: "1" }
        const begun = yield* answer(
          "initialize",
          { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
          batch,
        )
        const [first] = [requests.splice(0)]
        yield* answer("ping", {}, "2025-11-25")
        const second = requests.splice(0)
        yield* answer("server/discover", { _meta }, newest)

        expect(begun.result.protocolVersion).toBe("2025-06-18")
        expect(first).toEqual(["2025-06-18/initialize"])
        expect(second).toEqual(["2025-11-25/initialize", "2025-11-25/ping"])
        expect(requests).toEqual(["2026-07-28/server/discover"])
      }).pipe(Effect.scoped),
  )

  it.effect("answer: states what the server offers, and rejects what would be followed by notifications", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const discovered = yield* answer("server/discover", { _meta }, newest)
      const refused = [
        yield* answer("resources/subscribe", { uri: "daybook://eth" }, "2025-06-18"),
        yield* answer("resources/unsubscribe", { uri: "daybook://eth" }, "2025-06-18"),
        yield* answer("subscriptions/listen", { _meta, notifications: {} }, newest),
      ]

      expect(discovered.result.capabilities).toEqual({
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: false },
      })
      expect(refused.map(({ error }) => [error.code, error.message])).toEqual([
        [-32_601, "Method not found: resources/subscribe"],
        [-32_601, "Method not found: resources/unsubscribe"],
        [-32_601, "Method not found: subscriptions/listen"],
      ])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "answer: rejects a tool call with the sentences of the interface, as a result if the version requires it",
    () =>
      Effect.gen(function* () {
        const { answer } = yield* answers
        const params = { name: "find", arguments: { chain: "eth" } }
        const issue = 'Invalid argument "text": expected a string, received nothing.'

        expect(yield* answer("tools/call", params, "2025-06-18")).toEqual({ error: { code: -32_602, message: issue } })
        expect(yield* answer("tools/call", params, "2025-11-25")).toEqual({
          result: { isError: true, content: [{ type: "text", text: issue }] },
        })
        expect(yield* answer("tools/call", {}, "2025-06-18")).toMatchObject({ error: { code: -32_602 } })
      }).pipe(Effect.scoped),
  )

  it.effect("answer: rejects an argument that a tool does not have, as it would otherwise be ignored", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const params = { name: "wallet_balances_at", arguments: { ...wallet, block: 3, date: "2026-01-01" } }
      const keys = "expected one of the keys address, chain, to_block, to_date, asset, received an unknown key."
      const text = `Invalid argument "block": ${keys} Invalid argument "date": ${keys}`

      expect(yield* answer("tools/call", params, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text }] },
      })

      const chains = { name: "chains", arguments: { chain: "eth", address: 5 } }
      const none = 'Invalid arguments: expected none, as the tool takes no arguments, received "chain", "address".'

      expect(yield* answer("tools/call", chains, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text: none }] },
      })

      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, 0]))
      const full = { ...params, arguments: { ...wallet, ...many } }
      const ten = Array.from({ length: 10 }, (_, at) => `Invalid argument "key${at}": ${keys}`)

      expect(yield* answer("tools/call", full, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text: ten.join(" ") }] },
      })
    }).pipe(Effect.scoped),
  )

  it.effect("tools/list: states that a tool accepts no further arguments", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const listed = yield* answer("tools/list", {}, "2025-11-25")

      expect(listed).toMatchObject({
        result: {
          tools: [
            { inputSchema: { type: "object" } },
            ...Array(8).fill({ inputSchema: { additionalProperties: false } }),
          ],
        },
      })
    }).pipe(Effect.scoped),
  )
})
