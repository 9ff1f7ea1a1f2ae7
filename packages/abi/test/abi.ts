/**
 * Generated ABI types and values for the laws of the decoder, and the text of each value according to decision 0015,
 * written independently of the reader.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Address from "ox/Address"

export interface Parameter {
  readonly type: string
  readonly name?: string
  readonly components?: ReadonlyArray<Parameter>
}

export type Value = string | bigint | number | boolean | ReadonlyArray<Value>

const leaves = [
  "address",
  "bool",
  "bytes",
  "string",
  "uint256",
  "uint8",
  "uint48",
  "uint56",
  "int256",
  "int24",
  "int8",
  "bytes1",
  "bytes4",
  "bytes32",
] as const

const pick = <const T extends ReadonlyArray<string>>(of: T): Arbitrary.Arbitrary<T[number]> =>
  Arbitrary.schema(Schema.Literals(of))

const leafType = Arbitrary.map(pick(leaves), (type): Parameter => ({ type }))

const typeOf = (depth: number): Arbitrary.Arbitrary<Parameter> =>
  depth === 0
    ? leafType
    : Arbitrary.flatMap(pick(["leaf", "list", "fixed", "tuple"]), (kind) => {
        if (kind === "leaf") return leafType
        if (kind === "tuple")
          return Arbitrary.map(
            Arbitrary.array(typeOf(depth - 1), { minLength: 1, maxLength: 3 }),
            (components): Parameter => ({ type: "tuple", components }),
          )
        const suffix = kind === "list" ? "[]" : "[2]"
        return Arbitrary.map(typeOf(depth - 1), (of): Parameter => ({ ...of, type: `${of.type}${suffix}` }))
      })

/** One to four parameters, nested up to three deep, without names so that tuples are arrays to ox. */
export const parameters: Arbitrary.Arbitrary<ReadonlyArray<Parameter>> = Arbitrary.array(typeOf(3), {
  minLength: 1,
  maxLength: 4,
})

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))

/** Any bytes as lower-case hex. */
export const hex = (minLength: number, maxLength: number): Arbitrary.Arbitrary<`0x${string}`> =>
  Arbitrary.map(
    Arbitrary.array(byte, { minLength, maxLength }),
    (bytes): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`,
  )

const integer = (bits: number, signed: boolean): Arbitrary.Arbitrary<bigint | number> =>
  Arbitrary.map(hex(bits / 8, bits / 8), (text) => {
    const value = signed ? BigInt.asIntN(bits, BigInt(text)) : BigInt(text)
    return bits <= 48 ? Number(value) : value
  })

const listOf = (type: string): readonly [string, number | null] | null => {
  const open = type.lastIndexOf("[")
  if (!type.endsWith("]")) return null
  const count = type.slice(open + 1, -1)
  return [type.slice(0, open), count === "" ? null : Number(count)]
}

/** A value of a parameter's type, in the form that ox accepts. */
export const valueOf = (parameter: Parameter): Arbitrary.Arbitrary<Value> => {
  const { type } = parameter
  const list = listOf(type)
  if (list !== null) {
    const bounds = list[1] === null ? { maxLength: 3 } : { minLength: list[1], maxLength: list[1] }
    return Arbitrary.array(valueOf({ ...parameter, type: list[0] }), bounds)
  }
  if (type === "tuple") return Arbitrary.all((parameter.components ?? []).map(valueOf))
  if (type === "address") return hex(20, 20)
  if (type === "bool") return Arbitrary.schema(Schema.Boolean)
  if (type === "string")
    return Arbitrary.map(Arbitrary.schema(Schema.String), (text) => Buffer.from(text, "utf8").toString("utf8"))
  if (type === "bytes") return hex(0, 70)
  if (type.startsWith("bytes")) return hex(Number(type.slice(5)), Number(type.slice(5)))
  return type.startsWith("uint") ? integer(Number(type.slice(4)), false) : integer(Number(type.slice(3)), true)
}

/** The value with every leaf as text, lists and tuples as arrays. */
const leavesAsText = (parameter: Parameter, value: Value): unknown => {
  const list = listOf(parameter.type)
  if (list !== null)
    return (value as ReadonlyArray<Value>).map((one) => leavesAsText({ ...parameter, type: list[0] }, one))
  if (parameter.type === "tuple")
    return (value as ReadonlyArray<Value>).map((one, index) =>
      leavesAsText((parameter.components ?? [])[index] as Parameter, one),
    )
  return parameter.type === "address" ? Address.checksum(String(value)) : String(value)
}

/** Text of a value according to decision 0015. */
export const textOf = (parameter: Parameter, value: Value): string => {
  const text = leavesAsText(parameter, value)
  return typeof text === "string" ? text : JSON.stringify(text)
}

/** A right-aligned 32-byte word, as Solidity encodes numbers and addresses. */
export const word = (value: bigint | number | string): string =>
  (typeof value === "string" ? value.replace("0x", "") : BigInt.asUintN(256, BigInt(value)).toString(16)).padStart(
    64,
    "0",
  )
