/** Messages to the MCP endpoint of a service in tests, and the chain that it serves. */
import * as Rows from "../rows.ts"
import { chainOf, type Ledger, token } from "../rest/ledgers.ts"
import type { Started } from "../service.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }] },
  2: {
    0: [
      { kind: "erc20", asset: token, amount: 10n },
      { kind: "erc20", asset: token, amount: -3n },
    ],
  },
  3: { 1: [{ kind: "internal", amount: 6n }] },
}

/** Movements of four wallets on a chain. */
export const chains = { eth: chainOf(ledgers, 4) }

/** Arguments of a tool: a wallet with movements. */
export const wallet = { address: Rows.alice, chain: "eth" }

/** Sends a message with the usual key. */
export const post = (
  { fetch, key }: Started,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
) =>
  fetch("/mcp", {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": key,
      ...headers,
    },
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })

/** A message of JSON-RPC. */
export const message = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })

/** A call of a tool. */
export const tool = (name: string, args: unknown = wallet) => message("tools/call", { name, arguments: args })

/** A message of version 2026-07-28, with its headers. */
export const modern = (method: string, params: object = {}) => ({
  body: message(method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  }),
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
})
