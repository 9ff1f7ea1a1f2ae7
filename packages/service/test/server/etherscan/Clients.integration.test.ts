/** Programs for Etherscan's API, unchanged, against a service that has indexed a scenario chain. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EtherscanProvider, FetchRequest } from "ethers"
import * as ethers5 from "ethers-5"
import { expect } from "vitest"
import * as indexedService from "./indexedService.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

type Indexed = indexedService.Indexed

const hex = (number: number) => `0x${number.toString(16)}`

/** Sends what ethers 6 asks of Etherscan's host to a service, by the documented way to replace its HTTP client. */
const redirect = (base: string) => {
  const getUrl = FetchRequest.createGetUrlFunc()
  FetchRequest.registerGetUrl((request, signal) => {
    request.url = request.url.replace("https://api.etherscan.io", base)
    return getUrl(request, signal)
  })
}

/** A transfer of more than the sender has, which the token refuses. */
const refusedTransfer = `0xa9059cbb${"0".repeat(126)}0f`

const ethers6 = Effect.fnUntraced(function* ({ chain, key, url }: Indexed) {
  const { node, world } = chain
  const { accounts, contracts } = world
  redirect(url)
  const provider = new EtherscanProvider(1, key)
  const call = <A>(run: () => Promise<A>) => Effect.promise(run)
  const ofNode = <A>(method: string, ...params: ReadonlyArray<unknown>) => node.call<A>(method, params)

  expect(yield* call(() => provider.getBlockNumber())).toBe(chain.last)
  const balance = yield* ofNode<string>("eth_getBalance", accounts.alice, "latest")
  expect(yield* call(() => provider.getBalance(accounts.alice))).toBe(BigInt(balance))
  const count = yield* ofNode<string>("eth_getTransactionCount", accounts.alice, "latest")
  expect(yield* call(() => provider.getTransactionCount(accounts.alice))).toBe(Number(count))
  const code = yield* ofNode<string>("eth_getCode", contracts.gold, "latest")
  expect(yield* call(() => provider.getCode(contracts.gold))).toBe(code)
  const storage = yield* ofNode<string>("eth_getStorageAt", contracts.gold, "0x0", "latest")
  expect(yield* call(() => provider.getStorage(contracts.gold, 0))).toBe(storage)
  const block = yield* ofNode<{ hash: string; transactions: ReadonlyArray<string> }>(
    "eth_getBlockByNumber",
    hex(4),
    false,
  )
  const hydrated = yield* call(() => provider.getBlock(4, true))
  expect([hydrated?.hash, hydrated?.prefetchedTransactions.map(({ hash }) => hash)]).toEqual([
    block.hash,
    block.transactions,
  ])
  const [hash] = block.transactions as [string]
  expect((yield* call(() => provider.getTransaction(hash)))?.blockHash).toBe(block.hash)
  expect((yield* call(() => provider.getTransactionReceipt(hash)))?.blockHash).toBe(block.hash)
  const supply = { to: contracts.gold, data: "0x18160ddd" }
  expect(yield* call(() => provider.call(supply))).toBe(yield* ofNode("eth_call", supply, "latest"))
  expect(yield* call(() => provider.estimateGas({ from: accounts.alice, to: accounts.bob, value: 1n }))).toBe(21_000n)
  expect((yield* call(() => provider.getFeeData())).gasPrice).toBe(BigInt(yield* ofNode<string>("eth_gasPrice")))
  const refused = yield* call(() =>
    provider.call({ to: contracts.gold, data: refusedTransfer }).catch((error) => error),
  )
  expect([refused.code, refused.reason]).toEqual(["CALL_EXCEPTION", "ERC20: transfer amount exceeds balance"])
  expect(yield* call(() => provider.getContract(contracts.gold))).toBeNull()
  const price = yield* call(() => provider.getEtherPrice().catch((error) => error))
  expect(price.info.result.result).toBe("Error! Prices are not known here")
})

const ethers5s = Effect.fnUntraced(function* ({ chain, key, scan, url }: Indexed) {
  const { node, world } = chain
  const { accounts, contracts } = world
  class Redirected extends ethers5.providers.EtherscanProvider {
    override getBaseUrl(): string {
      return url
    }
  }
  const provider = new Redirected("homestead", key)
  const call = <A>(run: () => Promise<A>) => Effect.promise(run)

  const history = yield* call(() => provider.getHistory(accounts.alice))
  expect(history.map(({ hash }) => hash)).toEqual(scan.rows("txlist", accounts.alice).map(({ hash }) => hash))
  const none = yield* call(() => provider.getHistory(`0x${"77".repeat(20)}`))
  expect(none).toEqual([])
  const topic0 = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  for (const topics of [[], [topic0]]) {
    const filter = { address: contracts.gold, fromBlock: 0, toBlock: chain.last, topics }
    const logs = yield* call(() => provider.getLogs(filter))
    const expected = yield* node.call<ReadonlyArray<Record<string, string>>>("eth_getLogs", [
      { ...filter, fromBlock: "0x0", toBlock: "latest" },
    ])
    expect(logs.map((log) => [log.transactionHash, log.logIndex, log.data, log.topics, log.blockHash])).toEqual(
      expected.map((log) => [
        log["transactionHash"],
        Number(log["logIndex"]),
        log["data"],
        log["topics"],
        log["blockHash"],
      ]),
    )
    expect(logs.length).toBeGreaterThan(5)
  }
  expect(yield* call(() => provider.getLogs({ address: accounts.bob, fromBlock: 0, toBlock: "latest" }))).toEqual([])
  expect((yield* call(() => provider.getBlockWithTransactions(4))).transactions.length).toBeGreaterThan(1)
})

const require = createRequire(import.meta.url)

/** The executable of an npm package of Foundry for this platform. */
const foundryProgram = (program: "cast" | "forge"): string => {
  const parent = createRequire(require.resolve(`@foundry-rs/${program}/package.json`))
  const processor = process.arch === "x64" ? "amd64" : process.arch
  const name = `${program}-${process.platform}-${processor}`
  return join(parent.resolve(`@foundry-rs/${name}/package.json`), "..", "bin", program)
}

/** Runs a program in a folder, without the variables of this process. */
const foundryIn =
  (folder: string, program: "cast" | "forge") =>
  (...args: ReadonlyArray<string>) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve) => {
          execFile(foundryProgram(program), args, { cwd: folder, env: { HOME: folder } }, (_, output, errors) =>
            resolve(`${output}${errors}`.trim()),
          )
        }),
    )

const cast = Effect.fnUntraced(function* ({ chain, key, scan, url }: Indexed) {
  const folder = yield* temporaryFolder
  const api = `${url}/v2/api?chainid=1`
  writeFileSync(join(folder, "foundry.toml"), `[etherscan]\nmainnet = { key = "${key}", chain = 1, url = "${api}" }\n`)
  const run = foundryIn(folder, "cast")
  const { accounts, contracts } = chain.world
  const rpc = ["--rpc-url", chain.url]
  const created = scan.rows("txlist", contracts.gold).find(({ contractAddress }) => contractAddress === contracts.gold)

  expect(yield* run("creation-code", contracts.gold, ...rpc)).toBe(created!["input"])
  expect(yield* run("creation-code", accounts.bob, ...rpc)).toMatch(/^Error: /)
  const explorer = ["--explorer-api-url", api, "--explorer-url", url, "--etherscan-api-key", key, "--chain", "1"]
  expect(yield* run("source", contracts.gold, ...explorer)).toMatch(/^Error: Contract source code not verified/)
  expect(yield* run("interface", contracts.gold)).toMatch(/^Error: Contract source code not verified/)
  const unknown = explorer.map((value) => (value === key ? "unknown" : value))
  expect(yield* run("source", contracts.gold, ...unknown)).toBe("Error: Invalid API Key")
})

/** What `forge` reads of an explorer: sources of a contract, and how a verification stands. */
const forge = Effect.fnUntraced(function* ({ chain, key, url }: Indexed) {
  const folder = yield* temporaryFolder
  const api = `${url}/v2/api?chainid=1`
  writeFileSync(join(folder, "foundry.toml"), `[etherscan]\nmainnet = { key = "${key}", chain = 1, url = "${api}" }\n`)
  const run = foundryIn(folder, "forge")
  const { gold } = chain.world.contracts

  expect(yield* run("clone", gold, "cloned", "--chain", "1")).toMatch(/Error: Contract source code not verified/)
  const explorer = ["--verifier", "custom", "--verifier-url", api, "--verifier-api-key", key]
  const checked = yield* run("verify-check", "guid", "--chain", "1", "--retries", "1", ...explorer)
  expect(checked).toContain("Details: `Error! Missing Or invalid Action name`")
})

/** What hardhat-verify 3 asks before it verifies: whether the explorer has sources of a contract. */
const hardhatVerify = Effect.fnUntraced(function* ({ chain, key, url }: Indexed) {
  const query = new URLSearchParams({
    chainid: "1",
    module: "contract",
    action: "getsourcecode",
    address: chain.world.contracts.gold,
    apikey: key,
  })
  const response = yield* Effect.promise(() => fetch(`${url}/v2/api?${query.toString()}`))
  const body = (yield* Effect.promise(() => response.json())) as {
    readonly message: string
    readonly result: ReadonlyArray<{ readonly SourceCode: string; readonly ABI: string }>
  }
  expect([response.status, body.message, body.result.length]).toEqual([200, "OK", 1])
  expect(body.result[0]).toMatchObject({ SourceCode: "", ABI: "Contract source code not verified" })
})

describe("programs for Etherscan's API", () => {
  it.live(
    "ethers 6, ethers 5, cast and forge work unchanged, requests of hardhat-verify too, and read what the node has",
    () =>
      Effect.gen(function* () {
        const service = yield* indexedService.start
        yield* ethers6(service)
        yield* ethers5s(service)
        yield* cast(service)
        yield* forge(service)
        yield* hardhatVerify(service)
      }).pipe(Effect.scoped),
  )
})
