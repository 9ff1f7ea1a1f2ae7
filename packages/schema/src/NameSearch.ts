/**
 * Searches addresses by name: labels, described contracts, tokens, and names of the Ethereum Name Service.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { unread } from "./internal/coder.ts"
import { relax, typeSide } from "./internal/leaf.ts"
import { atMost, type Named, open } from "./internal/open.ts"

/**
 * Maximum number of addresses in a search result.
 *
 * Source: decision 0058.
 */
export const maxLimit = 100

const isLimit = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maxLimit

const expectedLimit = `a whole number from 1 to ${maxLimit}`

const Limit = relax(Decimal.SafeInteger, (options) => ({
  ...options,
  expected: expectedLimit,
  read: (input) => {
    const value = options.read(input)
    return isLimit(value) ? value : unread
  },
  type: typeSide<number>({
    expected: expectedLimit,
    is: isLimit,
    from: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })),
  }),
}))

/**
 * Query parameters of the search.
 *
 * Source: decision 0058.
 */
export const SearchQuery = Schema.Struct({
  /** Part of a name, the start of a symbol, an address, or a complete name of the Ethereum Name Service. */
  q: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  /** Chain by name or identifier. */
  chain: Schema.optionalKey(Schema.String),
  /** Maximum number of addresses. Default 20. */
  limit: Schema.optionalKey(Limit),
})

export interface SearchQuery extends Schema.Schema.Type<typeof SearchQuery> {}

const namedCodec = open("NamedAddress", {
  /** Source of the name. */
  kind: Schema.Literals(["label", "contract", "token", "ens"]),
  /** The address. */
  address: Address.Address,
  /** The name. Not unique: anyone can create a token with the name of another. */
  name: Schema.String,
  /** Symbol of a token; `null` for a token without one and for other kinds. */
  symbol: Schema.NullOr(Schema.String),
})

export interface NamedAddress extends Schema.Schema.Type<typeof namedCodec> {}

/** Encoded form of `NamedAddress`: the values of its JSON. */
export interface NamedAddressWire extends Schema.Codec.Encoded<typeof namedCodec> {}

/**
 * An address with a name.
 *
 * Source: decision 0058.
 */
export const NamedAddress: Named<typeof namedCodec, NamedAddress, NamedAddressWire> = namedCodec

const resultCodec = open("SearchResult", {
  /** Addresses, best matches first. */
  result: atMost(maxLimit, NamedAddress),
})

export interface SearchResult extends Schema.Schema.Type<typeof resultCodec> {}

/** Encoded form of `SearchResult`: the values of its JSON. */
export interface SearchResultWire extends Schema.Codec.Encoded<typeof resultCodec> {}

/**
 * Result of a search.
 *
 * Source: decision 0058.
 */
export const SearchResult: Named<typeof resultCodec, SearchResult, SearchResultWire> = resultCodec
