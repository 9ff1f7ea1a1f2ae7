/**
 * A known event or function, parsed from a line such as `event Transfer(address indexed from, address indexed to, uint256 value)` into what
 * `Decoder` needs per log or call. Parsed once, at startup.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as AbiItem from "ox/AbiItem"
import * as AbiType from "./AbiType.ts"
import { keccak256 } from "./internal/Keccak.ts"

/**
 * A parameter of a signature.
 */
export interface Parameter {
  /** Declared name; empty if the signature has none. */
  readonly name: string
  readonly type: AbiType.AbiType
  /** Whether the value is a topic of the log. Always false for a function. */
  readonly indexed: boolean
}

/**
 * A parsed signature.
 */
export interface Signature {
  readonly kind: "event" | "function"
  /** Short name: `transfer`. */
  readonly label: string
  /** Canonical signature: `transfer(address,uint256)`. */
  readonly canonical: string
  /** Topic 0 of an event, 32 bytes; selector of a function, 4 bytes. Lower case. */
  readonly key: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Types of the parameters that are not indexed, in order. */
  readonly members: ReadonlyArray<AbiType.AbiType>
  /** Number of indexed parameters. */
  readonly indexedCount: number
}

/**
 * The text is not a signature that can be decoded.
 */
export class InvalidSignature extends Data.TaggedError("InvalidSignature")<{
  /** The line. */
  readonly text: string
  /** Why it is invalid. */
  readonly reason: string
}> {
  override get message(): string {
    return (
      `Invalid signature: "${this.text}" (${this.reason}). ` +
      `Write it as "event Name(type indexed name, ...)" or "function name(type name, ...)".`
    )
  }
}

/** An item of an ABI. */
export interface Item {
  readonly type: string
  readonly name: string
  readonly anonymous?: boolean | undefined
  readonly inputs: ReadonlyArray<AbiType.Parameter & { readonly indexed?: boolean | undefined }>
}

const parse = (text: string): Result.Result<Item, string> =>
  Result.try({
    // ox only types literal texts; for any other text it returns an ABI item, whose kind is checked later.
    try: () => AbiItem.from(text as never, { prepare: false }) as Item,
    catch: (cause) => (cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)),
  })

const build = (item: Item, types: ReadonlyArray<AbiType.AbiType>): Result.Result<Signature, string> => {
  const parameters = types.map((type, index): Parameter => {
    const input = item.inputs[index]
    return { name: input?.name ?? "", type, indexed: input?.indexed === true }
  })
  const indexedCount = parameters.filter((parameter) => parameter.indexed).length
  if (indexedCount > 3) return Result.fail(`${indexedCount} indexed parameters; at most 3 are possible`)
  const canonical = `${item.name}${AbiType.tuple(types).name}`
  const hash = keccak256(canonical)
  return Result.succeed({
    kind: item.type === "event" ? "event" : "function",
    label: item.name,
    canonical,
    key: item.type === "event" ? hash : hash.slice(0, 10),
    parameters,
    members: parameters.filter((parameter) => !parameter.indexed).map((parameter) => parameter.type),
    indexedCount,
  })
}

/**
 * Makes the signature of an ABI item. Fails with the reason, as text: the item is neither an event nor a function, or has a type that
 * cannot be decoded.
 */
export const fromItem = (item: Item): Result.Result<Signature, string> => {
  if (item.type !== "event" && item.type !== "function") return Result.fail("neither an event nor a function")
  if (item.anonymous === true) return Result.fail("an anonymous event has no signature topic")
  return Result.flatMap(Result.all(item.inputs.map((input) => AbiType.fromParameter(input))), (types) =>
    build(item, types),
  )
}

/**
 * Parses one line of Solidity: `event ...` or `function ...`; tuples are written as types in parentheses.
 *
 * **Errors**
 * - `InvalidSignature`: names the line and the reason.
 */
export const fromText = (text: string): Result.Result<Signature, InvalidSignature> =>
  Result.mapError(Result.flatMap(parse(text), fromItem), (reason) => new InvalidSignature({ text, reason }))

/**
 * Formats a signature as one line, in one spelling: equal lines decode equally.
 */
export const toText = (signature: Signature): string => {
  const parameters = signature.parameters.map(
    ({ indexed, name, type }) => `${type.name}${indexed ? " indexed" : ""}${name === "" ? "" : ` ${name}`}`,
  )
  return `${signature.kind} ${signature.label}(${parameters.join(", ")})`
}
