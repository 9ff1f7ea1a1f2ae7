/**
 * The call of a frame in words: its function with arguments and results, by an ABI or by a signature, and the text of `console.log`. It
 * decodes ABI data, and is loaded once a trace is shown. Pure.
 */
import * as AbiReader from "@daybook/abi/AbiReader"
import * as AbiType from "@daybook/abi/AbiType"
import * as Signature from "@daybook/abi/Signature"
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import * as Result from "effect/Result"

/** A value with what is known of it. */
export interface Value {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** A call by its function. */
export interface FrameText {
  readonly label: string
  readonly args: ReadonlyArray<Value>
  /** Undefined where they are not known: of a call that failed, or of a function without an ABI. */
  readonly results: ReadonlyArray<Value> | undefined
}

/** Where compilers for tests send what a contract prints. */
export const consoleAddress: string = "0x000000000000000000636f6e736f6c652e6c6f67"

const printable = ["string", "uint256", "bool", "address"] as const

/** The lists of up to four printable types. */
const overloads = (): ReadonlyArray<string> => {
  let lists: ReadonlyArray<string> = [""]
  const all: Array<string> = ["int256", "bytes"]
  for (let length = 1; length <= 4; length++) {
    lists = lists.flatMap((list) => printable.map((type) => (list === "" ? type : `${list},${type}`)))
    all.push(...lists)
  }
  return all
}

let consoleSignatures: ReadonlyMap<string, Signature.Signature> | undefined

const signaturesOfConsole = (): ReadonlyMap<string, Signature.Signature> =>
  (consoleSignatures ??= new Map(
    overloads().flatMap((types) => {
      const signature = Result.getOrUndefined(Signature.fromText(`function log(${types})`))
      return signature === undefined ? [] : [[signature.key, signature] as const]
    }),
  ))

interface Typed {
  readonly name: string
  readonly type: string
  readonly abi: AbiType.AbiType
}

const valuesOf = (members: ReadonlyArray<Typed>, data: string, from: number): ReadonlyArray<Value> | undefined => {
  const digits = AbiReader.digitsOf(data)
  const types = members.map(({ abi }) => abi)
  const texts = digits === null ? null : AbiReader.read(types, digits, from, "anything")
  if (texts === null) return undefined
  return members.map(({ name, type }, at) => ({ name, type, text: texts[at] ?? "" }))
}

const typedOf = (parameters: ReadonlyArray<AbiParameter>): ReadonlyArray<Typed> | undefined => {
  const types = Result.all(parameters.map((parameter) => AbiType.fromParameter(parameter)))
  if (Result.isFailure(types)) return undefined
  return parameters.map(({ name, type }, at) => ({ name, type, abi: types.success[at]! }))
}

/** The text that a call of the console prints; undefined for another call. */
export const consoleText = (input: string): string | undefined => {
  const signature = signaturesOfConsole().get(input.slice(0, 10))
  if (signature === undefined) return undefined
  const members = signature.parameters.map(({ name, type }) => ({ name, type: type.name, abi: type }))
  return valuesOf(members, input, 4)
    ?.map(({ text }) => text)
    .join(" ")
}

const selectorBytes = 4

/** The item of an ABI that a call names. */
const itemFor = (abi: ReadonlyArray<AbiItem>, selector: string): AbiItem | undefined =>
  abi.find((item) => item.type === "function" && Result.getOrUndefined(Signature.fromItem(item))?.key === selector)

interface Call {
  readonly input: string
  readonly output: string | null | undefined
  readonly isFailed: boolean
}

const byItem = ({ inputs, name, outputs = [] }: AbiItem, { input, isFailed, output }: Call): FrameText | undefined => {
  const [own, returned] = [typedOf(inputs), typedOf(outputs)]
  const args = own === undefined ? undefined : valuesOf(own, input, selectorBytes)
  if (args === undefined) return undefined
  const results = isFailed || returned === undefined ? undefined : valuesOf(returned, output ?? "0x", 0)
  return { label: name, args, results }
}

const bySignature = (text: string, { input }: Call): FrameText | undefined => {
  const signature = Result.getOrUndefined(Signature.fromText(`function ${text}`))
  if (signature === undefined || signature.key !== input.slice(0, 10)) return undefined
  const members = signature.parameters.map(({ name, type }) => ({ name, type: type.name, abi: type }))
  const args = valuesOf(members, input, selectorBytes)
  return args === undefined ? undefined : { label: signature.label, args, results: undefined }
}

/** Decodes a call by the ABIs of its contract, else by the signature of its function; undefined where neither fits its data. */
export const decode = (
  abis: ReadonlyArray<ReadonlyArray<AbiItem>>,
  signature: string | undefined,
  call: Call,
): FrameText | undefined => {
  for (const abi of abis) {
    const item = itemFor(abi, call.input.slice(0, 10))
    const found = item === undefined ? undefined : byItem(item, call)
    if (found !== undefined) return found
  }
  return signature === undefined ? undefined : bySignature(signature, call)
}
