/**
 * User operations that a contract logs on a node, from the indexer to the clients, compared with the receipts that viem
 * reads.
 */
import { describe, it } from "@effect/vitest"
import { createRestClient } from "@daybook/rest/promise"
import { createUserOperationClient } from "@daybook/rest/UserOperationClient"
import { Anvil, Contracts, Head } from "@daybook/chain"
import { Effect } from "effect"
import { type Hex, parseEventLogs, type RpcLog, formatLog } from "viem"
import { entryPoint07Abi, entryPoint07Address } from "viem/account-abstraction"
import { expect, vi } from "vitest"
import { caughtUp, start as startIndexer } from "../../indexer/chain.ts"
import * as service from "../service.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const zero = `0x${"0".repeat(40)}` as const
const ether = 10n ** 18n

interface Receipt {
  readonly contractAddress: Hex | null
  readonly from: Hex
  readonly logs: ReadonlyArray<RpcLog>
  readonly status: Hex
}

const send = Effect.fnUntraced(function* (node: Anvil.Node, transaction: object) {
  const hash = yield* node.call<Hex>("eth_sendTransaction", [{ gas: "0x4c4b40", ...transaction }])
  yield* Head.mine(node)
  const receipt = yield* node.call<Receipt>("eth_getTransactionReceipt", [hash])
  expect([transaction, receipt.status]).toEqual([transaction, "0x1"])
  return receipt
})

/** All rows of an iteration. */
const collect = async <A>(rows: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const row of rows) found.push(row)
  return found
}

const balanceOf = (node: Anvil.Node, wallet: string, block: number) =>
  Effect.map(node.call<Hex>("eth_getBalance", [wallet, `0x${block.toString(16)}`]), BigInt)

const deploy = (node: Anvil.Node, name: Contracts.Name, args: ReadonlyArray<unknown> = []) =>
  Effect.map(
    send(node, { from: node.accounts[0], data: Contracts.encodeCreation(name, args) }),
    ({ contractAddress }) => contractAddress!,
  )

/** A chain on which two bundlers sent operations of two accounts, through a known entry point and another one. */
const chain = Effect.gen(function* () {
  const node = yield* Anvil.make()
  const [owner, bundler, beneficiary, paymaster, other] = node.accounts as [Hex, Hex, Hex, Hex, Hex]
  const [unknown, counter, reverter] = [
    yield* deploy(node, "EntryPoint"),
    yield* deploy(node, "Vault", [owner]),
    yield* deploy(node, "Reverter"),
  ]
  const known = entryPoint07Address.toLowerCase() as Hex
  yield* node.call("anvil_setCode", [known, yield* node.call("eth_getCode", [unknown, "latest"])])
  for (const to of [known, unknown]) yield* send(node, { from: owner, to, value: `0x${ether.toString(16)}` })
  const operation = (sender: Hex, nonce: bigint, callData: Hex, more: object = {}) => ({
    sender,
    paymaster: zero,
    factory: zero,
    nonce,
    cost: 1_000n + (nonce % 7n),
    callData,
    ...more,
  })
  const fails = Contracts.encodeCall("Reverter", "withReason")
  const key = 7n << 64n
  const carry = (from: Hex, to: Hex, operations: ReadonlyArray<object>) =>
    send(node, { from, to, data: Contracts.encodeCall("EntryPoint", "handleOps", [operations, beneficiary]) })
  const receipts = [
    yield* carry(bundler, known, [
      operation(counter, 0n, "0x", { factory: owner }),
      operation(reverter, key, fails, { paymaster }),
    ]),
    yield* carry(other, known, [operation(reverter, key + 1n, "0x", { paymaster }), operation(counter, 1n, "0x")]),
    yield* carry(bundler, unknown, [operation(counter, 2n, "0x")]),
  ]
  const { number: last } = yield* Head.current(node)
  return { node, receipts, last, accounts: { beneficiary, bundler, counter, other, paymaster, reverter } }
})

describe("user operations", () => {
  it.live(
    "userOperations: returns for each role the operations that viem reads from the receipts, without a movement",
    () =>
      Effect.gen(function* () {
        const { accounts, last, node, receipts } = yield* chain
        const started = yield* service.start({ chains: { dev: { config: { id: node.chainId, rpc: [node.url] } } } })
        const indexer = yield* startIndexer(started.stores["dev"]!, [node.url], { checks: "full" })
        yield* indexer.until(caughtUp(last))
        yield* indexer.stop
        const options = { baseUrl: started.url, apiKey: started.key }
        const [rest, client] = [createRestClient(options), createUserOperationClient(options)]

        const expected = receipts.flatMap(({ from, logs }) =>
          parseEventLogs({
            abi: entryPoint07Abi,
            eventName: "UserOperationEvent",
            logs: logs.map((log) => formatLog(log)),
          }).map(({ address, args, logIndex }) => ({
            user_operation_hash: args.userOpHash,
            sender: args.sender.toLowerCase(),
            paymaster: args.paymaster === zero ? null : args.paymaster.toLowerCase(),
            bundler: from,
            nonce: args.nonce,
            success: args.success,
            actual_gas_cost: args.actualGasCost,
            actual_gas_used: args.actualGasUsed,
            entry_point: address.toLowerCase(),
            entry_point_version: address.toLowerCase() === entryPoint07Address.toLowerCase() ? "0.7" : null,
            log_index: logIndex,
          })),
        )
        expect(expected.map(({ success }) => success)).toEqual([true, false, false, true, true])
        for (const [name, wallet] of Object.entries(accounts)) {
          const own = expected.filter(({ bundler, paymaster, sender }) => [bundler, paymaster, sender].includes(wallet))
          const query = { address: wallet, chain: "dev", order: "ASC" } as const
          const found = yield* Effect.promise(() => collect(client.userOperationsStream({ ...query, limit: 1 })))

          expect([name, found]).toEqual([name, own.map((one) => expect.objectContaining(one))])
          const { result } = yield* Effect.promise(() => rest.walletTransactions({ ...query, scope: "all" }))
          expect(result.flatMap(({ user_operations: rows = [] }) => rows)).toEqual(found)
          const balances = yield* Effect.promise(() => rest.balances({ address: wallet, chain: "dev" }))
          const native = balances.result.find(({ asset }) => asset === "native")?.balance ?? 0n
          const [before, after] = [yield* balanceOf(node, wallet, 0), yield* balanceOf(node, wallet, last)]
          expect([name, native]).toEqual([name, after - before])
        }
        const failed = yield* Effect.promise(() => client.userOperations({ address: accounts.paymaster, chain: "dev" }))
        expect(failed.result.map(({ revert_reason: reason }) => reason?.slice(0, 10))).toEqual(["0x", "0x08c379a0"])
        const [first] = (yield* Effect.promise(() =>
          client.userOperations({ address: accounts.counter, chain: "dev", order: "ASC" }),
        )).result
        expect(first?.factory).toBe(node.accounts[0])
      }),
  )
})
