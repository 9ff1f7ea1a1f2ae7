/**
 * Which JSON-RPC responses are immutable and therefore cacheable, and the block to which such a response belongs, according to the
 * cacheability of the method. Pure; it does not decide whether the block is final.
 *
 * Source: decision 0024.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { BlockRef } from "../../block/BlockRows.ts"

/**
 * What a cacheable call requests, with its key in the cache.
 *
 * - `Constant`: a constant of the chain.
 * - `BlockHash`: part of the block with this hash, which identifies its contents.
 * - `BlockNumber`: part of the block with this number; immutable once the block is final.
 * - `Transaction`: transaction by its hash; immutable once its block is final.
 */
export type Requested =
  | { readonly _tag: "Constant"; readonly key: string }
  | { readonly _tag: "BlockHash"; readonly key: string; readonly hash: string }
  | { readonly _tag: "BlockNumber"; readonly key: string; readonly number: number }
  | { readonly _tag: "Transaction"; readonly key: string }

const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)

/** Value of a hex quantity; undefined for a block tag, and for anything that is not a block number. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) && !isHash(value) ? Number(value) : NaN
  return Number.isSafeInteger(number) ? number : undefined
}

const ofHash = (method: string, hash: unknown, rest: string): Requested | null => {
  if (!isHash(hash)) return null
  const lower = hash.toLowerCase()
  return { _tag: "BlockHash", hash: lower, key: `${method} ${lower}${rest}` }
}

const ofNumber = (method: string, block: unknown, rest: string): Requested | null => {
  const number = numberOf(block)
  return number === undefined ? null : { _tag: "BlockNumber", number, key: `${method} ${number}${rest}` }
}

const ofTransaction = (method: string, hash: unknown, rest: string): Requested | null =>
  isHash(hash) ? { _tag: "Transaction", key: `${method} ${hash.toLowerCase()}${rest}` } : null

/** Filter members that are hex text of any case. */
const hexMembers: ReadonlySet<string> = new Set(["address", "topics"])

/**
 * Canonical text of a filter without the members that name its blocks, which the key contains in another form. Unknown members are
 * forwarded to the node, and therefore included.
 */
const filterText = (filter: Readonly<Record<string, unknown>>, blockMembers: ReadonlyArray<string>): string =>
  Object.entries(filter)
    .filter(([name, value]) => !blockMembers.includes(name) && (value ?? null) !== null)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${hexMembers.has(name) ? JSON.stringify(value).toLowerCase() : JSON.stringify(value)}`,
    )
    .toSorted()
    .join(",")

/** Logs of one block. Logs of several blocks may be incomplete on a lagging node. */
const ofFilter = (method: string, given: unknown): Requested | null => {
  if (typeof given !== "object" || given === null) return null
  const filter = given as Readonly<Record<string, unknown>>
  if (filter["blockHash"] !== undefined)
    return ofHash(method, filter["blockHash"], ` ${filterText(filter, ["blockHash"])}`)
  return numberOf(filter["fromBlock"]) === numberOf(filter["toBlock"])
    ? ofNumber(method, filter["toBlock"], ` ${filterText(filter, ["fromBlock", "toBlock"])}`)
    : null
}

/** Text of a parameter; an index yields the same text for any number of digits. */
const paramText = (name: RpcMethod.ParamName | undefined, value: unknown): string => {
  const index = name === "index" ? numberOf(value) : undefined
  return ` ${index ?? JSON.stringify(value) ?? ""}`
}

/** Text of the parameters after the first. */
const restText = (method: RpcMethod.Name, params: ReadonlyArray<unknown>): string => {
  const paramNames: ReadonlyArray<RpcMethod.ParamName> = RpcMethod.all[method].paramNames
  return params
    .slice(1)
    .map((value, at) => paramText(paramNames[at + 1], value))
    .join("")
}

/** The block, transaction or constant that a call requests; `null` if its result can change. The parameters fit the method. */
export const requested = (method: RpcMethod.Name, params: ReadonlyArray<unknown>): Requested | null => {
  const { cacheability } = RpcMethod.all[method]
  if (cacheability === "never") return null
  const [first] = params
  const rest = restText(method, params)
  switch (cacheability) {
    case "constant":
      return { _tag: "Constant", key: `${method}${rest}` }
    case "blockHash":
      return ofHash(method, first, rest)
    case "blockNumber":
      return ofNumber(method, first, rest)
    case "block":
      return isHash(first) ? ofHash(method, first, rest) : ofNumber(method, first, rest)
    case "transaction":
      return ofTransaction(method, first, rest)
    case "logs":
      return ofFilter(method, first)
  }
}

const blockKeys = (method: RpcMethod.Name): readonly [hash: string, number: string] =>
  "hydrated" in RpcMethod.all[method] ? ["hash", "number"] : ["blockHash", "blockNumber"]

/** The block to which a result belongs; `null` if it names none, such as an empty array. */
export const blockOf = (method: RpcMethod.Name, result: unknown): BlockRef | null => {
  const one: unknown = Array.isArray(result) ? result[0] : result
  if (typeof one !== "object" || one === null) return null
  const [hashKey, numberKey] = blockKeys(method)
  const { [hashKey]: hash, [numberKey]: number } = one as Readonly<Record<string, unknown>>
  // `trace_block` sends block numbers as JSON numbers.
  const found = typeof number === "number" ? number : numberOf(number)
  return isHash(hash) && found !== undefined ? { number: found, hash: hash.toLowerCase() } : null
}
