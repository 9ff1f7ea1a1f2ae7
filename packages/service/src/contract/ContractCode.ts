/**
 * Recognises a contract by its code, using the artifacts of a project. Parts that differ between deployments are not compared: the trailing
 * metadata, immutables, library addresses, and the address that a library stores of itself. Pure.
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

/** The comparable parts of an artifact's deployed code. */
export interface CodePattern {
  /** Length of the code without its metadata, in bytes. */
  readonly bytes: number
  /** Ranges that differ between deployments. */
  readonly masked: ReadonlyArray<Range>
  /** Hash of the code without its metadata, with zeros in place of masked bytes. */
  readonly digest: string
}

/** The code of a contract with its name and ABI. */
export interface KnownCode {
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
  readonly pattern: CodePattern
}

/** Finds the contract with a code, given in hex. */
export type Find = (code: string) => KnownCode | undefined

/** Longest code that is compared, in bytes: development nodes permit more than the 24,576 of EIP-170. */
const maxBytes = 131_072
/** Shorter code belongs to a proxy or a stub, which several contracts share. */
const minBytes = 16
const maxRanges = 4_096

/** Digits of hex text in lower case; undefined if the text is not hex or too long. */
const digitsOf = (text: string): string | undefined => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  return digits.length <= 2 * maxBytes && digits.length % 2 === 0 && /^[0-9a-f]*$/.test(digits) ? digits : undefined
}

/** Code without its trailing metadata: a CBOR map with text keys, and its length in two bytes. */
const withoutMetadata = (digits: string): string => {
  const start = digits.length - 2 * (Number.parseInt(digits.slice(-4), 16) + 2)
  return start > 0 && /^a[1-4]6[0-9a-f]/.test(digits.slice(start, start + 4)) ? digits.slice(0, start) : digits
}

/** Address ranges that hold a library name in an artifact: `__$` and a hash, or formerly `__` and the name. */
const linkRanges = (text: string): ReadonlyArray<Range> =>
  Array.from(text.matchAll(/__.{38}/g), ({ index }) => ({ start: index / 2, length: 20 }))

/** An instruction that pushes a word of zeros, the placeholder of an immutable; compilers push a plain zero in fewer bytes. */
const zeroWord = `7f${"0".repeat(64)}`

/** Start of a library's code; deployment replaces the zeros by its own address. */
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

/** Ranges of immutables, which an artifact lists by id. */
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

/** Pattern of the deployed code of a Foundry or Hardhat artifact; undefined if it has none, as for an interface. */
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

/** Length of an artifact's creation code, after which constructor arguments follow; undefined if it has none. */
export const creationBytes = (artifact: unknown): number | undefined => {
  const { bytecode } = fieldsOf(artifact)
  const text = typeof bytecode === "string" ? bytecode : fieldsOf(bytecode)["object"]
  if (typeof text !== "string" || text.length > 4 * maxBytes || !/^0x[0-9a-fA-F]/.test(text)) return undefined
  return (text.length - 2) / 2
}

/** Makes the function that finds contracts by their code; of several with the same code, the first. */
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
