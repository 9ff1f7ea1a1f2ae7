import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as AnonymousCaller from "../../../src/server/admission/AnonymousCaller.ts"
import * as Node from "../node.ts"
import { start } from "../service.ts"

const path = `/api/v2.2/0x${"a".repeat(40)}/verbose`

const call = (method: string) => ({ method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }) })

const batch = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "none" })))

describe("callers without an API key", () => {
  it.live("are rejected unless the configuration permits them", () =>
    Effect.gen(function* () {
      const service = yield* start()

      expect((yield* service.fetch(path)).status).toBe(401)
      expect((yield* service.fetch("/rpc/eth", call("eth_blockNumber"))).status).toBe(401)
    }).pipe(Effect.scoped),
  )

  it.live("are answered if permitted, except for operators' methods and with an unknown key", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x1"'))
      const service = yield* start({ config: { anonymous: {} }, chains: { eth: { config: { rpc: [node.url] } } } })

      const page = yield* service.fetch(path)
      const relayed = yield* service.fetch("/rpc/eth", call("eth_blockNumber"))
      const traced = yield* service.fetch("/rpc/eth", call("trace_block"))

      expect([page.status, page.headers["ratelimit-limit"]]).toEqual([200, "10"])
      expect(relayed.json.result).toBe("0x1")
      expect(traced.json.error.code).toBe(-32601)
      expect((yield* service.fetch(path, { headers: { "x-api-key": "dbk_unknown" } })).status).toBe(401)
      expect((yield* service.fetch("/rpc/eth/dbk_unknown", call("eth_blockNumber"))).status).toBe(401)
    }).pipe(Effect.scoped),
  )

  it.live("have a rate limit per address, separate from keys", () =>
    Effect.gen(function* () {
      const service = yield* start({
        config: { trustedProxies: 1, anonymous: { perSecond: 1, burst: 3_000, total: { burst: 10_000 } } },
      })
      const send = (body: string, address: string) =>
        service.fetch("/rpc/eth", { method: "POST", body, headers: { "x-forwarded-for": address } })
      const from = (address: string) =>
        Effect.map(service.fetch(path, { headers: { "x-forwarded-for": address } }), ({ headers }) =>
          Number(headers["ratelimit-remaining"]),
        )

      const spent = yield* send(batch, "203.0.113.7")
      const refused = yield* send(batch, "203.0.113.7")

      expect([spent.status, refused.status]).toEqual([200, 429])
      // The remaining requests grow by one each second.
      expect(yield* from("203.0.113.7")).toBeLessThan(2_000)
      expect(yield* from("203.0.113.8")).toBe(2_999)
      expect((yield* service.get(path)).headers["ratelimit-limit"]).toBe("1000000")
    }).pipe(Effect.scoped),
  )

  it.live("share a rate limit for all addresses, from which a request beyond its own limit takes nothing", () =>
    Effect.gen(function* () {
      const anonymous = { perSecond: 1, burst: 2_500, total: { perSecond: 1, burst: 5_000 } }
      const service = yield* start({ config: { trustedProxies: 1, anonymous } })
      const send = (address: string) =>
        service.fetch("/rpc/eth", { method: "POST", body: batch, headers: { "x-forwarded-for": address } })
      const spent = yield* send("203.0.113.7")
      const ownRefused = yield* send("203.0.113.7")
      const other = yield* send("203.0.113.8")
      const refused = yield* send("203.0.113.9")

      expect([spent.status, ownRefused.status, other.status, refused.status]).toEqual([200, 429, 200, 429])
      expect(ownRefused.text).toContain("Rate limit exceeded: 1 requests per second, 2500 at once.")
      expect(refused.text).toContain(
        "Rate limit of all requests without an API key exceeded: 1 requests per second, 5000 at once.",
      )
      expect((yield* service.get(path)).status).toBe(200)
    }).pipe(Effect.scoped),
  )

  it.live("may not use operations that the configuration does not name", () =>
    Effect.gen(function* () {
      const service = yield* start({ config: { anonymous: { operations: ["walletTransactions"] } } })
      const refused = yield* service.fetch(path.replace("verbose", "movements"))

      expect((yield* service.fetch(path)).status).toBe(200)
      expect([refused.status, refused.json.message]).toEqual([
        403,
        "API key required for the operation movements. Requests without one are allowed for walletTransactions.",
      ])
      expect((yield* service.fetch("/rpc/eth", call("eth_blockNumber"))).json.error.message).toBe(
        "API key required for the operation relay. Requests without one are allowed for walletTransactions.",
      )
    }).pipe(Effect.scoped),
  )

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:0:1:aaaa::1", "2001:db8:0:1"],
    ["2001:0DB8::1:0:0:0:2", "2001:db8:0:1"],
    ["2001:db8::9", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0"],
    ["", ""],
  ])("%s belongs to the network %s", (address, network) => {
    expect(AnonymousCaller.networkOf(address)).toBe(network)
  })
})
