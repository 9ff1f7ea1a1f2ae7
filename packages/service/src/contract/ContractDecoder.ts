/**
 * Decodes the transactions of one chain by what the operator knows of its contracts. Precedence: the contract's own ABI, that of the
 * implementation which a proxy had at the block, packs, and the built-in signatures. Rows that concern no known contract are left as
 * they are stored. Pure.
 *
 * Source: decision 0059.
 */
import * as Result from "effect/Result"
import {
  type DecodedItemWire,
  type Decoder,
  fromSignatures,
  type NamedFunction,
  type SignatureSet,
} from "../decode/Decoder.ts"
import * as StandardErrors from "../decode/StandardErrors.ts"
import { redecode } from "../decode/Redecode.ts"
import type { Signature } from "../decode/Signature.ts"
import type { Contract } from "../store/Contracts.ts"
import * as ContractAbi from "./ContractAbi.ts"

/** Decodes by the contracts of a chain. */
export interface ContractDecoder {
  /** What was read of its ABIs, by their texts. */
  readonly parts: ReadonlyMap<string, Parts>
  /** The text of a transaction of a block, decoded anew where it concerns a known contract. */
  readonly decode: (body: string, block: number) => string
  /** True where the text of a transaction concerns a known contract or a pack: what decodes it may change. */
  readonly isConcerned: (body: string) => boolean
  /** Name of a contract, by its address in lower case; `null` where it is not known. */
  readonly nameOf: (address: string) => string | null
  /** Function of a contract by its selector, at the latest block; `null` where it is not known. */
  readonly functionOf: (address: string, selector: string) => NamedFunction | null
  /**
   * Error that a call of a contract ended with, by the data that it returned; `null` where it is not known. A contract also passes on
   * errors of those that it calls, so those of all known contracts are tried after its own.
   */
  readonly error: (address: string, data: string) => DecodedItemWire | null
}

/** What is read of an ABI. */
interface Parts {
  readonly signatures: ReadonlyArray<Signature>
  readonly errors: ReadonlyArray<Signature>
  readonly own: SignatureSet
  readonly ownErrors: SignatureSet
}

interface Known extends Parts {
  readonly contract: Contract
}

/** Keys and values of a transaction's text by which a row concerns a contract or a pack; inside a JSON text a quote is escaped. */
const marks = /"(?:to_address|address)":"(0x[0-9a-f]{40})"|"topic0":"(0x[0-9a-f]{64})"|"input":"(0x[0-9a-f]{8})/g

const partsOf = (abi: string): Parts => {
  const items = Result.getOrElse(ContractAbi.fromText(abi), () => [])
  const [signatures, errors] = [ContractAbi.signaturesOf(items), ContractAbi.errorsOf(items)]
  return { signatures, errors, own: fromSignatures(signatures), ownErrors: fromSignatures(errors) }
}

/** Above every block. */
const latest = Number.POSITIVE_INFINITY

const standard = fromSignatures(StandardErrors.all)

/** The implementation of a proxy at a block. */
export const implementationAt = ({ implementations }: Contract, block: number): string | undefined =>
  implementations.findLast(({ from }) => from <= block)?.address

/** Makes the decoder of a chain's contracts. ABIs of the one before it are not read again. */
export const make = (
  contracts: ReadonlyArray<Contract>,
  builtIn: Decoder,
  before?: Pick<ContractDecoder, "parts">,
): ContractDecoder => {
  const known = new Map<string, Known>()
  const read = new Map<string, Parts>()
  const packed: Array<Signature> = []
  const allErrors: Array<Signature> = []
  for (const contract of contracts) {
    const { abi, address } = contract
    const parts = read.get(abi) ?? before?.parts.get(abi) ?? partsOf(abi)
    read.set(abi, parts)
    for (const error of parts.errors) allErrors.push(error)
    if (address !== null) known.set(address, { contract, ...parts })
    else for (const signature of parts.signatures) packed.push(signature)
  }
  const anyError = fromSignatures(allErrors)
  const pack = fromSignatures(packed)
  const packKeys = new Set(packed.map(({ key }) => key))

  /** Whether an ABI decodes what concerns a contract, its own or that of an implementation; a name alone decodes nothing. */
  const isDecoded = (found: Known | undefined): boolean =>
    found !== undefined && (found.signatures.length > 0 || found.contract.implementations.length > 0)

  const concerns = (body: string, isMeant: (found: Known | undefined) => boolean): boolean => {
    if (contracts.length === 0) return false
    for (const [, address, topic, selector] of body.matchAll(marks)) {
      if (address === undefined ? packKeys.has(topic ?? selector ?? "") : isMeant(known.get(address))) return true
    }
    return false
  }

  /** What is known of a contract and its implementation at a block. */
  const behind = (address: string, block: number): ReadonlyArray<Known> => {
    const found = known.get(address)
    if (found === undefined) return []
    const implementation = known.get(implementationAt(found.contract, block) ?? "")
    return implementation === undefined ? [found] : [found, implementation]
  }

  const setsOf = (address: string, block: number): ReadonlyArray<SignatureSet> => [
    ...behind(address, block).map(({ own }) => own),
    pack,
    builtIn,
  ]

  const firstIn = <A>(sets: ReadonlyArray<SignatureSet>, decode: (set: SignatureSet) => A | null): A | null => {
    for (const set of sets) {
      const item = decode(set)
      if (item !== null) return item
    }
    return null
  }

  const first = (
    address: string,
    block: number,
    decode: (set: SignatureSet) => DecodedItemWire | null,
  ): DecodedItemWire | null => firstIn(setsOf(address, block), decode)

  return {
    parts: read,
    isConcerned: (body) => concerns(body, (found) => found !== undefined),
    nameOf: (address) => known.get(address)?.contract.name ?? null,
    functionOf: (address, selector) => firstIn(setsOf(address, latest), (set) => set.functionOf(selector)),
    error: (address, data) =>
      firstIn([...behind(address, latest).map(({ ownErrors }) => ownErrors), anyError, standard], (set) =>
        set.call(data),
      ),
    decode: (body, block) =>
      !concerns(body, isDecoded)
        ? body
        : redecode(body, {
            event: (log, address) => first(address, block, (set) => set.event(log)),
            call: (input, address) => first(address, block, (set) => set.call(input)),
          }),
  }
}
