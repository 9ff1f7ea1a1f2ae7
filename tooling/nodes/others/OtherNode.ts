/** Nodes of several implementations, each started in its own process with one funded account. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import * as Anvil from "../../chain/src/Anvil.ts"
import * as Rpc from "../../../tooling/harness/src/Rpc.ts"

/** Key of the first account of the well-known development mnemonic. Public: never use it on a real chain. */
export const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

const address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
const zeroHash = `0x${"0".repeat(64)}`

const startMillis = 60_000
const pollMillis = 250

/** How to start a node. */
export interface OtherNode {
  readonly name: string
  /** The program and its arguments. `folder` is the node's own folder, and the node listens on the first port. */
  readonly command: (folder: string, port: number, enginePort: number, peerPort: number) => ReadonlyArray<string>
  /** False if the account has no balance, so that only blocks without transactions are indexed. */
  readonly isFunded?: boolean
  /** Mines a block; omitted if the node mines one for each transaction. */
  readonly mine?: (url: string, engineUrl: string) => Effect.Effect<void, Rpc.RpcFailure>
  /** Calls that delay transactions, and that mine the pending ones into a block; omitted if `mine` mines blocks. */
  readonly waiting?: Waiting
}

/** Calls before and after transactions that go into one block. */
export interface Waiting {
  readonly begin: ReadonlyArray<Rpc.Call>
  readonly end: ReadonlyArray<Rpc.Call>
}

const automine = (isOn: boolean): Rpc.Call => ({ method: "evm_setAutomine", params: [isOn] })

/** Calls for anvil and hardhat. */
const byAutomine: Waiting = { begin: [automine(false)], end: [{ method: "evm_mine" }, automine(true)] }

const modules = join(import.meta.dirname, "node_modules")

const write = (folder: string, name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const hardhat: OtherNode = {
  name: "hardhat",
  waiting: byAutomine,
  command: (folder, port) => {
    // Hardhat resolves its own package from the folder of its configuration.
    const config = write(import.meta.dirname, "hardhat.config.cjs", "module.exports = { solidity: '0.8.28' }\n")
    void folder
    return [join(modules, "hardhat/internal/cli/bootstrap.js"), "--config", config, "node", "--port", String(port)]
  },
}

const hardhat3: OtherNode = {
  name: "hardhat 3",
  waiting: byAutomine,
  command: (folder, port) => {
    write(folder, "package.json", '{ "type": "module" }')
    write(folder, "hardhat.config.js", "export default {}")
    // It runs only in a project that has it installed as "hardhat".
    mkdirSync(join(folder, "node_modules"))
    symlinkSync(join(modules, "hardhat-3"), join(folder, "node_modules/hardhat"))
    const program = join(folder, "node_modules/hardhat/dist/src/cli.js")
    return [program, "node", "--hostname", "127.0.0.1", "--port", String(port)]
  },
}

const ganache: OtherNode = {
  name: "ganache",
  waiting: { begin: [{ method: "miner_stop" }], end: [{ method: "miner_start" }] },
  command: (folder, port) => {
    const program = `
      const ganache = require(${JSON.stringify(join(modules, "ganache"))}).default
      const accounts = [{ secretKey: "${key}", balance: "0x56bc75e2d63100000" }]
      ganache.server({ logging: { quiet: true }, chain: { chainId: 1337 }, wallet: { accounts } }).listen(${port}, "127.0.0.1")`
    return [write(folder, "ganache.cjs", program)]
  },
}

const conflux: OtherNode = {
  name: "conflux-rust",
  // Its development chain funds no account of the eSpace.
  isFunded: false,
  command: (folder, port) => {
    const program = `
      const { createServer } = require(${JSON.stringify(join(modules, "@xcfx/node"))})
      createServer({
        jsonrpcHttpEthPort: ${port}, evmChainId: 1030, chainId: 1029, confluxDataDir: ${JSON.stringify(join(folder, "data"))},
        genesisSecrets: ["${key.slice(2)}"], devBlockIntervalMs: 200,
      }).then((server) => server.start())
      // The node's threads do not keep the process alive.
      setInterval(() => {}, 60_000)`
    return [write(folder, "conflux.cjs", program)]
  },
}

const ethereumjsId = 424_242

const forks = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul"]

/** Genesis of a post-merge chain, in geth's format. */
const genesis = {
  config: {
    chainId: ethereumjsId,
    ...Object.fromEntries([...forks, "berlin", "london", "mergeFork"].map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
    shanghaiTime: 0,
  },
  nonce: "0x0",
  timestamp: `0x${(Math.floor(Date.now() / 1e3) - 600).toString(16)}`,
  extraData: "0x",
  gasLimit: "0x1c9c380",
  difficulty: "0x0",
  mixHash: zeroHash,
  coinbase: `0x${"0".repeat(40)}`,
  baseFeePerGas: "0x7",
  alloc: { [address]: { balance: "0x56bc75e2d63100000" } },
}

/** Builds a block through the Engine API, as a consensus client does. */
const build = Effect.fnUntraced(function* (url: string, engineUrl: string) {
  const head = yield* Rpc.call<{ readonly hash: string; readonly timestamp: string }>(url, "eth_getBlockByNumber", [
    "latest",
    false,
  ])
  const state = (hash: string) => ({ headBlockHash: hash, safeBlockHash: hash, finalizedBlockHash: hash })
  const timestamp = `0x${(Number(head.timestamp) + 12).toString(16)}`
  const attributes = { timestamp, prevRandao: zeroHash, suggestedFeeRecipient: genesis.coinbase, withdrawals: [] }
  const { payloadId } = yield* Rpc.call<{ readonly payloadId: string }>(engineUrl, "engine_forkchoiceUpdatedV2", [
    state(head.hash),
    attributes,
  ])
  const { executionPayload } = yield* Rpc.call<{ readonly executionPayload: { readonly blockHash: string } }>(
    engineUrl,
    "engine_getPayloadV2",
    [payloadId],
  )
  yield* Rpc.call(engineUrl, "engine_newPayloadV2", [executionPayload])
  yield* Rpc.call(engineUrl, "engine_forkchoiceUpdatedV2", [state(executionPayload.blockHash), null])
})

const ethereumjs: OtherNode = {
  name: "EthereumJS client",
  command: (folder, port, enginePort, peerPort) => [
    join(modules, "@ethereumjs/client/dist/esm/bin/cli.js"),
    "--gethGenesis",
    write(folder, "genesis.json", JSON.stringify(genesis)),
    "--sync",
    "none",
    "--ws=false",
    "--rpc",
    "--rpcPort",
    String(port),
    "--dataDir",
    join(folder, "data"),
    "--port",
    String(peerPort),
    "--rpcEngine",
    "--rpcEnginePort",
    String(enginePort),
    "--rpcEngineAuth=false",
    "--isSingleNode",
  ],
  mine: build,
}

/** Every node that is started here; anvil is the embedded chain of the repository. */
export const all: ReadonlyArray<OtherNode | "anvil"> = ["anvil", hardhat, hardhat3, ganache, conflux, ethereumjs]

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
    }),
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-nodes-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** Parts of a node may start later than its first response. */
const startRetries = Schedule.spaced(pollMillis).pipe(Schedule.upTo({ times: 40 }))

const startOther = Effect.fnUntraced(function* ({
  command,
  isFunded = true,
  mine = () => Effect.void,
  name,
  waiting = { begin: [], end: [] },
}: OtherNode) {
  const [port, enginePort, peerPort] = yield* Effect.all([freePort, freePort, freePort])
  const own = yield* folder
  const lines: Array<string> = []
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const started = spawn(process.execPath, command(own, port, enginePort, peerPort), {
        cwd: name === "hardhat" ? import.meta.dirname : own,
        env: { ...process.env, CI: "1", HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" },
        stdio: ["ignore", "pipe", "pipe"],
      })
      for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => lines.push(String(chunk)))
      return started
    }),
    (started) => Effect.sync(() => started.kill("SIGKILL")),
  )
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + startMillis
  for (;;) {
    const answered = yield* Effect.result(Rpc.call<string>(url, "eth_chainId"))
    if (answered._tag === "Success")
      return {
        url,
        chainId: Number(answered.success),
        isFunded,
        waiting,
        mine: Effect.retry(mine(url, `http://127.0.0.1:${enginePort}`), startRetries),
      }
    if (child.exitCode !== null || performance.now() > deadline) {
      return yield* Effect.fail(new Error(`${name} does not respond: ${lines.join("").slice(-500)}`))
    }
    yield* Effect.sleep(pollMillis)
  }
})

/** Starts a node until the scope ends. */
export const start = Effect.fnUntraced(function* (node: OtherNode | "anvil") {
  if (node !== "anvil") return yield* startOther(node)
  const { chainId, url } = yield* Anvil.make({ autoMine: true })
  return { url, chainId, isFunded: true, waiting: byAutomine, mine: Effect.void }
})
