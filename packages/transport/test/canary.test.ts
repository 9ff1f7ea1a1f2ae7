/** A key is put wherever a caller may put one; then everything that can be printed after every failure is searched for it. */
import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import { Cause, Effect, Exit, Logger, Option, Redacted, References, Tracer } from "effect"
import { Endpoint, type Event, RequestExecutor, type Http } from "../src/index.ts"
import { type Handler, reply, script } from "@daybook/testkit/ScriptedServer"

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
  "the query of the URL": (url) => ({ url: `${url}/?apikey=${encoded}` }),
  "a header": (url) => ({ url, headers: { "X-API-Key": key } }),
  "a bearer header": (url) => ({ url, headers: { authorization: `Bearer ${canary}` } }),
  "the password of the URL": (url) => ({ url: url.replace("//", `//user:${encoded}@`) }),
  "the user of the URL": (url) => ({ url: url.replace("//", `//${encoded}@`) }),
}

/** Says everything the server was told, in text, JSON and headers. */
const echo =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    const told = `no service for ${request.url} ${decodeURIComponent(request.url ?? "")} ${inspect(request.headers)} ${canary}`
    response.writeHead(status, { "x-request-id": encoded, ...headers })
    response.end(`${told} ${JSON.stringify({ told })}`)
  }

const failures: Record<string, Handler> = {
  "an error page": echo(500),
  "a refused key": echo(401),
  "a rate limit": echo(429, { "retry-after": "3600" }),
  "a rate limit without a hint": echo(429),
  "a bad request": echo(400),
  "a redirect": (request, response) => {
    response
      .writeHead(302, { location: `http://${canary.slice(0, 6)}.test${request.url}`, "x-request-id": encoded })
      .end()
  },
  "a large answer": reply(200, "x".repeat(10_000)),
  "bytes that are no text": (_request, response) => void response.end(Buffer.from([0xff])),
  "a reset connection": (request) => void request.socket.resetAndDestroy(),
  "a body that breaks off": (request, response) => {
    response.writeHead(200, { "content-length": "100", "x-request-id": encoded }).write("part")
    setTimeout(() => request.socket.destroy(), 5)
  },
  "stalled headers": () => {},
  "a stalled body": (_request, response) => void response.writeHead(200).write(canary),
  "an answer that decode refuses": echo(200),
}

const talkative: Http.Fetch = (url, init) => {
  const cause = Object.assign(new Error(`no route to ${url}`), { code: "EHOSTUNREACH", url, init })
  throw new TypeError(`fetch failed for ${url} with ${JSON.stringify(init.headers)}`, { cause })
}

/** Runs a call and gathers every text that it leaves behind. */
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
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      },
    })
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
      Effect.tapCause((cause) => Effect.logFatal("it failed", cause)),
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
    assert.isTrue(Exit.isFailure(exit))
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
  assert.isAbove(all.length, 1_000)
  for (const spelling of spellings) {
    const at = all.indexOf(spelling)
    assert.strictEqual(at, -1, `the key came out: ${all.slice(Math.max(0, at - 200), at + 50)}`)
  }
}

const refuse = (got: Http.Reply) =>
  got.status === 200 ? Effect.fail(new Error(got.scrub(got.text)) as never) : RequestExecutor.accept(got)

describe("canary", () => {
  for (const [place, options] of Object.entries(places)) {
    describe(`a key in ${place}`, () => {
      for (const [name, handler] of Object.entries(failures)) {
        it.live(`does not come out after ${name}`, () =>
          Effect.gen(function* () {
            const server = yield* script(handler)
            const endpoint = yield* Endpoint.make(options(server.url))
            const events: Array<Event.Event> = []
            const executor = RequestExecutor.makeUnsafe({
              onEvent: (event) => events.push(event),
              maxBytes: 5_000,
              policy: { base: 1, cap: 1, maxAttempts: 2, deadline: 1_000, attemptTimeout: 40 },
            })
            const { texts, spans } = yield* traces(executor.request({ endpoint }, refuse))

            const received = JSON.stringify([server.seen[0]?.url, server.seen[0]?.headers])
            assert.isTrue(
              spellings.some((spelling) => received.includes(spelling)),
              "the key was sent",
            )
            assert.isAtLeast(spans.filter((span) => span.name === "daybook.http").length, 1)
            assert.isAtLeast(events.length, 2)
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
      it.live("does not come out after a fetch that throws the whole request", () =>
        Effect.gen(function* () {
          const endpoint = yield* Endpoint.make(options("http://node.test"))
          const executor = RequestExecutor.makeUnsafe({ fetch: talkative, policy: { base: 1, maxAttempts: 2 } })
          const { texts, error } = yield* traces(executor.request({ endpoint }, RequestExecutor.accept))

          assert.strictEqual(error?._tag, "TransportError")
          expectClean(texts)
        }),
      )
      it.live("does not come out after a pause that outlasts the deadline", () =>
        Effect.gen(function* () {
          const server = yield* script(echo(429, { "retry-after": "3600" }))
          const endpoint = yield* Endpoint.make(options(server.url))
          const executor = RequestExecutor.makeUnsafe()
          yield* Effect.exit(executor.request({ endpoint }, RequestExecutor.accept))
          const { texts, error } = yield* traces(executor.request({ endpoint }, RequestExecutor.accept))

          assert.strictEqual(error?._tag, "RateLimited")
          assert.strictEqual(server.seen.length, 1)
          expectClean(texts)
        }),
      )
    })
  }
})
