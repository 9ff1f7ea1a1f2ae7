/**
 * Descriptions of addresses by an operator: a name, which becomes the label, and an ABI by which calls and events are decoded. An ABI
 * without an address is a pack, which is tried for every contract of its chain.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { unread } from "./internal/coder.ts"
import { leaf, type Side, typeSide } from "./internal/leaf.ts"
import { type Named, open } from "./internal/open.ts"
import { isVisibleLine } from "./VisibleText.ts"

const longestName = 100

const isName = (input: unknown): input is string =>
  typeof input === "string" &&
  input.length <= longestName &&
  input !== "" &&
  input === input.trim() &&
  isVisibleLine(input)

const names = "a line of 1 to 100 visible characters"

/** A text accepted by a predicate, with generated values that start with a letter. */
const textSide = (expected: string, is: (input: unknown) => input is string): Side<string> =>
  typeSide<string>({ expected, is, from: Schema.String.check(Schema.isPattern(/^[A-Za-z](?:[ -~]{0,98}[!-~])?$/u)) })

/**
 * Name of an address or of a pack: one line of 1 to 100 characters, without control characters and without marks that change the text
 * direction.
 *
 * **Example** (Rejecting a name of two lines)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.is(Contract.Name)("Vault"), Schema.is(Contract.Name)("Vault\n2")) // true false
 * ```
 *
 * Source: decision 0059.
 */
export const Name: Schema.Codec<string> = leaf({
  expected: names,
  wire: Schema.String,
  read: (input) => (isName(input) ? input : unread),
  write: (value) => value,
  type: textSide(names, isName),
})

const isPackName = (input: unknown): input is string => isName(input) && !/^0x/i.test(input)

const isKey = (input: unknown): input is string => Address.isAddress(input) || isPackName(input)

const keys = `an address, or the name of a pack: ${names} that does not begin with 0x`

/**
 * Subject of a description: the address of a contract or account, in lower case, or the name of a pack. Decodes an address in any case.
 *
 * **Example** (Reading an address and the name of a pack)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * const read = Schema.decodeUnknownSync(Contract.Key)
 * console.log(read(`0x${"AB".repeat(20)}`) === `0x${"ab".repeat(20)}`, read("orders")) // true orders
 * ```
 *
 * Source: decision 0059.
 */
export const Key: Schema.Codec<string> = leaf({
  expected: keys,
  wire: Schema.String,
  read: (input) =>
    typeof input === "string" ? (Address.fromText(input) ?? (isPackName(input) ? input : unread)) : unread,
  write: (value) => value,
  type: textSide(keys, isKey),
})

/**
 * Path parameters of the operations on one description.
 *
 * **Example** (Decoding the path)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Contract.Path)({ contract: "orders" }).contract) // orders
 * ```
 *
 * Source: decision 0059.
 */
export const Path = Schema.Struct({
  /** Address of the contract, in any case, or the name of a pack. */
  contract: Key,
})

/**
 * Query parameters of the operations on one description.
 *
 * **Example** (Decoding the query)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Contract.Query)({ chain: "eth" }).chain) // eth
 * ```
 *
 * Source: decision 0059.
 */
export const Query = Schema.Struct({
  /** Chain by name or identifier. */
  chain: Schema.optionalKey(Schema.String),
})

/**
 * A description: the name of an address and the ABI of its contract. It replaces the previous one entirely.
 *
 * **Details**
 *
 * An address requires a name and may omit the ABI. A pack requires an ABI and is named by its path.
 *
 * **Example** (Encoding a label)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.encodeSync(Contract.Description)({ name: "Treasury" })) // { name: 'Treasury' }
 * ```
 *
 * Source: decision 0059.
 */
export const Description = Schema.Struct({
  /** Name of the address, which is its label. */
  name: Schema.optionalKey(Name),
  /** Items of the ABI as written by a compiler. Items that cannot be decoded, such as a constructor, are omitted. */
  abi: Schema.optionalKey(Schema.Array(Schema.Unknown)),
})

export interface Description extends Schema.Schema.Type<typeof Description> {}

const describedCodec = open("DescribedContract", {
  /** Described address in lower case, or name of the pack. */
  contract: Key,
  /** Name of the address or of the pack. */
  name: Name,
  /** Number of functions, events and errors that can be decoded. */
  items: Decimal.SafeInteger,
})

export interface DescribedContract extends Schema.Schema.Type<typeof describedCodec> {}

/** Encoded form of `DescribedContract`: the values of its JSON. */
export interface DescribedContractWire extends Schema.Codec.Encoded<typeof describedCodec> {}

/**
 * Stored part of a description.
 *
 * **Example** (Decoding a response)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { contract: `0x${"ab".repeat(20)}`, name: "Vault", items: "12" }
 * console.log(Schema.decodeUnknownSync(Contract.DescribedContract)(wire).items) // 12
 * ```
 *
 * Source: decision 0059.
 */
export const DescribedContract: Named<typeof describedCodec, DescribedContract, DescribedContractWire> = describedCodec

const removedCodec = open("RemovedContract", {
  /** Described address in lower case, or name of the pack. */
  contract: Key,
  /** False if there was no description, as for a repeated request. */
  removed: Schema.Boolean,
})

export interface RemovedContract extends Schema.Schema.Type<typeof removedCodec> {}

/** Encoded form of `RemovedContract`: the values of its JSON. */
export interface RemovedContractWire extends Schema.Codec.Encoded<typeof removedCodec> {}

/**
 * Whether a description was removed.
 *
 * **Example** (Decoding a response)
 *
 * ```ts
 * import * as Contract from "@daybook/schema/Contract"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Contract.RemovedContract)({ contract: "orders", removed: true }).removed) // true
 * ```
 *
 * Source: decision 0059.
 */
export const RemovedContract: Named<typeof removedCodec, RemovedContract, RemovedContractWire> = removedCodec
