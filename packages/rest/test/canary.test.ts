/** The key is sent. After every outcome, everything that can be printed is searched for it. */
import { describe, expect, it } from "@effect/vitest"
import { inspect } from "node:util"
import { Cause, Effect, Exit, Logger, Redacted, References, Stream, Tracer } from "effect"
import { RestClient, type RestError } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"
import { row, sendPage, wallet } from "./history.ts"
import { type Handler, reply, script } from "@daybook/harness/ScriptedServer"

const canary = "CaNaRy-5f3e+9a1c/b7"
const spellings = [canary, encodeURIComponent(canary), "5f3e+9a1c"]

/** Repeats everything that the server received. */
const echo =
  (status: number, body: (seen: string) => string, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    const seen = `${request.url} ${JSON.stringify(request.headers)} ${encodeURIComponent(canary)}`
    response.writeHead(status, { "x-request-id": canary, "x-echo": canary, ...headers })
    response.end(body(seen))
  }
const coded =
  (code: string, more: object = {}) =>
  (seen: string) =>
    JSON.stringify({ message: seen, code, requestId: canary, ...more })

const outcomes: Record<string, Handler> = {
  "a page": sendPage([row(4, 0)], null, { "x-echo": canary, "x-request-id": canary }),
  "a page with rows that do not decode": echo(200, (seen) =>
    JSON.stringify({
      page: 0,
      page_size: 100,
      cursor: null,
      result: [row(4, 0), { ...row(3, 0), gas: seen, input: canary }],
    }),
  ),
  "a page out of order": sendPage([row(4, 0), row(5, 0)], null, { "x-request-id": canary }),
  "a bad request": echo(400, coded("bad_request", { parameter: canary })),
  "a rejected key": echo(401, (seen) => JSON.stringify({ message: `unknown key ${seen}` })),
  "an exceeded quota": echo(401, (seen) => JSON.stringify({ message: [`quota exceeded for ${canary}`, seen] })),
  "no permission": echo(403, coded("forbidden")),
  "an unknown path": echo(404, coded("not_found")),
  "a stale cursor": echo(409, coded("stale_cursor", { resumeFromBlock: 4 })),
  "a rate limit": echo(429, coded("rate_limited"), { "retry-after": "3600" }),
  "an outage": echo(503, coded("unavailable")),
  "an error page": echo(500, (seen) => `<html>${seen}</html>`),
  "a body that is not a page": echo(200, (seen) => seen),
  "a page that does not decode": echo(200, (seen) => JSON.stringify({ page: 0, page_size: seen, result: [] })),
  "a reset connection": (request) => void request.socket.resetAndDestroy(),
  "a stalled body": (_request, response) => void response.writeHead(200).write(canary),
}

const noteIn =
  (texts: Array<string>) =>
  (...things: ReadonlyArray<unknown>) => {
    for (const thing of things) {
      texts.push(String(thing), inspect(thing, { depth: 10, showHidden: true, getters: true }))
      texts.push(
        JSON.stringify(thing, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? "",
      )
    }
  }

const expectClean = (texts: ReadonlyArray<string>) => {
  const all = texts.join("\n")
  expect(all.length).toBeGreaterThan(500)
  for (const spelling of spellings) {
    const at = all.indexOf(spelling)
    expect(at, `the key is in the output: ${all.slice(Math.max(0, at - 200), at + 50)}`).toBe(-1)
  }
}

/** Every listener that a program may provide. */
const listeners = (note: (...things: ReadonlyArray<unknown>) => void) => ({
  onEvent: note,
  call: { onBadRow: note, onProgress: note, onStaleCursor: "restart" as const },
})

/** Only endless cases have a short time limit: a busy machine may take long for the rest. */
const options = (url: string, outcome: string) => ({
  baseUrl: url,
  apiKey: Redacted.make(canary),
  timeout: outcome === "a stalled body" ? 150 : 10_000,
  retry: { base: 1, cap: 1, maxAttempts: 2 },
})

describe("canary", () => {
  for (const [name, handler] of Object.entries(outcomes)) {
    it.live(`the key is in no output after ${name}`, () =>
      Effect.gen(function* () {
        const texts: Array<string> = []
        const note = noteIn(texts)
        const spans: Array<Tracer.NativeSpan> = []
        const tracer = Tracer.make({
          span: (made) => {
            const span = new Tracer.NativeSpan(made)
            spans.push(span)
            return span
          },
        })
        const loggers = Logger.layer([
          Logger.make((entry) => note(entry.message, Cause.pretty(entry.cause))),
          Logger.make((entry) => texts.push(Logger.formatLogFmt.log(entry), Logger.formatJson.log(entry))),
        ])
        const server = yield* script(handler)
        const seen: Array<unknown> = []
        const { call, onEvent } = listeners((...things) => {
          seen.push(...things)
          note(...things)
        })
        const rest = yield* RestClient.make({ ...options(server.url, name), onEvent })
        const calls: ReadonlyArray<Effect.Effect<unknown, RestError.RestError>> = [
          rest.walletTransactionsWithResponse({ address: wallet, chain: "eth" }, call),
          Stream.runCollect(rest.walletPagesStream({ address: wallet, order: "DESC" }, call)),
        ]
        for (const call of calls) {
          const exit = yield* call.pipe(
            Effect.tapCause((cause) => Effect.logFatal("the call failed", cause)),
            Effect.tap((value) => Effect.logInfo(value)),
            Effect.withSpan("call"),
            Effect.exit,
            Effect.withTracer(tracer),
            Effect.provide(loggers),
            Effect.provideService(References.MinimumLogLevel, "All"),
          )
          note(exit)
          if (Exit.isSuccess(exit)) continue
          const error = Cause.squash(exit.cause)
          note(exit.cause, error)
          texts.push(Cause.pretty(exit.cause), error instanceof Error ? `${error.message} ${error.stack}` : "")
        }
        for (const { annotations, attributes, name: span, status } of spans)
          note(span, [...attributes], status, annotations)

        expect(server.seen[0]?.headers["x-api-key"]).toBe(canary)
        expect(spans.length).toBeGreaterThanOrEqual(4)
        expect(seen.length).toBeGreaterThanOrEqual(2)
        expectClean([...texts, inspect(rest, { depth: 10, showHidden: true })])
      }),
    )
  }

  it.live("the key is in no output of the promise style", () =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      const server = yield* script(echo(500, (seen) => seen))
      const note = noteIn(texts)
      const { call, onEvent } = listeners(note)
      const rest = createRestClient({ ...options(server.url, "an error page"), apiKey: canary, onEvent })
      const rows = rest.walletTransactionsStream({ address: wallet }, call)
      note(
        yield* Effect.promise(() =>
          rows[Symbol.asyncIterator]()
            .next()
            .then(
              () => expect.unreachable("it should have been rejected"),
              (reason: unknown) => reason,
            ),
        ),
        rows,
        rows.position(),
      )
      const error = yield* Effect.promise(() =>
        rest.walletTransactions({ address: wallet }).then(
          () => expect.unreachable("it should have been rejected"),
          (reason: unknown) => reason,
        ),
      )
      noteIn(texts)(error, rest)

      expect(server.seen[0]?.headers["x-api-key"]).toBe(canary)
      expectClean(texts)
    }),
  )
  it.live.each([
    ["an error page", (token: string) => reply(500, token)],
    ["a row", (token: string) => reply(200, JSON.stringify({ page: "0", page_size: "1", result: [{ hash: token }] }))],
  ] as const)("a key of 8,000 characters: its start is not in the error of %s", ([, handlerOf]) =>
    Effect.gen(function* () {
      const token = `eyJhbGciOiJIUzI1NiJ9.${"Qw7Er9Ty2Ui4Op6A".repeat(500)}`
      const server = yield* script(handlerOf(token))
      const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: token, retry: { maxAttempts: 1 } })
      const error = yield* Effect.flip(rest.walletTransactions({ address: wallet }))

      expect(error._tag).toBe("InvalidResponse")
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(token.slice(0, 20))
    }),
  )
  it.effect("the key is in no output of an invalid option", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        RestClient.make({ baseUrl: `wss://host/${canary}`, apiKey: canary, headers: { "x-more": `${canary}\n` } }),
      )
      const other = yield* Effect.flip(RestClient.make({ baseUrl: "http://host", apiKey: `${canary} \n ${canary}` }))

      expect(inspect([error, other], { depth: 10, showHidden: true })).not.toContain(canary)
    }),
  )
})
