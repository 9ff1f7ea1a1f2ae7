/** The clients for Effect, promises and viem on the embedded chain: their values equal the node's. */
import { describe, expect, layer } from "@effect/vitest"
import { Rpc } from "@daybook/harness"
import { Effect, Layer } from "effect"
import { createPublicClient, http, parseAbi, type PublicClient } from "viem"
import { RpcClient } from "@daybook/rpc"
import { createRpcClient } from "@daybook/rpc/promise"
import { daybookTransport } from "@daybook/rpc/viem"
import { Anvil, Contracts, Scenario } from "../src/index.ts"
import { compare } from "./sameAsViem.ts"

const chain = Scenario.layer({ seed: 3, blocks: 12, blobs: false }).pipe(
  Layer.provideMerge(Anvil.layer({ chainId: 1 })),
)

type Wire = Readonly<Record<string, unknown>>

describe("a real node", () => {
  layer(chain, { timeout: "60 seconds" })((it) => {
    it.effect("a real node: each block and transaction equals the raw one", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const world = yield* Scenario.Scenario
        const client = yield* RpcClient.make({ url: node.url })

        expect(yield* client.eth_chainId()).toBe(1n)
        expect(Number(yield* client.eth_blockNumber())).toBeGreaterThanOrEqual(world.lastBlock)
        let transactions = 0
        for (let number = world.firstBlock; number <= world.lastBlock; number++) {
          const raw = yield* Rpc.call<Wire>(node.url, "eth_getBlockByNumber", [`0x${number.toString(16)}`, true])
          const block = yield* client.eth_getBlockByNumber(number, true)
          const plain = yield* client.eth_getBlockByNumber(number)
          expect(block?.hash).toBe(raw["hash"] as never)
          expect(block?.timestamp).toBe(BigInt(raw["timestamp"] as string))
          expect(plain?.transactions).toEqual(block?.transactions.map((one) => one.hash))
          for (const [index, wire] of (raw["transactions"] as ReadonlyArray<Wire>).entries()) {
            transactions++
            const one = yield* client.eth_getTransactionByBlockHashAndIndex(
              String(block?.hash).toUpperCase().replace("0X", "0x"),
              index,
            )
            expect(one?.hash).toBe(wire["hash"] as never)
            expect(one?.value).toBe(BigInt(wire["value"] as string))
            expect(one?.nonce).toBe(Number(wire["nonce"]))
            expect(one).toEqual(block?.transactions[index])
          }
        }
        expect(transactions).toBeGreaterThan(10)
        expect(yield* client.eth_getBlockByNumber(10_000_000)).toBe(null)
      }),
    )

    it.effect("a real node: a batch returns a block, its receipts and its traces", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const world = yield* Scenario.Scenario
        const client = yield* RpcClient.make({ url: node.url })

        const [block, receipts, traces] = yield* client.batch([
          { method: "eth_getBlockByNumber", params: [world.lastBlock, true] },
          { method: "eth_getBlockReceipts", params: [world.lastBlock] },
          { method: "trace_block", params: [world.lastBlock] },
        ])

        expect(block._tag === "Success" && receipts._tag === "Success" && traces._tag === "Success").toBe(true)
        if (block._tag !== "Success" || receipts._tag !== "Success") return
        expect(receipts.success?.map((receipt) => receipt.transactionHash)).toEqual(
          block.success?.transactions.map((transaction) => transaction.hash),
        )
      }),
    )

    it.effect("a real node: requestText returns the text of the result unchanged", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const client = createRpcClient({ url: node.url })
        const body = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x1", true] }
        const response = yield* Effect.promise(() =>
          fetch(node.url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        )
        const whole = yield* Effect.promise(() => response.text())

        const text = yield* Effect.promise(() => client.requestText("eth_getBlockByNumber", ["0x1", true]))

        expect(whole).toContain(`"result":${text}`)
      }),
    )

    it.effect("a real node: each method returns the same values as viem", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const { found, compared } = yield* Effect.promise(() => compare(node.url))

        expect(found).toEqual([])
        expect(Object.values(compared).filter((count) => count > 0).length).toBeGreaterThanOrEqual(20)
      }),
    )

    it.effect("a real node: errors have their kinds", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const world = yield* Scenario.Scenario
        const client = yield* RpcClient.make({ url: node.url })
        const transfer = Contracts.encodeCall("Token", "transfer", [world.accounts.bob, 10n ** 40n])
        const call = { from: world.accounts.alice, to: world.contracts.gold, data: transfer }

        const unknown = yield* Effect.flip(client.request({ method: "eth_noSuchMethod" }))
        const reverted = yield* Effect.flip(client.request({ method: "eth_call", params: [call, "latest"] }))
        const wrong = yield* Effect.flip(client.request({ method: "eth_getBlockByNumber", params: ["x", 1] }))

        expect(unknown._tag === "RpcError" && unknown.kind).toBe("methodUnsupported")
        expect(reverted._tag === "RpcError" && reverted.kind).toBe("reverted")
        expect(String(reverted._tag === "RpcError" && reverted.data)).toMatch(/^0x[0-9a-f]+$/)
        expect(wrong._tag === "RpcError" && wrong.kind).toBe("invalidParams")
      }),
    )

    it.effect("a real node: daybookTransport returns to viem the same as viem's own transport", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const world = yield* Scenario.Scenario
        const local = createPublicClient({ transport: daybookTransport({ url: node.url }) })
        const remote = createPublicClient({ transport: http(node.url) })
        const abi = parseAbi([
          "function balanceOf(address) view returns (uint256)",
          "function transfer(address, uint256) returns (bool)",
        ])
        const token = world.contracts.gold

        const read = (client: PublicClient) =>
          Promise.all([
            client.getBlock({ blockNumber: BigInt(world.lastBlock), includeTransactions: true }),
            client.getTransaction({ hash: world.transactions.swap }),
            client.getLogs({ fromBlock: BigInt(world.firstBlock), toBlock: BigInt(world.lastBlock) }),
            client.readContract({ address: token, abi, functionName: "balanceOf", args: [world.accounts.alice] }),
          ])
        const revert = (client: PublicClient): Promise<string> =>
          client
            .simulateContract({
              address: token,
              abi,
              functionName: "transfer",
              args: [world.accounts.bob, 10n ** 40n],
              account: world.accounts.alice,
            })
            .then(
              () => "no error",
              (error: { readonly cause?: { readonly name?: string } }) => String(error.cause?.name),
            )

        expect(yield* Effect.promise(() => read(local))).toEqual(yield* Effect.promise(() => read(remote)))
        const name = yield* Effect.promise(() => revert(local))
        expect(name).toBe("ContractFunctionRevertedError")
        expect(name).toBe(yield* Effect.promise(() => revert(remote)))
      }),
    )
  })
})
