/**
 * Thirty mistakes that programs make with the clients, each with the messages of the compiler and of the client: `node tooling/reference/misuses.ts`.
 * Where viem has the same call, its messages follow. Fails where the client does not name what is wrong, or makes a request.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Diagnostic } from "typescript"
import { options, ts } from "./Compiler.ts"

/** A mistake: its code, what a message has to name, and the same mistake with viem. */
interface Misuse {
  readonly code: string
  readonly names: RegExp
  readonly viem?: string
}

const wallet = `"0xd8da6bf26964af9d7eed9e03e53415d37aa96045"`
const misuses: ReadonlyArray<Misuse> = [
  { code: `createRestClient({ baseUrl: "service.example", apiKey: "k" })`, names: /baseUrl/ },
  { code: `createRestClient({ apiKey: "k" })`, names: /baseUrl/ },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "" })`, names: /apiKey/ },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", timeout: "10s" })`, names: /timeout/ },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", timeout: -1 })`, names: /timeout/ },
  {
    code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", retry: { maxAttempts: 0 } })`,
    names: /maxAttempts/,
  },
  { code: `createRestClient({ baseUrl: "https://s.example", apiKey: "k", maxBytes: 1.5 })`, names: /maxBytes/ },
  { code: `rest.walletTransactions({ address: "vitalik.eth" })`, names: /address/ },
  { code: `rest.walletTransactions({ address: "0x123" })`, names: /address/ },
  { code: `rest.walletTransactions({})`, names: /address/ },
  { code: `rest.walletTransactions({ address: ${wallet}, chain: 1.5 })`, names: /chain/ },
  { code: `rest.walletTransactions({ address: ${wallet}, chain: -1 })`, names: /chain/ },
  { code: `rest.walletTransactions({ address: ${wallet}, limit: 0 })`, names: /limit/ },
  { code: `rest.walletTransactions({ address: ${wallet}, limit: "ten" })`, names: /limit/ },
  { code: `rest.walletTransactions({ address: ${wallet}, order: "newest" })`, names: /order/ },
  { code: `rest.walletTransactions({ address: ${wallet}, from_block: -5 })`, names: /from_block/ },
  { code: `rest.walletTransactions({ address: ${wallet}, fromBlock: 5 })`, names: /fromBlock/ },
  { code: `rest.walletTransactions({ address: ${wallet}, from_date: new Date("never") })`, names: /from_date/ },
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
    viem: `createPublicClient({ transport: http("localhost:8545", options) }).getBlockNumber()`,
  },
  {
    code: `rpc.eth_getBalance("0x123", "latest")`,
    names: /address|params|0/,
    viem: `viem.getBalance({ address: "0x123" })`,
  },
  {
    code: `rpc.eth_getBlockByNumber("newest", false)`,
    names: /block|params|0/,
    viem: `viem.getBlock({ blockTag: "newest" })`,
  },
  {
    code: `rpc.eth_getTransactionReceipt("0xabc")`,
    names: /hash|params|0/,
    viem: `viem.getTransactionReceipt({ hash: "0xabc" })`,
  },
  {
    code: `rpc.eth_getLogs({ fromBlock: 10, toBlock: 5, adress: ${wallet} })`,
    names: /adress/,
    viem: `viem.getLogs({ fromBlock: 10n, toBlock: 5n, adress: ${wallet} })`,
  },
  {
    code: `rpc.eth_call({ to: "somewhere", data: "0x" }, "latest")`,
    names: /to/,
    viem: `viem.call({ to: "somewhere", data: "0x" })`,
  },
  { code: `createRpcClient({ url: "https://n.example", batch: { maxCalls: 0 } })`, names: /maxCalls/ },
]

const folder = join(import.meta.dirname, "../../packages/rpc")
const file = join(folder, "misuses.generated.ts")
const codes = misuses.flatMap(({ code, viem }) => (viem === undefined ? [code] : [code, viem]))
const program = `import { createRestClient } from "../rest/src/promise.ts"
import { createRpcClient } from "./src/promise.ts"
import { createPublicClient, http } from "viem"
const fetch = () => Promise.reject(new Error("no network"))
const options = { retryCount: 0, fetchFn: fetch }
const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "k", fetch, retry: { maxAttempts: 1 } })
const rpc = createRpcClient({ url: "https://n.example", fetch, retry: { maxAttempts: 1 } })
const viem = createPublicClient({ transport: http("https://n.example", options) })
const first = async <A>(rows: AsyncIterable<A>) => { for await (const row of rows) return row }
export const all: ReadonlyArray<() => unknown> = [
${codes.map((code) => `  () => ${code},`).join("\n")}
]
void [rest, rpc, viem, first]
`
const firstLine = program.slice(0, program.indexOf("  () => ")).split("\n").length - 1

const ownOptions = { ...options, lib: ["lib.es2023.d.ts"] }

/** The message of the compiler for each line of the program. */
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
  for (const { code, names, viem } of misuses) {
    for (const [isOwn, text] of [
      [true, code],
      [false, viem],
    ] as const) {
      if (text === undefined) continue
      const found = compiled.get(firstLine + at) ?? ""
      const message = await messageOf(all[at++])
      console.log(`| \`${cell(text)}\` | ${cell(found)} | ${cell(message)} |`)
      if (isOwn && !names.test(message)) issues.push(`${code}: ${message === "" ? "no error when it runs" : message}`)
      if (isOwn && /no network/.test(message)) issues.push(`${code}: a request was made`)
    }
  }
  for (const issue of issues) console.error(issue)
  console.log(`\nmisuses: ${misuses.length} mistakes, ${issues.length} issues`)
  process.exitCode = issues.length === 0 ? 0 : 1
} finally {
  rmSync(file)
}
