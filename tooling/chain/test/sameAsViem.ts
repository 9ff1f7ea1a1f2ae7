/**
 * Makes the same calls through this client and through viem on a development node, and lists the values that differ.
 * It compares the fields that both know. It runs against anvil in the tests, and against other nodes in `tooling/nodes`.
 */
import { Eventually } from "@daybook/harness"
import { createPublicClient, http } from "viem"
import type { PromiseMethods } from "@daybook/rpc/Method"
import { createRpcClient } from "@daybook/rpc/promise"

type Hex = `0x${string}`

/** Stores 7, logs 42 with topic 1, returns 42. */
const code: Hex = "0x601680600b6000396000f36007600055602a6000526001602060 00a160206000f3".replace(" ", "") as Hex

/** Numbers that viem maps to names. */
const named = new Map<unknown, string>([
  ["legacy", "0"],
  ["eip2930", "1"],
  ["eip1559", "2"],
  ["eip4844", "3"],
  ["eip7702", "4"],
  ["success", "1"],
  ["reverted", "0"],
])

const plain = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined
  const text = typeof value === "object" ? JSON.stringify(value) : `${value as bigint}`.toLowerCase()
  return named.get(text) ?? text
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Paths of differing values, and the number of compared fields. */
const differences = (
  path: string,
  local: unknown,
  remote: unknown,
): { readonly found: Array<string>; count: number } => {
  if (Array.isArray(local) && Array.isArray(remote)) {
    if (local.length !== remote.length)
      return { found: [`${path}: ${local.length} items, viem ${remote.length}`], count: 1 }
    const parts = local.map((one, at) => differences(`${path}[${at}]`, one, remote[at]))
    return { found: parts.flatMap(({ found }) => found), count: parts.reduce((sum, { count }) => sum + count, 0) }
  }
  if (isObject(local) && isObject(remote)) {
    const keys = Object.keys(remote).filter((key) => key in local)
    const parts = keys.map((key) => differences(`${path}.${key}`, local[key], remote[key]))
    return { found: parts.flatMap(({ found }) => found), count: parts.reduce((sum, { count }) => sum + count, 0) }
  }
  const [one, other] = [plain(local), plain(remote)]
  return { found: one === other ? [] : [`${path}: ${one}, viem ${other}`], count: 1 }
}

/** Sends a transfer and deploys a contract, then compares. */
export const compare = async (url: string) => {
  const local = createRpcClient({ url })
  const viem = createPublicClient({ transport: http(url) })
  const [alice, bob] = (await local.request({ method: "eth_accounts" })) as readonly [Hex, Hex]
  const send = async (transaction: object): Promise<{ readonly hash: Hex; readonly contract: Hex | null }> => {
    const hash = (await local.request({ method: "eth_sendTransaction", params: [transaction] })) as Hex
    let receipt = await local.eth_getTransactionReceipt(hash)
    const isMined = async (): Promise<boolean> => {
      // Some nodes only mine on request.
      if (receipt === null) await local.request({ method: "evm_mine" })
      receipt = await local.eth_getTransactionReceipt(hash)
      return receipt !== null
    }
    await Eventually.until(isMined, { everyMillis: 20, what: "transaction mined" })
    return { hash, contract: receipt?.contractAddress as Hex | null }
  }
  const transfer = await send({ from: alice, to: bob, value: "0x7a69", gas: "0x5208" })
  const { contract } = await send({ from: alice, data: code, gas: "0x186a0" })
  if (contract === null) throw new Error("The node created no contract.")
  const touched = await send({ from: bob, to: contract, gas: "0x186a0" })
  const last = await local.eth_blockNumber()
  const block = await local.eth_getBlockByNumber(last)
  const hash = block?.hash as Hex
  const call = { from: alice, to: contract, data: "0x" } as const
  const account = alice

  const pairs: Readonly<
    Partial<Record<keyof PromiseMethods, readonly [() => Promise<unknown>, () => Promise<unknown>]>>
  > = {
    eth_chainId: [() => local.eth_chainId(), () => viem.getChainId()],
    eth_blockNumber: [() => local.eth_blockNumber(), () => viem.getBlockNumber()],
    eth_getBlockByNumber: [
      () => local.eth_getBlockByNumber(last, true),
      () => viem.getBlock({ blockNumber: last, includeTransactions: true }),
    ],
    eth_getBlockByHash: [() => local.eth_getBlockByHash(hash), () => viem.getBlock({ blockHash: hash })],
    eth_getTransactionByBlockHashAndIndex: [
      () => local.eth_getTransactionByBlockHashAndIndex(hash, 0),
      () => viem.getTransaction({ blockHash: hash, index: 0 }),
    ],
    eth_getTransactionByBlockNumberAndIndex: [
      () => local.eth_getTransactionByBlockNumberAndIndex(last, 0),
      () => viem.getTransaction({ blockNumber: last, index: 0 }),
    ],
    eth_getBlockTransactionCountByNumber: [
      () => local.eth_getBlockTransactionCountByNumber(last),
      () => viem.getBlockTransactionCount({ blockNumber: last }),
    ],
    eth_getUncleByBlockNumberAndIndex: [
      () => local.eth_getUncleByBlockNumberAndIndex(last, 0),
      () => viem.request({ method: "eth_getUncleByBlockNumberAndIndex", params: [`0x${last.toString(16)}`, "0x0"] }),
    ],
    eth_getTransactionByHash: [
      () => local.eth_getTransactionByHash(transfer.hash),
      () => viem.getTransaction({ hash: transfer.hash }),
    ],
    eth_getTransactionReceipt: [
      () => local.eth_getTransactionReceipt(touched.hash),
      () => viem.getTransactionReceipt({ hash: touched.hash }),
    ],
    eth_getTransactionCount: [
      () => local.eth_getTransactionCount(account, "latest"),
      () => viem.getTransactionCount({ address: account }),
    ],
    eth_getBalance: [
      () => local.eth_getBalance(account, last),
      () => viem.getBalance({ address: account, blockNumber: last }),
    ],
    eth_getCode: [() => local.eth_getCode(contract, "latest"), () => viem.getCode({ address: contract })],
    eth_getStorageAt: [
      async () => BigInt(await local.eth_getStorageAt(contract, 0, "latest")),
      async () => BigInt((await viem.getStorageAt({ address: contract, slot: "0x0" })) ?? "0x0"),
    ],
    eth_call: [
      () => local.eth_call(call, "latest"),
      async () => (await viem.call({ account, to: contract, data: "0x" })).data,
    ],
    eth_estimateGas: [
      () => local.eth_estimateGas({ from: alice, to: bob, value: 1n }),
      () => viem.estimateGas({ account, to: bob, value: 1n }),
    ],
    eth_getLogs: [
      () => local.eth_getLogs({ fromBlock: 0, toBlock: last, address: contract }),
      () => viem.getLogs({ fromBlock: 0n, toBlock: last, address: contract }),
    ],
    eth_feeHistory: [
      () => local.eth_feeHistory(2, last, [25, 75]),
      () => viem.getFeeHistory({ blockCount: 2, blockNumber: last, rewardPercentiles: [25, 75] }),
    ],
    eth_gasPrice: [() => local.eth_gasPrice(), () => viem.getGasPrice()],
    eth_maxPriorityFeePerGas: [
      () => local.eth_maxPriorityFeePerGas(),
      async () => BigInt(await viem.request({ method: "eth_maxPriorityFeePerGas" })),
    ],
    eth_blobBaseFee: [() => local.eth_blobBaseFee(), () => viem.getBlobBaseFee()],
    eth_createAccessList: [
      () => local.eth_createAccessList({ from: alice, to: contract }, last),
      () => viem.createAccessList({ account, to: contract, blockNumber: last }),
    ],
    eth_getStorageValues: [
      () => local.eth_getStorageValues({ [contract]: [`0x${"0".repeat(64)}`] }, last),
      () =>
        viem.request({
          method: "eth_getStorageValues",
          params: [{ [contract]: [`0x${"0".repeat(64)}`] }, `0x${last.toString(16)}`],
        } as never),
    ],
    eth_simulateV1: [
      async () =>
        (await local.eth_simulateV1({ blockStateCalls: [{ calls: [{ from: alice, to: contract }] }] }, last))[0]
          ?.calls[0],
      async () => {
        const [simulated] = await viem.simulateBlocks({
          blocks: [{ calls: [{ account, to: contract }] }],
          blockNumber: last,
        })
        const { data: returnData, gasUsed, status } = simulated?.calls[0] ?? {}
        return { returnData, gasUsed, status }
      },
    ],
    eth_getProof: [
      () => local.eth_getProof(contract, [`0x${"0".repeat(64)}`], "latest"),
      () => viem.getProof({ address: contract, storageKeys: [`0x${"0".repeat(64)}`] }),
    ],
    eth_syncing: [() => local.eth_syncing(), () => viem.request({ method: "eth_syncing" } as never)],
    net_version: [() => local.net_version(), () => viem.request({ method: "net_version" } as never)],
    web3_clientVersion: [
      () => local.web3_clientVersion(),
      () => viem.request({ method: "web3_clientVersion" } as never),
    ],
  }
  const differing: Array<string> = []
  const compared: Record<string, number> = {}
  for (const [method, [one, other]] of Object.entries(pairs)) {
    const [daybookResult, remote] = await Promise.allSettled([one(), other()])
    if (daybookResult.status === "rejected" || remote.status === "rejected") {
      // Both reject an unsupported method.
      if (daybookResult.status === remote.status) compared[method] = 0
      else
        differing.push(
          `${method}: ${daybookResult.status}, viem ${remote.status}`,
          String("reason" in daybookResult ? daybookResult.reason : ""),
        )
      continue
    }
    const result = differences(method, daybookResult.value, remote.value)
    compared[method] = result.count
    differing.push(...result.found)
  }
  return { found: differing, compared, client: await local.web3_clientVersion() }
}
