/**
 * Checks what an editor shows for calls and fields of the clients: `node tooling/reference/quickInfo.ts`. Each must have documentation and
 * a type of fewer than five lines, according to TypeScript's language service.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { options, ts } from "./Compiler.ts"

const maxLines = 4
/** A program as users write it. A marker precedes each name that is examined. */
const program = `
import { createRestClient, isRestError, toJson, Wei, Address, type WalletTransaction, type Movement } from "@daybook/rest/promise"
import { createRpcClient, type RpcPromiseClient } from "@daybook/rpc/promise"
import { daybookTransport } from "@daybook/rpc/viem"
import { RestClient } from "@daybook/rest"
import { Effect, Stream } from "effect"

const rest = /*?*/createRestClient({ /*?*/baseUrl: "https://service.example", apiKey: "key", /*?*/timeout: 1000 })
const page = await rest./*?*/walletTransactions({ address: "0x", /*?*/chain: "eth", from_block: 1 })
const row = page./*?*/result[0]!
row./*?*/value
row./*?*/block_timestamp
row./*?*/receipt_gas_used
row.logs[0]!./*?*/topic0
for await (const one of rest./*?*/walletTransactionsStream({ address: "0x" }, { /*?*/follow: "1 second" })) if (!("_tag" in one)) one.hash
for await (const moved of rest./*?*/movementsStream({ address: "0x" })) moved./*?*/amount
rest./*?*/balances({ address: "0x" })
rest./*?*/statement({ address: "0x" })
/*?*/isRestError(row)
/*?*/toJson(row)
Wei./*?*/formatEther(1n)
Address./*?*/fromText("0x")
const rpc = /*?*/createRpcClient({ url: "https://node.example" })
const block = await rpc./*?*/eth_getBlockByNumber("latest", true)
block!./*?*/transactions
block!./*?*/baseFeePerGas
rpc./*?*/eth_getBalance("0x", "latest")
rpc./*?*/with({})
/*?*/daybookTransport({ url: "https://node.example" })
RestClient./*?*/layerConfig
Effect.flatMap(RestClient.RestClient, (client) => Stream.runCount(client./*?*/walletTransactionsStream({ address: "0x" })))
export type { WalletTransaction, Movement, RpcPromiseClient }
`
const mark = "/*?*/"
// Placed in the folder of a package that depends on both clients.
const file = join(import.meta.dirname, "../../apps/demo/src/quick-info.ts")

const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    if (name === file) return ts.ScriptSnapshot.fromString(program)
    return ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined
  },
  getCurrentDirectory: () => join(import.meta.dirname, "../../apps/demo"),
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: (name) => (name === file ? program : ts.sys.readFile(name)),
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: (name) => ts.sys.realpath?.(name) ?? name,
})

let count = 0
const issues: Array<string> = []
for (let at = program.indexOf(mark); at >= 0; at = program.indexOf(mark, at + 1)) {
  const start = at + mark.length
  const name = /^\w+/.exec(program.slice(start))?.[0] ?? ""
  const info = service.getQuickInfoAtPosition(file, start)
  const type = ts.displayPartsToString(info?.displayParts ?? [])
  const words = ts.displayPartsToString(info?.documentation ?? [])
  const lines = type.split("\n").length
  count++
  if (words.trim() === "") issues.push(`${name}: no documentation\n   ${type}`)
  if (lines > maxLines) issues.push(`${name}: ${lines} lines\n   ${type.replaceAll("\n", "\n   ")}`)
  if (process.argv.includes("--print")) console.log(`${name}\n   ${type.replaceAll("\n", "\n   ")}\n   -- ${words}`)
}
for (const issue of issues) console.error(issue)
console.log(`quick info: ${count} calls and fields, ${issues.length} issues`)
process.exitCode = issues.length === 0 ? 0 : 1
