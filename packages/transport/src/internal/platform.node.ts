/**
 * Default `fetch` of the clients on Node: the modules `http` and `https`, at about a third of the cost of the global `fetch`. The global
 * one is used if it, its dispatcher or Node's proxy settings were customised at any time, or if these modules are missing.
 */
import type { Fetch } from "../Fetch.ts"
import * as NodeFetch from "../NodeFetch.ts"

const usesProxy = process.execArgv.includes("--use-env-proxy") || (process.env["NODE_USE_ENV_PROXY"] ?? "0") !== "0"

const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init)

let nativeFetch: unknown

/** True for Node's own `fetch`, which loads its bundled undici. A replacement is never native, even one made before this module was loaded. */
const isNative = (fetch: unknown): boolean => {
  if (fetch === nativeFetch) return true
  if (typeof fetch !== "function" || !Function.prototype.toString.call(fetch).includes("internal/deps/undici/undici"))
    return false
  nativeFetch = fetch
  return true
}

/** Key under which every copy of undici, including Node's own, keeps the program's dispatcher. */
const dispatcherKey = Symbol.for("undici.globalDispatcher.1")

const currentDispatcher = (): unknown => Reflect.get(globalThis, dispatcherKey)

let defaultDispatcher: unknown

const isUnset = (option: unknown): boolean => option === undefined || option === Number.POSITIVE_INFINITY

/** True for the dispatcher that undici creates itself: an agent without options whose `dispatch` is that of its class. */
const isDefault = (dispatcher: unknown): boolean => {
  if (typeof dispatcher !== "object" || dispatcher === null) return false
  const own: unknown = Reflect.get(dispatcher, "dispatch")
  if (own !== Reflect.get(Object.getPrototypeOf(dispatcher) ?? {}, "dispatch")) return false
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === "options")
  const options: unknown = key === undefined ? undefined : Reflect.get(dispatcher, key)
  const isPlain = typeof options === "object" && options !== null && Object.values(options).every(isUnset)
  return isPlain && dispatcher.constructor.name === "Agent"
}

const isCustomised = (): boolean => {
  if (usesProxy || !isNative(globalThis.fetch)) return true
  const dispatcher = currentDispatcher()
  if (dispatcher === undefined || dispatcher === defaultDispatcher) return false
  if (defaultDispatcher !== undefined || !isDefault(dispatcher)) return true
  defaultDispatcher = dispatcher
  return false
}

let nodeFetch: Fetch | undefined

/** Bundles made for Node also run elsewhere. */
const hasModules = (): boolean => typeof process.getBuiltinModule === "function"

export const platformFetch: Fetch = (url, init) => {
  if (!hasModules() || isCustomised()) return globalFetch(url, init)
  nodeFetch ??= NodeFetch.makeUnsafe()
  return nodeFetch(url, init)
}
