/**
 * Captures real answers for the tests of `packages/schema`: from anvil, over the seeded scenario of `@daybook/chain`, and
 * from ganache, a node of another make, which is installed into a temporary folder for this run.
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

// The chain's own dependencies, so that this folder needs no second copy of them.
const require = createRequire(join(import.meta.dirname, "../chain/package.json"))
const { Effect, Layer } = (await import(require.resolve("effect"))) as typeof import("effect")
const { Anvil, Scenario } = (await import("../chain/src/index.ts")) as typeof import("../chain/src/index.ts")

const out = join(import.meta.dirname, "../../packages/schema/test/fixtures")
const ganacheVersion = "7.9.2"

interface Response {
  readonly resource: string
  readonly of: string
  readonly json: unknown
}
type Call = (method: string, params?: ReadonlyArray<unknown>) => Promise<any>

const hex = (number: number) => `0x${number.toString(16)}`

const save = (node: string, how: string, answers: ReadonlyArray<Response>) => {
  mkdirSync(out, { recursive: true })
  const lines = answers.map((answer) => `    ${JSON.stringify(answer)}`).join(",\n")
  const command = "node tooling/bench/capture.ts"
  const head = `{\n  "node": ${JSON.stringify(node)},\n  "how": ${JSON.stringify(how)},\n  "command": "${command}",\n`
  writeFileSync(join(out, `${node}.json`), `${head}  "answers": [\n${lines}\n  ]\n}\n`)
  console.log(`${node}: ${answers.length} answers`)
}

const placed = async (call: Call, label: string, hash: string): Promise<ReadonlyArray<Response>> => [
  { resource: "Transaction.Transaction", of: label, json: await call("eth_getTransactionByHash", [hash]) },
  { resource: "Receipt.Receipt", of: label, json: await call("eth_getTransactionReceipt", [hash]) },
]

const block = async (call: Call, id: string): Promise<ReadonlyArray<Response>> => [
  { resource: "Block.HydratedBlock", of: id, json: await call("eth_getBlockByNumber", [id, true]) },
  { resource: "Block.Block", of: id, json: await call("eth_getBlockByNumber", [id, false]) },
]

const envelope = async (url: string, body: object): Promise<Response> => {
  const request = { jsonrpc: "2.0", id: 1, params: [], ...body }
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  })
  return { resource: "JsonRpc.Response", of: JSON.stringify(body), json: await response.json() }
}

const fromAnvil = async (url: string, world: any, call: Call): Promise<ReadonlyArray<Response>> => {
  const answers: Array<Response> = []
  const blocks = new Set<string>(["earliest"])
  const types = new Set<string>()
  for (const [label, hash] of Object.entries<string>(world.transactions)) {
    const both = await placed(call, label, hash)
    answers.push(...both)
    const transaction = both[0]!.json as { readonly type: string; readonly blockNumber: string }
    if (!types.has(transaction.type)) blocks.add(transaction.blockNumber)
    types.add(transaction.type)
  }
  // The 263 kB sidecar of the blob is captured once, with its transaction.
  for (const id of blocks) {
    answers.push(...(await block(call, id)).filter((answer) => JSON.stringify(answer.json).length < 100_000))
  }
  for (const label of [
    "swap",
    "multisend",
    "create2",
    "selfdestruct",
    "caughtRevert",
    "revertCreation",
    "proxyCall",
    "callcode",
  ]) {
    const hash = world.transactions[label]
    if (hash === undefined) continue
    const { blockNumber } = await call("eth_getTransactionByHash", [hash])
    const flat = (await call("trace_block", [blockNumber])) as ReadonlyArray<{ readonly transactionHash: string }>
    for (const trace of flat.filter((one) => one.transactionHash === hash)) {
      answers.push({ resource: "Trace.FlatTrace", of: label, json: trace })
    }
    const frames = (await call("debug_traceBlockByNumber", [
      blockNumber,
      { tracer: "callTracer" },
    ])) as ReadonlyArray<any>
    for (const trace of frames.filter((one) => one.txHash === hash)) {
      answers.push({ resource: "Trace.TransactionTrace", of: label, json: trace })
      answers.push({ resource: "Trace.CallFrame", of: label, json: trace.result })
    }
  }
  const [from, to] = (await call("eth_accounts")) as ReadonlyArray<string>
  const waiting: Array<string> = []
  for (const extra of [{ gasPrice: hex(2e10) }, { maxFeePerGas: hex(2e10), maxPriorityFeePerGas: "0x1" }]) {
    waiting.push(await call("eth_sendTransaction", [{ from, to, value: "0x1", gas: "0x5208", ...extra }]))
  }
  for (const hash of waiting) {
    answers.push({
      resource: "Transaction.Transaction",
      of: "pending",
      json: await call("eth_getTransactionByHash", [hash]),
    })
  }
  answers.push(...(await block(call, "pending")))
  for (const body of [
    { method: "eth_chainId" },
    { method: "eth_getBlockByNumber", params: ["0xffffffff", false] },
    { method: "no_such_method" },
    { method: "eth_getBlockByNumber", params: ["nonsense"] },
  ]) {
    answers.push(await envelope(url, body))
  }
  return answers
}

const program = Effect.gen(function* () {
  const node = yield* Anvil.Anvil
  const world = yield* Scenario.Scenario
  const call: Call = (method, params = []) => Effect.runPromise(node.call(method, params))
  const version = (yield* node.call<string>("web3_clientVersion")) ?? ""
  const answers = yield* Effect.promise(() => fromAnvil(node.url, world, call))
  save("anvil", `${version}, chain id ${node.chainId}, scenario of seed 1`, answers)
})
const chain = Scenario.layer({ seed: 1, blocks: 1 }).pipe(Layer.provideMerge(Anvil.layer({ chainId: 1 })))
await Effect.runPromise(program.pipe(Effect.provide(chain)) as never)

const folder = mkdtempSync(join(tmpdir(), "daybook-capture-"))
try {
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `ganache@${ganacheVersion}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  })
  const ganache = createRequire(join(folder, "x.js"))("ganache")
  const server = ganache.server({
    logging: { quiet: true },
    chain: { chainId: 1337, time: new Date("2026-01-01T00:00:00Z") },
    wallet: { seed: "daybook" },
  })
  await server.listen(0, "127.0.0.1")
  try {
    const url = `http://127.0.0.1:${server.address().port}`
    const call: Call = (method, params = []) => server.provider.request({ method, params })
    const [from, to] = (await call("eth_accounts")) as ReadonlyArray<string>
    // Stores one word, writes one log with a topic, and leaves no code.
    const init =
      "0x602a600055600160005260206000207f0000000000000000000000000000000000000000000000000000000000000007602060006000a2"
    const sent = {
      legacy: { from, to, value: "0xde0b6b3a7640000", gas: "0x5208", gasPrice: hex(2e9) },
      accessList: {
        from,
        to,
        gas: "0x7530",
        gasPrice: hex(2e9),
        type: "0x1",
        accessList: [{ address: to, storageKeys: [`0x${"0".repeat(63)}1`] }],
      },
      feeMarket: { from, to, value: "0x1", gas: "0x5208", maxFeePerGas: hex(3e9), maxPriorityFeePerGas: "0x1" },
      creation: { from, data: init, gas: hex(200_000), gasPrice: hex(2e9) },
    }
    const answers: Array<Response> = []
    for (const [label, transaction] of Object.entries(sent)) {
      const hash = await call("eth_sendTransaction", [transaction])
      const both = await placed(call, label, hash)
      answers.push(...both, ...(await block(call, (both[0]!.json as { readonly blockNumber: string }).blockNumber)))
    }
    answers.push(...(await block(call, "earliest")))
    await call("miner_stop")
    const hash = await call("eth_sendTransaction", [sent.feeMarket])
    await sleep(100)
    answers.push({
      resource: "Transaction.Transaction",
      of: "pending",
      json: await call("eth_getTransactionByHash", [hash]),
    })
    for (const body of [
      { method: "eth_chainId" },
      { method: "no_such_method" },
      { method: "eth_getTransactionByHash", params: [`0x${"1".repeat(64)}`] },
      { method: "eth_sendTransaction", params: [{ from: to, to: from, value: `0x${"f".repeat(60)}` }] },
    ]) {
      answers.push(await envelope(url, body))
    }
    save("ganache", `ganache ${ganacheVersion}, chain id 1337`, answers)
  } finally {
    await server.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
