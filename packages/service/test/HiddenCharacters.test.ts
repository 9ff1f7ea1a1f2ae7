import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import * as Terminal from "../src/cli/Terminal.ts"
import * as ApiKeys from "../src/store/ApiKeys.ts"
import * as ThreadLog from "../src/supervision/ThreadLog.ts"
import { daybook, timeout, withConfig } from "./cli/daybook.ts"
import * as NodeServer from "./node/server.ts"
import { start } from "./server/service.ts"

/** Escape, bell, carriage return, NUL, a control of C1, a line separator, a mark of direction, a space without a width, and the Arabic letter mark. */
const hostile = "a\u001bb\u0007b\rb\u0000b\u009bb\u2028b\u202eb\u200bb\u061cc"
const shown = "a[U+001B]b[U+0007]b[U+000D]b[U+0000]b[U+009B]b[U+2028]b[U+202E]b[U+200B]b[U+061C]c"
const hidden = /[^\P{C}\n]|[\u2028\u2029]/u

const expectShown = (text: string) => {
  expect(text).toContain(shown)
  expect(text).not.toMatch(hidden)
}

/** The line that a logger writes of a message and an annotation. */
const lineOf = Effect.fnUntraced(function* (logger: Logger.Logger<unknown, void>) {
  const lines: Array<string> = []
  const output: Terminal.Output = { print: () => undefined, note: (line) => void lines.push(line) }
  yield* Effect.logError(hostile).pipe(
    Effect.annotateLogs({ node: hostile, quoted: `${hostile} ="` }),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(Terminal.Output, output),
  )
  return lines.join("\n")
})

describe("hidden characters of a node, a client or an operator", () => {
  it.effect("logger, jsonLogger: a line escapes hidden characters in the message and in annotations", () =>
    Effect.gen(function* () {
      const [text, json] = [yield* lineOf(Terminal.logger), yield* lineOf(Terminal.jsonLogger)]

      for (const line of [text, json]) {
        expectShown(line)
        expect(line.split(shown)).toHaveLength(4)
        expect(line.split("\n")).toHaveLength(1)
      }
      expect(JSON.parse(json)).toMatchObject({ message: shown, node: shown, quoted: `${shown} ="` })
    }),
  )

  it.effect("ThreadLog: the parent of a thread escapes hidden characters", () =>
    Effect.gen(function* () {
      const received: Array<ThreadLog.ThreadLog> = []
      const thread = ThreadLog.logger(
        (message) => void received.push(message),
        (text) => text,
      )
      yield* Effect.annotateLogs(Effect.logError(hostile), { node: hostile }).pipe(
        Effect.provide(Logger.layer([thread])),
      )
      const lines: Array<string> = []
      yield* ThreadLog.write(received[0]!).pipe(
        Effect.provide(Logger.layer([Terminal.logger])),
        Effect.provideService(Terminal.Output, { print: () => undefined, note: (line) => void lines.push(line) }),
      )

      expect(lines).toHaveLength(1)
      expectShown(lines[0]!)
    }),
  )

  it.live("/ready, REST, relay: the status and the service's own errors escape hidden characters", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: {} } })
      yield* Effect.orDie(
        service.stores["eth"]!.writeStatus({
          state: "misconfigured",
          traces: "off",
          nodeHead: null,
          message: hostile,
          lacking: hostile,
        }),
      )
      const ready = yield* service.fetch("/ready?chain=eth")
      const headers = { "x-api-key": service.key }
      const page = `/api/v2.2/0x${"11".repeat(20)}/verbose`
      const chain = yield* service.fetch(`${page}?chain=${encodeURIComponent(hostile)}`, { headers })
      const parameter = yield* service.fetch(`${page}?chain=eth&${encodeURIComponent(hostile)}=1`, { headers })
      const method = yield* service.call({ jsonrpc: "2.0", id: 1, method: hostile, params: [] })

      expect([ready.json.message, ready.json.lacking]).toEqual([shown, shown])
      for (const { text } of [ready, chain, parameter, method]) expectShown(text)
    }),
  )

  it.live(
    "doctor: hidden characters in a node's texts are escaped",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const refusing = yield* NodeServer.start({
          eth_chainId: () => ({ error: { code: -32000, message: hostile } }),
        })
        const naming = yield* NodeServer.start({
          eth_chainId: () => ({ result: "0x1" }),
          web3_clientVersion: () => ({ result: hostile }),
        })
        for (const { url } of [refusing, naming]) {
          const { err, out } = yield* daybook(base, "doctor", url)
          expectShown(out + err)
        }
      }),
    timeout,
  )

  it.live(
    "status, keys: an error escapes hidden characters in what was typed",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const name = yield* daybook(base, "status", "--chain", hostile)
        const key = yield* daybook(base, "keys", "revoke", hostile)

        for (const { err, out } of [name, key]) expectShown(out + err)
      }),
    timeout,
  )

  it.effect("keys: a name with a hidden character is rejected", () =>
    Effect.gen(function* () {
      for (const character of hostile.replaceAll(/[abc]/g, "")) {
        const error = yield* Effect.flip(ApiKeys.nameOf(`a${character}b`))
        expect(error.message).toContain("text with line breaks or hidden characters")
      }
      expect(yield* ApiKeys.nameOf(" wallet 日本 ")).toBe("wallet 日本")
    }),
  )
})
