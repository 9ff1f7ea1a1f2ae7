/**
 * Types of the contract ABI, with the layout that `AbiReader` needs: canonical name, whether the value is behind an offset, and the
 * bytes it takes in its enclosing head.
 */
import * as Result from "effect/Result"

/** Properties of every type. */
interface Layout {
  /** Canonical name: `uint256`, never `uint`; a tuple is its types in parentheses. Source: Solidity ABI specification. */
  readonly name: string
  /** Whether the value is reached through an offset. */
  readonly dynamic: boolean
  /** Bytes taken in the enclosing head: 32 for the offset of a dynamic type. */
  readonly headBytes: number
}

/**
 * A type with a single value: a number, an address, bytes.
 */
export interface Leaf extends Layout {
  readonly kind: "uint" | "int" | "address" | "bool" | "fixedBytes" | "bytes" | "string"
  /** Zero digits before the value in a clean word, or after it for `bytesN`: 24 for an address. */
  readonly pad: string
  /** Width of an integer; 0 for the other kinds. */
  readonly bits: number
}

/**
 * A list of one type; `count` is `null` if the data holds the length.
 */
export interface List extends Layout {
  readonly kind: "list"
  readonly element: AbiType
  readonly count: number | null
}

/**
 * A tuple of types.
 */
export interface Tuple extends Layout {
  readonly kind: "tuple"
  readonly members: ReadonlyArray<AbiType>
}

/**
 * A type of the contract ABI.
 */
export type AbiType = Leaf | List | Tuple

/**
 * A parameter of a parsed signature; `components` on tuples only.
 */
export interface Parameter {
  readonly type: string
  readonly name?: string | undefined
  readonly components?: ReadonlyArray<Parameter> | undefined
}

/**
 * Deepest nesting of lists and tuples in a signature.
 */
export const maxDepth = 16

const leaf = (kind: Leaf["kind"], name: string, padDigits: number, bits = 0): Leaf => {
  const dynamic = kind === "bytes" || kind === "string"
  return { kind, name, dynamic, headBytes: 32, pad: "0".repeat(padDigits), bits }
}

const fixed: Readonly<Record<string, Leaf>> = {
  address: leaf("address", "address", 24),
  bool: leaf("bool", "bool", 63),
  bytes: leaf("bytes", "bytes", 0),
  string: leaf("string", "string", 0),
  function: leaf("fixedBytes", "function", 16),
}

const leafFrom = (name: string): Leaf | undefined => {
  if (Object.hasOwn(fixed, name)) return fixed[name]
  const sized = /^(uint|int|bytes)([1-9][0-9]{0,2})?$/.exec(name)
  if (sized === null) return undefined
  const size = sized[2] === undefined ? 256 : Number(sized[2])
  if (sized[1] === "bytes") return size <= 32 ? leaf("fixedBytes", name, 64 - 2 * size) : undefined
  if (size % 8 !== 0 || size > 256) return undefined
  return leaf(sized[1] === "uint" ? "uint" : "int", `${sized[1]}${size}`, 64 - size / 4, size)
}

/**
 * Makes the tuple of these members, such as the arguments of a function or the data of an event.
 */
export const tuple = (members: ReadonlyArray<AbiType>): Tuple => {
  const dynamic = members.some((member) => member.dynamic)
  return {
    kind: "tuple",
    name: `(${members.map((member) => member.name).join(",")})`,
    dynamic,
    headBytes: dynamic ? 32 : members.reduce((sum, member) => sum + member.headBytes, 0),
    members,
  }
}

const list = (element: AbiType, count: number | null): List => {
  const dynamic = count === null || element.dynamic
  return {
    kind: "list",
    name: `${element.name}[${count ?? ""}]`,
    dynamic,
    headBytes: dynamic ? 32 : element.headBytes * (count ?? 0),
    element,
    count,
  }
}

/**
 * Makes the type of a parameter.
 *
 * **Errors**
 * - a text that names the type: unknown, too long, nested deeper than `maxDepth`, or of size zero (an empty tuple, `T[0]`), which would let
 *   a few bytes of data hold any number of values.
 */
export const fromParameter = (parameter: Parameter, depth = 0): Result.Result<AbiType, string> => {
  if (depth > maxDepth) return Result.fail(`nested deeper than ${maxDepth}`)
  const suffix = /^(.*)\[([0-9]*)\]$/.exec(parameter.type)
  if (suffix !== null) {
    const count = suffix[2] === "" ? null : Number(suffix[2])
    if (count === 0) return Result.fail(`${parameter.type} has no size`)
    if (count !== null && !Number.isSafeInteger(count)) return Result.fail(`${parameter.type} is too long`)
    return Result.map(fromParameter({ ...parameter, type: suffix[1] ?? "" }, depth + 1), (element) =>
      list(element, count),
    )
  }
  if (parameter.type === "tuple") {
    const components = parameter.components ?? []
    if (components.length === 0) return Result.fail("an empty tuple has no size")
    return Result.map(Result.all(components.map((component) => fromParameter(component, depth + 1))), tuple)
  }
  const found = leafFrom(parameter.type)
  return found === undefined ? Result.fail(`unknown type ${parameter.type}`) : Result.succeed(found)
}
