/** Hostile parameters and hostile nodes: each call has a specific error, and none is an error of the service. */
import * as Runs from "@daybook/harness/Runs"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { codes, names, random } from "../../fuzz/otterscanCalls.ts"
import * as OtterscanCalls from "../../fuzz/otterscanCalls.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const hash = Rows.blockHash(1)

const block = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: Rows.blockHash(number),
  difficulty: "0x0",
  timestamp: "0x1",
  uncles: [],
  transactions: [],
})

/** Values that a node might return for anything. */
const replies = [
  "null",
  "[]",
  "{}",
  "true",
  '"0x"',
  '"0x1"',
  '"latest"',
  "1e400",
  JSON.stringify(block(1)),
  JSON.stringify({ ...block(1), uncles: [hash], difficulty: "0x5" }),
  JSON.stringify({ ...block(1), transactions: [null, 1, {}, { hash }] }),
  JSON.stringify({ transactionHash: hash, blockNumber: "0x1", blockHash: hash, from: Rows.alice, gasUsed: "0x1" }),
  JSON.stringify({ type: "CALL", from: Rows.alice, calls: [{ type: "CREATE" }] }),
  JSON.stringify({ type: "CALL", from: Rows.alice, value: "0x1" }),
  JSON.stringify([{ result: { type: "CALL", from: Rows.alice } }]),
  "[null]",
  '{"__proto__":{"hash":1}}',
]

describe("Otterscan: hostile clients and nodes", () => {
  it.live("a call with parameters of any form returns a result or an error that names it", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(({ method }) => {
        if (method.startsWith("eth_getBlockBy")) return Node.result(JSON.stringify(block(1)))
        return Node.result(method === "eth_getCode" ? '"0x"' : "null")
      })
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, blocks: Rows.chain(0, 4) } } })
      const key = yield* service.addKey({ name: "operator", operator: true })

      const calls = Runs.usual(8_000)
      const { failures, results } = yield* OtterscanCalls.send(service, key, calls, 7)

      expect(failures).toEqual([])
      expect(results).toBeGreaterThan(calls / 50)
      expect(service.logs.filter((line) => line.startsWith("Error"))).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("a node that returns anything causes errors only for its calls", () =>
    Effect.gen(function* () {
      const next = random(11)
      const node = yield* Node.start(() => {
        const text = replies[Math.floor(next() * replies.length)]!
        return next() < 0.1 ? Node.error('{"code":-32000,"message":"no"}') : Node.result(text)
      })
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, blocks: Rows.chain(0, 4) } } })
      const key = yield* service.addKey({ name: "operator", operator: true })
      const params: Readonly<Record<string, ReadonlyArray<unknown>>> = {
        ots_getApiLevel: [],
        ots_getBlockDetailsByHash: [hash],
        ots_getBlockTransactions: [1, 0, 25],
        ots_getInternalOperations: [hash],
        ots_traceTransaction: [hash],
        ots_getTransactionError: [hash],
        ots_searchTransactionsBefore: [Rows.alice, 0, 25],
        ots_searchTransactionsAfter: [Rows.alice, 0, 25],
        ots_hasCode: [Rows.alice, 1],
        ots_getContractCreator: [Rows.contract],
        ots_getTransactionBySenderAndNonce: [Rows.alice, 3],
        eth_getTransactionBySenderAndNonce: [Rows.alice, "0x3"],
      }
      for (let round = 0; round < 40; round++) {
        const calls = names.map((method, id) => ({ jsonrpc: "2.0", id, method, params: params[method] ?? [1] }))
        const { json, status } = yield* service.call(calls, "eth", key)

        expect([status, json.length]).toEqual([200, names.length])
        for (const { error, id } of json) {
          if (error !== undefined)
            expect([names[id], error.message, codes.has(error.code)]).toEqual([names[id], error.message, true])
        }
      }
      expect(service.logs.filter((line) => line.startsWith("Error"))).toEqual([])
    }).pipe(Effect.scoped),
  )
})
