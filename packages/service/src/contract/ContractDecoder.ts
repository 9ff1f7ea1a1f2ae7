/**
 * Decodes the transactions of one chain with the operator's knowledge of its contracts. Precedence: the contract's own ABI, the ABI of the
 * implementation that a proxy had at the block, built-in signatures, packs, and the signature directory. Rows without a known contract are
 * left as stored. Pure.
 *
 * Source: decision 0059.
 */
import * as Decoder from "@daybook/abi/Decoder"
import type * as Signature from "@daybook/abi/Signature"
import * as StandardErrors from "@daybook/abi/StandardErrors"
import { redecode } from "../projection/Redecode.ts"
import type { Contract } from "../store/Contracts.ts"
import type * as Steps from "../supervision/Steps.ts"
import * as ContractAbi from "./ContractAbi.ts"
import type { NamedFunction, SignatureDirectory } from "./SignatureDirectory.ts"

/** Decodes by the contracts of a chain. */
export interface ContractDecoder {
  /** Its ABIs, by text. */
  readonly abis: ReadonlyMap<string, DecodingAbi>
  /** Text of a block's transaction, decoded again if it concerns a known contract. */
  readonly decode: (body: string, block: number) => string
  /** True if a transaction's text concerns a known contract or a pack, so that decoding may change it. */
  readonly isConcerned: (body: string) => boolean
  /** Name of a contract by its address in lower case; `null` if unknown. */
  readonly nameOf: (address: string) => string | null
  /** Function of a contract by its selector, at the latest block; `null` if unknown. */
  readonly functionOf: (address: string, selector: string) => NamedFunction | null
  /**
   * Error with which a call to a contract ended, by its return data; `null` if unknown. Contracts also propagate errors of those that they
   * call, so standard errors and then the errors of all known contracts are tried after its own.
   */
  readonly error: (address: string, data: string) => Decoder.DecodedItemWire | null
}

/** An ABI with its signatures by key. */
export interface DecodingAbi extends ContractAbi.Abi {
  readonly calls: Decoder.SignatureSet
  readonly reverts: Decoder.SignatureSet
}

interface Known {
  readonly contract: Contract
  readonly abi: DecodingAbi
}

/** Keys and values in a transaction's text by which a row concerns a contract or a pack; inside a JSON string a quote is escaped. */
const marks = /"(?:to_address|address)":"(0x[0-9a-f]{40})"|"topic0":"(0x[0-9a-f]{64})"|"input":"(0x[0-9a-f]{8})/g

/** Adds the signatures by key to an ABI. */
export const decoding = (abi: ContractAbi.Abi): DecodingAbi => ({
  ...abi,
  calls: Decoder.fromSignatures(abi.signatures),
  reverts: Decoder.fromSignatures(abi.errors),
})

/** Greater than any block. */
const latest = Number.POSITIVE_INFINITY

const standard = Decoder.fromSignatures(StandardErrors.all)

/** The implementation of a proxy at a block. */
export const implementationAt = ({ implementations }: Contract, block: number): string | undefined =>
  implementations.findLast(({ from }) => from <= block)?.address

/** Number of signatures added in one step. */
const signaturesPerStep = 512

/**
 * Makes the decoder of a chain's contracts in steps. ABIs that were read before are reused.
 */
export function* make(
  contracts: ReadonlyArray<Contract>,
  builtIn: Decoder.SignatureSet,
  readBefore: ReadonlyMap<string, DecodingAbi> = new Map(),
  directory: SignatureDirectory | null = null,
): Steps.Steps<ContractDecoder> {
  const known = new Map<string, Known>()
  const abis = new Map<string, DecodingAbi>()
  const packs = Decoder.makeSet()
  const reverts = Decoder.makeSet()
  let added = 0
  const addTo = function* (set: Decoder.GrowingSet, signatures: ReadonlyArray<Signature.Signature>): Steps.Steps<void> {
    for (const signature of signatures) {
      set.add(signature)
      if (++added < signaturesPerStep) continue
      added = 0
      yield undefined
    }
  }
  for (const contract of contracts) {
    const abi =
      abis.get(contract.abi) ?? readBefore.get(contract.abi) ?? decoding(yield* ContractAbi.readStored(contract.abi))
    abis.set(contract.abi, abi)
    yield* addTo(reverts, abi.errors)
    if (contract.address === null) yield* addTo(packs, abi.signatures)
    else known.set(contract.address, { contract, abi })
  }
  return fromSets({ known, abis, packs, reverts, builtIn, directory })
}

/** Input of a decoder. */
interface Sets {
  readonly known: ReadonlyMap<string, Known>
  readonly abis: ReadonlyMap<string, DecodingAbi>
  /** Signatures of all packs. */
  readonly packs: Decoder.SignatureSet
  /** Errors of all ABIs. */
  readonly reverts: Decoder.SignatureSet
  readonly builtIn: Decoder.SignatureSet
  readonly directory: SignatureDirectory | null
}

/** True for a call stored without its decoded form. */
const isUndecodedCall = (body: string): boolean =>
  body.includes('"decoded_call":null') && /"input":"0x[0-9a-f]{8}/.test(body)

const fromSets = ({ abis, builtIn, directory, known, packs, reverts }: Sets): ContractDecoder => {
  /** True if an ABI, the contract's own or that of an implementation, decodes what concerns the contract; a name alone does not. */
  const isDecoded = (described: Known | undefined): boolean =>
    described !== undefined && (described.abi.signatures.length > 0 || described.contract.implementations.length > 0)

  const concerns = (body: string, isMeant: (described: Known | undefined) => boolean): boolean => {
    if (abis.size === 0) return false
    for (const [, address, topic, selector] of body.matchAll(marks)) {
      const isConcerned =
        address === undefined ? packs.candidates(topic ?? selector ?? "").length > 0 : isMeant(known.get(address))
      if (isConcerned) return true
    }
    return false
  }

  /** ABIs of a contract and of its implementation at a block. */
  const abisOf = (address: string, block: number): ReadonlyArray<DecodingAbi> => {
    const described = known.get(address)
    if (described === undefined) return []
    const implementation = known.get(implementationAt(described.contract, block) ?? "")
    return implementation === undefined ? [described.abi] : [described.abi, implementation.abi]
  }

  const callsOf = (address: string, block: number): Decoder.SignatureSet =>
    Decoder.inOrder([...abisOf(address, block).map(({ calls }) => calls), builtIn, packs])

  const revertsOf = (address: string): Decoder.SignatureSet =>
    Decoder.inOrder([...abisOf(address, latest).map((abi) => abi.reverts), standard, reverts])

  return {
    abis,
    isConcerned: (body) => concerns(body, (described) => described !== undefined),
    nameOf: (address) => known.get(address)?.contract.name ?? null,
    functionOf: (address, selector) =>
      callsOf(address, latest).functionOf(selector) ?? directory?.functionOf(selector) ?? null,
    error: (address, data) => revertsOf(address).call(data),
    decode: (body, block) =>
      !concerns(body, isDecoded) && (directory === null || !isUndecodedCall(body))
        ? body
        : redecode(body, {
            event: (log, address) => callsOf(address, block).event(log),
            call: (input, address) => callsOf(address, block).call(input) ?? directory?.call(input) ?? null,
          }),
  }
}
