/**
 * Default `fetch` of the clients on Node: requests of undici, at about two thirds of the cost of the global `fetch`.
 * Falls back to the global `fetch` if it, its dispatcher, or Node's proxy settings were customised.
 */
import { getGlobalDispatcher } from "undici"
import type { Fetch } from "../Fetch.ts"
import { makeUnsafe } from "../undici.ts"

const originalFetch = globalThis.fetch
const originalDispatcher = getGlobalDispatcher()

const usesProxy = process.execArgv.includes("--use-env-proxy") || (process.env["NODE_USE_ENV_PROXY"] ?? "0") !== "0"

const isCustomised = (): boolean =>
  usesProxy || globalThis.fetch !== originalFetch || getGlobalDispatcher() !== originalDispatcher

let undiciFetch: Fetch | undefined

export const platformFetch: Fetch = (url, init) => {
  if (isCustomised()) return globalThis.fetch(url, init)
  undiciFetch ??= makeUnsafe()
  return undiciFetch(url, init)
}
