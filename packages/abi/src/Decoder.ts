/**
 * Decodes the topics and data of a log, or the input of a call, by known signatures. Pure and total: any bytes yield an item or `null`,
 * within time and memory bounded by their length. Knows no chain and fetches no ABI.
 *
 * Source: docs/interface.md#2.4.
 */
import * as AbiReader from "./AbiReader.ts"
import * as Signature from "./Signature.ts"
import { keccak256 } from "./internal/Keccak.ts"

/**
 * A decoded parameter on the wire.
 */
export interface DecodedParamWire {
  /** Declared name; empty if there is none. */
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
 * Decodes by a fixed set of signatures.
 */
export interface SignatureSet {
  /** Signatures that share a selector or topic, in lower case, in the order in which they are tried. */
  readonly candidates: (key: string) => ReadonlyArray<Signature.Signature>
  /** Function of a selector, the first one if there are several; `null` if none is known. */
  readonly functionOf: (selector: string) => NamedFunction | null
  /** Event of a log; `null` when no known signature matches its topics and data exactly. */
  readonly event: (log: LogData) => DecodedItemWire | null
  /**
   * Call of a transaction's input; `null` when no known signature matches. Trailing bytes are accepted. Not for contract creations, whose
   * input is code.
   */
  readonly call: (input: string) => DecodedItemWire | null
}

/**
 * A set of signatures identified by a number.
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

const decodeEvent = (signature: Signature.Signature, topics: ReadonlyArray<string>, digits: string) => {
  if (signature.indexedCount !== topics.length - 1) return null
  const inData = AbiReader.read(signature.members, digits, 0, "nothing")
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

const decodeCall = (signature: Signature.Signature, digits: string) => {
  const values = AbiReader.read(signature.members, digits, 4, "anything")
  return values && item(signature, values)
}

/** Reads data by the first signature that matches. The hex is validated once for all of them. */
const decodeFirst = (
  candidates: ReadonlyArray<Signature.Signature>,
  data: string,
  decode: (signature: Signature.Signature, digits: string) => DecodedItemWire | null,
): DecodedItemWire | null => {
  if (candidates.length === 0) return null
  const digits = AbiReader.digitsOf(data)
  if (digits === null) return null
  for (const signature of candidates) {
    const decoded = decode(signature, digits)
    if (decoded !== null) return decoded
  }
  return null
}

const revisionOf = ({ candidates, keys }: GrowingSet): number => {
  const lines = [...keys()].sort().flatMap((key) => candidates(key).map(Signature.toText))
  const hash = keccak256([`codec ${codecVersion}`, ...lines].join("\n"))
  return Number.parseInt(hash.slice(2, 10), 16) >>> 1
}

/** Maximum number of signatures tried per selector or topic; more would multiply the time of each row. */
const maxCandidates = 8

/** True if two signatures with the same selector or topic match the same data: at most their parameter names differ. */
const isEquivalent = (one: Signature.Signature, other: Signature.Signature): boolean =>
  one.canonical === other.canonical &&
  // Sound: a canonical text has the types of all parameters.
  one.parameters.every(({ indexed }, index) => indexed === other.parameters[index]!.indexed)

/** Adds a signature to those that share its selector or topic, unless it matches no additional data. */
const addCandidate = (candidates: Array<Signature.Signature>, signature: Signature.Signature): void => {
  if (candidates.length >= maxCandidates) return
  if (!candidates.some((candidate) => isEquivalent(candidate, signature))) candidates.push(signature)
}

const setFrom = (candidates: SignatureSet["candidates"]): SignatureSet => ({
  candidates,
  functionOf: (selector) => {
    const named = candidates(selector.toLowerCase()).find(({ kind }) => kind === "function")
    return named === undefined ? null : { label: named.label, signature: named.canonical }
  },
  event: (log) => {
    const topics = log.topics.map((topic) => topic.toLowerCase())
    return decodeFirst(candidates(topics[0] ?? ""), log.data, (signature, digits) =>
      decodeEvent(signature, topics, digits),
    )
  },
  call: (input) => decodeFirst(candidates(input.slice(0, 10).toLowerCase()), input, decodeCall),
})

/** A set to which signatures can be added. */
export interface GrowingSet extends SignatureSet {
  readonly add: (signature: Signature.Signature) => void
  /** Topics and selectors of its signatures. */
  readonly keys: () => Iterable<string>
}

const noCandidates: ReadonlyArray<Signature.Signature> = []

/** Makes an empty set. Of several signatures that match the same data, the first one added is kept. */
export const makeSet = (): GrowingSet => {
  const table = new Map<string, Array<Signature.Signature>>()
  return {
    ...setFrom((key) => table.get(key) ?? noCandidates),
    add: (signature) => {
      const candidates = table.get(signature.key)
      if (candidates === undefined) table.set(signature.key, [signature])
      else addCandidate(candidates, signature)
    },
    keys: () => table.keys(),
  }
}

/** Makes a set from signatures; those that share a selector or topic are tried in order. */
export const fromSignatures = (signatures: Iterable<Signature.Signature>): GrowingSet => {
  const set = makeSet()
  for (const signature of signatures) set.add(signature)
  return set
}

/** Combines several sets; the signatures of the first one are tried first. */
export const inOrder = (sets: ReadonlyArray<SignatureSet>): SignatureSet =>
  setFrom((key) => {
    const candidates: Array<Signature.Signature> = []
    for (const set of sets) for (const signature of set.candidates(key)) addCandidate(candidates, signature)
    return candidates
  })

/**
 * Makes a decoder of signatures. Those that share a selector or a topic are tried in order, and the first match wins.
 *
 * Source: decision 0015.
 */
export const make = (signatures: Iterable<Signature.Signature>): Decoder => {
  const set = fromSignatures(signatures)
  return { ...set, revision: revisionOf(set) }
}
