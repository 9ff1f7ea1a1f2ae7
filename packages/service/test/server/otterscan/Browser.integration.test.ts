/**
 * The requests of Otterscan's pages, as its browser sends them, and the responses to a key without operators' methods.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { Json } from "../service.ts"
import * as indexedChain from "./indexedChain.ts"

type Indexed = indexedChain.Indexed

const origin = "https://otterscan.example"

type Call = readonly [method: string, ...params: ReadonlyArray<unknown>]

/** Sends the calls of a page: a preflight, then its calls as one batch, and each separately. */
const open = Effect.fnUntraced(function* ({ fetch, operator }: Indexed, page: ReadonlyArray<Call>) {
  const path = `/rpc/eth/${operator}`
  const preflight = yield* fetch(path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
  })
  expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, "*"])
  expect(preflight.headers["access-control-allow-methods"]).toContain("POST")
  expect(preflight.headers["access-control-allow-headers"]).toContain("content-type")
  const send = (body: unknown) =>
    Effect.map(
      fetch(path, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
      ({ headers, json, status }) => {
        expect([status, headers["access-control-allow-origin"]]).toEqual([200, "*"])
        return json
      },
    )
  const every: ReadonlyArray<Call> = [
    ["eth_chainId"],
    ["eth_blockNumber"],
    ["erigon_getHeaderByNumber", "latest"],
    ["ots_getApiLevel"],
    ...page,
  ]
  const calls = every.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }))
  const batch: ReadonlyArray<Json> = yield* send(calls)
  const alone = yield* Effect.forEach(calls, send)
  expect(batch).toEqual(alone)
  for (const { error, id } of batch) expect([id, error]).toEqual([id, undefined])
  expect(batch.slice(0, 4).map(({ result }) => result.number ?? result)).toEqual(["0x1", "0xe", "0xe", 8])
  return batch.slice(4).map(({ result }) => result)
})

const rows = (addresses: ReadonlyArray<string>, hash: string, block: number): ReadonlyArray<Call> => [
  ["ots_getInternalOperations", hash],
  ...addresses.map((address): Call => ["ots_hasCode", address, block - 1]),
]

const pages = Effect.fnUntraced(function* (service: Indexed) {
  const { node, world } = service
  const { accounts, contracts, transactions } = world
  yield* open(service, [["erigon_getHeaderByNumber", 14]])
  const gold = { to: contracts.gold, data: "0x06fdde03" }
  yield* open(service, [
    ["ots_getBlockDetails", 1],
    ["eth_call", gold, "latest"],
  ])
  const [page] = yield* open(service, [["ots_getBlockTransactions", 3, 0, 25]])
  for (const { from, hash, to } of page.fullblock.transactions) {
    yield* open(service, rows([from, to ?? contracts.gold], hash, 3))
  }
  const hash = transactions.swap
  const { blockNumber, from } = yield* node.call<Json>("eth_getTransactionByHash", [hash])
  const [transaction, , , , operations, , failure, trace] = yield* open(service, [
    ["eth_getTransactionByHash", hash],
    ["eth_getTransactionReceipt", hash],
    ["ots_getBlockDetails", Number(blockNumber)],
    ["eth_getTransactionCount", from, "latest"],
    ["ots_getInternalOperations", hash],
    ["ots_hasCode", from, Number(blockNumber) - 1],
    ["ots_getTransactionError", hash],
    ["ots_traceTransaction", hash],
  ])
  expect([transaction.hash, Array.isArray(operations), failure, trace[0].depth]).toEqual([hash, true, "0x", 0])
  const [hasCode, found, , , creator] = yield* open(service, [
    ["ots_hasCode", contracts.gold, "latest"],
    ["ots_searchTransactionsBefore", contracts.gold, 0, 25],
    ["eth_getBalance", contracts.gold, "latest"],
    ["eth_getTransactionCount", contracts.gold, "latest"],
    ["ots_getContractCreator", contracts.gold],
  ])
  expect([hasCode, found.firstPage, creator.creator]).toEqual([true, true, accounts.deployer])
  const [nonce] = yield* open(service, [["ots_getTransactionBySenderAndNonce", accounts.alice, 0]])
  const first = yield* node.call<Json>("eth_getTransactionByHash", [nonce])
  expect(first.nonce).toBe("0x0")
  expect(yield* open(service, [["eth_getTransactionBySenderAndNonce", accounts.alice, "0x0"]])).toEqual([first])
})

/** A key without operators' methods can use everything except traces of a node. */
const clients = Effect.fnUntraced(function* ({ addKey, ask, askAsClient, call, node, world }: Indexed) {
  const { all, transactions } = world
  const swap = transactions.swap
  expect(yield* askAsClient("ots_getInternalOperations", swap)).toEqual(yield* ask("ots_getInternalOperations", swap))
  expect((yield* askAsClient("ots_getTransactionError", swap)).result).toBe("0x")
  const notAllowed = {
    code: -32_601,
    message: 'Method not allowed for this API key: "debug_traceTransaction". Use a key created with --operator.',
  }
  expect((yield* askAsClient("ots_traceTransaction", swap)).error).toEqual(notAllowed)
  const receipts = yield* Effect.forEach(all, ({ hash }) => node.call<Json>("eth_getTransactionReceipt", [hash]))
  const failed = receipts.find(({ status }) => status === "0x0").transactionHash
  expect((yield* askAsClient("ots_getTransactionError", failed)).error).toEqual(notAllowed)
  const narrowed = yield* addKey({ name: "narrowed", options: { methods: ["ots_getApiLevel", "ots_getBlockDetails"] } })
  const narrow = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(call({ jsonrpc: "2.0", id: 1, method, params }, "eth", narrowed), ({ json }) => json)
  expect((yield* narrow("ots_getBlockDetails", 1)).result.block.number).toBe("0x1")
  expect((yield* narrow("ots_hasCode", world.contracts.gold, 1)).error).toEqual({
    code: -32_601,
    message: 'API key not allowed for the method "ots_hasCode". It allows ots_getApiLevel, ots_getBlockDetails.',
  })
})

describe("Otterscan in a browser", () => {
  it.live(
    "each page of Otterscan gets all its responses, separately and in a batch, from another origin",
    () =>
      Effect.gen(function* () {
        const service = yield* indexedChain.start

        yield* pages(service)
        yield* clients(service)
      }).pipe(Effect.scoped),
    120_000,
  )
})
