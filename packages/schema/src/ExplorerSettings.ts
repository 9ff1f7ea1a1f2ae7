/**
 * Settings that a server reports to the pages of its explorer: its chains, and whether they require an API key.
 */
import * as Schema from "effect/Schema"
import { type Named, open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

const currencyCodec = open("Currency", {
  /** Symbol, such as `ETH`. */
  symbol: Schema.String,
  /** Number of decimals: 10 to this power is one unit of the currency. */
  decimals: Quantity.SafeIntegerFromNumber,
})

export interface Currency extends Schema.Schema.Type<typeof currencyCodec> {}

/** Encoded form of `Currency`: the values of its JSON. */
export interface CurrencyWire extends Schema.Codec.Encoded<typeof currencyCodec> {}

/**
 * The native currency of a chain.
 *
 * Source: decision 0058.
 */
export const Currency: Named<typeof currencyCodec, Currency, CurrencyWire> = currencyCodec

const chainCodec = open("ServedChain", {
  /** Name accepted by parameters. */
  name: Schema.String,
  /** EIP-155 id. */
  chainId: Quantity.SafeIntegerFromNumber,
  /** Extent of block verification before blocks are stored. */
  checks: Schema.Literals(["links", "standard", "full"]),
  /** The native currency. */
  currency: Currency,
})

export interface ServedChain extends Schema.Schema.Type<typeof chainCodec> {}

/** Encoded form of `ServedChain`: the values of its JSON. */
export interface ServedChainWire extends Schema.Codec.Encoded<typeof chainCodec> {}

/**
 * A chain that the server serves.
 *
 * Source: decision 0058.
 */
export const ServedChain: Named<typeof chainCodec, ServedChain, ServedChainWire> = chainCodec

const settingsCodec = open("ExplorerSettings", {
  /** `open`: the server answers its pages without a key. `keyed`: the user enters one. */
  access: Schema.Literals(["open", "keyed"]),
  /** Whether the relay traces transactions for callers without a key. */
  tracing: Schema.Boolean,
  /** Whether the server sends webhooks. */
  webhooks: Schema.Boolean,
  /** The chains of the server. */
  chains: Schema.Array(ServedChain),
})

export interface ExplorerSettings extends Schema.Schema.Type<typeof settingsCodec> {}

/** Encoded form of `ExplorerSettings`: the values of its JSON. */
export interface ExplorerSettingsWire extends Schema.Codec.Encoded<typeof settingsCodec> {}

/**
 * Settings of the pages.
 *
 * Source: decision 0058.
 */
export const ExplorerSettings: Named<typeof settingsCodec, ExplorerSettings, ExplorerSettingsWire> = settingsCodec
