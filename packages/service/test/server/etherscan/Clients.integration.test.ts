/** Unmodified programs for Etherscan's API, with a service that has indexed a scenario chain. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EtherscanProvider, FetchRequest } from "ethers"
import * as ethers5 from "ethers-5"
import { expect } from "vitest"
import * as indexedService from "./indexedService.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

type Indexed = indexedService.Indexed

const hex = (number: number) => `0x${number.toString(16)}`

/**
 * Sends the requests of ethers 6 for Etherscan's host to a service, by the documented way to replace its HTTP client.
 */
const redirect = (base: string) => {
  const getUrl = FetchRequest.createGetUrlFunc()
  FetchRequest.registerGetUrl((request, signal) => {
    request.url = request.url.replace("https://api.etherscan.io", base)
    return getUrl(request, signal)
  })
}

/** A transfer of more than the sender has, which the token rejects. */
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

/** cast, ethers 5 and ethers 6 read the ABI that the operator configured for a contract. */
const describedAbi = Effect.fnUntraced(function* ({ addKey, chain, fetch, key, url }: Indexed) {
  const { silver } = chain.world.contracts
  const declared = [
    "constructor(address owner)",
    "event Deposited(address indexed by, uint256 amount)",
    "error TooLate(uint256 at)",
    "function deposit() payable",
    "function withdraw(uint256 amount)",
    "function held() view returns (uint256)",
  ]
  const abi = JSON.parse(new ethers5.utils.Interface(declared).format("json") as string)
  const uploads = yield* addKey({ name: "uploads", options: { operations: ["putContract"] } })
  const uploaded = yield* fetch(`/api/v2.2/contracts/${silver}?chain=${chain.chain.name}`, {
    method: "PUT",
    headers: { "x-api-key": uploads },
    body: JSON.stringify({ name: "Vault", abi }),
  })
  expect(uploaded.status).toBe(200)

  const folder = yield* temporaryFolder
  const api = `${url}/v2/api?chainid=1`
  writeFileSync(join(folder, "foundry.toml"), `[etherscan]\nmainnet = { key = "${key}", chain = 1, url = "${api}" }\n`)
  const printed = yield* foundryIn(folder, "cast")("interface", silver)
  for (const text of ["function deposit() external payable;", "function held() external view returns (uint256);"]) {
    expect(printed).toContain(text)
  }
  const contract = yield* Effect.promise(() => new EtherscanProvider(1, key).getContract(silver))
  expect(contract?.interface.getFunction("deposit")?.payable).toBe(true)
  const { json } = yield* fetch(`/v2/api?chainid=1&module=contract&action=getabi&address=${silver}&apikey=${key}`)
  expect(new ethers5.utils.Interface(json.result).format("full")).toEqual(
    new ethers5.utils.Interface(declared).format("full"),
  )
})

/** What `forge` reads from an explorer: sources of a contract, and the status of a verification. */
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

/** The client of hardhat-verify 3, which its package does not export, and which needs nothing of hardhat. */
interface HardhatVerify {
  readonly Etherscan: new (config: {
    readonly chainId: number
    readonly url: string
    readonly apiUrl: string
    readonly apiKey: string
  }) => {
    isVerified(address: string): Promise<boolean>
    pollVerificationStatus(guid: string, address: string, name: string): Promise<unknown>
    customApiCall(params: Readonly<Record<string, string>>): Promise<{ readonly result: unknown }>
    verify(contract: {
      readonly contractAddress: string
      readonly compilerInput: object
      readonly contractName: string
      readonly compilerVersion: string
      readonly constructorArguments: string
    }): Promise<string>
  }
}

/** The requests of hardhat-verify: whether a contract is verified, to verify it, the status, and a user's own calls. */
const hardhatVerify = Effect.fnUntraced(function* ({ chain, key, scan, url }: Indexed) {
  const client = join(
    require.resolve("@nomicfoundation/hardhat-verify/package.json"),
    "../dist/src/internal/etherscan.js",
  )
  const { Etherscan } = yield* Effect.promise(() => import(pathToFileURL(client).href) as Promise<HardhatVerify>)
  const { accounts, contracts } = chain.world
  const config = { chainId: chain.chain.id, url, apiUrl: `${url}/v2/api`, apiKey: key }
  const etherscan = new Etherscan(config)
  const messageOf = (run: Promise<unknown>) =>
    Effect.promise(() => run.then(() => "nothing was refused").catch((error: Error) => error.message))

  expect(yield* Effect.promise(() => etherscan.isVerified(contracts.gold))).toBe(false)
  const contract = {
    contractAddress: contracts.gold,
    compilerInput: { language: "Solidity", sources: {}, settings: {} },
    contractName: "Gold.sol:Gold",
    compilerVersion: "v0.8.37",
    constructorArguments: "",
  }
  expect(yield* messageOf(etherscan.verify(contract))).toContain("Error! Missing Or invalid Action name")
  const polled = etherscan.pollVerificationStatus("guid", contracts.gold, "Gold")
  expect(yield* messageOf(polled)).toContain("Error! Missing Or invalid Action name")
  const list = { module: "account", action: "tokentx", address: accounts.alice, sort: "asc" }
  const { result } = yield* Effect.promise(() => etherscan.customApiCall(list))
  expect((result as ReadonlyArray<indexedService.Row>).map(({ hash, value }) => [hash, value])).toEqual(
    scan.rows("tokentx", accounts.alice).map(({ hash, value }) => [hash, value]),
  )
  const unknown = new Etherscan({ ...config, apiKey: "unknown" })
  expect(yield* Effect.promise(() => unknown.isVerified(contracts.gold))).toBe(false)
})

/** The client of etherscan-api 10, which has no types: functions by module and action. */
type EtherscanApi = Readonly<
  Record<string, Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<{ readonly result: unknown }>>>>
>

/** Calls a function of etherscan-api with a client for the service; returns a text if it rejects. */
const etherscanApi = ({ key, url }: Indexed) => {
  const axios = createRequire(require.resolve("etherscan-api"))("axios")
  const api: EtherscanApi = require("etherscan-api").init(key, null, 10_000, axios.create({ baseURL: url }))
  return (module: string, action: string, ...args: ReadonlyArray<unknown>) =>
    Effect.promise(() =>
      api[module]![action]!(...args).then(
        ({ result }) => result,
        (refusal: unknown) => `refused: ${String(refusal)}`,
      ),
    )
}

const callNode =
  ({ chain }: Indexed) =>
  <A = string>(method: string, ...params: ReadonlyArray<unknown>) =>
    chain.node.call<A>(method, params)

const etherscanApiLists = Effect.fnUntraced(function* (service: Indexed) {
  const { chain, scan } = service
  const { alice, bob } = chain.world.accounts
  const { gold } = chain.world.contracts
  const [ask, ofNode] = [etherscanApi(service), callNode(service)]

  // The client rejects for a list without rows.
  const listed = (rows: unknown, field = "hash") => {
    if (!Array.isArray(rows)) return rows
    return rows.length > 0 ? rows.map((row: indexedService.Row) => row[field]) : "refused: No transactions found"
  }
  for (const action of ["txlist", "tokentx", "tokennfttx"] as const) {
    const own = action === "txlist" ? [bob, 0, chain.last] : [bob, "", 0, chain.last]
    expect([action, listed(yield* ask("account", action, ...own))]).toEqual([action, listed(scan.rows(action, bob))])
  }
  const inner = scan.rows("txlistinternal", bob)
  expect(listed(yield* ask("account", "txlistinternal", "", bob))).toEqual(listed(inner))
  const [first] = inner
  expect(yield* ask("account", "txlistinternal", first!["hash"])).toContainEqual(
    expect.objectContaining({ from: first!["from"], to: first!["to"], value: first!["value"] }),
  )
  expect(yield* ask("account", "getminedblocks", bob)).toBe("refused: No transactions found")
  const { miner } = yield* ofNode<indexedService.Row>("eth_getBlockByNumber", "0x4", false)
  const mined = yield* ask("account", "getminedblocks", miner)
  expect(listed(mined, "blockNumber")).toContain("4")
  const balances = [yield* ofNode("eth_getBalance", alice, "latest"), yield* ofNode("eth_getBalance", bob, "latest")]
  expect(yield* ask("account", "balance", alice)).toBe(BigInt(balances[0]!).toString())
  expect(yield* ask("account", "balance", [alice, bob])).toEqual(
    [alice, bob].map((account, at) => ({ account, balance: BigInt(balances[at]!).toString() })),
  )
  const held = yield* ofNode("eth_call", { to: gold, data: `0x70a08231${alice.slice(2).padStart(64, "0")}` }, "latest")
  expect(yield* ask("account", "tokenbalance", alice, "", gold)).toBe(BigInt(held).toString())
  const supplied = yield* ofNode("eth_call", { to: gold, data: "0x18160ddd" }, "latest")
  expect(yield* ask("stats", "tokensupply", "", gold)).toBe(BigInt(supplied).toString())
  expect(yield* ask("stats", "ethprice")).toBe("refused: Error! Prices are not known here")
  expect(yield* ask("stats", "ethsupply")).toMatch(/^refused: Error! /)
  expect(yield* ask("contract", "getabi", gold)).toBe("refused: Contract source code not verified")
  expect(yield* ask("contract", "getsourcecode", gold)).toMatchObject([{ SourceCode: "" }])
  expect(yield* ask("block", "getblockreward", "", 4)).toMatchObject({ blockNumber: "4" })
  const logs = yield* ofNode<ReadonlyArray<indexedService.Row>>("eth_getLogs", {
    address: gold,
    fromBlock: "0x0",
    toBlock: "latest",
  })
  const found = (yield* ask("log", "getLogs", gold, "0", "latest")) as ReadonlyArray<indexedService.Row>
  expect(found.map((log) => [log["transactionHash"], log["data"]])).toEqual(
    logs.map((log) => [log["transactionHash"], log["data"]]),
  )
})

/** Every function of its module `proxy` except the one that sends a transaction. */
const etherscanApiCalls = Effect.fnUntraced(function* (service: Indexed) {
  const { alice, bob } = service.chain.world.accounts
  const { gold } = service.chain.world.contracts
  const [ask, ofNode] = [etherscanApi(service), callNode(service)]
  const block = yield* ofNode<{ readonly hash: string; readonly transactions: readonly [{ readonly hash: string }] }>(
    "eth_getBlockByNumber",
    "0x4",
    true,
  )
  const [transaction] = block.transactions
  expect(yield* ask("transaction", "getstatus", transaction.hash)).toEqual({ isError: "0", errDescription: "" })
  const sameAsNode = Effect.fnUntraced(function* (method: string, ...params: ReadonlyArray<unknown>) {
    expect([method, yield* ask("proxy", method, ...params)]).toEqual([method, yield* ofNode(method, ...params)])
  })
  expect(yield* ask("proxy", "eth_getBlockByNumber", "0x4")).toMatchObject({ hash: block.hash })
  yield* sameAsNode("eth_blockNumber")
  yield* sameAsNode("eth_gasPrice")
  yield* sameAsNode("eth_getUncleByBlockNumberAndIndex", "0x4", "0x0")
  yield* sameAsNode("eth_getBlockTransactionCountByNumber", "0x4")
  yield* sameAsNode("eth_getTransactionByHash", transaction.hash)
  yield* sameAsNode("eth_getTransactionByBlockNumberAndIndex", "0x4", "0x0")
  yield* sameAsNode("eth_getTransactionReceipt", transaction.hash)
  yield* sameAsNode("eth_getCode", gold, "latest")
  yield* sameAsNode("eth_getStorageAt", gold, "0x0", "latest")
  expect(yield* ask("proxy", "eth_getTransactionCount", alice)).toBe(
    yield* ofNode("eth_getTransactionCount", alice, "latest"),
  )
  expect(yield* ask("proxy", "eth_call", gold, "0x18160ddd", "latest")).toBe(
    yield* ofNode("eth_call", { to: gold, data: "0x18160ddd" }, "latest"),
  )
  expect(yield* ask("proxy", "eth_estimateGas", bob, "0x1", "0x0", "0x5208")).toBe("0x5208")
})

describe("programs for Etherscan's API", () => {
  it.live("ethers 6, ethers 5, cast, forge, hardhat-verify and etherscan-api read the node's data, unmodified", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.start
      yield* ethers6(service)
      yield* ethers5s(service)
      yield* cast(service)
      yield* describedAbi(service)
      yield* forge(service)
      yield* hardhatVerify(service)
      yield* etherscanApiLists(service)
      yield* etherscanApiCalls(service)
    }).pipe(Effect.scoped),
  )
})
