/**
 * ABIs of the operator's own contracts, as written by compilers: a JSON array, or a Foundry or Hardhat artifact with the array under `abi`.
 * Input is untrusted: it is bounded in bytes, items, types and depth. Pure.
 *
 * Source: Solidity ABI specification, JSON; decision 0059.
 */
import { maxMembers } from "@daybook/schema/Abi"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type * as AbiType from "@daybook/abi/AbiType"
import * as Signature from "@daybook/abi/Signature"
import * as Steps from "../supervision/Steps.ts"

/** A parameter of an item, with the keys that decoding needs. */
export interface Parameter extends AbiType.Parameter {
  readonly name: string
  /** Stated for each parameter of an event, because programs that read the ABI expect it; for no other parameter. */
  readonly indexed?: boolean | undefined
  readonly components?: ReadonlyArray<Parameter> | undefined
  /** Names of the values of an enum, in order. */
  readonly enum?: ReadonlyArray<string> | undefined
}

/** An item that can be decoded. */
export interface Item {
  readonly type: "event" | "function" | "error" | "constructor"
  /** Empty for a constructor. */
  readonly name: string
  readonly inputs: ReadonlyArray<Parameter>
  /** Return values of a function. */
  readonly outputs?: ReadonlyArray<Parameter> | undefined
  /** For functions and constructors: whether it only reads, and whether it accepts native value. */
  readonly stateMutability?: "view" | "pure" | "payable" | "nonpayable" | undefined
  /** Only for events: an anonymous one has no topic by which it could be decoded. */
  readonly anonymous?: false | undefined
  /** Only for constructors: length of the creation code, after which the arguments follow. */
  readonly codeBytes?: number | undefined
}

/** An ABI with its signatures. */
export interface Abi {
  readonly items: ReadonlyArray<Item>
  /** Its events and functions. */
  readonly signatures: ReadonlyArray<Signature.Signature>
  /** Its errors as functions, since their data is encoded like a call. */
  readonly errors: ReadonlyArray<Signature.Signature>
}

/** An ABI without items. */
const empty: Abi = { items: [], signatures: [], errors: [] }

/** A text is not an ABI. */
export class InvalidAbi extends Data.TaggedError("InvalidAbi")<{
  readonly expected: string
  readonly received: string
}> {
  override get message(): string {
    return `Invalid ABI: expected ${this.expected}, received ${this.received}. Give a JSON array of the ABI, or an artifact with it under "abi".`
  }
}

/** Maximum number of bytes of a text. */
export const maxBytes = 8 * 1024 * 1024
/** Maximum number of items of an ABI. */
const maxItems = 4_096
/** Maximum number of parameters of an item, including those of its tuples. */
const maxParameters = 256
/** Maximum number of types in an ABI: one for each item, parameter, tuple member, and list level. */
const maxTypes = 32_768
/** Maximum nesting of tuples, as in types. */
const maxDepth = 16

const invalid = (expected: string, received: string) => Result.fail(new InvalidAbi({ expected, received }))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Names are displayed: a Solidity identifier, or an empty name. */
const nameOf = (value: unknown): string =>
  typeof value === "string" && /^[A-Za-z_$][\w$]{0,99}$/.test(value) ? value : ""

/** Names of the values of an enum: at most 256 identifiers. */
const membersOf = (value: unknown): ReadonlyArray<string> | undefined => {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxMembers) return undefined
  const names = value.map(nameOf)
  return names.includes("") ? undefined : names
}

/** Where parameters are read. */
interface Options {
  /** Whether they are the parameters of an event itself, rather than members of its tuples. */
  readonly isOfEvent?: boolean
  readonly depth?: number
}

/** Reads and counts parameters; `undefined` if one cannot be read. */
const parametersOf = (
  value: unknown,
  count: { left: number },
  { depth = 0, isOfEvent = false }: Options = {},
): ReadonlyArray<Parameter> | undefined => {
  if (!Array.isArray(value) || depth > maxDepth) return undefined
  const parameters: Array<Parameter> = []
  for (const parameter of value as ReadonlyArray<unknown>) {
    if (!isObject(parameter)) return undefined
    const { type } = parameter
    if (typeof type !== "string" || type.length > 100 || --count.left < 0) return undefined
    const isTuple = type.startsWith("tuple")
    const components = isTuple ? parametersOf(parameter["components"], count, { depth: depth + 1 }) : undefined
    if (isTuple && components === undefined) return undefined
    parameters.push({
      type,
      name: nameOf(parameter["name"]),
      indexed: isOfEvent ? parameter["indexed"] === true : undefined,
      components,
      enum: /^uint8(?:\[|$)/.test(type) ? membersOf(parameter["enum"]) : undefined,
    })
  }
  return parameters
}

const kinds: ReadonlySet<unknown> = new Set(["event", "function", "error"])

/** Compilers before Solidity 0.6 wrote `constant` and `payable`. */
const mutabilityOf = (item: Readonly<Record<string, unknown>>): Item["stateMutability"] => {
  const { constant, payable, stateMutability } = item
  if (stateMutability === "view" || stateMutability === "pure" || stateMutability === "payable") return stateMutability
  if (constant === true) return "view"
  return payable === true ? "payable" : "nonpayable"
}

/** An item with its signature; that of an error is a function's, and a constructor has none. */
interface Decodable {
  readonly item: Item
  readonly signature: Signature.Signature | undefined
}

/** A constructor, whose arguments follow the creation code. */
const constructorFrom = (value: Readonly<Record<string, unknown>>): Decodable | undefined => {
  const inputs = parametersOf(value["inputs"], { left: maxParameters })
  const bytes = value["codeBytes"]
  const codeBytes = Number.isSafeInteger(bytes) && Number(bytes) > 0 ? Number(bytes) : undefined
  return inputs === undefined
    ? undefined
    : {
        item: { type: "constructor", name: "", inputs, stateMutability: mutabilityOf(value), codeBytes },
        signature: undefined,
      }
}

/** An item that can be decoded; `undefined` for an anonymous event or malformed input. */
const decodableFrom = (value: unknown): Decodable | undefined => {
  if (!isObject(value)) return undefined
  if (value["type"] === "constructor") return constructorFrom(value)
  if (!kinds.has(value["type"])) return undefined
  const name = nameOf(value["name"])
  if (name === "" || value["anonymous"] === true) return undefined
  const count = { left: maxParameters }
  const inputs = parametersOf(value["inputs"], count, { isOfEvent: value["type"] === "event" })
  if (inputs === undefined) return undefined
  const isFunction = value["type"] === "function"
  const outputs = isFunction ? parametersOf(value["outputs"], count) : undefined
  const stateMutability = isFunction ? mutabilityOf(value) : undefined
  // Sound: it is one of the kinds.
  const type = value["type"] as Item["type"]
  const anonymous = type === "event" ? false : undefined
  const item: Item = { type, name, inputs, outputs, stateMutability, anonymous }
  const signature = Signature.fromItem(type === "error" ? { ...item, type: "function" } : item)
  return Result.isSuccess(signature) ? { item, signature: signature.success } : undefined
}

const listLevels = (type: unknown): number => (typeof type === "string" ? type.split("[", maxDepth + 1).length - 1 : 0)

/** Counts the types in a list of parameters, as far as it is well formed. */
const typesIn = (parameters: unknown, depth = 0): number => {
  if (!Array.isArray(parameters) || depth > maxDepth) return 0
  let types = 0
  for (const parameter of parameters as ReadonlyArray<unknown>) {
    if (!isObject(parameter)) continue
    types += 1 + listLevels(parameter["type"]) + typesIn(parameter["components"], depth + 1)
  }
  return types
}

const typesOf = (item: unknown): number => (isObject(item) ? 1 + typesIn(item["inputs"]) + typesIn(item["outputs"]) : 1)

/** A list of items that have not been read. */
export interface Counted {
  readonly list: ReadonlyArray<unknown>
  /** Number of types in all items, to which the time of reading is proportional. */
  readonly types: number
}

/**
 * Counts an ABI before it is read.
 *
 * **Errors**
 * - `InvalidAbi`: it is not an array, is too long, or has too many types.
 */
export const count = (value: unknown): Result.Result<Counted, InvalidAbi> => {
  const list: unknown = isObject(value) ? value["abi"] : value
  if (!Array.isArray(list)) return invalid("an array", Issue.describe(list))
  if (list.length > maxItems) return invalid(`at most ${maxItems} items`, String(list.length))
  let types = 0
  for (const item of list as ReadonlyArray<unknown>) {
    types += typesOf(item)
    if (types > maxTypes) return invalid(`at most ${maxTypes} items, parameters and levels of lists`, "more")
  }
  return Result.succeed({ list, types })
}

/** Reads the items of an ABI in steps. Items that cannot be decoded are skipped. */
export function* read({ list }: Counted): Steps.Steps<Abi> {
  const items: Array<Item> = []
  const signatures: Array<Signature.Signature> = []
  const errors: Array<Signature.Signature> = []
  for (const value of list) {
    const decodable = decodableFrom(value)
    if (decodable !== undefined) {
      const { item, signature } = decodable
      items.push(item)
      if (signature !== undefined) (item.type === "error" ? errors : signatures).push(signature)
    }
    yield undefined
  }
  return { items, signatures, errors }
}

/**
 * Reads an ABI from a JSON value. Items that cannot be decoded are skipped.
 *
 * **Errors**
 * - `InvalidAbi`: it is not an array, or is too large.
 */
export const fromJson = (value: unknown): Result.Result<Abi, InvalidAbi> =>
  Result.map(count(value), (counted) => Steps.runSync(read(counted)))

const jsonOf = (text: string): Result.Result<unknown, InvalidAbi> => {
  if (text.length > maxBytes) return invalid(`at most ${maxBytes} bytes`, String(text.length))
  const json = Json.parse(text.replace(/^\uFEFF/, ""))
  return json === undefined ? invalid("JSON", "other text") : Result.succeed(json)
}

/**
 * Reads an ABI from a text.
 *
 * **Errors**
 * - `InvalidAbi`: it is too large, not JSON, or not an ABI.
 */
export const fromText = (text: string): Result.Result<Abi, InvalidAbi> => Result.flatMap(jsonOf(text), fromJson)

/** Reads a stored ABI in steps; invalid text yields no items. */
export function* readStored(text: string): Steps.Steps<Abi> {
  const counted = Result.flatMap(jsonOf(text), count)
  return Result.isSuccess(counted) ? yield* read(counted.success) : empty
}

/** Returns the first items that fit into an ABI. */
export const firstItems = (items: Iterable<Item>): ReadonlyArray<Item> => {
  const first: Array<Item> = []
  let types = 0
  for (const item of items) {
    types += typesOf(item)
    if (first.length >= maxItems || types > maxTypes) break
    first.push(item)
  }
  return first
}
