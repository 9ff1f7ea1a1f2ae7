/**
 * What one key, and a hundred, cost another key while each operation is asked as often as the default limits allow. The other key must be
 * served throughout, and no response may blame the service or its nodes. Latencies are printed and not judged.
 */
import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import type { KeyOptions } from "../../src/store/ApiKeys.ts"
import * as Rows from "../server/rows.ts"
import type { AttackedService } from "./AttackedService.ts"
import * as Client from "./Client.ts"
import * as FakeNode from "./FakeNode.ts"
import * as LongLedger from "./LongLedger.ts"
import * as Probe from "./Probe.ts"
import type { Scale, Scenario } from "./Scenario.ts"

const sizes = {
  full: { movements: 100_000, assets: 2_000, others: 20, keys: 100, idle: 10_000, millis: 4_000 },
  small: { movements: 4_000, assets: 200, others: 2, keys: 3, idle: 50, millis: 300 },
} as const

/** Sends the dearest request of an operation; `at` counts them. */
type Ask = (service: AttackedService, key: string, at: number) => Promise<Client.Response>

const read =
  (pathOf: (at: number) => string): Ask =>
  async ({ url }, key, at) =>
    await Client.send(`${url}/api/v2.2/${pathOf(at)}`, { headers: { "x-api-key": key } })

const relayed =
  (bodyOf: (at: number) => string): Ask =>
  async (service, key, at) =>
    await Client.relay(service, key, bodyOf(at))

const call = (id: number, method = "eth_getBalance", params: ReadonlyArray<unknown> = [Rows.bob, "latest"]) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
})

const asset = (at: number): string => `0x${(at + 1).toString(16).padStart(40, "0")}`

const wallet = Rows.alice

/** An ABI of many events with deep types. */
const abi = Array.from({ length: 100 }, (_, at) => ({
  type: "event",
  name: `Event${at}`,
  inputs: Array.from({ length: 10 }, (__, input) => ({ name: `input${input}`, type: "uint256[][][]", indexed: false })),
}))

const upload: Ask = async ({ url }, key, at) =>
  await Client.send(`${url}/api/v2.2/contracts/pack-${at % 20}?chain=attack`, {
    method: "PUT",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ abi }),
  })

/** Comparisons of wallets with long ledgers, each of which is made once, and of wallets without any. */
const prove: Ask = async ({ url }, key, at) => {
  const subject = at % 2 === 0 ? LongLedger.otherOf((at / 2) % sizes.full.others) : asset(at)
  return await Client.send(`${url}/api/v2.2/${subject}/proof?chain=attack`, {
    method: "PUT",
    headers: { "x-api-key": key },
  })
}

/** A list of Etherscan's dialect, whose errors have the status 200. */
const listed =
  (queryOf: (at: number) => string): Ask =>
  async ({ url }, key, at) =>
    await Client.send(`${url}/v2/api?chainid=31337&module=account&${queryOf(at)}&address=${wallet}&apikey=${key}`)

/** A tool of models. */
const tool =
  (name: string, more: object = {}): Ask =>
  async ({ url }, key, at) =>
    await Client.send(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: at,
        method: "tools/call",
        params: { name, arguments: { address: wallet, chain: "attack", ...more } },
      }),
    })

const operations: Readonly<Record<string, Ask>> = {
  walletTransactions: read(() => `${wallet}/verbose?chain=attack&scope=all&limit=100`),
  movements: read(() => `${wallet}/movements?chain=attack&limit=100&order=ASC`),
  balances: read((at) => `${wallet}/balances?chain=attack&asset=${asset(at)}`),
  statement: read((at) => `${wallet}/statement?chain=attack&from_block=${1 + (at % 40)}`),
  names: read(
    (at) => `names?chain=attack&address=${Array.from({ length: 90 }, (_, one) => asset(at + one)).join(",")}`,
  ),
  search: read((at) => `search?chain=attack&q=token${at}`),
  contract: read((at) => `contracts/${asset(at)}?chain=attack`),
  "putContract, 20 at once": upload,
  proveWallet: prove,
  "relay, one call": relayed((at) => JSON.stringify(call(at))),
  "relay, batch of 50": relayed((at) => JSON.stringify(Array.from({ length: 50 }, (_, one) => call(at * 50 + one)))),
  "relay, large response": relayed((at) =>
    JSON.stringify(call(at, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x1" }])),
  ),
  "Etherscan, txlist": listed((at) => `action=txlist&page=${1 + (at % 4)}&offset=1000`),
  "Etherscan, tokentx of no transfer": listed(
    (at) => `action=tokentx&contractaddress=0x${"e".repeat(38)}${10 + (at % 90)}`,
  ),
  "Otterscan, search": relayed((at) =>
    JSON.stringify(call(at, "ots_searchTransactionsBefore", [LongLedger.otherOf(at % sizes.full.others), 0, 25])),
  ),
  "models, wallet_summary": tool("wallet_summary"),
  "models, export_wallet": tool("export_wallet", { format: "json" }),
  "malformed bodies": relayed((at) => `[${"[".repeat(60)}${"0,".repeat(15_000)}${at}`),
  "unknown keys": async (service) =>
    await Client.page(service, randomBytes(24).toString("base64url"), wallet, "&limit=1"),
}

/** What keys of a name may do alone; the others may do everything but what a key has to name. */
const allowed: Readonly<Record<string, KeyOptions>> = {
  uploader: { operations: ["putContract"] },
  prover: { operations: ["proveWallet"] },
}

/** Adds keys, as `attacker-5`, that may do what their names allow. */
const addKeys = async (folder: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const program = Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl("sqlite:data", folder)
    return yield* Effect.forEach(names, (name) => {
      const [role = ""] = name.split("-")
      const options = allowed[role] ?? {}
      return Effect.map(apiKeys.add({ name, operator: false, empty: null, options }), (key) => Redacted.value(key!))
    })
  })
  return await Effect.runPromise(Effect.scoped(program))
}

/** What another key measures during an attack. */
const neighbour = async (probe: Probe.Probe, during: () => Promise<unknown>): Promise<Probe.Seen> => {
  await probe.read()
  await during()
  return await probe.read()
}

/** Asks by each key with a number of requests open at once, for some time. */
const flood = async (
  service: AttackedService,
  ask: Ask,
  keys: ReadonlyArray<string>,
  { millis, open }: { readonly millis: number; readonly open: number },
): Promise<ReadonlyArray<Client.Response>> => {
  const ends = performance.now() + millis
  const answers: Array<Client.Response> = []
  let at = 0
  const loop = async (key: string) => {
    while (performance.now() < ends) {
      const answer = await ask(service, key, at++)
      answers.push(answer)
      // A client that is refused waits a little, as any does. Etherscan's dialect refuses with the status 200.
      if (answer.status === 429 || answer.text.includes("rate limit")) await Client.sleep(100)
    }
  }
  await Promise.all(keys.flatMap((key) => Array.from({ length: open }, async () => await loop(key))))
  return answers
}

/** Responses that blame the service or its nodes: a bound that is reached is 503, and its message names it. */
const blames = (name: string, answers: ReadonlyArray<Client.Response>): ReadonlyArray<string> =>
  answers
    .filter(({ status }) => status >= 500 && status !== 503)
    .slice(0, 2)
    .map(({ status, text }) => `${name}: status ${status}: ${text.slice(0, 120)}`)

const round = (millis: number): string => (millis < 10 ? millis.toFixed(1) : millis.toFixed(0))

const latency = ({ millis }: Probe.Seen): string =>
  `${round(Client.percentile(millis, 0.5))} | ${round(Client.percentile(millis, 0.99))}`

const unserved = (name: string, { failures }: Probe.Seen): ReadonlyArray<string> =>
  failures.length === 0 ? [] : [`another key during ${name}: ${Client.tally(failures)}`]

/** What a comparison reads of a block. */
const headerOf = (number: number): string => {
  const [hash, parentHash] = [Rows.blockHash(number), Rows.blockHash(number - 1)]
  const timestamp = Rows.genesisSeconds + number * Rows.blockSeconds
  return JSON.stringify({
    number: `0x${number.toString(16)}`,
    hash,
    parentHash,
    timestamp: `0x${timestamp.toString(16)}`,
  })
}

const service = async (scale: Scale) => {
  const large = Buffer.from(JSON.stringify(Array.from({ length: 2_000 }, () => ({ data: `0x${"ab".repeat(500)}` }))))
  const node = await FakeNode.start((method, params) => {
    if (method === "eth_getLogs") return large
    if (method === "eth_getBlockByNumber") return headerOf(Number(params[0]))
    return method === "eth_call" ? `"0x${"1".padStart(64, "0")}"` : '"0x1"'
  })
  return {
    config: { chains: { attack: { ...LongLedger.chains.attack, rpc: [node.url] } } },
    role: "serve",
    prepare: async (folder: string) => await LongLedger.fill(folder, sizes[scale]),
    close: node.stop,
  }
}

/** Opens connections that send nothing, and keeps them. */
const idle = async (attacked: AttackedService, count: number) => {
  const sockets = []
  for (let at = 0; at < count; at++) sockets.push(await Client.open(attacked, ""))
  return sockets
}

/** Keys of attackers by what they may do. */
const attackersOf = async (folder: string, count: number) => {
  const named = async (role: string) =>
    await addKeys(
      folder,
      Array.from({ length: count }, (_, at) => `${role}-${at}`),
    )
  const [all, uploaders, provers] = [await named("attacker"), await named("uploader"), await named("prover")]
  return (name: string) => (name.startsWith("putContract") ? uploaders : name === "proveWallet" ? provers : all)
}

/** Pages and balances of another key, one after the other: four in a second, which take less than its share of the thread. */
const probeOf = async ({ folder, url }: AttackedService): Promise<Probe.Probe> => {
  const [key = ""] = await addKeys(folder, ["other"])
  const pages = ["verbose?chain=attack&limit=1", "balances?chain=attack"]
  return Probe.start({
    urls: pages.map((page) => `${url}/api/v2.2/${Rows.address("c")}/${page}`),
    headers: { "x-api-key": key },
    everyMillis: 250,
  })
}

/** What another key saw of an operation by one key and by many. */
const attackBy = async (
  attacked: AttackedService,
  probe: Probe.Probe,
  [name, ask]: readonly [string, Ask],
  { keys, millis }: { readonly keys: ReadonlyArray<string>; readonly millis: number },
): Promise<{ readonly line: string; readonly faults: ReadonlyArray<string> }> => {
  const open = name.startsWith("putContract") ? 20 : 40
  const floods = [
    { keys: keys.slice(0, 1), open },
    { keys, open: 2 },
  ]
  const [cells, counted, faults]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  for (const one of floods) {
    let answers: ReadonlyArray<Client.Response> = []
    const seen = await neighbour(probe, async () => {
      answers = await flood(attacked, ask, one.keys, { millis, open: one.open })
    })
    cells.push(latency(seen))
    counted.push(Client.tally(answers.map(({ status }) => status)))
    faults.push(...unserved(name, seen), ...blames(name, answers))
  }
  return { line: `| ${[name, ...cells, ...counted].join(" | ")} |`, faults }
}

/** Each operation by one key and by many, beside another key. */
export const scenario: Scenario = {
  name: "each operation by one key and by 100 beside another",
  bound: "rateLimit; queues by key; limits",
  service,
  run: async (attacked, scale) => {
    const { idle: idleCount, keys: count, millis } = sizes[scale]
    const keysOf = await attackersOf(attacked.folder, count)
    const probe = await probeOf(attacked)
    const rest = async () => await Client.sleep(millis)
    try {
      const before = await neighbour(probe, rest)
      const lines = [
        "| operation | one key: p50, ms | p99, ms | 100 keys: p50, ms | p99, ms | one key's responses | 100 keys' responses |",
        "|---|--:|--:|--:|--:|---|---|",
        `| none | ${latency(before)} | | | | |`,
      ]
      const faults: Array<string> = [...unserved("nothing", before)]
      for (const operation of Object.entries(operations)) {
        const seen = await attackBy(attacked, probe, operation, { keys: keysOf(operation[0]), millis })
        lines.push(seen.line)
        faults.push(...seen.faults)
      }
      const sockets = await idle(attacked, idleCount)
      const seen = await neighbour(probe, rest)
      const open = sockets.filter(({ destroyed }) => !destroyed).length
      lines.push(`| ${idleCount} idle connections | ${latency(seen)} | | | ${open} stay open | |`)
      for (const socket of sockets) socket.destroy()
      faults.push(...unserved("idle connections", seen))
      return { behaviour: `${Object.keys(operations).length} operations; the other key is served`, faults, lines }
    } finally {
      await probe.stop()
    }
  },
}
