/** The metrics and spans of a client. */
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric, Result } from "effect"
import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { RpcClient } from "../src/index.ts"
import { addressOf, refuses, replies, reply, script, success } from "./server.ts"

const quick = { retry: { base: 1, cap: 2 } }

const numbers = Effect.map(Metric.snapshot, (all) =>
  all
    .filter(({ id }) => id.startsWith("daybook_rpc_"))
    .map(({ id, attributes, state }) => ({
      id,
      attributes,
      count: "count" in state ? Number(state.count) : undefined,
      sum: "sum" in state ? Number(state.sum) : undefined,
    })),
)

const fresh = Effect.provideServiceEffect(
  Metric.MetricRegistry,
  Effect.sync(() => new Map()),
)

describe("telemetry", () => {
  it.live("metrics: count calls, retries, requests and the sizes of batches, by method and kind", () =>
    Effect.gen(function* () {
      const server = yield* script(
        refuses(-32603, "internal"),
        replies((calls) => calls.map(({ id }) => success(id, "0x2a"))),
      )
      const client = yield* RpcClient.make({ url: server.url, ...quick })

      yield* client.eth_chainId()
      yield* Effect.all([client.eth_blockNumber(), client.eth_gasPrice(), client.request({ method: "my_secret" })], {
        concurrency: "unbounded",
      })
      const found = yield* numbers
      const one = (id: string, attributes: Record<string, string>) =>
        found.find((series) => series.id === id && isDeepStrictEqual({ ...series.attributes }, attributes))

      expect(one("daybook_rpc_calls", { kind: "success", method: "eth_chainId" })?.count).toBe(1)
      expect(one("daybook_rpc_calls", { kind: "success", method: "other" })?.count).toBe(1)
      expect(one("daybook_rpc_call_millis", { method: "eth_blockNumber" })?.count).toBe(1)
      expect(one("daybook_rpc_retries", { kind: "internal", method: "eth_chainId" })?.count).toBe(1)
      expect(one("daybook_rpc_requests", { host: server.host, outcome: "200" })?.count).toBe(4)
      expect(one("daybook_rpc_batch_calls", { host: server.host })?.count).toBe(4)
      expect(one("daybook_rpc_batch_calls", { host: server.host })?.sum).toBe(5)
    }).pipe(fresh),
  )

  it.live("metrics: count a failed call by the kind of its error", () =>
    Effect.gen(function* () {
      const server = yield* script(refuses(3, "execution reverted"))
      const client = yield* RpcClient.make({ url: server.url })

      yield* Effect.flip(client.eth_chainId())
      const found = yield* numbers

      expect(found.some(({ attributes }) => attributes?.["kind"] === "reverted")).toBe(true)
    }).pipe(fresh),
  )

  it.live("spans: one for each call, and one for each request, linked to its calls", () =>
    Effect.gen(function* () {
      const server = yield* script(replies((calls) => calls.map(({ id }) => success(id, "0x2a"))))
      const { spans, tracer } = RecordingTracer.make()
      const client = yield* RpcClient.make({ rpcUrl: server.url, chain: "base", apiKey: "k3y-secret" })

      yield* Effect.all([client.eth_chainId(), client.eth_blockNumber()], { concurrency: "unbounded" }).pipe(
        Effect.withTracer(tracer),
      )

      const request = spans.find(({ name }) => name === "POST")
      expect(spans.map(({ name }) => name).toSorted()).toEqual([
        "POST",
        "RpcClient.eth_blockNumber",
        "RpcClient.eth_chainId",
      ])
      expect(request?.attributes.get("daybook.batch.size")).toBe(2)
      expect(request?.attributes.get("daybook.chain")).toBe("base")
      expect(request?.attributes.get("rpc.method")).toBe("batch")
      expect(request?.attributes.get("http.response.status_code")).toBe(200)
      expect(request?.links.length).toBe(1)
      expect(request?.links[0]?.span.spanId).toBe(
        spans.find(({ name }) => name === "RpcClient.eth_blockNumber")?.spanId,
      )
    }),
  )

  it.live("spans: one for a batch and one for its request; a separately continued call has its own", () =>
    Effect.gen(function* () {
      const isFailing = (method: string, attempt: number) => method === "eth_blockNumber" && attempt === 0
      let attempt = 0
      const limited = (id: number) => ({ jsonrpc: "2.0", id, error: { code: -32005, message: "limit exceeded" } })
      const answer = replies((calls) => {
        const now = attempt++
        return calls.map(({ id, method }) => (isFailing(method, now) ? limited(id) : success(id, "0x2a")))
      })
      const server = yield* script(answer, answer)
      const { spans, tracer } = RecordingTracer.make()
      const client = yield* RpcClient.make({ url: server.url, retry: { base: 0 } })
      const calls = [{ method: "eth_chainId" }, { method: "eth_blockNumber" }, { method: "eth_gasPrice" }] as const

      const results = yield* Effect.withTracer(client.batch(calls), tracer)

      expect(results.map(Result.getOrThrow)).toEqual([42n, 42n, 42n])
      expect(spans.map(({ name }) => name).toSorted()).toEqual([
        "POST",
        "POST",
        "RpcClient.batch",
        "RpcClient.eth_blockNumber",
      ])
    }),
  )

  it.live("spans: have the attributes of the conventions for RPC and HTTP, in each attempt", () =>
    Effect.gen(function* () {
      const server = yield* script(reply("busy", 503), refuses(3, "execution reverted"))
      const { spans, tracer } = RecordingTracer.make()
      const client = yield* RpcClient.make({ rpcUrl: server.url, chain: "base", apiKey: "k3y-secret", ...quick })

      yield* Effect.exit(client.eth_chainId()).pipe(Effect.withTracer(tracer))

      const shared = { ...addressOf(server.host), "rpc.system": "jsonrpc", "rpc.method": "eth_chainId" }
      const request = {
        ...shared,
        "daybook.chain": "base",
        "daybook.batch.size": 1,
        "http.request.method": "POST",
        "url.full": `${server.url}/base/<redacted>`,
      }
      expect(spans.map(({ name, attributes }) => [name, Object.fromEntries(attributes)])).toEqual([
        [
          "RpcClient.eth_chainId",
          {
            ...shared,
            "daybook.chain": "base",
            "daybook.attempts": 2,
            "error.type": "reverted",
            "rpc.jsonrpc.error_code": 3,
          },
        ],
        ["POST", { ...request, "http.response.status_code": 503, "error.type": "503" }],
        ["POST", { ...request, "http.response.status_code": 200, "http.request.resend_count": 1 }],
      ])
      expect(spans.map(({ status }) => status._tag === "Ended" && status.exit._tag)).toEqual([
        "Failure",
        "Failure",
        "Success",
      ])
      expect(server.seen.map(({ headers }) => headers["traceparent"])).toEqual(
        spans.slice(1).map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`),
      )
    }),
  )
})
