/**
 * The `fetch` of clients that are given none, on Node: undici's own requests, at about two thirds of the cost of the global `fetch`.
 * Who replaced that one, its dispatcher, or told Node to go through a proxy, gets what they asked for.
 */
import { getGlobalDispatcher } from "undici"
import type { Fetch } from "../Http.ts"
import { makeUnsafe } from "../undici.ts"

const originalFetch = globalThis.fetch
const originalDispatcher = getGlobalDispatcher()

const isProxied = process.execArgv.includes("--use-env-proxy") || (process.env["NODE_USE_ENV_PROXY"] ?? "0") !== "0"

const isArranged = (): boolean =>
  isProxied || globalThis.fetch !== originalFetch || getGlobalDispatcher() !== originalDispatcher

let own: Fetch | undefined

export const platformFetch: Fetch = (url, init) => {
  if (isArranged()) return globalThis.fetch(url, init)
  own ??= makeUnsafe()
  return own(url, init)
}
