import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const hash = Rows.hashOf("a block")

/** As a node may write it: with spaces, an escape, a number that JavaScript would round, and a duplicate key. */
const block = `{ "number":"0x1b4" , "note":"\\u00e9","big":123456789012345678901234567890,"a":1,"a":2 }`

const byMethod = (call: Node.Call): Node.Reply =>
  call.method === "eth_getBlockByNumber" ? Node.result(block) : Node.result(JSON.stringify(call.method))

const withNode = Effect.fnUntraced(function* (reply: (call: Node.Call) => Node.Reply = byMethod, config = {}) {
  const node = yield* Node.start(reply)
  const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } }, "polygon amoy": {} }, config })
  return { node, service }
})

const byNumber = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", true] }

describe("Relay", () => {
  describe("call", () => {
    it.live("call: responds with the text of the node's result", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode()

        const answer = yield* service.call(byNumber)

        expect(answer.status).toBe(200)
        expect(answer.text).toBe(`{"jsonrpc":"2.0","id":1,"result":${block}}`)
        expect(answer.headers["content-type"]).toBe("application/json")
        expect(node.calls).toEqual([{ method: "eth_getBlockByNumber", params: ["latest", true] }])
      }),
    )

    it.live("call: takes the key from a header if the path has none", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()
        const send = (headers: Record<string, string>, path = "/rpc/eth") =>
          Effect.promise(async () => {
            const answer = await fetch(`${service.url}${path}`, {
              method: "POST",
              headers: { "content-type": "application/json", ...headers },
              body: JSON.stringify(byNumber),
            })
            return [answer.status, await answer.text()]
          })
        const found = [200, expect.stringContaining(block)]
        const refused = (what: string) => [
          401,
          expect.stringContaining(`"message":"${what} API key. Send it in the path`),
        ]

        expect(yield* send({ "x-api-key": service.key })).toEqual(found)
        expect(yield* send({ authorization: `Bearer ${service.key}` })).toEqual(found)
        expect(yield* send({ "x-api-key": service.key }, "/rpc/eth/")).toEqual(found)
        expect(yield* send({})).toEqual(refused("Missing"))
        expect(yield* send({}, "/rpc/eth/")).toEqual(refused("Missing"))
        expect(yield* send({ "x-api-key": "another" })).toEqual(refused("Unknown"))
      }),
    )

    it.live("call: a slash may follow the key in the path", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()
        const send = (path: string, method = "POST") =>
          Effect.promise(async () => {
            const body = method === "POST" ? JSON.stringify(byNumber) : null
            const answer = await fetch(`${service.url}${path}`, { method, body })
            return [answer.status, await answer.text()]
          })

        expect(yield* send(`/rpc/eth/${service.key}/`)).toEqual([200, expect.stringContaining(block)])
        expect(yield* send("/rpc/eth/another/")).toEqual([401, expect.stringContaining("Unknown API key")])
        expect(yield* send(`/rpc/eth/${service.key}/`, "GET")).toEqual([426, expect.stringContaining("WebSocket")])
        expect((yield* send(`/rpc/eth/${service.key}//`))[0]).toBe(404)
      }),
    )

    it.live("call: echoes the id exactly as written", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()
        for (const id of [
          "0",
          "-1",
          "1.0",
          "1e2",
          "12345678901234567890",
          '"a"',
          '"1"',
          '""',
          '"\\"quoted\\" \u00e9"',
        ]) {
          const answer = yield* service.call(`{"method":"eth_blockNumber","jsonrpc":"2.0","id":${id}}`)
          expect(answer.text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"eth_blockNumber"}`)
        }
      }),
    )

    it.live("call: params may be absent, and the chain may have any spelling", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()
        for (const chain of ["eth", "ETH", "0x1", "1", "eip155:1"]) {
          const answer = yield* service.call(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`, chain)
          expect(answer.json.result).toBe("eth_blockNumber")
        }
        for (const chain of ["amoy", "polygon%20amoy", "polygon-amoy", "0x13882"]) {
          expect((yield* service.call(byNumber, chain)).status).toBe(503)
        }
      }),
    )

    it.live("call: relays eth_getTransactionByBlockHashAndIndex with its params", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode(() => Node.result("null"))
        const method = "eth_getTransactionByBlockHashAndIndex"

        const answer = yield* service.call({ jsonrpc: "2.0", id: "x", method, params: [hash, "0x0"] })

        expect(answer.text).toBe(`{"jsonrpc":"2.0","id":"x","result":null}`)
        expect(node.calls).toEqual([{ method, params: [hash, "0x0"] }])
      }),
    )

    it.live(
      "call: treats null members of calls and filters, and null optional params, as absent, and a null list as empty",
      () =>
        Effect.gen(function* () {
          const { node, service } = yield* withNode(() => Node.result(`"0x"`))
          const to = `0x${"12".repeat(20)}`
          const relayed: ReadonlyArray<readonly [method: string, params: unknown, sent: unknown]> = [
            ["eth_call", [{ from: null, to, gas: null, data: null }, "latest"], [{ to }, "latest"]],
            ["eth_call", [{ to }, null], [{ to }, "latest"]],
            [
              "eth_getLogs",
              [{ blockHash: null, fromBlock: "0x1", topics: [null] }],
              [{ fromBlock: "0x1", topics: [null] }],
            ],
            ["eth_feeHistory", ["0x2", "latest", null], ["0x2", "latest", []]],
          ]
          for (const [method, params] of relayed) {
            const { json } = yield* service.call({ jsonrpc: "2.0", id: 1, method, params })
            expect(json.error).toBeUndefined()
          }

          expect(node.calls).toEqual(relayed.map(([method, , params]) => ({ method, params })))
          const missing = yield* service.call({
            jsonrpc: "2.0",
            id: 1,
            method: "eth_getBalance",
            params: [null, "latest"],
          })
          expect(missing.json.error?.message).toContain(
            '"params[0]": expected an address of 20 bytes in hex, received null',
          )
          const beyond = yield* service.call({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [null] })
          expect(beyond.json.error).toMatchObject({ code: -32602 })
        }),
    )

    it.live("call: treats null members of overrides and simulations as absent, at any depth", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode(() => Node.result(`"0x"`))
        const to = `0x${"12".repeat(20)}`
        const withdrawal = { index: "0x1", validatorIndex: "0x2", address: to, amount: "0x3" }
        const paid = { blockStateCalls: [{ blockOverrides: { time: "0x5", withdrawals: [withdrawal] } }] }
        const block = { blockOverrides: null, stateOverrides: { [to]: { code: null, balance: "0x1" } } }
        const relayed: ReadonlyArray<readonly [method: string, params: unknown, sent: unknown]> = [
          [
            "eth_call",
            [{ to }, "latest", { [to]: { balance: null, stateDiff: null, code: "0x" } }, { time: null, number: "0x1" }],
            [{ to }, "latest", { [to]: { code: "0x" } }, { number: "0x1" }],
          ],
          [
            "eth_simulateV1",
            [{ blockStateCalls: [{ ...block, calls: [{ to, gas: null }] }], validation: null }, "latest"],
            [{ blockStateCalls: [{ stateOverrides: { [to]: { balance: "0x1" } }, calls: [{ to }] }] }, "latest"],
          ],
          ["eth_simulateV1", [paid, "latest"], [paid, "latest"]],
        ]
        for (const [method, params] of relayed) {
          const { json } = yield* service.call({ jsonrpc: "2.0", id: 1, method, params })
          expect(json.error).toBeUndefined()
        }

        expect(node.calls).toEqual(relayed.map(([method, , params]) => ({ method, params })))
      }),
    )

    it.live("call: relays the latest block where a caller omits the block of a state", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode(() => Node.result("null"))
        const account = `0x${"12".repeat(20)}`
        const relayed: ReadonlyArray<readonly [method: string, params: unknown, sent: unknown]> = [
          ["eth_getBalance", [account], [account, "latest"]],
          ["eth_getCode", [account, null], [account, "latest"]],
          ["eth_getStorageAt", [account, "0x0"], [account, "0x0", "latest"]],
          ["eth_getTransactionCount", [account], [account, "latest"]],
          ["eth_estimateGas", [{ to: account }], [{ to: account }]],
        ]
        for (const [method, params] of relayed) {
          const { json } = yield* service.call({ jsonrpc: "2.0", id: 1, method, params })
          expect(json.error).toBeUndefined()
        }

        expect(node.calls).toEqual(relayed.map(([method, , params]) => ({ method, params })))
      }),
    )

    it.live("notification: is not relayed and gets no response, even with params by name", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode()
        for (const method of ["eth_blockNumber", "nothing"]) {
          const answer = yield* service.call({ jsonrpc: "2.0", method })
          expect([answer.status, answer.text]).toEqual([204, ""])
        }
        expect((yield* service.call({ jsonrpc: "2.0", method: "eth_blockNumber", params: {} })).status).toBe(204)
        expect((yield* service.call([{ jsonrpc: "2.0", method: "eth_blockNumber" }])).status).toBe(204)
        expect(node.calls).toEqual([])
      }),
    )
  })

  describe("batch", () => {
    it.live("batch: responds to each call in order and to no notification", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode()

        const answer = yield* service.call([
          { jsonrpc: "2.0", id: "b", method: "eth_blockNumber" },
          { jsonrpc: "2.0", method: "eth_blockNumber" },
          { jsonrpc: "2.0", id: 2, method: "eth_sendRawTransaction", params: ["0x"] },
          7,
          byNumber,
        ])

        expect(answer.status).toBe(200)
        expect(answer.json).toHaveLength(4)
        expect(answer.json[0]).toEqual({ jsonrpc: "2.0", id: "b", result: "eth_blockNumber" })
        expect(answer.json[1]).toMatchObject({ id: 2, error: { code: -32601 } })
        expect(answer.json[2]).toMatchObject({ id: null, error: { code: -32600 } })
        expect(answer.json[3]).toMatchObject({ id: 1 })
        expect(node.calls).toHaveLength(2)
      }),
    )

    it.live("batch: an empty one is an invalid request", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()
        expect((yield* service.call([])).json).toEqual({
          jsonrpc: "2.0",
          id: null,
          error: {
            code: -32600,
            message: "Invalid JSON-RPC request: expected at least one call in a batch, received an empty array.",
          },
        })
      }),
    )

    it.live("batch: counts each call against the rate limit and is rejected above the burst", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(byMethod, { rateLimit: { perSecond: 1, burst: 4 } })
        const calls = (count: number) => Array.from({ length: count }, (_, id) => ({ ...byNumber, id }))

        const large = yield* service.call(calls(5))
        const first = yield* service.call(calls(3))
        const second = yield* service.call(calls(3))
        const third = yield* service.call(calls(1)[0])
        const fourth = yield* service.call(byNumber)

        expect([large.status, large.json.error.code]).toEqual([413, -32600])
        expect(large.json.error.message).toBe("Batch too large: 5 calls. Send at most 4.")
        expect(first.status).toBe(200)
        expect(first.headers).toMatchObject({
          "ratelimit-limit": "4",
          "ratelimit-remaining": "1",
          "ratelimit-reset": "3",
        })
        expect(second.status).toBe(429)
        expect(second.headers).toMatchObject({ "retry-after": "02", "ratelimit-remaining": "1" })
        expect(second.json).toMatchObject({ id: null, error: { code: -32005, data: { code: "rate_limited" } } })
        expect(third.status).toBe(200)
        expect(fourth.status).toBe(429)
        expect(fourth.json).toMatchObject({ id: 1, error: { code: -32005 } })
      }),
    )
  })

  describe("refusal", () => {
    it.live("invalid request: responds 200 with the code of JSON-RPC 2.0 and what was expected", () =>
      Effect.gen(function* () {
        const { node, service } = yield* withNode()
        const call = (more: object) => ({ ...byNumber, ...more })
        const blockId = "a block number in hex such as 0x1b4, or one of latest, earliest, pending, safe, finalized"
        const invalid = (where: string, expected: string, received: string) =>
          `Invalid ${where}: expected ${expected}, received ${received}.`
        const request = (where: string, expected: string, received: string) =>
          invalid(`JSON-RPC request${where}`, expected, received)
        const params = (where: string, expected: string, received: string) =>
          invalid(`call of eth_getBlockByNumber "params${where}"`, expected, received)
        const object = "an object with jsonrpc, id, method and params"
        const cases: ReadonlyArray<readonly [body: unknown, id: unknown, code: number, message: string]> = [
          ["", null, -32700, request("", "JSON", "an empty body")],
          ["{", null, -32700, request("", "JSON", "a body that is not JSON")],
          ["[".repeat(100_000), null, -32700, request("", "JSON", "a body that is not JSON")],
          ["1", null, -32600, request("", object, "1")],
          ["null", null, -32600, request("", object, "null")],
          [call({ jsonrpc: "1.0" }), 1, -32600, request(' "jsonrpc"', `"2.0"`, `"1.0"`)],
          [{ id: 1, method: "eth_chainId" }, 1, -32600, request(' "jsonrpc"', `"2.0"`, "nothing")],
          [call({ id: null }), null, -32600, request(' "id"', "a number or a string", "null")],
          [call({ id: {} }), null, -32600, request(' "id"', "a number or a string", "an empty object")],
          [call({ id: true }), null, -32600, request(' "id"', "a number or a string", "true")],
          [call({ method: 5 }), 1, -32600, request(' "method"', "the name of a method", "5")],
          [call({ params: "latest" }), 1, -32600, request(' "params"', "an array", `"latest"`)],
          [
            call({ params: { a: 1 } }),
            1,
            -32602,
            request(' "params"', "an array (parameters by position)", "an object with a"),
          ],
          [call({ params: [] }), 1, -32602, params("", "at least 1 item", "an empty array")],
          [call({ params: ["latest"] }), 1, -32602, params("", "at least 2 items", "an array of 1 item")],
          [call({ params: [436, true] }), 1, -32602, params("[0]", blockId, "436")],
          [call({ params: ["newest", true] }), 1, -32602, params("[0]", blockId, `"newest"`)],
          [call({ params: ["0x1", "true"] }), 1, -32602, params("[1]", "a boolean", `"true"`)],
          [call({ params: ["0x1", true, 1] }), 1, -32602, params("", "at most 2 items", "an array of 3 items")],
        ]
        for (const [body, id, code, message] of cases) {
          const answer = yield* service.call(body)
          expect([answer.status, answer.json]).toEqual([200, { jsonrpc: "2.0", id, error: { code, message } }])
        }
        expect(node.calls).toEqual([])
      }),
    )

    it.live(
      "method: the error for one that is not relayed differs from the error for one that the key may not call",
      () =>
        Effect.gen(function* () {
          const { node, service } = yield* withNode()
          const operator = yield* service.addKey({ name: "operator", operator: true })
          const trace = { jsonrpc: "2.0", id: 1, method: "trace_block", params: ["0x1"] }

          const unknown = yield* service.call({ ...trace, method: "eth_sendTransaction" })
          const inherited = yield* service.call({ ...trace, method: "constructor" })
          const closed = yield* service.call(trace)
          const granted = yield* service.call(trace, "eth", operator)

          expect(unknown.json.error).toEqual({
            code: -32601,
            message: `The method "eth_sendTransaction" does not exist or is not relayed. METHODS.md of @daybook/schema lists the methods.`,
          })
          expect(inherited.json.error.code).toBe(-32601)
          expect(closed.json.error).toEqual({
            code: -32601,
            message: `Method not allowed for this API key: "trace_block". Use a key created with --operator.`,
          })
          expect(granted.json.result).toBe("trace_block")
          expect(node.calls).toHaveLength(1)
        }),
    )

    it.live("an invalid key, an invalid chain and an oversized body have an HTTP status and a JSON-RPC error", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode()

        const key = yield* service.call(byNumber, "eth", "dbk_wrong")
        const swapped = yield* service.call(byNumber, service.key, "eth")
        const broken = yield* service.call(byNumber, "eth", "%zz")
        const chain = yield* service.call(byNumber, "base")
        const unknown = yield* service.call(byNumber, "atlantis")
        const large = yield* service.call(" ".repeat(1024 * 1024 + 1))

        const shown = ({ json, status }: typeof key) => [
          status,
          json.jsonrpc,
          json.id,
          json.error.code,
          json.error.data.code,
        ]
        expect(shown(key)).toEqual([401, "2.0", null, 4100, "unauthorized"])
        expect(shown(swapped)).toEqual([401, "2.0", null, 4100, "unauthorized"])
        expect(swapped.text).not.toContain(service.key)
        expect(shown(broken)).toEqual([401, "2.0", null, 4100, "unauthorized"])
        expect(shown(chain)).toEqual([400, "2.0", null, -32602, "chain_not_served"])
        expect(chain.json.error.message).toBe(
          `Invalid path parameter "chain": expected a chain that is served here (eth, polygon amoy), received "base".`,
        )
        expect(shown(unknown)).toEqual([400, "2.0", null, -32602, "bad_request"])
        expect(shown(large)).toEqual([413, "2.0", null, -32600, "payload_too_large"])
        expect(key.json.error.data.requestId).toBe(key.headers["x-request-id"])
      }),
    )
  })

  describe("failure of a node", () => {
    it.live("node: its error is returned with code, message and data", () =>
      Effect.gen(function* () {
        const { service } = yield* withNode(() =>
          Node.error(`{"code":4444,"message":"pruned history unavailable","data":{"from":"0x1"}}`),
        )

        const answer = yield* service.call(byNumber)

        expect([answer.status, answer.json]).toEqual([
          200,
          {
            jsonrpc: "2.0",
            id: 1,
            error: { code: 4444, message: "pruned history unavailable", data: { from: "0x1" } },
          },
        ])
      }),
    )

    it.live(
      "node: while none responds, a single call responds 503 and a call of a batch has an error; Retry-After is obeyed",
      () =>
        Effect.gen(function* () {
          const { node, service } = yield* withNode(() => ({
            status: 429,
            body: "slow down",
            headers: { "retry-after": "7" },
          }))

          const single = yield* service.call(byNumber)
          const batch = yield* service.call([byNumber, { jsonrpc: "2.0", id: 2, method: "eth_blockNumber" }])

          expect(single.status).toBe(503)
          expect(single.headers["retry-after"]).toBe("7")
          expect(single.json).toMatchObject({
            id: 1,
            error: {
              code: -32002,
              message: "No node of eth responds now. Retry later.",
              data: { code: "unavailable" },
            },
          })
          expect(batch.status).toBe(200)
          expect(batch.json).toEqual(
            [1, 2].map((id) => ({
              jsonrpc: "2.0",
              id,
              error: { code: -32002, message: "No node of eth responds now. Retry later." },
            })),
          )
          expect(node.calls).toHaveLength(1)
        }),
    )

    it.live("node: the next one is used if one fails or belongs to another chain", () =>
      Effect.gen(function* () {
        const down = yield* Node.start(() => ({ status: 502, body: "bad gateway" }))
        const other = yield* Node.start(() => Node.result('"other chain"'), 137)
        const good = yield* Node.start(byMethod)
        const service = yield* start({ chains: { eth: { config: { rpc: [down.url, other.url, good.url] } } } })

        const answers = yield* Effect.forEach([1, 2], () => service.call(byNumber))

        expect(answers.map(({ text }) => text)).toEqual([1, 2].map(() => `{"jsonrpc":"2.0","id":1,"result":${block}}`))
        expect(other.calls).toEqual([])
        expect(down.calls.length).toBe(1)
        expect(service.logs.filter((line) => line.includes("belongs to chain 137, not 1"))).toHaveLength(1)
      }),
    )

    it.live("node: one of another chain is not used", () =>
      Effect.gen(function* () {
        const other = yield* Node.start(byMethod, 137)
        const service = yield* start({ chains: { eth: { config: { rpc: [other.url] } } } })

        expect((yield* service.call(byNumber)).status).toBe(503)
        expect(other.calls).toEqual([])
      }),
    )
  })
})
