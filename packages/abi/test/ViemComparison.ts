/**
 * Compares the decoder with viem on random ABI types and values. Data encoded by viem must decode to the same values, and so must
 * mutated data that both decode. `pnpm --filter @daybook/abi fuzz 100000 [SEED]` compares this many and prints the seed of a difference.
 */
import * as Random from "@daybook/testkit/internal/Random"
import * as Result from "effect/Result"
import { decodeAbiParameters, encodeAbiParameters, type Hex } from "viem"
import * as AbiReader from "../src/AbiReader.ts"
import * as AbiType from "../src/AbiType.ts"
import type { Parameter, Value } from "./abi.ts"

const maxDepth = 4

/** A leaf type of the ABI. */
const leafOf = ({ integer, pick }: Random.Random): string => {
  const kind = pick(["address", "bool", "bytes", "string", "uint", "int", "bytesN"])
  if (kind === "uint" || kind === "int") return `${kind}${8 * (1 + integer(32))}`
  return kind === "bytesN" ? `bytes${1 + integer(32)}` : kind
}

const typeOf = (numbers: Random.Random, depth: number): Parameter => {
  const kind = depth === 0 ? 0 : numbers.integer(6)
  if (kind < 3) return { type: leafOf(numbers) }
  if (kind === 3) {
    const components = Array.from({ length: 1 + numbers.integer(4) }, () => typeOf(numbers, depth - 1))
    return { type: "tuple", components }
  }
  const of = typeOf(numbers, depth - 1)
  return { ...of, type: `${of.type}[${kind === 4 ? "" : 1 + numbers.integer(3)}]` }
}

const bytesOf = ({ integer }: Random.Random, length: number): Hex =>
  `0x${Buffer.from(Array.from({ length }, () => integer(256))).toString("hex")}`

const texts = ["", "a", "Grüße", "☃ 🎉", "\u0000", '"quoted" \\ ', "x".repeat(33)]

const integerOf = (numbers: Random.Random, type: string): bigint | number => {
  const isSigned = type.startsWith("int")
  const bits = Number(type.slice(isSigned ? 3 : 4))
  const random = BigInt(bytesOf(numbers, bits / 8))
  const value = numbers.pick([0n, 1n, (1n << BigInt(bits)) - 1n, 1n << BigInt(bits - 1), random, random])
  const fitted = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
  return bits <= 48 ? Number(fitted) : fitted
}

const valueOf = (numbers: Random.Random, parameter: Parameter): Value => {
  const { components = [], type } = parameter
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list !== null) {
    const length = list[2] === "" ? numbers.integer(4) : Number(list[2])
    return Array.from({ length }, () => valueOf(numbers, { ...parameter, type: list[1]! }))
  }
  if (type === "tuple") return components.map((component) => valueOf(numbers, component))
  if (type === "address") return bytesOf(numbers, 20)
  if (type === "bool") return numbers.integer(2) === 0
  if (type === "string") return numbers.pick(texts)
  if (type === "bytes") return bytesOf(numbers, numbers.pick([0, 1, 31, 32, 33, 64, 100]))
  if (type.startsWith("bytes")) return bytesOf(numbers, Number(type.slice(5)))
  return integerOf(numbers, type)
}

const leavesOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(leavesOf) : typeof value === "string" ? value : String(value)

/** Text of a value that viem has decoded, according to decision 0015. */
const textOf = (value: unknown): string => {
  const leaves = leavesOf(value)
  return typeof leaves === "string" ? leaves : JSON.stringify(leaves)
}

const byViem = (parameters: ReadonlyArray<Parameter>, data: Hex): ReadonlyArray<string> | null => {
  try {
    // Sound: viem infers values of literal types only; those of any type are unknown.
    return (decodeAbiParameters(parameters as never, data) as ReadonlyArray<unknown>).map(textOf)
  } catch {
    return null
  }
}

/** Data with one byte replaced, or truncated at some byte. */
const changed = (numbers: Random.Random, data: Hex): Hex => {
  const bytes = Buffer.from(data.slice(2), "hex")
  if (bytes.length === 0) return data
  const at = numbers.integer(bytes.length)
  if (numbers.integer(4) === 0) return `0x${bytes.subarray(0, at).toString("hex")}`
  bytes[at] = numbers.pick([0, 1, 0x20, 0x40, 0xff, numbers.integer(256)])
  return `0x${bytes.toString("hex")}`
}

/** A difference, with everything needed to reproduce it. */
export interface Difference {
  readonly seed: number
  readonly parameters: ReadonlyArray<Parameter>
  readonly data: Hex
  readonly local: ReadonlyArray<string> | null
  readonly viem: ReadonlyArray<string> | null
}

/** Reads hex text; `null` if it is not hex. */
const readHex = (members: ReadonlyArray<AbiType.AbiType>, data: string, from: number, trailing: AbiReader.Trailing) => {
  const digits = AbiReader.digitsOf(data)
  return digits === null ? null : AbiReader.read(members, digits, from, trailing)
}

/** Compares one random signature; `null` if nothing differs. */
export const compare = (seed: number): Difference | null => {
  const numbers = Random.make(seed)
  const parameters = Array.from({ length: 1 + numbers.integer(4) }, () => typeOf(numbers, maxDepth))
  const types = parameters.map((parameter) => Result.getOrThrow(AbiType.fromParameter(parameter)))
  const values = parameters.map((parameter) => valueOf(numbers, parameter))
  const encoded = encodeAbiParameters(parameters as never, values as never)
  const isSame = (one: ReadonlyArray<string> | null, other: ReadonlyArray<string> | null) =>
    JSON.stringify(one) === JSON.stringify(other)

  const local = readHex(types, encoded, 0, "nothing")
  const viem = byViem(parameters, encoded)
  if (viem === null || !isSame(local, viem)) return { seed, parameters, data: encoded, local, viem }
  const data = changed(numbers, encoded)
  const localChanged = readHex(types, data, 0, "anything")
  const viemChanged = localChanged === null ? null : byViem(parameters, data)
  if (localChanged === null || viemChanged === null || isSame(localChanged, viemChanged)) return null
  return { seed, parameters, data, local: localChanged, viem: viemChanged }
}

if (import.meta.main) {
  const [count = "100000", first = "1"] = process.argv.slice(2)
  const differences: Array<Difference> = []
  for (let at = 0; at < Number(count) && differences.length < 10; at++) {
    const difference = compare(Number(first) + at)
    if (difference !== null) differences.push(difference)
  }
  for (const one of differences) process.stdout.write(`${JSON.stringify(one)}\n`)
  process.stdout.write(`${count} signatures from seed ${first}, ${differences.length} differences\n`)
  if (differences.length > 0) process.exitCode = 1
}
