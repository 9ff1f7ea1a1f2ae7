/** Most expensive requests of each operation within the default limits. */
import { randomBytes } from "node:crypto"
import * as Rows from "../server/rows.ts"
import * as Client from "./Client.ts"
import * as LongLedger from "./LongLedger.ts"

/** Number of wallets with long ledgers in addition to the first one. */
export const others = 20

/** Sends the most expensive request of an operation; `at` is its index. */
export type SendRequest = (service: Client.Target, key: string, at: number) => Promise<Client.Response>

const read =
  (pathOf: (at: number) => string): SendRequest =>
  async ({ url }, key, at) =>
    await Client.send(`${url}/api/v2.2/${pathOf(at)}`, { headers: { "x-api-key": key } })

const relayed =
  (bodyOf: (at: number) => string): SendRequest =>
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

/** An ABI of many events with deeply nested types. */
const abi = Array.from({ length: 100 }, (_, at) => ({
  type: "event",
  name: `Event${at}`,
  inputs: Array.from({ length: 10 }, (__, input) => ({ name: `input${input}`, type: "uint256[][][]", indexed: false })),
}))

const upload: SendRequest = async ({ url }, key, at) =>
  await Client.send(`${url}/api/v2.2/contracts/pack-${at % 20}?chain=attack`, {
    method: "PUT",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ abi }),
  })

/** Compares wallets with long ledgers, each once, and wallets without a ledger. */
const prove: SendRequest = async ({ url }, key, at) => {
  const subject = at % 2 === 0 ? LongLedger.otherOf((at / 2) % others) : asset(at)
  return await Client.send(`${url}/api/v2.2/${subject}/proof?chain=attack`, {
    method: "PUT",
    headers: { "x-api-key": key },
  })
}

/** Requests a list of Etherscan's API, whose errors have the status 200. */
const listed =
  (queryOf: (at: number) => string): SendRequest =>
  async ({ url }, key, at) =>
    await Client.send(`${url}/v2/api?chainid=31337&module=account&${queryOf(at)}&address=${wallet}&apikey=${key}`)

/** Calls an MCP tool. */
const tool =
  (name: string, more: object = {}): SendRequest =>
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

export const all: Readonly<Record<string, SendRequest>> = {
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
  "relay, batch of 50 different calls": relayed((at) =>
    JSON.stringify(
      Array.from({ length: 50 }, (_, one) => call(at * 50 + one, "eth_getBalance", [asset(at * 50 + one), "latest"])),
    ),
  ),
  "relay, large response": relayed((at) =>
    JSON.stringify(call(at, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x1" }])),
  ),
  "Etherscan, txlist": listed((at) => `action=txlist&page=${1 + (at % 4)}&offset=1000`),
  "Etherscan, tokentx of no transfer": listed(
    (at) => `action=tokentx&contractaddress=0x${"e".repeat(38)}${10 + (at % 90)}`,
  ),
  "Otterscan, search": relayed((at) =>
    JSON.stringify(call(at, "ots_searchTransactionsBefore", [LongLedger.otherOf(at % others), 0, 25])),
  ),
  "models, wallet_summary": tool("wallet_summary"),
  "models, export_wallet": tool("export_wallet", { format: "json" }),
  "malformed bodies": relayed((at) => `[${"[".repeat(60)}${"0,".repeat(15_000)}${at}`),
  "unknown keys": async (service) =>
    await Client.page(service, randomBytes(24).toString("base64url"), wallet, "&limit=1"),
}
