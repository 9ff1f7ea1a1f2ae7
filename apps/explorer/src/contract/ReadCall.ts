/** Read calls to a contract: arguments parsed from text, and results as text. Pure. */
import * as AbiReader from "@daybook/abi/AbiReader"
import * as AbiType from "@daybook/abi/AbiType"
import * as Signature from "@daybook/abi/Signature"
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import * as Result from "effect/Result"
import * as AbiParameters from "ox/AbiParameters"

/** A text is not a value of its type; the message states what is expected. */
class InvalidArgument extends Error {
  override readonly name = "InvalidArgument"
}

const invalid = ({ name, type }: AbiParameter, expected: string): InvalidArgument =>
  new InvalidArgument(`Invalid argument "${name === "" ? type : name}": expected ${expected}.`)

const valueOf = (parameter: AbiParameter, given: unknown): unknown => {
  const { components = [], type } = parameter
  const element = /^(?<type>.*)\[\d*\]$/.exec(type)?.groups?.["type"]
  if (element !== undefined) {
    if (!Array.isArray(given)) throw invalid(parameter, "a list in JSON")
    return given.map((one: unknown) => valueOf({ ...parameter, type: element }, one))
  }
  if (type === "tuple") {
    if (!Array.isArray(given) || given.length !== components.length) {
      throw invalid(parameter, `a list of ${components.length} values in JSON`)
    }
    return components.map((component, at) => valueOf(component, given[at]))
  }
  const text = String(given).trim()
  if (/^u?int\d*$/.test(type)) {
    if (!/^-?(?:\d+|0x[0-9a-f]+)$/i.test(text) || text.startsWith("-0x")) throw invalid(parameter, "a whole number")
    return BigInt(text)
  }
  if (type === "bool") {
    if (text !== "true" && text !== "false") throw invalid(parameter, "true or false")
    return text === "true"
  }
  return type === "string" ? String(given) : text
}

/** Lists are written as JSON; numbers in them may be strings, so that large ones stay exact. */
const parse = (parameter: AbiParameter, text: string): unknown => {
  if (!/\]$|^tuple$/.test(parameter.type)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(parameter, "a list in JSON")
  }
}

/** Encodes a call. Throws if an argument is not a value of its type. */
export const encode = (item: AbiItem, texts: ReadonlyArray<string>): `0x${string}` => {
  const values = item.inputs.map((input, at) => valueOf(input, parse(input, texts[at] ?? "")))
  const { key } = Result.getOrThrow(Signature.fromItem(item))
  // Sound: a selector is hex.
  return `${key as `0x${string}`}${AbiParameters.encode(item.inputs, values).slice(2)}`
}

/** A result is not an exact encoding of the function's outputs. */
class InvalidResult extends Error {
  override readonly name = "InvalidResult"
  override readonly message = "Invalid result: expected what the ABI states, received other data."
}

/** The results of a call as texts, one per output. Throws if the bytes are not a result of the function. */
export const decode = ({ outputs = [] }: AbiItem, data: string): ReadonlyArray<string> => {
  const types = Result.getOrThrow(Result.all(outputs.map((output) => AbiType.fromParameter(output))))
  const digits = AbiReader.digitsOf(data)
  const texts = digits === null ? null : AbiReader.read(types, digits, 0, "anything")
  if (texts === null) throw new InvalidResult()
  return texts
}
