/**
 * A key is given in every place that accepts one. After every failure, everything that can be printed is searched for
 * it.
 */
import { describe, expect, it } from "@effect/vitest"
import { inspect } from "node:util"
import { Cause, Effect, Exit, Logger, Option, Redacted, References } from "effect"
import { Endpoint, type Event, type Fetch, type Http, RequestExecutor } from "../src/index.ts"
import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { type Handler, reply, script } from "@daybook/harness/ScriptedServer"

const canary = "CaNaRy/5f3e+9a1c b7"
const spellings = [
  canary,
  encodeURIComponent(canary),
  "5f3e+9a1c",
  "5f3e%2B9a1c",
  Buffer.from(`user:${canary}`).toString("base64"),
  Buffer.from(`${canary}:`).toString("base64"),
]

const key = Redacted.make(canary)
const encoded = encodeURIComponent(canary)
const places: Record<string, (url: string) => Endpoint.Options> = {
  "a path segment of its own": (url) => ({ url: `${url}/rpc`, path: ["eth", key] }),
  "the path of the URL": (url) => ({ url: `${url}/v3/${encoded}` }),
  "the whole query of the URL": (url) => ({ url: `${url}/?${encoded}` }),
  "the query of the URL": (url) => ({ url: `${url}/?apikey=${encoded}` }),
  "a header": (url) => ({ url, headers: { "X-API-Key": key } }),
  "a bearer header": (url) => ({ url, headers: { authorization: `Bearer ${canary}` } }),
  "the password of the URL": (url) => ({ url: url.replace("//", `//user:${encoded}@`) }),
  "the user of the URL": (url) => ({ url: url.replace("//", `//${encoded}@`) }),
}

/** Repeats everything that the server received, in text, JSON and headers. */
const echo =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    const seen = `no service for ${request.url} ${decodeURIComponent(request.url ?? "")} ${inspect(request.headers)} ${canary}`
    response.writeHead(status, { "x-request-id": encoded, ...headers })
    response.end(`${seen} ${JSON.stringify({ seen })}`)
  }

const failures: Record<string, Handler> = {
  "an error page": echo(500),
  "a rejected key": echo(401),
  "a rate limit": echo(429, { "retry-after": "3600" }),
  "a rate limit without a hint": echo(429),
  "a bad request": echo(400),
  "a redirect": (request, response) => {
    response
      .writeHead(302, { location: `http://${canary.slice(0, 6)}.test${request.url}`, "x-request-id": encoded })
      .end()
  },
  "a large response": reply(200, "x".repeat(10_000)),
  "bytes that are not text": (_request, response) => void response.end(Buffer.from([0xff])),
  "a reset connection": (request) => void request.socket.resetAndDestroy(),
  "an interrupted body": (request, response) => {
    response.writeHead(200, { "content-length": "100", "x-request-id": encoded }).write("part")
    response.write("", () => request.socket.destroy())
  },
  "stalled headers": () => {},
  "a stalled body": (_request, response) => void response.writeHead(200).write(canary),
  "a response that decode rejects": echo(200),
}

const leaking: Fetch.Fetch = (url, init) => {
  const cause = Object.assign(new Error(`no route to ${url}`), { code: "EHOSTUNREACH", url, init })
  throw new TypeError(`fetch failed for ${url} with ${JSON.stringify(init.headers)}`, { cause })
}

/** Runs a call and collects every text of its exit, logs and spans. */
const traces = (call: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>) =>
  Effect.gen(function* () {
    const texts: Array<string> = []
    const note = (...things: ReadonlyArray<unknown>) => {
      for (const thing of things) {
        texts.push(String(thing), inspect(thing, { depth: 10, showHidden: true, getters: true }))
        texts.push(
          JSON.stringify(thing, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? "",
        )
      }
    }
    const { spans, tracer } = RecordingTracer.make()
    const loggers = Logger.layer([
      Logger.make((entry) => note(entry.message, Cause.pretty(entry.cause), entry.logLevel)),
      Logger.make((entry) =>
        texts.push(
          Logger.formatLogFmt.log(entry),
          Logger.formatJson.log(entry),
          inspect(Logger.formatStructured.log(entry), { depth: 10 }),
        ),
      ),
    ])
    const exit = yield* call.pipe(
      Effect.tapCause((cause) => Effect.logFatal("the call failed", cause)),
      Effect.tapError((error) =>
        Effect.all([
          Effect.logTrace(error),
          Effect.logDebug(error),
          Effect.logInfo(error),
          Effect.logWarning(error),
          Effect.logError(error),
        ]),
      ),
      Effect.withSpan("call"),
      Effect.exit,
      Effect.withTracer(tracer),
      Effect.provide(loggers),
      Effect.provideService(References.MinimumLogLevel, "All"),
    )
    expect(Exit.isFailure(exit)).toBe(true)
    if (Exit.isSuccess(exit)) return { texts, spans, error: undefined }
    note(exit, exit.cause, Cause.squash(exit.cause))
    texts.push(Cause.pretty(exit.cause))
    for (const reason of exit.cause.reasons) {
      if (reason._tag === "Fail") texts.push(String((reason.error as unknown as Error).stack), reason.error.message)
    }
    for (const span of spans) {
      const { name, attributes, status, annotations } = span
      note(name, [...attributes], status, annotations)
    }
    return { texts, spans, error: Option.getOrUndefined(Cause.findErrorOption(exit.cause)) }
  })

const expectClean = (texts: ReadonlyArray<string>) => {
  const all = texts.join("\n")
  expect(all.length).toBeGreaterThan(1_000)
  for (const spelling of spellings) {
    const at = all.indexOf(spelling)
    expect(at, `the key is in the output: ${all.slice(Math.max(0, at - 200), at + 50)}`).toBe(-1)
  }
}

const reject = (got: Http.Reply) =>
  got.status === 200 ? Effect.fail(new Error(got.scrub(got.text)) as never) : RequestExecutor.accept(got)

describe("canary", () => {
  for (const [place, options] of Object.entries(places)) {
    describe(`a key in ${place}`, () => {
      for (const [name, handler] of Object.entries(failures)) {
        it.live(`a key in ${place}: is in no output after ${name}`, () =>
          Effect.gen(function* () {
            const server = yield* script(handler)
            const endpoint = yield* Endpoint.make(options(server.url))
            const events: Array<Event.Event> = []
            const executor = RequestExecutor.makeUnsafe({
              onEvent: (event) => events.push(event),
              maxBytes: 5_000,
              // Only endless cases have a short time limit: a busy machine may take long for the rest.
              policy: {
                base: 1,
                cap: 1,
                maxAttempts: 2,
                deadline: 2e4,
                attemptTimeout: name.includes("stalled") ? 100 : 8e3,
              },
            })
            const { texts, spans } = yield* traces(executor.request({ endpoint }, reject))

            const received = JSON.stringify([server.seen[0]?.url, server.seen[0]?.headers])
            expect(
              spellings.some((spelling) => received.includes(spelling)),
              "the key must be sent",
            ).toBe(true)
            expect(spans.filter((span) => span.name === "GET").length).toBeGreaterThanOrEqual(1)
            expect(events.length).toBeGreaterThanOrEqual(2)
            expectClean([
              ...texts,
              ...events.flatMap((event) => [JSON.stringify(event), inspect(event, { depth: 10 })]),
              inspect(endpoint, { depth: 10, showHidden: true }),
              JSON.stringify(endpoint),
              inspect(executor, { depth: 10, showHidden: true }),
            ])
          }),
        )
      }
      it.live(`a key in ${place}: is in no output after a fetch that throws the whole request`, () =>
        Effect.gen(function* () {
          const endpoint = yield* Endpoint.make(options("http://node.test"))
          const executor = RequestExecutor.makeUnsafe({ fetch: leaking, policy: { base: 1, maxAttempts: 2 } })
          const { texts, error } = yield* traces(executor.request({ endpoint }, RequestExecutor.accept))

          expect(error?._tag).toBe("TransportError")
          expectClean(texts)
        }),
      )
      it.live(`a key in ${place}: is in no output after a requested wait beyond the deadline`, () =>
        Effect.gen(function* () {
          const server = yield* script(echo(429, { "retry-after": "3600" }))
          const endpoint = yield* Endpoint.make(options(server.url))
          const executor = RequestExecutor.makeUnsafe()
          yield* Effect.exit(executor.request({ endpoint }, RequestExecutor.accept))
          const { texts, error } = yield* traces(executor.request({ endpoint }, RequestExecutor.accept))

          expect(error?._tag).toBe("RateLimited")
          expect(server.seen.length).toBe(1)
          expectClean(texts)
        }),
      )
    })
  }

  it.live("a key of 8,000 characters: its start is in no output if the server repeats it", () =>
    Effect.gen(function* () {
      const token = `eyJhbGciOiJIUzI1NiJ9.${"Qw7Er9Ty2Ui4Op6A".repeat(500)}`
      const server = yield* script(reply(500, token))
      const endpoint = yield* Endpoint.make({ url: server.url, headers: { authorization: `Bearer ${token}` } })
      const executor = RequestExecutor.makeUnsafe({ policy: { maxAttempts: 1 } })
      const { texts } = yield* traces(executor.request({ endpoint }, RequestExecutor.accept))

      expect(texts.join("\n")).not.toContain(token.slice(0, 20))
    }),
  )

  it.live("a key in the host of a redirect: is in no output, in any case", () =>
    Effect.gen(function* () {
      const hostKey = "CaNaRy5f3e9a1cb7"
      const server = yield* script(reply(302, "", { location: `http://${hostKey}.other.test/` }))
      const endpoint = yield* Endpoint.make({ url: server.url, headers: { "X-API-Key": hostKey } })
      const { texts, error } = yield* traces(RequestExecutor.makeUnsafe().request({ endpoint }, RequestExecutor.accept))

      expect(error?._tag).toBe("InvalidResponse")
      expect(texts.join("\n").toLowerCase()).not.toContain(hostKey.toLowerCase())
    }),
  )

  it.live("a key in the host of a redirect: is in no output when the server escapes a part of it", () =>
    Effect.gen(function* () {
      const hostKey = "canary5f3e9a1cb7"
      const server = yield* script(reply(302, "", { location: `http://%63anary5f3e9a1cb7.other.test/` }))
      const endpoint = yield* Endpoint.make({ url: server.url, headers: { "X-API-Key": hostKey } })
      const { texts, error } = yield* traces(RequestExecutor.makeUnsafe().request({ endpoint }, RequestExecutor.accept))

      expect(error?._tag).toBe("InvalidResponse")
      expect(texts.join("\n")).not.toContain(hostKey)
    }),
  )
})
