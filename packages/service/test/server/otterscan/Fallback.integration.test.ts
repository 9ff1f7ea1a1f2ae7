/** Responses beyond the range of the index or the states of the node. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Anvil, Scenario } from "@daybook/chain"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as service from "../service.ts"
import * as indexedChain from "./indexedChain.ts"

const post = (url: string, method: string, params: ReadonlyArray<unknown>) =>
  Effect.map(
    service.request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }),
    ({ json }) => json as indexedChain.Response,
  )

/** A node in front of another one that lacks states before its head; returns its URL. */
const pruned = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const answer = async (body: string): Promise<string> => {
          const { id, method, params } = JSON.parse(body) as {
            id: number
            method: string
            params: ReadonlyArray<unknown>
          }
          if (method === "eth_getCode" && params[1] !== "latest") {
            return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message: "missing trie node" } })
          }
          return await (
            await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
          ).text()
        }
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            answer(Buffer.concat(chunks).toString()).then(
              (text) => response.setHeader("content-type", "application/json").end(text),
              () => response.destroy(),
            )
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
      }),
      ({ server }) =>
        Effect.promise(() => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }),
    ),
    (node) => node.url,
  )

describe("Otterscan without the index or old states", () => {
  it.live(
    "an archive node answers everything but the searches if nothing is indexed",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ chainId: 1 })
        const { accounts, contracts, lastBlock, transactions } = yield* Scenario.run(node, {
          seed: 3,
          blobs: false,
          blocks: 6,
        })
        const started = yield* service.start({ chains: { eth: { config: { rpc: [node.url] } } } })
        const operator = yield* started.addKey({ name: "operator", operator: true })
        const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
          post(`${started.url}/rpc/eth/${operator}`, method, params)
        const both = (method: string, ...params: ReadonlyArray<unknown>) =>
          Effect.gen(function* () {
            const own = yield* ask(method, ...params)
            expect([method, params, own.result]).toEqual([
              method,
              params,
              (yield* post(node.url, method, params)).result,
            ])
          })

        for (const contract of Object.values(contracts)) yield* both("ots_getContractCreator", contract)
        yield* both("ots_getContractCreator", accounts.bob)
        for (const nonce of [0, 1, 2, 5, 1_000]) {
          yield* both("ots_getTransactionBySenderAndNonce", accounts.alice, nonce)
          yield* both("eth_getTransactionBySenderAndNonce", accounts.alice, `0x${nonce.toString(16)}`)
          yield* both("ots_getTransactionBySenderAndNonce", accounts.deployer, nonce)
        }
        for (let number = 0; number <= lastBlock; number++) yield* both("ots_hasCode", contracts.gold, number)
        expect((yield* ask("ots_getInternalOperations", transactions.create)).result).toHaveLength(1)
        expect((yield* ask("ots_searchTransactionsBefore", accounts.alice, 0, 25)).error).toEqual({
          code: -32_000,
          message: "Not indexed: no block of this chain is in the index yet",
        })
      }).pipe(Effect.scoped),
    120_000,
  )

  it.live(
    "the index answers whether a contract had code if the node lacks the state of the block",
    () =>
      Effect.gen(function* () {
        const indexed = yield* indexedChain.follow(pruned)
        const { contracts } = indexed.world
        const hasCode = (address: string, block: number) => indexed.ask("ots_hasCode", address, block)

        for (const contract of [contracts.gold, contracts.goldSilverPair]) {
          for (let number = 0; number <= indexed.last; number++) {
            const expected = yield* indexed.oracle("ots_hasCode", contract, number)
            expect([number, (yield* hasCode(contract, number)).result]).toEqual([number, expected.result])
          }
        }
        expect((yield* hasCode(indexed.world.accounts.alice, 3)).error).toEqual({
          code: -32_000,
          message: "missing trie node",
        })
      }).pipe(Effect.scoped),
    120_000,
  )
})
