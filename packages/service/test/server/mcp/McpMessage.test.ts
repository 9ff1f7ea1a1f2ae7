import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import * as McpMessage from "../../../src/server/mcp/McpMessage.ts"
import { message, modern } from "./messages.ts"

describe("McpMessage", () => {
  const [batched, newest] = ["2025-03-26", "2026-07-28"]
  const ping = message("ping")
  const read = { jsonrpc: "2.0", id: "a", method: "ping", params: null }
  const messages = (
    version = batched,
    all = [{ id: 1, method: "ping", params: null as object | null }],
    isBatch = false,
  ) => {
    return { _tag: "Messages", messages: all, isBatch, version }
  }
  const refused = (code: number, text: string, id: unknown = 1) => ({
    _tag: "Refused",
    id,
    error: { code, message: expect.stringContaining(text) },
  })
  const invalid = (text: string, id: unknown = 1) => refused(-32_600, text, id)
  const notification = { jsonrpc: "2.0", method: "notifications/x" }
  const notifications = { _tag: "Notifications" }

  it.each([
    ["a single object", 5, invalid("expected an object", null)],
    ["null", null, invalid("expected an object", null)],
    ["no version of JSON-RPC", { id: 1, method: "ping" }, invalid('"jsonrpc": "2.0"')],
    ["a message", ping, messages()],
    ["parameters", message("ping", { a: 1 }), messages(batched, [{ id: 1, method: "ping", params: { a: 1 } }])],
    ["an id that is text", read, invalid('"params" with an object', "a")],
    ["parameters of a list", message("ping", [1]), invalid('"params" with an object')],
    ["an id of no type", message("ping", {}, null), invalid('"id" with a text or a number', null)],
    ["a method of no type", message(5 as never), invalid('"method" with the name of a method')],
    ["no method", { jsonrpc: "2.0", id: 1 }, invalid('"method" with the name of a method')],
    ["a notification", notification, notifications],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, notifications],
    ["an error", { jsonrpc: "2.0", id: 1, error: {} }, notifications],
    ["a method with a result", { ...ping, result: {} }, messages()],
    ["both", { jsonrpc: "2.0", id: 1, result: {}, error: {} }, invalid('"method" with the name of a method')],
    ["a batch", [ping, notification], messages(batched, [{ id: 1, method: "ping", params: null }], true)],
    ["a batch of notifications", [notification], notifications],
    ["a batch with a number", [ping, 5], invalid("expected an object", null)],
    ["a batch of 16", Array.from({ length: 16 }, () => notification), notifications],
    ["a batch of 17", Array.from({ length: 17 }, () => notification), invalid("1 to 16 messages", null)],
    ["no message", [], invalid("1 to 16 messages", null)],
    ["a batch with initialize", [ping, message("initialize")], invalid("no message that must be sent alone", null)],
    ["a batch with a version", [modern("ping").body], invalid("no message that must be sent alone", null)],
  ])("read: %s", (_, json, expected) => {
    expect(McpMessage.read({}, json)).toMatchObject(expected)
  })

  it.each<readonly [string, Readonly<Record<string, string | undefined>>, unknown, object]>([
    [
      "initialize without a version",
      { "mcp-protocol-version": "2020-01-01" },
      message("initialize"),
      messages(batched, [{ id: 1, method: "initialize", params: null }]),
    ],
    ["initialize with a claim", {}, modern("initialize").body, refused(-32_020, "Mcp-Protocol-Version")],
    ["an earlier version", { "mcp-protocol-version": "2024-11-05" }, ping, messages("2024-11-05")],
    [
      "an unknown version",
      { "mcp-protocol-version": "2020-01-01" },
      ping,
      refused(-32_022, "Unsupported protocol version"),
    ],
    [
      "an unknown version without an object",
      { "mcp-protocol-version": "2020-01-01" },
      5,
      refused(-32_022, "Unsupported protocol version", null),
    ],
    [
      "an unknown version of a batch",
      { "mcp-protocol-version": "2020-01-01" },
      [ping],
      refused(-32_022, "Unsupported", null),
    ],
    [
      "a batch of a later version",
      { "mcp-protocol-version": "2025-06-18" },
      [ping],
      invalid("only version 2025-03-26 has batches", null),
    ],
    ["a claim without a header", {}, modern("ping").body, refused(-32_020, "Mcp-Protocol-Version")],
    [
      "another claim",
      { "mcp-protocol-version": "2025-06-18" },
      modern("ping").body,
      refused(-32_020, "Mcp-Protocol-Version"),
    ],
    ["no claim", { "mcp-protocol-version": newest }, message("ping", {}), refused(-32_602, '"_meta"')],
    [
      "another method",
      { "mcp-protocol-version": newest, "mcp-method": "tools/call" },
      modern("ping").body,
      refused(-32_020, "Mcp-Method"),
    ],
    [
      "no name",
      { "mcp-protocol-version": newest, "mcp-method": "tools/call" },
      modern("tools/call", { name: "find" }).body,
      refused(-32_020, "Mcp-Name"),
    ],
    [
      "another name",
      { "mcp-protocol-version": newest, "mcp-method": "resources/read", "mcp-name": "a" },
      modern("resources/read", { uri: "b" }).body,
      refused(-32_020, "Mcp-Name"),
    ],
    ["a notification with a claim", {}, { ...modern("ping").body, id: undefined }, notifications],
  ])("read: %s in headers", (_, headers, json, expected) => {
    expect(McpMessage.read(headers, json)).toMatchObject(expected)
  })

  it("read: accepts a message of the newest version whose headers repeat it, and the name of its target", () => {
    for (const [method, params, name] of [
      ["ping", {}, undefined],
      ["toString", {}, undefined],
      ["tools/call", { name: "find" }, "find"],
      ["prompts/get", { name: "a" }, "a"],
      ["resources/read", { uri: "daybook://eth" }, "daybook://eth"],
    ] as const) {
      const { body, headers } = modern(method, params)
      const whole = messages(newest, [{ id: 1, method, params: body.params as object }])
      expect(McpMessage.read({ ...headers, "mcp-name": name }, body)).toEqual(whole)
      expect(McpMessage.readWithoutHeaders(undefined, body)).toEqual(whole)
    }
  })

  it("readWithoutHeaders: uses the negotiated or stated version, and compares no headers", () => {
    const { body } = modern("tools/call")
    const unnamed = messages(newest, [{ id: 1, method: "tools/call", params: body.params as object }])

    expect(McpMessage.readWithoutHeaders("2024-11-05", ping)).toEqual(messages("2024-11-05"))
    expect(McpMessage.readWithoutHeaders("2024-11-05", body)).toEqual(unnamed)
    expect(McpMessage.readWithoutHeaders(undefined, 5)).toMatchObject(invalid("expected an object", null))
    expect(McpMessage.readWithoutHeaders(undefined, body)).toEqual(unnamed)
  })

  it("cancelled: returns the id of the request that a notification cancels", () => {
    const notified = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
    const others = [{ ...notified, method: "notifications/x" }, { ...notified, params: undefined }, 5, null]

    expect(McpMessage.cancelled(notified)).toBe(7)
    expect(others.map(McpMessage.cancelled)).toEqual([undefined, undefined, undefined, undefined])
  })
})
