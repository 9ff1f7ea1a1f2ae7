/** Spans of requests, by the OpenTelemetry conventions for HTTP clients, and the header that continues a trace. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { type Handler, reply, script } from "@daybook/harness/ScriptedServer"
import { Endpoint, Http, RequestExecutor } from "../src/index.ts"

const limits: Http.Limits = { fetch: (url, init) => fetch(url, init), maxBytes: 100, within: Duration.seconds(5) }
const policy = { base: 1, cap: 1, maxAttempts: 2, deadline: 5_000 }

/** Sends one request and returns its span and the headers that the server received. */
const sendTo = (handler: Handler, request: Partial<Http.Request> = {}, more: Partial<Http.Limits> = {}) =>
  Effect.gen(function* () {
    const server = yield* script(handler)
    const { spans, tracer } = RecordingTracer.make()
    const endpoint = Endpoint.makeUnsafe({ url: server.url })
    yield* Effect.exit(Http.send({ endpoint, ...request }, { ...limits, ...more })).pipe(Effect.withTracer(tracer))
    const [span] = spans
    const failed = span?.status._tag === "Ended" && span.status.exit._tag === "Failure"
    return { server, span: span!, failed, attributes: Object.fromEntries(span!.attributes) }
  })

describe("telemetry", () => {
  it.live("a span: has the method as its name, and address, port, URL and status as attributes", () =>
    Effect.gen(function* () {
      const { attributes, failed, server, span } = yield* sendTo(reply(200, "{}"), { path: "/a/b", query: { c: "d" } })
      const { hostname, port } = new URL(server.url)

      expect([span.name, span.kind, failed]).toEqual(["GET", "client", false])
      expect(attributes).toEqual({
        "server.address": hostname,
        "server.port": Number(port),
        "http.request.method": "GET",
        "url.full": `${server.url}/a/b?c=d`,
        "http.response.status_code": 200,
      })
    }),
  )

  it.live("a span: fails with the status of an error response", () =>
    Effect.gen(function* () {
      for (const status of [400, 404, 503]) {
        const { attributes, failed } = yield* sendTo(reply(status, "no"))

        expect(failed).toBe(true)
        expect(attributes).toMatchObject({ "http.response.status_code": status, "error.type": String(status) })
      }
      const server = yield* script(reply(503, "no"))
      const got = yield* Http.send({ endpoint: Endpoint.makeUnsafe({ url: server.url }) }, limits)
      expect([got.status, got.text]).toEqual([503, "no"])
    }),
  )

  it.live("a span: has the tag of an error, and the status if it was received", () =>
    Effect.gen(function* () {
      const reset = yield* sendTo((request) => void request.socket.resetAndDestroy())
      const large = yield* sendTo(reply(200, "x".repeat(200)))
      const cut = yield* sendTo((request, response) => {
        response.writeHead(206, { "content-length": "50" }).write("part")
        response.write("", () => request.socket.destroy())
      })

      expect(reset.attributes).toMatchObject({ "error.type": "TransportError" })
      expect(reset.attributes).not.toHaveProperty("http.response.status_code")
      expect(large.attributes).toMatchObject({ "error.type": "InvalidResponse", "http.response.status_code": 200 })
      expect(cut.attributes).toMatchObject({ "error.type": "TransportError", "http.response.status_code": 206 })
      expect([reset.failed, large.failed, cut.failed]).toEqual([true, true, true])
    }),
  )

  it.live("a span: counts the requests before it", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(503), reply(200))
      const { spans, tracer } = RecordingTracer.make()
      const executor = RequestExecutor.makeUnsafe({ policy })
      const endpoint = Endpoint.makeUnsafe({ url: server.url })
      yield* executor.request({ endpoint }, RequestExecutor.accept).pipe(Effect.withTracer(tracer))

      expect(spans.map(({ attributes }) => attributes.get("http.request.resend_count"))).toEqual([undefined, 1])
    }),
  )

  it.live("a request: continues the trace of its span if a tracer is installed", () =>
    Effect.gen(function* () {
      const { server, span } = yield* sendTo(reply(200))

      expect(server.seen[0]?.headers["traceparent"]).toBe(`00-${span.traceId}-${span.spanId}-01`)
    }),
  )

  it.live("a request: has no trace without a tracer, or if tracing is disabled", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200))
      const { spans, tracer } = RecordingTracer.make()
      const sent = Http.send({ endpoint: Endpoint.makeUnsafe({ url: server.url }) }, limits)
      yield* sent
      yield* sent.pipe(Effect.withTracer(tracer), Effect.withTracerEnabled(false))

      expect(spans).toEqual([])
      expect(server.seen.map(({ headers }) => headers["traceparent"])).toEqual([undefined, undefined])
    }),
  )

  it.each([
    ["http://node.test", "http://node.test"],
    ["https://node.test:8443/v2/abc", "https://node.test:8443/<redacted>/<redacted>"],
    ["https://user:secret@node.test/rpc/eth?apikey=1", "https://node.test/rpc/eth"],
    ["https://node.test/polygon-mainnet/k", "https://node.test/polygon-mainnet/<redacted>"],
  ])("shownUrl: of %s is %s", (url, shown) => {
    expect(Endpoint.makeUnsafe({ url }).shownUrl).toBe(shown)
  })

  it("attributes: have the port of the scheme if the URL has none", () => {
    const of = (url: string) => Endpoint.makeUnsafe({ url, path: ["eth", Redacted.make("k")] })

    expect(of("https://node.test").attributes).toEqual({ "server.address": "node.test", "server.port": 443 })
    expect(of("http://node.test").attributes).toEqual({ "server.address": "node.test", "server.port": 80 })
    expect(of("http://node.test").shownUrl).toBe("http://node.test/eth/<redacted>")
  })
})
