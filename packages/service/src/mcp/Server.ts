/**
 * Model Context Protocol server over standard input and output: each line is a message, or a batch in the version that supports them. A
 * malformed line is answered with an error.
 *
 * Source: decision 0074.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type { PlatformError } from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Handlers from "../server/mcp/Handlers.ts"
import * as McpMessage from "../server/mcp/McpMessage.ts"
import * as StatelessServer from "../server/mcp/StatelessServer.ts"
import type { Access } from "./LocalService.ts"

const notJson = {
  code: JsonRpc.code.parseError,
  message: Issue.format("message", { path: "", expected: "JSON on one line", received: "other text" }),
}

type Messages = Extract<McpMessage.McpRequest, { readonly _tag: "Messages" }>

/** Protocol version in the result of `initialize`; `undefined` for an error. */
const agreedVersion = (answer: StatelessServer.Response | undefined): string | undefined =>
  answer !== undefined && "result" in answer
    ? (answer.result as { readonly protocolVersion: string }).protocolVersion
    : undefined

/** Serves standard input and output from a service, until the input has ended and everything is answered. */
export const run = Effect.fnUntraced(function* (
  { key, url }: Access,
  version: string,
): Effect.fn.Return<void, InvalidOption, Scope.Scope | Stdio.Stdio> {
  const { stdin, stdout } = yield* Stdio.Stdio
  const service = yield* Handlers.connect({ url, key: Redacted.value(key) })
  const server = yield* Effect.orDie(StatelessServer.make(version))
  const open = yield* FiberSet.make<void, PlatformError>()
  const requests = new Map<unknown, Fiber.Fiber<void, PlatformError>>()
  const writing = Semaphore.makeUnsafe(1)
  let agreed: string | undefined

  const write = (value: object) => writing.withPermit(Stream.run(Stream.make(`${JSON.stringify(value)}\n`), stdout()))

  const answer = Effect.fnUntraced(function* ({ isBatch, messages, version: stated }: Messages) {
    const answers = yield* Effect.forEach(messages, (message) =>
      Effect.map(server.answer(message, stated, service), (found) => ({ jsonrpc: "2.0", id: message.id, ...found })),
    )
    if (messages[0]?.method === "initialize") agreed = agreedVersion(answers[0])
    // Sound: there is a message.
    yield* write(isBatch ? answers : answers[0]!)
  })

  /** Answers concurrently with other messages, until the request is cancelled. */
  const begin = Effect.fnUntraced(function* (received: Messages) {
    const fiber = yield* FiberSet.run(open, answer(received))
    for (const { id } of received.messages) {
      requests.set(id, fiber)
      fiber.addObserver(() => requests.get(id) === fiber && requests.delete(id))
    }
  })

  const receive = Effect.fnUntraced(function* (line: string) {
    const json = Json.parse(line)
    if (json === undefined) return yield* write({ jsonrpc: "2.0", id: null, error: notJson })
    const received = McpMessage.readWithoutHeaders(agreed, json)
    switch (received._tag) {
      case "Refused":
        return yield* write({ jsonrpc: "2.0", id: received.id, error: received.error })
      case "Notifications": {
        const fiber = requests.get(McpMessage.cancelled(json))
        return fiber === undefined ? undefined : yield* Fiber.interrupt(fiber)
      }
      case "Messages":
        // The following messages depend on the version.
        return yield* received.messages[0]?.method === "initialize" ? answer(received) : begin(received)
    }
  })

  const reading = stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line.trim() !== ""),
    Stream.runForEach(receive),
  )
  // A client that closed its end is gone.
  yield* Effect.ignore(Effect.raceFirst(Effect.andThen(reading, FiberSet.awaitEmpty(open)), FiberSet.join(open)))
})
