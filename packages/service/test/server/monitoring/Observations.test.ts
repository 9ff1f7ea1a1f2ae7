import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Observations from "../../../src/server/monitoring/Observations.ts"
import * as Metrics from "../../../src/server/monitoring/Metrics.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const observed = () => {
  const metrics = Metrics.empty(undefined)
  const lines = () => Metrics.format(metrics, []).split("\n")
  return { ...Observations.make(metrics), lines }
}

describe("Observations", () => {
  it("answered: counts by method, route and status, and times by route", () => {
    const { answered, lines } = observed()
    answered({ method: "GET", route: "/a", status: 200, seconds: 0.02 })
    answered({ method: "GET", route: "/a", status: 200, seconds: 0.2 })
    answered({ method: "BREW", route: undefined, status: 404, seconds: 0.0001 })
    const found = lines()

    expect(found).toContain('daybook_http_requests_total{method="GET",route="/a",status="200"} 2')
    expect(found).toContain('daybook_http_requests_total{method="other",route="unknown",status="404"} 1')
    expect(found).toContain('daybook_http_request_duration_seconds_bucket{route="/a",le="0.025"} 1')
    expect(found).toContain('daybook_http_request_duration_seconds_bucket{route="/a",le="+Inf"} 2')
    expect(found).toContain('daybook_http_request_duration_seconds_count{route="/a"} 2')
  })

  it("operated, answered: do not write the key of a series again, however they alternate", () => {
    const { answered, lines, operated } = observed()
    const observe = () => {
      for (const operation of ["page", "block"]) operated(operation, 0.001)
      for (const route of ["/a", "/b"]) answered({ method: "GET", route, status: 200, seconds: 0.02 })
    }
    observe()
    const written = vi.spyOn(JSON, "stringify")
    observe()
    const calls = written.mock.calls.length
    written.mockRestore()

    expect(calls).toBe(0)
    expect(lines()).toContain('daybook_database_duration_seconds_count{operation="block"} 2')
    expect(lines()).toContain('daybook_http_requests_total{method="GET",route="/b",status="200"} 2')
  })

  it("refused: has a label for each of the first hundred keys, and one for all others", () => {
    const { lines, refused } = observed()
    for (let key = 0; key < 10_000; key++) refused(`key ${key}`)
    refused("key 0")
    const found = lines().filter((line) => line.startsWith("daybook_rate_limited_total{"))

    expect(found).toHaveLength(101)
    expect(found).toContain('daybook_rate_limited_total{key="key 0"} 2')
    expect(found).toContain('daybook_rate_limited_total{key="other"} 9900')
  })

  it("refused, answered: 10,000 keys and paths make at most a few hundred series", () => {
    const { answered, called, lines, operated, proved, refused, requested } = observed()
    for (let index = 0; index < 10_000; index++) {
      refused(`key ${index}`)
      answered({ method: "GET", route: index % 2 === 0 ? "/a" : undefined, status: 200, seconds: index / 10_000 })
      called({ chain: "eth", node: 0, outcome: "success", seconds: 0.1 })
      requested({ chain: "eth", node: index % 2, outcome: "2xx", seconds: 0.1 })
      operated("page", 0.001)
      proved("eth", { states: { proved: index, pending: 10_000 - index }, oldestProvedBlock: index })
    }
    const series = lines().filter((line) => line !== "" && !line.startsWith("#"))

    expect(series.length).toBeLessThan(300)
    expect(series).toContain('daybook_watched_wallets{chain="eth",state="proved"} 9999')
    expect(series).toContain('daybook_watched_oldest_proved_block{chain="eth"} 9999')
    expect(series).toContain('daybook_database_duration_seconds_bucket{operation="page",le="0.001"} 10000')
    expect(series).toContain('daybook_node_requests_total{chain="eth",node="1",outcome="2xx"} 5000')
  })

  it("called: counts calls to nodes by outcome", () => {
    const { called, lines } = observed()
    called({ chain: "eth", node: 1, outcome: "TimeoutError", seconds: 20 })

    expect(lines()).toContain('daybook_upstream_requests_total{chain="eth",node="1",outcome="TimeoutError"} 1')
    expect(lines()).toContain('daybook_upstream_request_duration_seconds_bucket{chain="eth",node="1",le="10"} 0')
  })

  it.live(
    "/metrics shows pages, unknown paths, refusals and calls to nodes, with few series whatever is requested",
    () =>
      Effect.gen(function* () {
        const rateLimit = { perSecond: 1, burst: 2 }
        const service = yield* start({ chains: { eth: { blocks: Rows.chain(2, 8) } }, config: { rateLimit } })
        for (let index = 0; index < 3; index++) yield* service.wallet(`0x${"0".repeat(39)}${index}`)
        for (let index = 0; index < 5; index++) yield* service.fetch(`/nothing/${index}`)
        const other = yield* service.addKey({ name: "relay" })
        yield* service.call({ jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] }, "eth", other)
        const lines = (yield* service.fetch("/metrics")).text.split("\n")
        const page = 'method="GET",route="/api/v2.2/:address/verbose"'

        expect(lines).toContain(`daybook_http_requests_total{${page},status="200"} 2`)
        expect(lines).toContain(`daybook_http_requests_total{${page},status="429"} 1`)
        expect(lines).toContain('daybook_http_requests_total{method="GET",route="unknown",status="404"} 5')
        expect(lines).toContain('daybook_rate_limited_total{key="usual"} 1')
        expect(lines).toContain('daybook_upstream_requests_total{chain="eth",node="0",outcome="TransportError"} 1')
        expect(lines.some((line) => /^process_resident_memory_bytes [1-9]/.test(line))).toBe(true)
        expect(lines.some((line) => /^daybook_build_info\{version="[^"]+"\} 1$/.test(line))).toBe(true)
      }),
  )
})
