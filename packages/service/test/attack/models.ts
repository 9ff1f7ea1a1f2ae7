/**
 * Attacks on the MCP endpoint: changed messages, whose responses must contain no key and blame only the sender, and clients that call
 * tools and never read.
 */
import type { Socket } from "node:net"
import * as Rows from "../server/rows.ts"
import * as Client from "./Client.ts"
import * as FakeNode from "./FakeNode.ts"
import * as LongLedger from "./LongLedger.ts"
import * as Mutations from "./mutations.ts"
import type { Scenario } from "./Scenario.ts"

const { change, pick, random } = Mutations

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

const wallet = { address: Rows.alice, chain: "attack" }

const hash = `0x${"1".repeat(64)}`

/** Arguments of each tool. */
const tools: ReadonlyArray<readonly [name: string, args: object]> = [
  ["chains", {}],
  ["wallet_summary", wallet],
  ["wallet_movements", { ...wallet, limit: 7, order: "ASC", direction: "in" }],
  ["wallet_statement", { ...wallet, from_block: 0, to_block: 1 }],
  ["wallet_balances_at", { ...wallet, to_date: "2026-01-01T00:00:00Z" }],
  ["explain_transaction", { hash, chain: "attack" }],
  ["prove_wallet", wallet],
  ["export_wallet", { ...wallet, format: "json", limit: 7 }],
  ["find", { text: Rows.bob, chain: "attack" }],
]

const methods = ["ping", "tools/list", "resources/list", "prompts/list", "completion/complete", "logging/setLevel"]

const messageOf = (next: Mutations.Next): object => {
  const [name, args] = pick(next, tools)
  const id = pick(next, [1, "a", 0, -1, 1.5, "__proto__"])
  const more = next(4) === 0 ? { _meta: meta } : {}
  const call = { method: "tools/call", params: { name, arguments: args, ...more } }
  return { jsonrpc: "2.0", id, ...(next(3) === 0 ? { method: pick(next, methods), params: more } : call) }
}

const versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2020-01-01", "x", ""]

const requestOf = (next: Mutations.Next, keys: ReadonlyArray<string>): Mutations.ChangedRequest => {
  const message = messageOf(next)
  const batch = Array.from({ length: 1 + next(20) }, () => messageOf(next))
  const text = JSON.stringify(next(12) === 0 ? batch : message)
  const key = pick(next, keys)
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  if (next(3) > 0) headers["mcp-protocol-version"] = pick(next, versions)
  if (next(6) === 0) headers["mcp-session-id"] = pick(next, Mutations.edges).replace(/[^ -~]/g, "")
  if (next(3) === 0) headers["mcp-method"] = pick(next, ["tools/call", "ping", "x"])
  if (next(3) === 0) headers["mcp-name"] = pick(next, ["chains", "find", "=?base64?Y2hhaW5z?=", "=?base64?*?="])
  if (next(9) === 0) headers["content-type"] = pick(next, ["text/plain", "application/json; charset=x"])
  if (next(9) === 0) headers["accept"] = pick(next, ["text/event-stream", "*/*", "text/html"])
  if (next(20) === 0) headers["origin"] = pick(next, ["https://evil.example", "null", "http://localhost"])
  const method = next(20) === 0 ? pick(next, ["GET", "DELETE", "PUT", "OPTIONS"]) : "POST"
  const body = method === "POST" || method === "PUT" ? (next(3) === 0 ? text : change(next, text)) : ""
  return { method, path: "/mcp", headers, body }
}

const counts = { full: 50_000, small: 300 } as const

const changed: Scenario = {
  name: "changed MCP messages",
  bound: "requests are validated on receipt",
  isWithoutLimits: true,
  service: Mutations.service,
  run: async (attacked, scale) => {
    const keys = await Mutations.addKeys(attacked.folder)
    const secrets = [...keys, ...Mutations.secrets]
    const next = random(17)
    const statuses: Array<number> = []
    const faults = new Map<string, string>()
    const loop = async () => {
      while (statuses.length < counts[scale]) {
        const one = requestOf(next, keys)
        const { status, text } = await Mutations.send(attacked.url, one)
        statuses.push(status)
        const requestText = `${one.method} ${one.body.slice(0, 160)}`
        // A tool that calls the node reports the invalid response of this node in its result.
        if (status >= 500 || status === 0 || text.includes('"code":-32603')) {
          faults.set(`status ${status}: ${text.slice(0, 160)}`, requestText)
        }
        if (secrets.some((secret) => text.includes(secret))) faults.set(`a key in a response of ${status}`, requestText)
      }
    }
    await Promise.all(Array.from({ length: 16 }, loop))
    for (const [name, text] of await Mutations.sinksOf(attacked)) {
      if (secrets.some((secret) => text.includes(secret))) faults.set(`a key in ${name}`, `${text.length} characters`)
      if (text.length === 0) faults.set(`nothing in ${name}`, "so nothing was verified")
    }
    if (!statuses.includes(200)) faults.set("no message received a response", "so nothing was verified")
    return {
      behaviour: `${statuses.length} requests: ${Client.tally(statuses.toSorted((one, other) => one - other))}`,
      faults: [...faults].map(([what, requestText]) => `${what} (${requestText})`),
    }
  },
}

const clients = { full: 1_000, small: 60 } as const

/** Messages per connection; each response has about 100 kB. */
const messagesPerClient = 20

const unread: Scenario = {
  name: "MCP clients that never read",
  bound: "limits.connections, 20 s for a client that reads nothing",
  isWithoutLimits: true,
  service: async () => {
    const node = await FakeNode.start(() => '"0x1"')
    return {
      config: {
        chains: { attack: { ...LongLedger.chains.attack, rpc: [node.url] } },
        rateLimit: { perSecond: 1e6, burst: 1e6 },
      },
      role: "serve",
      prepare: async (folder: string) => await LongLedger.fill(folder, { movements: 2_000, assets: 50 }),
      close: node.stop,
    }
  },
  run: async (attacked, scale) => {
    const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
    const args = { ...wallet, limit: 100 }
    const bodyOf = (message: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
    const call = bodyOf({ method: "tools/call", params: { name: "wallet_movements", arguments: args } })
    const begin = bodyOf({
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    })
    const head = (body: string) =>
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const sent = head(begin) + head(call).repeat(messagesPerClient)
    const sockets: Array<Socket> = []
    const faults: Array<string> = []
    const statuses: Array<number> = []
    const millis: Array<number> = []
    const headers = { "x-api-key": other, "content-type": "application/json" }
    while (sockets.length < clients[scale]) {
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => Client.open(attacked, sent)))))
      const response = await Client.send(`${attacked.url}/mcp`, { method: "POST", headers, body: call })
      statuses.push(response.status)
      millis.push(response.millis)
      if (!response.text.includes('"isError":false')) faults.push(`another key: ${response.text.slice(0, 200)}`)
    }
    for (const socket of sockets) socket.destroy()
    if (statuses.some((status) => status !== 200)) faults.push(`another key: ${Client.tally(statuses)}`)
    const slowest = Math.max(...millis).toFixed(0)
    return {
      behaviour: `${sockets.length} clients with ${messagesPerClient} calls each; another key: ${Client.tally(statuses)}, slowest ${slowest} ms`,
      faults,
    }
  },
}

export const scenarios: ReadonlyArray<Scenario> = [changed, unread]
