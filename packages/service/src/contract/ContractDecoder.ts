/**
 * Decodes the transactions of one chain by what the operator knows of its contracts. Precedence: the contract's own ABI, that of the
 * implementation which a proxy had at the block, packs, and the built-in signatures. Rows that concern no known contract are left as
 * they are stored. Pure.
 *
 * Source: decision 0059.
 */
import * as Result from "effect/Result"
import { type DecodedItemWire, type Decoder, fromSignatures, type SignatureSet } from "../decode/Decoder.ts"
import { redecode } from "../decode/Redecode.ts"
import type { Signature } from "../decode/Signature.ts"
import type { Contract } from "../store/Contracts.ts"
import * as ContractAbi from "./ContractAbi.ts"

/** Decodes by the contracts of a chain. */
export interface ContractDecoder {
  /** The text of a transaction of a block, decoded anew where it concerns a known contract. */
  readonly decode: (body: string, block: number) => string
  /** Name of a contract, by its address in lower case; `null` where it is not known. */
  readonly nameOf: (address: string) => string | null
}

interface Known {
  readonly contract: Contract
  readonly own: SignatureSet
}

/** Keys and values of a transaction's text by which a row concerns a contract or a pack; inside a JSON text a quote is escaped. */
const marks = /"(?:to_address|address)":"(0x[0-9a-f]{40})"|"topic0":"(0x[0-9a-f]{64})"|"input":"(0x[0-9a-f]{8})/g

const signaturesOf = ({ abi }: Contract): ReadonlyArray<Signature> => {
  const items = ContractAbi.fromText(abi)
  return Result.isSuccess(items) ? ContractAbi.signaturesOf(items.success) : []
}

/** The implementation of a proxy at a block. */
export const implementationAt = ({ implementations }: Contract, block: number): string | undefined =>
  implementations.findLast(({ from }) => from <= block)?.address

/** Makes the decoder of a chain's contracts. */
export const make = (contracts: ReadonlyArray<Contract>, builtIn: Decoder): ContractDecoder => {
  const known = new Map<string, Known>()
  const packed: Array<Signature> = []
  for (const contract of contracts) {
    const signatures = signaturesOf(contract)
    if (contract.address === null) packed.push(...signatures)
    else known.set(contract.address, { contract, own: fromSignatures(signatures) })
  }
  const pack = fromSignatures(packed)
  const packKeys = new Set(packed.map(({ key }) => key))

  const isConcerned = (body: string): boolean => {
    for (const [, address, topic, selector] of body.matchAll(marks)) {
      if (address === undefined ? packKeys.has(topic ?? selector ?? "") : known.has(address)) return true
    }
    return false
  }

  const setsOf = (address: string, block: number): ReadonlyArray<SignatureSet> => {
    const found = known.get(address)
    if (found === undefined) return [pack, builtIn]
    const implementation = known.get(implementationAt(found.contract, block) ?? "")
    return [found.own, ...(implementation === undefined ? [] : [implementation.own]), pack, builtIn]
  }

  const first = (
    address: string,
    block: number,
    decode: (set: SignatureSet) => DecodedItemWire | null,
  ): DecodedItemWire | null => {
    for (const set of setsOf(address, block)) {
      const item = decode(set)
      if (item !== null) return item
    }
    return null
  }

  return {
    nameOf: (address) => known.get(address)?.contract.name ?? null,
    decode: (body, block) =>
      contracts.length === 0 || !isConcerned(body)
        ? body
        : redecode(body, {
            event: (log, address) => first(address, block, (set) => set.event(log)),
            call: (input, address) => first(address, block, (set) => set.call(input)),
          }),
  }
}
