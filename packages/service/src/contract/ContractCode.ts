/**
 * Recognises the code of a contract by the artifacts of a project. What differs from one deployment to the next is not compared: the metadata
 * behind the code, immutables, addresses of libraries, and the address that a library has of itself. Pure.
 *
 * Source: Solidity documentation: contract metadata, immutables, call protection for libraries; decision 0059.
 */
import { createHash } from "node:crypto"
import type * as ContractAbi from "./ContractAbi.ts"

/** A range of bytes. */
interface Range {
  readonly start: number
  readonly length: number
}

/** What is compared of the deployed code of an artifact. */
export interface CodePattern {
  /** Bytes of the code without its metadata. */
  readonly bytes: number
  /** Bytes that differ from one deployment to the next. */
  readonly masked: ReadonlyArray<Range>
  /** Hash of the code without its metadata, with zeros in place of the masked bytes. */
  readonly digest: string
}

/** The code of a contract with its name and ABI. */
export interface KnownCode {
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
  readonly pattern: CodePattern
}

/** Finds the contract that has a code, given as hex. */
export type Find = (code: string) => KnownCode | undefined

/** Longest code that is compared, in bytes: nodes of development permit more than the 24,576 of EIP-170. */
const maxBytes = 131_072
/** A shorter code is that of a proxy or a stub, which several contracts have. */
const minBytes = 16
const maxRanges = 4_096

/** Digits of hex text in lower case; undefined for another text, or one that is too long. */
const digitsOf = (text: string): string | undefined => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  return digits.length <= 2 * maxBytes && digits.length % 2 === 0 && /^[0-9a-f]*$/.test(digits) ? digits : undefined
}

/** The code without the metadata behind it: a map in CBOR with keys that are texts, and its length in two bytes. */
const withoutMetadata = (digits: string): string => {
  const start = digits.length - 2 * (Number.parseInt(digits.slice(-4), 16) + 2)
  return start > 0 && /^a[1-4]6[0-9a-f]/.test(digits.slice(start, start + 4)) ? digits.slice(0, start) : digits
}

/** Ranges of an address in place of which an artifact has the name of a library: `__$` and a hash, earlier `__` and the name. */
const linkRanges = (text: string): ReadonlyArray<Range> =>
  Array.from(text.matchAll(/__.{38}/g), ({ index }) => ({ start: index / 2, length: 20 }))

/** An instruction that pushes a word of zeros, where an immutable is written: a compiler pushes a zero in fewer bytes. */
const zeroWord = `7f${"0".repeat(64)}`

/** How the code of a library begins, with its own address in place of the zeros once it is deployed. */
const libraryStart = `73${"0".repeat(40)}30`

const zeroRanges = (digits: string): ReadonlyArray<Range> => {
  const found: Array<Range> = digits.startsWith(libraryStart) ? [{ start: 1, length: 20 }] : []
  for (let at = digits.indexOf(zeroWord); at >= 0; at = digits.indexOf(zeroWord, at + 1)) {
    if (at % 2 === 0) found.push({ start: at / 2 + 1, length: 32 })
  }
  return found
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Ranges of immutables, as an artifact has them by the id of each. */
const immutableRanges = (references: unknown): ReadonlyArray<Range> =>
  Object.values(fieldsOf(references))
    .flat()
    .map(fieldsOf)
    .flatMap(({ length, start }) => (isCount(start) && isCount(length) ? [{ start, length }] : []))

const digest = (digits: string, masked: ReadonlyArray<Range>): string => {
  const bytes = Buffer.from(digits, "hex")
  for (const { length, start } of masked)
    bytes.fill(0, Math.min(start, bytes.length), Math.min(start + length, bytes.length))
  return createHash("sha256").update(bytes).digest("base64")
}

/** The pattern of the deployed code of an artifact of Foundry or Hardhat; undefined where it has none, as of an interface. */
export const fromArtifact = (artifact: unknown): CodePattern | undefined => {
  const { deployedBytecode: deployed, immutableReferences } = fieldsOf(artifact)
  const text = typeof deployed === "string" ? deployed : fieldsOf(deployed)["object"]
  if (typeof text !== "string") return undefined
  const body = text.replace(/^0x/i, "")
  const whole = digitsOf(body.replaceAll(/__.{38}/g, "0".repeat(40)))
  if (whole === undefined) return undefined
  const digits = withoutMetadata(whole)
  const masked = [
    ...linkRanges(body),
    ...immutableRanges(immutableReferences ?? fieldsOf(deployed)["immutableReferences"]),
    ...zeroRanges(digits),
  ]
  const bytes = digits.length / 2
  return bytes < minBytes || masked.length > maxRanges ? undefined : { bytes, masked, digest: digest(digits, masked) }
}

/** Bytes of the creation code of an artifact, which the arguments of a constructor follow; undefined where it has none. */
export const creationBytes = (artifact: unknown): number | undefined => {
  const { bytecode } = fieldsOf(artifact)
  const text = typeof bytecode === "string" ? bytecode : fieldsOf(bytecode)["object"]
  if (typeof text !== "string" || text.length > 4 * maxBytes || !/^0x[0-9a-fA-F]/.test(text)) return undefined
  return (text.length - 2) / 2
}

/** Makes what finds contracts by their code; of several that have the same one, the first. */
export const finder = (codes: Iterable<KnownCode>): Find => {
  const byBytes = new Map<number, Array<KnownCode>>()
  for (const code of codes) {
    const same = byBytes.get(code.pattern.bytes)
    if (same === undefined) byBytes.set(code.pattern.bytes, [code])
    else same.push(code)
  }
  return (code) => {
    const whole = digitsOf(code)
    if (whole === undefined) return undefined
    const digits = withoutMetadata(whole)
    return byBytes.get(digits.length / 2)?.find(({ pattern }) => digest(digits, pattern.masked) === pattern.digest)
  }
}
