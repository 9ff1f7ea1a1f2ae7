/**
 * ABIs of the operator's own contracts, as compilers write them: a JSON array, or an artifact of Foundry or Hardhat with the array under
 * `abi`. What is read is hostile until decoded: bounded in bytes, items and depth. Pure.
 *
 * Source: Solidity ABI specification, JSON; decision 0059.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type * as AbiType from "../decode/AbiType.ts"
import * as Signature from "../decode/Signature.ts"

/** A parameter of an item, with the keys that decoding needs. */
export interface Parameter extends AbiType.Parameter {
  readonly name: string
  readonly indexed?: boolean
  readonly components?: ReadonlyArray<Parameter>
}

/** An item that can be decoded. */
export interface Item {
  readonly type: "event" | "function" | "error"
  readonly name: string
  readonly inputs: ReadonlyArray<Parameter>
  /** Return values of a function. */
  readonly outputs?: ReadonlyArray<Parameter>
  /** Only of a function that reads and changes nothing. */
  readonly stateMutability?: "view" | "pure"
}

/** A text is no ABI. */
export class InvalidAbi extends Data.TaggedError("InvalidAbi")<{ readonly reason: string }> {
  override get message(): string {
    return `Invalid ABI: ${this.reason}. Give a JSON array of the ABI, or an artifact with it under "abi".`
  }
}

/** Bytes of a text that is read at most. */
export const maxBytes = 8 * 1024 * 1024
/** Items of an ABI at most, and parameters of an item with those of its tuples. */
const maxItems = 4_096
const maxParameters = 256
/** Nesting of tuples, as types allow it. */
const maxDepth = 16

const invalid = (reason: string) => Result.fail(new InvalidAbi({ reason }))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Names are shown to people: an identifier of Solidity, else none. */
const nameOf = (value: unknown): string =>
  typeof value === "string" && /^[A-Za-z_$][\w$]{0,99}$/.test(value) ? value : ""

/** Reads parameters, and counts them; `undefined` where one cannot be read. */
const parametersOf = (value: unknown, count: { left: number }, depth = 0): ReadonlyArray<Parameter> | undefined => {
  if (!Array.isArray(value) || depth > maxDepth) return undefined
  const parameters: Array<Parameter> = []
  for (const given of value as ReadonlyArray<unknown>) {
    if (!isObject(given) || typeof given["type"] !== "string" || given["type"].length > 100) return undefined
    if (--count.left < 0) return undefined
    const isTuple = given["type"].startsWith("tuple")
    const components = isTuple ? parametersOf(given["components"], count, depth + 1) : undefined
    if (isTuple && components === undefined) return undefined
    parameters.push({
      type: given["type"],
      name: nameOf(given["name"]),
      ...(given["indexed"] === true ? { indexed: true } : {}),
      ...(components === undefined ? {} : { components }),
    })
  }
  return parameters
}

const kinds = new Set(["event", "function", "error"])

/** Compilers before Solidity 0.6 wrote `constant`. */
const mutabilityOf = (given: Readonly<Record<string, unknown>>): Item["stateMutability"] => {
  const { constant, stateMutability } = given
  if (stateMutability === "view" || stateMutability === "pure") return stateMutability
  return constant === true ? "view" : undefined
}

/** An item that can be decoded; `undefined` for a constructor, an anonymous event, and what is malformed. */
const itemOf = (given: unknown): Item | undefined => {
  if (!isObject(given) || typeof given["type"] !== "string" || !kinds.has(given["type"])) return undefined
  const name = nameOf(given["name"])
  if (name === "" || given["anonymous"] === true) return undefined
  const count = { left: maxParameters }
  const inputs = parametersOf(given["inputs"], count)
  if (inputs === undefined) return undefined
  const isFunction = given["type"] === "function"
  const outputs = isFunction ? parametersOf(given["outputs"], count) : undefined
  const mutability = isFunction ? mutabilityOf(given) : undefined
  // Sound: it is one of the kinds.
  const type = given["type"] as Item["type"]
  const item: Item = {
    type,
    name,
    inputs,
    ...(outputs === undefined ? {} : { outputs }),
    ...(mutability === undefined ? {} : { stateMutability: mutability }),
  }
  // An error is encoded as a function is.
  const isDecodable = Result.isSuccess(Signature.fromItem(type === "error" ? { ...item, type: "function" } : item))
  return isDecodable ? item : undefined
}

/**
 * Reads an ABI from a JSON value. Items that cannot be decoded are left out.
 *
 * **Errors**
 * - `InvalidAbi`: it is no array, or too long.
 */
export const fromJson = (value: unknown): Result.Result<ReadonlyArray<Item>, InvalidAbi> => {
  const abi = isObject(value) ? value["abi"] : value
  if (!Array.isArray(abi)) return invalid(`expected an array, received ${Issue.describe(abi)}`)
  if (abi.length > maxItems) return invalid(`expected at most ${maxItems} items, received ${abi.length}`)
  return Result.succeed(abi.flatMap((given) => itemOf(given) ?? []))
}

/**
 * Reads an ABI from a text.
 *
 * **Errors**
 * - `InvalidAbi`: it is too large, no JSON, or no ABI.
 */
export const fromText = (text: string): Result.Result<ReadonlyArray<Item>, InvalidAbi> => {
  if (text.length > maxBytes) return invalid(`expected at most ${maxBytes} bytes, received ${text.length}`)
  const json = Json.parse(text.replace(/^\uFEFF/, ""))
  return json === undefined ? invalid("it is no JSON") : fromJson(json)
}

/** The errors of an ABI, as functions: their data is encoded as a call is. */
export const errorsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Signature.Signature> =>
  items.flatMap((item) => {
    const signature = Signature.fromItem({ ...item, type: "function" })
    return item.type === "error" && Result.isSuccess(signature) ? [signature.success] : []
  })

/** The events and functions of an ABI, for decoding. */
export const signaturesOf = (items: ReadonlyArray<Item>): ReadonlyArray<Signature.Signature> =>
  items.flatMap((item) => {
    const signature = Signature.fromItem(item)
    return Result.isSuccess(signature) ? [signature.success] : []
  })
