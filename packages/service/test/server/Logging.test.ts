import { Eventually, LocalServer } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, References, Schema } from "effect"
import { expect } from "vitest"
import * as Terminal from "../../src/cli/Terminal.ts"
import * as Config from "../../src/config/Config.ts"
import * as Tracing from "../../src/server/monitoring/Tracing.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Rows from "./rows.ts"
import { request } from "./service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
const uuid = /^[0-9a-f-]{36}$/

/** Starts a service whose log is collected as lines, as a process writes them. */
const start = Effect.fnUntraced(function* (more: object, logger: Logger.Logger<unknown, void> = Terminal.jsonLogger) {
  const lines: Array<string> = []
  const output: Terminal.Output = { print: () => undefined, note: (line) => void lines.push(line) }
  const baseFolder = yield* temporaryFolder
  const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, {})
  yield* Effect.orDie(store.append(null, Rows.chain(0, 3)))
  const chains = { eth: { rpc: ["http://127.0.0.1:65535/canary0123"] } }
  const limits = { drainIdleMillis: 1 }
  const config = yield* Effect.fromResult(
    Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains, limits, ...more }),
  )
  const tracing = yield* Layer.build(Tracing.layer(config.otlp))
  const { address, keys } = yield* Service.run(config, { roles: ["rest", "relay"], baseFolder }).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.provideContext(tracing),
    Effect.provideService(Terminal.Output, output),
  )
  const key = Redacted.value((yield* keys.add({ name: "wallet app", operator: false, empty: null }))!)
  const until = (count: number) =>
    Effect.promise(() =>
      Eventually.until(() => lines.filter((line) => line.includes("request")).length >= count, {
        what: `${count} lines`,
      }),
    )
  return { url: address!.url, key, lines, until }
})

const fields = (lines: ReadonlyArray<string>) =>
  lines
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ message }) => message === "request")

describe("access log", () => {
  it.live("each request is logged with route, chain, key name, bytes, time and ids, but neither key nor address", () =>
    Effect.gen(function* () {
      const { key, lines, until, url } = yield* start({ log: { access: true } })
      const page = yield* request(`${url}/api/v2.2/${Rows.alice}/verbose`, {
        headers: {
          "x-api-key": key,
          "accept-encoding": "identity",
          "x-request-id": "client-7",
          traceparent: `00-${traceId}-${spanId}-01`,
        },
      })
      const call = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }
      yield* request(`${url}/rpc/eth/${key}`, { method: "POST", body: JSON.stringify(call) })
      yield* request(`${url}/${key}/nothing`)
      yield* until(3)

      expect(page.headers["x-request-id"]).toBe("client-7")
      expect(page.headers["traceparent"]).toMatch(new RegExp(`^00-${traceId}-(?!${spanId})[0-9a-f]{16}-01$`))
      const [first, second, third] = fields(lines)
      expect(first).toEqual({
        time: expect.any(String),
        level: "info",
        message: "request",
        chain: "eth",
        method: "GET",
        status: 200,
        route: "/api/v2.2/:address/verbose",
        key: "wallet app",
        bytes: expect.any(Number),
        millis: expect.any(Number),
        address: "127.0.0.1",
        requestId: "client-7",
        traceId,
      })
      expect(first!["bytes"]).toBeGreaterThan(page.text.length)
      expect(second).toMatchObject({ route: "/rpc/:chain/:apiKey", chain: "eth", key: "wallet app", status: 503 })
      expect(second!["requestId"]).toMatch(uuid)
      expect(third).toMatchObject({ route: "(unknown path)", status: 404 })
      const text = lines.join("\n")
      for (const secret of [key, Rows.alice, "canary0123"]) expect(text).not.toContain(secret)
    }),
  )

  it.live("by default requests are not logged, and an id that could forge a line is replaced", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({}, Terminal.logger)
      const answer = yield* request(`${url}/health`, { headers: { "x-request-id": 'a b="c"' } })
      const malformed = yield* request(`${url}/health`, {
        headers: { traceparent: `00-${"0".repeat(32)}-${spanId}-01` },
      })

      expect(answer.headers["x-request-id"]).toMatch(uuid)
      expect([answer.headers["traceparent"], malformed.headers["traceparent"]]).toEqual([undefined, undefined])
      expect(lines.filter((line) => line.includes("request"))).toEqual([])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Info")),
  )
})

const Attributes = Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Unknown }))
/** The part of ExportTraceServiceRequest that is looked at, by the JSON mapping of OTLP. */
const Exported = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Attributes }),
      scopeSpans: Schema.Array(
        Schema.Struct({
          spans: Schema.Array(
            Schema.Struct({
              traceId: Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
              spanId: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)),
              parentSpanId: Schema.optionalKey(Schema.String),
              name: Schema.String,
              startTimeUnixNano: Schema.String.check(Schema.isPattern(/^\d+$/)),
              endTimeUnixNano: Schema.String.check(Schema.isPattern(/^\d+$/)),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
})

describe("traces", () => {
  it.live("spans are sent to a collector by OTLP, in the caller's trace", () =>
    Effect.gen(function* () {
      const received: Array<{
        readonly path: string | undefined
        readonly token: unknown
        readonly body: typeof Exported.Type
      }> = []
      const collector = yield* LocalServer.scoped(() =>
        LocalServer.start(({ body, headers, url }, response) => {
          const decoded = Schema.decodeUnknownSync(Exported)(JSON.parse(body))
          received.push({ path: url, token: headers["x-token"], body: decoded })
          response.setHeader("content-type", "application/json").end("{}")
        }),
      )
      const otlp = { url: `${collector.url}/`, headers: { "x-token": "t" } }

      const answer = yield* Effect.scoped(
        Effect.gen(function* () {
          const { key, url } = yield* start({ otlp })
          const headers = { "x-api-key": key, traceparent: `00-${traceId}-${spanId}-01` }
          return yield* request(`${url}/api/v2.2/${Rows.alice}/verbose`, { headers })
        }),
      )

      const spans = received.flatMap(({ body }) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
      )
      const server = spans.find(({ name }) => name === "GET /api/v2.2/:address/verbose")
      expect(received[0]).toMatchObject({ path: "/v1/traces", token: "t" })
      const { attributes } = received[0]!.body.resourceSpans[0]!.resource
      expect(attributes.find(({ key }) => key === "service.name")?.value).toEqual({ stringValue: "daybook" })
      expect(server).toMatchObject({ traceId, parentSpanId: spanId })
      expect(answer.headers["traceparent"]).toBe(`00-${traceId}-${server!.spanId}-01`)
      expect(server!.attributes.map(({ key }) => key)).toEqual(
        expect.arrayContaining(["http.request.method", "http.route", "http.response.status_code"]),
      )
      expect(JSON.stringify(received)).not.toContain(Rows.alice)
    }),
  )
})
