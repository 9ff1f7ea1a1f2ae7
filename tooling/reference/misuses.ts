/**
 * Mistakes in programs that use the clients, each with the messages of the compiler and of the client: `node
 * tooling/reference/misuses.ts`. The messages for the same mistake with viem or moralis follow, if they have such a call. Fails if the
 * client sends a request or its message does not state the mistake.
 */
import { rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Diagnostic } from "typescript"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { options, ts } from "./Compiler.ts"

/** A mistake: its code, what a message must name, and the same mistake with viem or moralis. */
interface Misuse {
  readonly code: string
  readonly names: RegExp
  readonly other?: string
}

const wallet = `"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"`
const misuses: ReadonlyArray<Misuse> = [
  { code: `createRestClient({ baseUrl: "service.example", apiKey: "k" })`, names: /baseUrl/ },
  {
    code: `createRestClient({ apiKey: "k" })`,
    names: /baseUrl/,
    other: `createPublicClient({})`,
  },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "" })`, names: /apiKey/ },
  {
    code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", timeout: "10s" })`,
    names: /timeout/,
    other: `createPublicClient({ transport: http("https://n.example", { ...options, timeout: "10s" }) }).getBlockNumber()`,
  },
  {
    code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", timeout: -1 })`,
    names: /timeout/,
    other: `createPublicClient({ transport: http("https://n.example", { ...options, timeout: -1 }) }).getBlockNumber()`,
  },
  {
    code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", retry: { maxAttempts: 0 } })`,
    names: /maxAttempts/,
    other: `createPublicClient({ transport: http("https://n.example", { ...options, retryCount: -1 }) }).getBlockNumber()`,
  },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", maxBytes: 1.5 })`, names: /maxBytes/ },
  {
    code: `rest.walletTransactions({ address: "vitalik.eth" })`,
    names: /address/,
    other: `history({ address: "vitalik.eth" })`,
  },
  {
    code: `rest.walletTransactions({ address: "0x123" })`,
    names: /address/,
    other: `history({ address: "0x123" })`,
  },
  {
    code: `rest.walletTransactions({})`,
    names: /address/,
    other: `history({  })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, chain: 1.5 })`,
    names: /chain/,
    other: `history({ address: ${wallet}, chain: 1.5 })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, chain: -1 })`,
    names: /chain/,
    other: `history({ address: ${wallet}, chain: -1 })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, limit: 0 })`,
    names: /limit/,
    other: `history({ address: ${wallet}, limit: 0 })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, limit: "ten" })`,
    names: /limit/,
    other: `history({ address: ${wallet}, limit: "ten" })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, order: "newest" })`,
    names: /order/,
    other: `history({ address: ${wallet}, order: "newest" })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, from_block: -5 })`,
    names: /from_block/,
    other: `history({ address: ${wallet}, fromBlock: -5 })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, fromBlock: 5 })`,
    names: /fromBlock/,
    other: `history({ address: ${wallet}, from_block: 5 })`,
  },
  {
    code: `rest.walletTransactions({ address: ${wallet}, from_date: new Date("never") })`,
    names: /from_date/,
    other: `history({ address: ${wallet}, fromDate: new Date("never") })`,
  },
  { code: `rest.walletTransactions({ address: ${wallet} }, { timeout: Number.NaN })`, names: /timeout/ },
  { code: `first(rest.walletTransactionsStream({ address: ${wallet} }, { resume: "page 2" }))`, names: /resume/ },
  {
    code: `first(rest.walletTransactionsStream({ address: ${wallet}, order: "DESC" }, { follow: "1 second" }))`,
    names: /order|follow/,
  },
  { code: `first(rest.walletTransactionsStream({ address: ${wallet} }, { maxRows: -1 }))`, names: /maxRows/ },
  { code: `rest.movements({ address: ${wallet}, kind: "transfer" })`, names: /kind/ },
  {
    code: `createRpcClient({ url: "localhost:8545" })`,
    names: /url/,
    other: `createPublicClient({ transport: http("localhost:8545", options) }).getBlockNumber()`,
  },
  {
    code: `rpc.eth_getBalance("0x123", "latest")`,
    names: /address|params|0/,
    other: `viem.getBalance({ address: "0x123" })`,
  },
  {
    code: `rpc.eth_getBlockByNumber("newest", false)`,
    names: /block|params|0/,
    other: `viem.getBlock({ blockTag: "newest" })`,
  },
  {
    code: `rpc.eth_getTransactionReceipt("0xabc")`,
    names: /hash|params|0/,
    other: `viem.getTransactionReceipt({ hash: "0xabc" })`,
  },
  {
    code: `rpc.eth_getLogs({ fromBlock: 10, toBlock: 5, adress: ${wallet} })`,
    names: /adress/,
    other: `viem.getLogs({ fromBlock: 10n, toBlock: 5n, adress: ${wallet} })`,
  },
  {
    code: `rpc.eth_call({ to: "somewhere", data: "0x" }, "latest")`,
    names: /to/,
    other: `viem.call({ to: "somewhere", data: "0x" })`,
  },
  {
    code: `createRpcClient({ url: "https://n.example", batch: { maxCalls: 0 } })`,
    names: /maxCalls/,
    other: `createPublicClient({ transport: http("https://n.example", { ...options, batch: { batchSize: 0 } }) }).getBlockNumber()`,
  },
  { code: `rpc.eth_getBalance()`, names: /address|params/, other: `viem.getBalance({})` },
  { code: `rpc.eth_getTransactionByHash(5)`, names: /hash/, other: `viem.getTransaction({ hash: 5 })` },
  { code: `rpc.eth_getBlockByHash("0x12", false)`, names: /hash/, other: `viem.getBlock({ blockHash: "0x12" })` },
  {
    code: `rpc.eth_call({ to: ${wallet}, value: -5n })`,
    names: /value/,
    other: `viem.call({ to: ${wallet}, value: -5n })`,
  },
  {
    code: `rpc.eth_getTransactionByBlockNumberAndIndex("latest", -1)`,
    names: /index/,
    other: `viem.getTransaction({ blockTag: "latest", index: -1 })`,
  },
  {
    code: `rpc.eth_feeHistory(4, "latest", [500])`,
    names: /percentiles/,
    other: `viem.getFeeHistory({ blockCount: 4, rewardPercentiles: [500] })`,
  },
  {
    code: `rpc.eth_getStorageAt(${wallet}, -1n)`,
    names: /slot/,
    other: `viem.getStorageAt({ address: ${wallet}, slot: "-1" })`,
  },
  {
    code: `rpc.eth_getTransactionCount(${wallet}, -5)`,
    names: /block/,
    other: `viem.getTransactionCount({ address: ${wallet}, blockNumber: -5n })`,
  },
  { code: `Wei.formatEther(1.5)`, names: /bigint/, other: `formatEther(1.5)` },
  { code: `Wei.formatUnits(1n, -2)`, names: /decimals/, other: `formatUnits(1n, -2)` },
  { code: `rest.movements({ address: ${wallet}, kind: "ERC20" })`, names: /ERC20/ },
  { code: `rest.movements({ address: ${wallet}, asset: "USDC" })`, names: /USDC/ },
  { code: `rest.walletTransactions({ address: ${wallet}, include: "traces" })`, names: /traces/ },
  {
    code: `rest.walletTransactions({ address: ${wallet}, from_block: 20, to_block: 10 })`,
    names: /from_block/,
    other: `history({ address: ${wallet}, fromBlock: 20, toBlock: 10 })`,
  },
  { code: `rest.walletTransactions({ address: ${wallet}, cursor: 5 })`, names: /cursor/ },
  { code: `rest.walletTransactions(${wallet})`, names: /query/, other: `history(${wallet})` },
  { code: `rest.balances({ address: ${wallet}, from_block: 5 })`, names: /from_block/ },
  { code: `rest.proveWallet({ address: ${wallet}, to_block: 1.5 })`, names: /to_block/ },
  { code: `first(rest.walletEvents({ address: ${wallet}, types: "wallet.balance" }))`, names: /wallet\.balance/ },
  { code: `first(rest.walletTransactionsStream({ address: ${wallet} }, { from: "now" }))`, names: /follow/ },
  {
    code: `first(rest.walletTransactionsStream({ address: ${wallet}, to_block: 5 }, { follow: "1 second" }))`,
    names: /to_block/,
  },
  {
    code: `first(rest.walletTransactionsStream({ address: ${wallet} }, { onStaleCursor: "retry" }))`,
    names: /onStaleCursor/,
  },
  { code: `rest.with({ timeout: -1 }).walletTransactions({ address: ${wallet} })`, names: /timeout/ },
  { code: `rest.putContract({ contract: ${wallet}, name: "" })`, names: /name/ },
  {
    code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", rateLimit: { perSecond: 0 } })`,
    names: /perSecond/,
  },
  { code: `FakeService.make({ wallet: "me" })`, names: /wallet/ },
  { code: `FakeService.make({ seed: "a" })`, names: /seed/ },
  {
    code: `createWebhookClient({ baseUrl: "https://s.example", apiKey: "k", fetch }).create({ url: "https://s.example", addresses: ["0x12"] })`,
    names: /addresses/,
  },
  {
    code: `createUserOperationClient({ baseUrl: "https://s.example", apiKey: "k", fetch }).userOperations({ address: ${wallet}, role: "factory" })`,
    names: /role/,
  },
]

/** The folder in which the other clients are installed. */
const folder = join(import.meta.dirname, "../bench")
PeerInstall.install(folder)

// Requests of moralis receive an empty page: it has no option for a \`fetch\`.
let received = 0
const server = createServer((_request, response) => {
  received++
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ cursor: null, page: 0, page_size: 100, result: [] }))
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
// Sound: a listening server of TCP has an address.
const { port } = server.address() as AddressInfo

const file = join(folder, "misuses.generated.ts")
const codes = misuses.flatMap(({ code, other }) => (other === undefined ? [code] : [code, other]))
const program = `import { createRestClient, Wei } from "../../packages/rest/src/promise.ts"
import { createUserOperationClient } from "../../packages/rest/src/UserOperationClient.ts"
import { createWebhookClient } from "../../packages/rest/src/WebhookClient.ts"
import * as FakeService from "../../packages/testkit/src/FakeService.ts"
import { createRpcClient } from "../../packages/rpc/src/promise.ts"
import Moralis from "moralis"
import { createPublicClient, formatEther, formatUnits, http, parseEther } from "viem"
const fetch = () => Promise.reject(new Error("no network"))
const options = { retryCount: 0, fetchFn: fetch }
const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "k", fetch, retry: { maxAttempts: 1 } })
const rpc = createRpcClient({ url: "https://n.example", fetch, retry: { maxAttempts: 1 } })
const viem = createPublicClient({ transport: http("https://n.example", options) })
await Moralis.start({ apiKey: "k", evmApiBaseUrl: "http://127.0.0.1:${port}", logLevel: "off" })
const history: typeof Moralis.EvmApi.wallets.getWalletHistory = (query) => Moralis.EvmApi.wallets.getWalletHistory(query)
const first = async <A>(rows: AsyncIterable<A>) => { for await (const row of rows) return row }
export const all: ReadonlyArray<() => unknown> = [
${codes.map((code) => `  () => ${code},`).join("\n")}
]
void [rest, rpc, viem, first, history]
`
const firstLine = program.slice(0, program.indexOf("  () => ")).split("\n").length - 1

const ownOptions = { ...options, lib: ["lib.es2023.d.ts"] }

/** The compiler's message for each line of the program. */
const diagnostics = (): ReadonlyMap<number, string> => {
  const made = ts.createProgram([file], ownOptions)
  const textOf = ({ messageText }: Diagnostic) =>
    ts.flattenDiagnosticMessageText(messageText, " ").replaceAll(/\s+/g, " ")
  return new Map(
    made
      .getSemanticDiagnostics(made.getSourceFile(file))
      .map((one) => [one.file?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? 0, textOf(one)] as const)
      .toReversed(),
  )
}

const messageOf = async (work: (() => unknown) | undefined): Promise<string> => {
  try {
    await work?.()
    return ""
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const cell = (text: string): string => {
  const line = (text.split("\n\n")[0] ?? "").replaceAll(/\s+/g, " ").replaceAll("|", "\\|")
  return line.length > 200 ? `${line.slice(0, 200)}...` : line
}

writeFileSync(file, program)
try {
  const compiled = diagnostics()
  const { all }: { readonly all: ReadonlyArray<() => unknown> } = await import(pathToFileURL(file).href)
  const issues: Array<string> = []
  console.log("| code | compiler | when it runs |\n|---|---|---|")
  let at = 0
  for (const { code, names, other } of misuses) {
    for (const [isOwn, text] of [
      [true, code],
      [false, other],
    ] as const) {
      if (text === undefined) continue
      const found = compiled.get(firstLine + at) ?? ""
      const before = received
      const message = await messageOf(all[at++])
      const isSent = received > before || /no network/.test(message)
      const shown = isSent ? "a request is made" : message === "" ? "no error" : cell(message)
      console.log(`| ${isOwn ? "" : "the same: "}\`${cell(text)}\` | ${cell(found)} | ${shown} |`)
      if (isOwn && !names.test(message)) issues.push(`${code}: ${message === "" ? "no error when it runs" : message}`)
      if (isOwn && isSent) issues.push(`${code}: a request was made`)
    }
  }
  for (const issue of issues) console.error(issue)
  const compared = misuses.filter(({ other }) => other !== undefined).length
  console.log(`\nmisuses: ${misuses.length} mistakes, ${compared} beside viem or moralis, ${issues.length} issues`)
  process.exitCode = issues.length === 0 ? 0 : 1
} finally {
  rmSync(file)
  server.close()
}
