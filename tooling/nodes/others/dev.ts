/**
 * Runs `daybook dev` with nodes of several implementations, sends the same transactions to each, and compares the printed lines: `node
 * tooling/nodes/others/dev.ts [name]`. Contracts are deployed only by transactions, so that they are identified by their code, and calls
 * fail in each way that Solidity supports. Prints a table; the exit code is that of the comparison.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { keccak256 } from "../../../packages/abi/src/internal/Keccak.ts"
import * as PeerInstall from "../../bench/PeerInstall.ts"
import * as Contracts from "../../chain/src/Contracts.ts"
import * as Rpc from "../../harness/src/Rpc.ts"
import * as OtherNode from "./OtherNode.ts"

const main = join(import.meta.dirname, "../../../packages/service/src/main.ts")
const pollMillis = 100
const maxPolls = 300

const word = (value: number): string => value.toString(16).padStart(64, "0")
const call = (signature: string, ...values: ReadonlyArray<number>): string =>
  `${keccak256(signature).slice(0, 10)}${values.map(word).join("")}`

/** Transactions to a contract of the project, each with the end of its line. */
const transactions = [
  ["Counter", call("increment(uint256)", 1), /Counter\.increment\(1\) .* ok$/],
  ["Reverter", call("withReason()"), /Reverter\.withReason\(\) .* reverted Reverter: this always fails {2}http/],
  ["Reverter", call("withCustomError(uint256)", 5), /reverted Refused\(caller: \S+, asked: 5, available: 0\) {2}http/],
  [
    "Reverter",
    call("withPanic(uint256)", 0),
    /Reverter\.withPanic\(0\) .* reverted Panic 0x12: a division by zero {2}http/,
  ],
  ["Reverter", call("withoutData()"), /Reverter\.withoutData\(\) .* failed {2}http/],
] as const

type Name = (typeof transactions)[number][0]

/** Runs the command until the scope ends; returns the lines that it has written. */
const develop = (url: string, project: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<{ readonly stop: () => Promise<unknown>; readonly lines: Array<string> }>((resolve) => {
            const args = ["--no-warnings", main, "dev", "--rpc", url, "--port", "0", "--artifacts", project]
            const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
            const lines: Array<string> = []
            child.stderr.setEncoding("utf8").on("data", (chunk: string) => void lines.push(...chunk.split("\n")))
            const ended = new Promise((end) => child.once("exit", end))
            const stop = () => {
              child.kill("SIGTERM")
              return ended
            }
            child.stdout.once("data", () => resolve({ stop, lines }))
          }),
      ),
      ({ stop }) => Effect.promise(stop),
    ),
    ({ lines }) => lines,
  )

const untilLine = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, pattern: RegExp) {
  for (let poll = 0; poll < maxPolls; poll++) {
    const matchingLine = lines.find((line) => pattern.test(line))
    if (matchingLine !== undefined) return matchingLine
    yield* Effect.sleep(pollMillis)
  }
  return undefined
})

/** Sends a transaction, including one that fails: some nodes do not return its hash. */
const send = Effect.fnUntraced(function* (url: string, transaction: object) {
  const [from] = yield* Rpc.call<ReadonlyArray<string>>(url, "eth_accounts", [])
  yield* Effect.ignore(Rpc.call(url, "eth_sendTransaction", [{ from, gas: "0x2dc6c0", ...transaction }]))
  const block = yield* Rpc.call<{ readonly transactions: ReadonlyArray<string> }>(url, "eth_getBlockByNumber", [
    "latest",
    false,
  ])
  const receipt = yield* Rpc.call<{ readonly contractAddress: string | null }>(url, "eth_getTransactionReceipt", [
    block.transactions[0],
  ])
  return receipt.contractAddress
})

/** Writes the artifact of a contract as Foundry does, with the deployed code from the chain. */
const writeArtifact = (project: string, name: Name, deployed: string): void => {
  const { abi, bytecode } = Contracts.artifact(name)
  mkdirSync(join(project, "out", `${name}.sol`), { recursive: true })
  const artifact = { abi, bytecode: { object: bytecode }, deployedBytecode: { object: deployed } }
  writeFileSync(join(project, "out", `${name}.sol`, `${name}.json`), JSON.stringify(artifact))
}

/** The lines written for one node's transactions; undefined for a missing line. */
const compare = Effect.fnUntraced(function* (node: OtherNode.OtherNode | "anvil") {
  const { url } = yield* OtherNode.start(node)
  const project = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-dev-project-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  for (const name of ["Counter", "Reverter"] as const) {
    const address = yield* send(url, { data: Contracts.artifact(name).bytecode })
    writeArtifact(project, name, yield* Rpc.call<string>(url, "eth_getCode", [address, "latest"]))
  }
  const lines = yield* develop(url, project)
  const addresses = {} as Record<Name, string | null>
  const found: Array<string | undefined> = []
  for (const name of ["Counter", "Reverter"] as const) {
    addresses[name] = yield* send(url, { data: Contracts.artifact(name).bytecode })
    found.push(yield* untilLine(lines, new RegExp(`Account 0 → new ${name} .* ok$`)))
  }
  for (const [name, data, pattern] of transactions) {
    yield* send(url, { to: addresses[name], data })
    found.push(yield* untilLine(lines, pattern))
  }
  return { found, lines }
}, Effect.scoped)

const nameOf = (node: OtherNode.OtherNode | "anvil"): string => (node === "anvil" ? node : node.name)

PeerInstall.install(import.meta.dirname)
const wanted = process.argv.slice(2)
const developed = new Set(["anvil", "hardhat", "hardhat 3", "ganache"])
let failed = 0
for (const node of OtherNode.all) {
  const name = nameOf(node)
  if (!developed.has(name) || (wanted.length > 0 && !wanted.includes(name))) continue
  const { found, lines } = await Effect.runPromise(compare(node))
  const missing = found.filter((line) => line === undefined).length
  failed += missing
  console.log(`${name}: ${found.length - missing} of ${found.length} lines`)
  for (const line of missing === 0 ? found : lines) console.log(`  ${line}`)
}
process.exit(failed === 0 ? 0 : 1)
