/**
 * Events and calls decoded by a known ABI.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as Json from "./Json.ts"

const paramCodec = open(
  "Param",
  {
    /** Name in the ABI; `""` for an unnamed parameter. */
    name: Schema.optionalKey(Text.OrNothing),
    /** Value as text: checksummed address, decimal integer, or compact JSON for an array or tuple. */
    value: Text.Value,
    /** Solidity type such as `uint256` or `(address,uint256)[]`. */
    type: Schema.String,
  },
  { name: () => "" },
  objects.Param,
)

export interface Param extends Schema.Schema.Type<typeof paramCodec> {}

/** Encoded form of `Param`: the values of its JSON. */
export interface ParamWire extends Schema.Codec.Encoded<typeof paramCodec> {}

/**
 * Parameter of a decoded event or call.
 *
 * **Example** (Decoding a parameter)
 *
 * ```ts
 * import * as DecodedItem from "@daybook/schema/DecodedItem"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { name: "value", value: "5", type: "uint256" }
 * console.log(Schema.decodeUnknownSync(DecodedItem.Param)(wire).value) // 5
 * ```
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const Param: Named<typeof paramCodec, Param, ParamWire> = paramCodec

const decodedItemCodec = open(
  "DecodedItem",
  {
    /** Canonical signature such as `transfer(address,uint256)`. */
    signature: Schema.String,
    /** Name of the event or function, such as `transfer`. */
    label: Schema.String,
    /** Kind of item: `event` or `function`. */
    type: Schema.String,
    /** Parameters, in ABI order. */
    params: Schema.Array(Param),
  },
  {},
  objects.DecodedItem,
)

export interface DecodedItem extends Schema.Schema.Type<typeof decodedItemCodec> {}

/** Encoded form of `DecodedItem`: the values of its JSON. */
export interface DecodedItemWire extends Schema.Codec.Encoded<typeof decodedItemCodec> {}

/**
 * Decoded event or call.
 *
 * **Example** (Decoding an event)
 *
 * ```ts
 * import * as DecodedItem from "@daybook/schema/DecodedItem"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { signature: "Paused(address)", label: "Paused", type: "event", params: [] }
 * console.log(Schema.decodeUnknownSync(DecodedItem.DecodedItem)(wire).label) // Paused
 * ```
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const DecodedItem: Named<typeof decodedItemCodec, DecodedItem, DecodedItemWire> = decodedItemCodec

/**
 * Value of a parameter: a bigint for an integer of any width, an address in lower case, a boolean, bytes as hex, a string, or a list for
 * an array or a tuple.
 *
 * Source: decision 0015.
 */
export type Arg = bigint | boolean | string | ReadonlyArray<Arg>

/** Converts a value of one type; `undefined` if the value is malformed. */
type Reader = (value: unknown) => Arg | undefined

/** Deepest nesting of a type. */
const maxDepth = 16

const isInteger = /^-?[0-9]{1,78}$/

const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const toInteger: Reader = (value) => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === "string" && isInteger.test(value) ? BigInt(value) : undefined
}

const toBoolean: Reader = (value) =>
  typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined

const leaves: Readonly<Record<string, Reader>> = {
  address: (value) => (typeof value === "string" ? Address.fromText(value) : undefined),
  bool: toBoolean,
}

/** Types between the parentheses of a tuple. */
const membersOf = (type: string): ReadonlyArray<string> => {
  const members: Array<string> = []
  let [level, start] = [0, 1]
  for (let at = 1; at < type.length - 1; at++) {
    if (type[at] === "(") level++
    else if (type[at] === ")") level--
    else if (type[at] === "," && level === 0) {
      members.push(type.slice(start, at))
      start = at + 1
    }
  }
  return [...members, type.slice(start, -1)]
}

/** Reads each item with its own reader; `undefined` if one does not match. */
const readAll = (items: ReadonlyArray<unknown>, readerAt: (at: number) => Reader): Arg | undefined => {
  const args: Array<Arg> = []
  for (const [at, item] of items.entries()) {
    const arg = readerAt(at)(item)
    if (arg === undefined) return undefined
    args.push(arg)
  }
  return args
}

/** Reader of a type. A type that is unknown or nested too deep is read as text. */
const readerOf = (type: string, depth: number): Reader => {
  if (depth > maxDepth) return toText
  if (type.endsWith("]")) {
    const element = readerOf(type.slice(0, type.lastIndexOf("[")), depth + 1)
    return (value) => (Array.isArray(value) ? readAll(value, () => element) : undefined)
  }
  if (type.startsWith("(") && type.endsWith(")")) {
    const members = membersOf(type).map((member) => readerOf(member, depth + 1))
    return (value) =>
      Array.isArray(value) && value.length === members.length ? readAll(value, (at) => members[at]!) : undefined
  }
  if (/^u?int[0-9]{0,3}$/.test(type)) return toInteger
  return Object.hasOwn(leaves, type) ? leaves[type]! : toText
}

const isNested = (type: string): boolean => type.endsWith("]") || type.endsWith(")")

/**
 * Returns the parameters of a decoded event or call by name: integers as bigint, addresses in lower case, arrays and tuples as lists.
 *
 * **Details**
 *
 * A parameter without a name, or with the name of an earlier one, is keyed by its position, from `0`. A value that does not match its type
 * stays text, as does an indexed string, array or tuple, since a log only has its hash.
 *
 * **Example** (Reading the arguments of a transfer)
 *
 * ```ts
 * import { args } from "@daybook/schema/DecodedItem"
 *
 * const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
 * console.log(
 *   args({
 *     params: [
 *       { name: "to", value: to, type: "address" },
 *       { name: "amount", value: "1500000", type: "uint256" },
 *     ],
 *   }),
 * ) // { to: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045', amount: 1500000n }
 * ```
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const args = ({ params }: Pick<DecodedItem, "params">): Readonly<Record<string, Arg>> => {
  const found = new Map<string, Arg>()
  for (const [at, { name, type, value }] of params.entries()) {
    const input = isNested(type) ? Json.parse(value) : value
    found.set(name === "" || found.has(name) ? `${at}` : name, readerOf(type, 0)(input) ?? value)
  }
  // `Object.fromEntries` defines own properties, whatever their names.
  return Object.fromEntries(found)
}
