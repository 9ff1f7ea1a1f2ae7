import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import * as KeyScope from "../../../src/server/admission/KeyScope.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const chains = { eth: { blocks: Rows.chain(0, 2) }, base: { blocks: Rows.chain(0, 2) } }

const call = (method: string, params: ReadonlyArray<unknown> = []) => ({ jsonrpc: "2.0", id: 1, method, params })

describe("scopes of API keys", () => {
  it("a local caller that needs no key may only read and have a wallet compared; other callers without one may not", () => {
    const local = { name: "", operator: true, empty: null }
    const anonymous = { ...local, operator: false }

    expect(KeyScope.operationIssue(local, "proveWallet")).toBeUndefined()
    expect(KeyScope.operationIssue(anonymous, "proveWallet")).toMatch(
      /^API key required for the operation proveWallet\./,
    )
    for (const operation of ["putContract", "removeContract"]) {
      expect(KeyScope.operationIssue(local, operation)).toMatch(/^API key required for the operation /)
    }
    expect(KeyScope.operationIssue({ ...local, name: "eth" }, "proveWallet")).toMatch(/^API key not allowed for /)
    expect(KeyScope.operationIssue({ ...local, name: "eth" }, "balances")).toBeUndefined()
    const changing = { ...local, name: "eth", options: { operations: ["putContract"] } } as const
    expect(KeyScope.operationIssue(changing, "putContract")).toBeUndefined()
    expect(KeyScope.operationIssue(changing, "balances")).toMatch(/^API key not allowed for /)
  })

  it.live("a key is rejected for other chains, operations and methods, by header and by path", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const key = yield* service.addKey({
        name: "eth",
        options: { chains: ["ETH"], operations: ["balances", "relay"], methods: ["eth_chainId"] },
      })
      const get = (path: string) => service.fetch(`/api/v2.2/${Rows.alice}/${path}`, { headers: { "x-api-key": key } })
      const statusOf = (path: string) =>
        Effect.map(get(path), ({ json, status }) => [status, json.code ?? "ok", json.message])

      expect((yield* get("balances")).status).not.toBe(403)
      expect((yield* get("balances?chain=0x1")).status).not.toBe(403)
      expect(yield* statusOf("balances?chain=base")).toEqual([
        403,
        "forbidden",
        "API key not allowed for the chain base. It allows ETH.",
      ])
      expect(yield* statusOf("verbose")).toEqual([
        403,
        "forbidden",
        "API key not allowed for the operation walletTransactions. It allows balances, relay.",
      ])
      const refusedChain = yield* service.call(call("eth_chainId"), "base", key)
      const refusedMethod = yield* service.call(call("eth_blockNumber"), "eth", key)
      const allowed = yield* service.call(call("eth_chainId"), "eth", key)
      expect([refusedChain.status, refusedChain.json.error.data.code]).toEqual([403, "forbidden"])
      expect([refusedMethod.status, refusedMethod.json.error.code]).toEqual([200, -32601])
      expect(refusedMethod.json.error.message).toBe(
        'API key not allowed for the method "eth_blockNumber". It allows eth_chainId.',
      )
      // The node cannot be reached.
      expect(allowed.json.error.code).toBe(-32002)
    }),
  )

  it.live("a key for one chain cannot read another with that chain's cursor", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const narrow = yield* service.addKey({ name: "eth", options: { chains: ["eth"] } })
      const page = (query: string, key: string) =>
        service.fetch(`/api/v2.2/${Rows.alice}/verbose?limit=1${query}`, { headers: { "x-api-key": key } })
      const cursorOf = (chain: string) =>
        Effect.map(page(`&chain=${chain}`, service.key), ({ json }) => encodeURIComponent(String(json.cursor)))
      const [own, other] = [yield* cursorOf("eth"), yield* cursorOf("base")]

      const alone = yield* page(`&cursor=${other}`, narrow)
      expect([alone.status, alone.json.message]).toEqual([
        403,
        "API key not allowed for a cursor without its chain. Send the parameter chain as well.",
      ])
      expect((yield* page(`&cursor=${other}&chain=eth`, narrow)).status).toBe(400)
      expect((yield* page(`&cursor=${own}&chain=eth`, narrow)).status).toBe(200)
      expect((yield* page(`&cursor=${other}`, service.key)).status).toBe(200)
    }),
  )

  it.live("a key without the operation relay relays nothing", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const key = yield* service.addKey({ name: "pages", options: { operations: ["walletTransactions"] } })

      const refused = yield* service.call(call("eth_chainId"), "eth", key)

      expect([refused.status, refused.json.error.message]).toEqual([
        403,
        "API key not allowed for the operation relay. It allows walletTransactions.",
      ])
    }),
  )

  it.live("a key has a separate rate limit, an expiry, and the time of its last use", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const slow = yield* service.addKey({ name: "slow", options: { rateLimit: { perSecond: 1, burst: 2 } } })
      const ended = yield* service.addKey({ name: "ended", expires: 1_000 })
      const get = (key: string) =>
        service.fetch(`/api/v2.2/${Rows.alice}/verbose`, { headers: { authorization: `Bearer ${key}` } })
      const answers = [yield* get(slow), yield* get(slow), yield* get(slow)]
      const batch = yield* service.call([call("eth_chainId"), call("eth_chainId"), call("eth_chainId")], "eth", slow)
      const expired = yield* get(ended)
      const expiredCall = yield* service.call(call("eth_chainId"), "eth", ended)

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(answers[0]!.headers["ratelimit-limit"]).toBe("2")
      expect(answers[2]!.json.message).toMatch(/^Rate limit exceeded: 1 requests per second, 2 at once\./)
      expect(batch.json.error.message).toBe("Batch too large: 3 calls. Send at most 2.")
      expect([expired.status, expired.json.message]).toEqual([401, "Expired API key. Send it in the X-API-Key header."])
      expect([expiredCall.status, expiredCall.json.error.message.slice(0, 16)]).toEqual([401, "Expired API key."])
      yield* Eventually.untilEffect(
        Effect.map(service.keys.list, (keys) => keys.find(({ name }) => name === "slow")?.lastUsed !== null),
        { what: "the use is recorded" },
      )
      expect((yield* service.keys.list).find(({ name }) => name === "ended")?.lastUsed).toBeNull()
    }),
  )
})
