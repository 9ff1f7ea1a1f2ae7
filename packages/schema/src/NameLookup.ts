/**
 * Looks up names for lists of addresses, calls and errors: labels, functions by selector, and errors by data.
 */
import * as Schema from "effect/Schema"
import * as DecodedItem from "./DecodedItem.ts"
import { unread } from "./internal/coder.ts"
import { list } from "./internal/list.ts"
import { atMost, type Named, open } from "./internal/open.ts"

/**
 * Maximum number of names in one parameter; a URL has no room for many more.
 *
 * Source: decision 0058.
 */
export const maxNames = 100

/**
 * Maximum length of the data of an error, in bytes.
 *
 * Source: decision 0058.
 */
export const maxErrorBytes = 2_048

/** A list of texts of the same form. */
const texts = (what: string, form: RegExp, maxCharacters: number) =>
  list<string>({
    expected: `${what} in lower case, separated by commas, at most ${maxNames}`,
    read: (input) => (typeof input === "string" && form.test(input) ? input : unread),
    from: Schema.String.check(Schema.isPattern(form)),
    maxValues: maxNames,
    maxCharacters: maxNames * (maxCharacters + 1),
  })

const addressCharacters = 42

/**
 * Query parameters of the lookup. Each one is a list of up to 100 texts.
 *
 * Source: decision 0058.
 */
export const LookupQuery = Schema.Struct({
  /** Chain by name or identifier. */
  chain: Schema.optionalKey(Schema.String),
  /** Addresses. */
  address: Schema.optionalKey(texts("addresses", /^0x[0-9a-f]{40}$/u, addressCharacters)),
  /** Calls: the address, a colon and the selector. */
  call: Schema.optionalKey(
    texts("addresses and selectors separated by a colon", /^0x[0-9a-f]{40}:0x[0-9a-f]{8}$/u, 2 * addressCharacters),
  ),
  /** Errors: the address, a colon and the data. */
  error: Schema.optionalKey(
    texts(
      "addresses and data separated by a colon",
      new RegExp(`^0x[0-9a-f]{40}:0x(?:[0-9a-f]{2}){4,${maxErrorBytes}}$`, "u"),
      2 * (addressCharacters + maxErrorBytes),
    ),
  ),
})

export interface LookupQuery extends Schema.Schema.Type<typeof LookupQuery> {}

const functionCodec = open("NamedFunction", {
  /** Short name: `transfer`. */
  label: Schema.String,
  /** Canonical signature: `transfer(address,uint256)`. */
  signature: Schema.String,
  /** Other signatures with the same selector, from a directory open to everyone: the actual name may be one of them. */
  others: Schema.optionalKey(Schema.Array(Schema.String)),
})

export interface NamedFunction extends Schema.Schema.Type<typeof functionCodec> {}

/** Encoded form of `NamedFunction`: the values of its JSON. */
export interface NamedFunctionWire extends Schema.Codec.Encoded<typeof functionCodec> {}

/**
 * A function by its names.
 *
 * Source: decision 0058.
 */
export const NamedFunction: Named<typeof functionCodec, NamedFunction, NamedFunctionWire> = functionCodec

const listOf = <A, I>(item: Schema.Codec<A, I>) => atMost(maxNames, Schema.NullOr(item))

const namesCodec = open("Names", {
  /** Labels of the addresses; `null` for one without a label. */
  addresses: listOf(Schema.String),
  /** Functions of the calls; `null` for an unknown one. */
  calls: listOf(NamedFunction),
  /** Errors with their parameters; `null` for an unknown one. */
  errors: listOf(DecodedItem.DecodedItem),
})

export interface Names extends Schema.Schema.Type<typeof namesCodec> {}

/** Encoded form of `Names`: the values of its JSON. */
export interface NamesWire extends Schema.Codec.Encoded<typeof namesCodec> {}

/**
 * Names, in the order of the parameters.
 *
 * Source: decision 0058.
 */
export const Names: Named<typeof namesCodec, Names, NamesWire> = namesCodec

const resultCodec = open("NamesResult", {
  /** The names. */
  result: Names,
})

export interface NamesResult extends Schema.Schema.Type<typeof resultCodec> {}

/** Encoded form of `NamesResult`: the values of its JSON. */
export interface NamesResultWire extends Schema.Codec.Encoded<typeof resultCodec> {}

/**
 * Result of a lookup.
 *
 * Source: decision 0058.
 */
export const NamesResult: Named<typeof resultCodec, NamesResult, NamesResultWire> = resultCodec
