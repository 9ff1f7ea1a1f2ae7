/**
 * Decodes the topics and data of a log, and the input of a call, by known signatures. Pure and total: any bytes give an item or
 * `null`, within time and memory bounded by their length. Knows no chain and fetches no ABI.
 *
 * Source: docs/interface.md#2.4.
 */
import * as Result from "effect/Result"
import * as Hash from "ox/Hash"
import * as Hex from "ox/Hex"
import * as AbiReader from "./AbiReader.ts"
import * as Signature from "./Signature.ts"
import { signatures } from "./BuiltInSignatures.ts"

/**
 * A decoded parameter on the wire.
 */
export interface DecodedParamWire {
  /** Declared name, empty where there is none. */
  readonly name: string
  /** Text of the value. */
  readonly value: string
  /** Canonical type; a tuple is its types in parentheses. */
  readonly type: string
}

/**
 * A decoded event or call on the wire, with keys in the order of the interface.
 *
 * Source: docs/interface.md#2.4.
 */
export interface DecodedItemWire {
  /** Canonical signature: `Transfer(address,address,uint256)`. */
  readonly signature: string
  /** Short name: `Transfer`. */
  readonly label: string
  readonly type: "event" | "function"
  readonly params: ReadonlyArray<DecodedParamWire>
}

/**
 * Topics of a log in order, without unused ones, and its data, as `0x` hex in any case.
 */
export interface LogData {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/**
 * A function by its names.
 */
export interface NamedFunction {
  /** Short name: `transfer`. */
  readonly label: string
  /** Canonical signature: `transfer(address,uint256)`. */
  readonly signature: string
}

/**
 * What decodes by a fixed set of signatures.
 */
export interface SignatureSet {
  /** Function of a selector, the first one of several; `null` where none is known. */
  readonly functionOf: (selector: string) => NamedFunction | null
  /** Event of a log; `null` when no known signature matches its topics and data exactly. */
  readonly event: (log: LogData) => DecodedItemWire | null
  /**
   * Call of a transaction's input; `null` when no known signature matches. Trailing bytes are accepted.
   * Not for creations, whose input is code.
   */
  readonly call: (input: string) => DecodedItemWire | null
}

/**
 * A decoder for the built-in signatures and others.
 */
export interface Decoder extends SignatureSet {
  /** Identifies the signatures and text rules: 31 bits, equal for equal sets. Stored with each decoded row. */
  readonly revision: number
}

/** Increased when the text of values changes for unchanged signatures, so that older rows are decoded again. */
const codecVersion = 1

const item = (signature: Signature.Signature, values: ReadonlyArray<string>): DecodedItemWire => ({
  signature: signature.canonical,
  label: signature.label,
  type: signature.kind,
  params: signature.parameters.map(({ name, type }, index) => ({ name, value: values[index] ?? "", type: type.name })),
})

const eventBy = (signature: Signature.Signature, topics: ReadonlyArray<string>, data: string) => {
  if (signature.indexedCount !== topics.length - 1) return null
  const inData = AbiReader.read(signature.members, data, 0, "nothing")
  if (inData === null) return null
  const values: Array<string> = []
  let topicIndex = 1
  let dataIndex = 0
  for (const { indexed, type } of signature.parameters) {
    const value = indexed ? AbiReader.readTopic(type, topics[topicIndex++] ?? "") : (inData[dataIndex++] ?? null)
    if (value === null) return null
    values.push(value)
  }
  return item(signature, values)
}

const callBy = (signature: Signature.Signature, input: string) => {
  const values = AbiReader.read(signature.members, input, 4, "anything")
  return values && item(signature, values)
}

const firstOf = (
  candidates: ReadonlyArray<Signature.Signature> | undefined,
  decode: (signature: Signature.Signature) => DecodedItemWire | null,
): DecodedItemWire | null => {
  for (const signature of candidates ?? []) {
    const decoded = decode(signature)
    if (decoded !== null) return decoded
  }
  return null
}

const revisionOf = (table: ReadonlyMap<string, ReadonlyArray<Signature.Signature>>): number => {
  const keys = [...table.keys()].sort()
  const lines = keys.flatMap((key) => (table.get(key) ?? []).map(Signature.toText))
  const hash = Hash.keccak256(Hex.fromString([`codec ${codecVersion}`, ...lines].join("\n")))
  return Number.parseInt(hash.slice(2, 10), 16) >>> 1
}

let parsed: ReadonlyArray<Signature.Signature> | undefined

const builtIn = (): ReadonlyArray<Signature.Signature> =>
  (parsed ??= signatures.map((text) => Result.getOrThrow(Signature.fromText(text))))

const tableOf = (signatures: ReadonlyArray<Signature.Signature>) => {
  const table = new Map<string, Array<Signature.Signature>>()
  for (const signature of signatures) {
    const others = table.get(signature.key)
    if (others === undefined) table.set(signature.key, [signature])
    else others.push(signature)
  }
  return table
}

const setOf = (table: ReadonlyMap<string, ReadonlyArray<Signature.Signature>>): SignatureSet => ({
  functionOf: (selector) => {
    const found = table.get(selector.toLowerCase())?.find(({ kind }) => kind === "function")
    return found === undefined ? null : { label: found.label, signature: found.canonical }
  },
  event: (log) => {
    const topics = log.topics.map((topic) => topic.toLowerCase())
    const candidates = table.get(topics[0] ?? "")
    if (candidates === undefined) return null
    const data = log.data.toLowerCase()
    return firstOf(candidates, (signature) => eventBy(signature, topics, data))
  },
  call: (input) => {
    const candidates = table.get(input.slice(0, 10).toLowerCase())
    if (candidates === undefined) return null
    const lower = input.toLowerCase()
    return firstOf(candidates, (signature) => callBy(signature, lower))
  },
})

/** Decodes by these signatures alone, without the built-in ones; those that share a selector or a topic are tried in order. */
export const fromSignatures = (signatures: ReadonlyArray<Signature.Signature>): SignatureSet =>
  setOf(tableOf(signatures))

/**
 * Makes a decoder of the built-in signatures and the given ones.
 *
 * **Details**
 * Signatures that share a selector or a topic are tried in order, the given ones first, and the first match wins. A given signature
 * thus replaces the parameter names of a built-in one.
 *
 * Source: decision 0015.
 */
export const make = (extraSignatures: ReadonlyArray<Signature.Signature> = []): Decoder => {
  const table = tableOf([...extraSignatures, ...builtIn()])
  return { revision: revisionOf(table), ...setOf(table) }
}
