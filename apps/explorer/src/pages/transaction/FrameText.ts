/**
 * The call of a frame as text: its function with arguments and results, decoded with an ABI or a signature, and the text of `console.log`.
 * Loaded on demand, once a trace is shown. Pure.
 */
import * as AbiReader from "@daybook/abi/AbiReader"
import * as AbiType from "@daybook/abi/AbiType"
import * as Signature from "@daybook/abi/Signature"
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import * as Result from "effect/Result"
import * as ValueTree from "./ValueTree.ts"

/** A decoded value, with its members if it is a list or a struct. */
export type Value = ValueTree.ValueTree

/** Maximum number of members shown per value: a trace has many values. */
const maxMembers = 40

/** A decoded call. */
export interface FrameText {
  readonly label: string
  readonly args: ReadonlyArray<Value>
  /** Undefined if unknown: for a call that failed, or a function without an ABI. */
  readonly results: ReadonlyArray<Value> | undefined
}

/** Address to which test frameworks send what a contract prints. */
export const consoleAddress: string = "0x000000000000000000636f6e736f6c652e6c6f67"

const printable = ["string", "uint256", "bool", "address"] as const

/** The parameter lists of up to four printable types. */
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

/** A parameter with its type, and its definition in the ABI. */
interface Typed {
  readonly name: string
  readonly abi: AbiType.AbiType
  readonly known?: AbiParameter
}

const textsOf = (
  members: ReadonlyArray<Typed>,
  data: string,
  from: number,
  trailing: AbiReader.Trailing = "anything",
): ReadonlyArray<string> | undefined => {
  const digits = AbiReader.digitsOf(data)
  const types = members.map(({ abi }) => abi)
  return (digits === null ? null : AbiReader.read(types, digits, from, trailing)) ?? undefined
}

const valuesOf = (members: ReadonlyArray<Typed>, data: string, from: number): ReadonlyArray<Value> | undefined =>
  textsOf(members, data, from)?.map((value, at) => {
    const { abi, known, name } = members[at]!
    return ValueTree.make({ name, type: abi.name, value }, known, maxMembers)
  })

const typedOf = (parameters: ReadonlyArray<AbiParameter>): ReadonlyArray<Typed> | undefined => {
  const types = Result.all(parameters.map((parameter) => AbiType.fromParameter(parameter)))
  if (Result.isFailure(types)) return undefined
  return parameters.map((known, at) => ({ name: known.name, abi: types.success[at]!, known }))
}

const ofSignature = ({ parameters }: Signature.Signature): ReadonlyArray<Typed> =>
  parameters.map(({ name, type }) => ({ name, abi: type }))

const selectorBytes = 4

/** The text that a console call prints; undefined for other calls. */
export const consoleText = (input: string): string | undefined => {
  const signature = signaturesOfConsole().get(input.slice(0, 10))
  if (signature === undefined) return undefined
  return textsOf(ofSignature(signature), input, selectorBytes)?.join(" ")
}

/** The ABI item of a called function. */
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
  const args = valuesOf(ofSignature(signature), input, selectorBytes)
  return args === undefined ? undefined : { label: signature.label, args, results: undefined }
}

/** Decodes a call with the ABIs of its contract, otherwise with its function signature; undefined if neither fits its data. */
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

/** Decoded constructor arguments. */
export interface Construction {
  readonly signature: string
  readonly params: ReadonlyArray<ValueTree.Param>
  readonly args: ReadonlyArray<Value>
}

/**
 * Decodes constructor arguments, which follow the creation code; undefined if the ABI does not determine where they start, or if the data
 * that follows does not match them exactly.
 */
export const decodeCreation = (abi: ReadonlyArray<AbiItem>, input: string): Construction | undefined => {
  const item = abi.find(({ type }) => type === "constructor")
  const members = item === undefined ? undefined : typedOf(item.inputs)
  if (item?.codeBytes === undefined || members === undefined || input.length < 2 + 2 * item.codeBytes) return undefined
  const data = `0x${input.slice(2 + 2 * item.codeBytes)}`
  const texts = textsOf(members, data, 0, "nothing")
  if (texts === undefined) return undefined
  const params = members.map(({ abi: type, name }, at) => ({ name, type: type.name, value: texts[at] ?? "" }))
  return {
    signature: `constructor(${params.map(({ type }) => type).join(",")})`,
    params,
    args: params.map((param, at) => ValueTree.make(param, item.inputs[at], maxMembers)),
  }
}
