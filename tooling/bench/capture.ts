/**
 * Captures real responses for the tests of `packages/schema`: from anvil, over the seeded scenario of `@daybook/chain`, and from
 * ganache, a second implementation of a node, which is installed into a temporary folder for this run.
 *
 *   node tooling/bench/capture.ts
 *
 * Writes `packages/schema/test/fixtures/<node>.json`; never edit those by hand.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { Anvil, Scenario } from "../chain/src/index.ts"

const fixtures = join(import.meta.dirname, "../../packages/schema/test/fixtures")
const ganacheVersion = "7.9.2"

/** A response of a node: the resource as which it is decoded, what it was captured for, and its JSON. */
interface Capture {
  readonly resource: string
  readonly of: string
  readonly json: any
}
type Call = (method: string, params?: ReadonlyArray<unknown>) => Promise<any>

/** A request by method and parameters. */
interface Request {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const toHex = (number: number) => `0x${number.toString(16)}`

const save = (node: string, how: string, captures: ReadonlyArray<Capture>): void => {
  mkdirSync(fixtures, { recursive: true })
  const lines = captures.map((capture) => `    ${JSON.stringify(capture)}`).join(",\n")
  const command = "node tooling/bench/capture.ts"
  const head = `{\n  "node": ${JSON.stringify(node)},\n  "how": ${JSON.stringify(how)},\n  "command": "${command}",\n`
  writeFileSync(join(fixtures, `${node}.json`), `${head}  "answers": [\n${lines}\n  ]\n}\n`)
  console.log(`${node}: ${captures.length} responses`)
}

const transaction = async (call: Call, label: string, hash: string): Promise<Capture> => ({
  resource: "Transaction.Transaction",
  of: label,
  json: await call("eth_getTransactionByHash", [hash]),
})

const transactionAndReceipt = async (call: Call, label: string, hash: string): Promise<ReadonlyArray<Capture>> => [
  await transaction(call, label, hash),
  { resource: "Receipt.Receipt", of: label, json: await call("eth_getTransactionReceipt", [hash]) },
]

const block = async (call: Call, id: string): Promise<ReadonlyArray<Capture>> => [
  { resource: "Block.HydratedBlock", of: id, json: await call("eth_getBlockByNumber", [id, true]) },
  { resource: "Block.Block", of: id, json: await call("eth_getBlockByNumber", [id, false]) },
]

/** Whole JSON-RPC responses with their envelopes. */
const envelopes = (url: string, requests: ReadonlyArray<Request>): Promise<ReadonlyArray<Capture>> =>
  Promise.all(
    requests.map(async (request) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, params: [], ...request }),
      })
      return { resource: "JsonRpc.Response", of: JSON.stringify(request), json: await response.json() }
    }),
  )

const tracedLabels = [
  "swap",
  "multisend",
  "create2",
  "selfdestruct",
  "caughtRevert",
  "revertCreation",
  "proxyCall",
  "callcode",
]

/** Traces of a transaction by both tracers. */
const traces = async (call: Call, label: string, hash: string): Promise<ReadonlyArray<Capture>> => {
  const { blockNumber } = await call("eth_getTransactionByHash", [hash])
  const flat = (await call("trace_block", [blockNumber])) as ReadonlyArray<{ readonly transactionHash: string }>
  const nested = (await call("debug_traceBlockByNumber", [blockNumber, { tracer: "callTracer" }])) as ReadonlyArray<any>
  return [
    ...flat
      .filter(({ transactionHash }) => transactionHash === hash)
      .map((trace) => ({ resource: "Trace.FlatTrace", of: label, json: trace })),
    ...nested
      .filter(({ txHash }) => txHash === hash)
      .flatMap((trace) => [
        { resource: "Trace.TransactionTrace", of: label, json: trace },
        { resource: "Trace.CallFrame", of: label, json: trace.result },
      ]),
  ]
}

/** Transactions that are not in a block yet, and the pending block. */
const pending = async (call: Call): Promise<ReadonlyArray<Capture>> => {
  const [from, to] = (await call("eth_accounts")) as ReadonlyArray<string>
  const fees = [{ gasPrice: toHex(2e10) }, { maxFeePerGas: toHex(2e10), maxPriorityFeePerGas: "0x1" }]
  const hashes: Array<string> = []
  for (const fee of fees) {
    hashes.push(await call("eth_sendTransaction", [{ from, to, value: "0x1", gas: "0x5208", ...fee }]))
  }
  const captures: Array<Capture> = []
  for (const hash of hashes) captures.push(await transaction(call, "pending", hash))
  return [...captures, ...(await block(call, "pending"))]
}

const fromAnvil = async (
  url: string,
  transactions: Readonly<Record<string, string>>,
  call: Call,
): Promise<ReadonlyArray<Capture>> => {
  const captures: Array<Capture> = []
  const blocks = new Set<string>(["earliest"])
  const types = new Set<string>()
  for (const [label, hash] of Object.entries(transactions)) {
    const both = await transactionAndReceipt(call, label, hash)
    captures.push(...both)
    const { blockNumber, type } = both[0]!.json as { readonly type: string; readonly blockNumber: string }
    if (!types.has(type)) blocks.add(blockNumber)
    types.add(type)
  }
  // The 263 kB sidecar of the blob is captured once, with its transaction.
  for (const id of blocks) {
    captures.push(...(await block(call, id)).filter(({ json }) => JSON.stringify(json).length < 100_000))
  }
  for (const label of tracedLabels) {
    const hash = transactions[label]
    if (hash !== undefined) captures.push(...(await traces(call, label, hash)))
  }
  const requests = [
    { method: "eth_chainId" },
    { method: "eth_getBlockByNumber", params: ["0xffffffff", false] },
    { method: "no_such_method" },
    { method: "eth_getBlockByNumber", params: ["nonsense"] },
  ]
  return [...captures, ...(await pending(call)), ...(await envelopes(url, requests))]
}

/** Stores one word, emits one log with a topic, and leaves no code. */
const initCode =
  "0x602a600055600160005260206000207f0000000000000000000000000000000000000000000000000000000000000007602060006000a2"

const ganacheTransactions = (from: string | undefined, to: string | undefined) => ({
  legacy: { from, to, value: "0xde0b6b3a7640000", gas: "0x5208", gasPrice: toHex(2e9) },
  accessList: {
    from,
    to,
    gas: "0x7530",
    gasPrice: toHex(2e9),
    type: "0x1",
    accessList: [{ address: to, storageKeys: [`0x${"0".repeat(63)}1`] }],
  },
  feeMarket: { from, to, value: "0x1", gas: "0x5208", maxFeePerGas: toHex(3e9), maxPriorityFeePerGas: "0x1" },
  creation: { from, data: initCode, gas: toHex(200_000), gasPrice: toHex(2e9) },
})

const fromGanache = async (url: string, call: Call): Promise<ReadonlyArray<Capture>> => {
  const [from, to] = (await call("eth_accounts")) as ReadonlyArray<string>
  const transactions = ganacheTransactions(from, to)
  const captures: Array<Capture> = []
  for (const [label, parameters] of Object.entries(transactions)) {
    const both = await transactionAndReceipt(call, label, await call("eth_sendTransaction", [parameters]))
    captures.push(...both, ...(await block(call, both[0]!.json.blockNumber)))
  }
  captures.push(...(await block(call, "earliest")))
  await call("miner_stop")
  const waiting = await call("eth_sendTransaction", [transactions.feeMarket])
  await sleep(100)
  captures.push(await transaction(call, "pending", waiting))
  const requests = [
    { method: "eth_chainId" },
    { method: "no_such_method" },
    { method: "eth_getTransactionByHash", params: [`0x${"1".repeat(64)}`] },
    { method: "eth_sendTransaction", params: [{ from: to, to: from, value: `0x${"f".repeat(60)}` }] },
  ]
  return [...captures, ...(await envelopes(url, requests))]
}

const captureAnvil = Effect.gen(function* () {
  const node = yield* Anvil.Anvil
  const { transactions } = yield* Scenario.Scenario
  const call: Call = (method, params = []) => Effect.runPromise(node.call(method, params))
  const version = (yield* node.call<string>("web3_clientVersion")) ?? ""
  const captures = yield* Effect.promise(() => fromAnvil(node.url, transactions, call))
  save("anvil", `${version}, chain id ${node.chainId}, scenario of seed 1`, captures)
})

const captureGanache = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-capture-"))
  try {
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `ganache@${ganacheVersion}`]
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    const server = createRequire(join(folder, "index.js"))("ganache").server({
      logging: { quiet: true },
      chain: { chainId: 1337, time: new Date("2026-01-01T00:00:00Z") },
      wallet: { seed: "daybook" },
    })
    await server.listen(0, "127.0.0.1")
    try {
      const call: Call = (method, params = []) => server.provider.request({ method, params })
      const captures = await fromGanache(`http://127.0.0.1:${server.address().port}`, call)
      save("ganache", `ganache ${ganacheVersion}, chain id 1337`, captures)
    } finally {
      await server.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const chain = Scenario.layer({ seed: 1, blocks: 1 }).pipe(Layer.provideMerge(Anvil.layer({ chainId: 1 })))
await Effect.runPromise(captureAnvil.pipe(Effect.provide(chain)))
await captureGanache()
