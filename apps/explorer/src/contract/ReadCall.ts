/** Calls of a contract that read: arguments from texts, and results as texts. Pure. */
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import * as AbiFunction from "ox/AbiFunction"

/** A text is no value of its type; the message states what is. */
export class InvalidArgument extends Error {
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

/** A list is written in JSON; numbers in it may be texts, so that large ones stay exact. */
const parse = (parameter: AbiParameter, text: string): unknown => {
  if (!/\]$|^tuple$/.test(parameter.type)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(parameter, "a list in JSON")
  }
}

/** Encodes a call. Throws where an argument is no value of its type. */
export const encode = (item: AbiItem, texts: ReadonlyArray<string>): `0x${string}` => {
  const args = item.inputs.map((input, at) => valueOf(input, parse(input, texts[at] ?? "")))
  // Sound: ox types the arguments of literal ABIs only, and checks these values.
  return AbiFunction.encodeData(abiOf(item), args as never)
}

const abiOf = ({ inputs, name, outputs = [] }: AbiItem): AbiFunction.AbiFunction =>
  // Sound: the service gives items of ABIs.
  ({ type: "function", name, inputs, outputs, stateMutability: "view" }) as never

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one))
    : String(value)

/** The results of a call as texts, one for each output. Throws where the bytes are no result of the function. */
export const decode = (item: AbiItem, data: `0x${string}`): ReadonlyArray<string> => {
  const { outputs = [] } = item
  if (outputs.length === 0) return []
  // Sound: ox types the results of literal ABIs only.
  const result: unknown = AbiFunction.decodeResult(abiOf(item), data, { as: "Array" } as never)
  const values: ReadonlyArray<unknown> = outputs.length > 1 && Array.isArray(result) ? result : [result]
  return values.map(textOf)
}
