/**
 * Which JSON-RPC responses are immutable and therefore cacheable, and the block that such a response belongs to, by the cacheability of
 * the method. Pure; it does not decide whether the block is final.
 *
 * Source: decision 0024.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { BlockRef } from "../../store/BlockRows.ts"

/**
 * What a call asks for.
 *
 * - `Constant`: a fact of the chain.
 * - `OfHash`: a part of the block that has this hash. The hash names the contents, wherever the chain goes.
 * - `OfNumber`: a part of the block that has this number, which is for ever only once it is final.
 * - `OfTransaction`: a transaction by its hash, which stays in its block for ever only once that is final.
 */
export type RequestedBound =
  | { readonly _tag: "Constant"; readonly key: string }
  | { readonly _tag: "OfHash"; readonly key: string; readonly hash: string }
  | { readonly _tag: "OfNumber"; readonly key: string; readonly number: number }
  | { readonly _tag: "OfTransaction"; readonly key: string }

const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)

/** The number that a hex quantity means; undefined for a tag and for what is no number of a block. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) && !isHash(value) ? Number(value) : NaN
  return Number.isSafeInteger(number) ? number : undefined
}

const ofHash = (method: string, hash: unknown, rest: string): RequestedBound | null => {
  if (!isHash(hash)) return null
  const lower = hash.toLowerCase()
  return { _tag: "OfHash", hash: lower, key: `${method} ${lower}${rest}` }
}

const ofNumber = (method: string, block: unknown, rest: string): RequestedBound | null => {
  const number = numberOf(block)
  return number === undefined ? null : { _tag: "OfNumber", number, key: `${method} ${number}${rest}` }
}

const ofTransaction = (method: string, hash: unknown, rest: string): RequestedBound | null =>
  isHash(hash) ? { _tag: "OfTransaction", key: `${method} ${hash.toLowerCase()}${rest}` } : null

/** A filter without its blocks, spelt in one way. */
const filterText = (filter: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([filter["address"] ?? null, filter["topics"] ?? null]).toLowerCase()

/** Logs of one block. Those of several may be cut short by a node that has not all of them. */
const ofFilter = (method: string, given: unknown): RequestedBound | null => {
  if (typeof given !== "object" || given === null) return null
  const filter = given as Readonly<Record<string, unknown>>
  if (filter["blockHash"] !== undefined) return ofHash(method, filter["blockHash"], ` ${filterText(filter)}`)
  const to = numberOf(filter["toBlock"])
  return to !== undefined && numberOf(filter["fromBlock"]) === to
    ? ofNumber(method, filter["toBlock"], ` ${filterText(filter)}`)
    : null
}

/** Text of a parameter; the same for an index in any number of digits. */
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

/** The block, transaction or fact that a call requests; `null` when its result can change. The parameters fit the method. */
export const asked = (method: RpcMethod.Name, params: ReadonlyArray<unknown>): RequestedBound | null => {
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

/** The block that the result of a call says it is of; null when it says none, as an empty list does. */
export const blockOf = (method: RpcMethod.Name, result: unknown): BlockRef | null => {
  const one: unknown = Array.isArray(result) ? result[0] : result
  if (typeof one !== "object" || one === null) return null
  const [hashKey, numberKey] = blockKeys(method)
  const { [hashKey]: hash, [numberKey]: number } = one as Readonly<Record<string, unknown>>
  // trace_block writes its numbers as numbers.
  const found = typeof number === "number" ? number : numberOf(number)
  return isHash(hash) && found !== undefined ? { number: found, hash: hash.toLowerCase() } : null
}
