/**
 * Tokens as described by their contracts.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { unread } from "./internal/coder.ts"
import { leaf, oneOf, orEmpty, relax, typeSide } from "./internal/leaf.ts"
import { type Named, open } from "./internal/open.ts"
import { isVisibleLine } from "./VisibleText.ts"

/** Maximum number of characters of a text. */
const maxCharacters = 64

const isText = (value: unknown): value is string =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= 2 * maxCharacters &&
  Array.from(value).length <= maxCharacters &&
  isVisibleLine(value)

const expectedText = `text of at most ${maxCharacters} characters without control characters`

const Text = leaf<string, string>({
  expected: expectedText,
  wire: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2 * maxCharacters)),
  read: (input) => (isText(input) ? input : unread),
  write: (value) => value,
  type: typeSide<string>({
    expected: expectedText,
    is: isText,
    from: Schema.String.check(Schema.isPattern(/^[!-~]{1,64}$/u)),
  }),
})

/** Possible decimals of a 256-bit amount. */
const decimals = Array.from({ length: 78 }, (_, at) => at)

const Decimals = relax(Decimal.SafeInteger, (options) => ({
  ...options,
  expected: "decimal digits of a number from 0 to 77",
  read: (input) => {
    const value = options.read(input)
    return typeof value === "number" && value < decimals.length ? value : unread
  },
  type: oneOf(decimals),
}))

const tokenCodec = open("Token", {
  /** The contract. */
  address: Address.Address,
  /** Name; `null` if the contract has none. Not unique: anyone can create a token with the name of another. */
  name: orEmpty(Text, null),
  /** Symbol; `null` if the contract has none. Not unique. */
  symbol: orEmpty(Text, null),
  /** Decimals, 0 to 77: 10 to this power is one token. `null` if the contract has none, as for NFTs. */
  decimals: orEmpty(Decimals, null),
  /** Block at which the description was read. It is read once, although a contract may change it later. */
  block_number: Decimal.Decimal,
})

export interface Token extends Schema.Schema.Type<typeof tokenCodec> {}

/** Encoded form of `Token`: the values of its JSON. */
export interface TokenWire extends Schema.Codec.Encoded<typeof tokenCodec> {}

/**
 * A token as described by its contract.
 *
 * **Gotchas**
 *
 * - Only the address identifies a token. Texts are short and free of control characters and direction marks, but are chosen by the
 *   contract.
 *
 * **Example** (Decoding a token)
 *
 * ```ts
 * import * as Token from "@daybook/schema/Token"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", name: "USD Coin", symbol: "USDC", decimals: "6", block_number: "9" }
 * console.log(Schema.decodeUnknownSync(Token.Token)(wire).decimals) // 6
 * ```
 *
 * Source: ERC-20 (name, symbol, decimals); decision 0054.
 */
export const Token: Named<typeof tokenCodec, Token, TokenWire> = tokenCodec

/**
 * Unknown keys of a token, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as Token from "@daybook/schema/Token"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", name: null, symbol: null, decimals: null, block_number: "9", logo: "x" }
 * console.log(Token.extras(Schema.decodeUnknownSync(Token.Token)(wire))) // { logo: 'x' }
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: Token): Readonly<Record<string, unknown>> => Token.extras(value)
