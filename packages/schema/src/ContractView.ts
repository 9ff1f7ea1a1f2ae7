/**
 * What a server knows about a contract: its name and ABI and, for a proxy, those of its implementation.
 */
import * as Schema from "effect/Schema"
import * as Abi from "./Abi.ts"
import * as Address from "./Address.ts"
import { atMost, type Named, open } from "./internal/open.ts"

const describedCodec = open("ContractAbi", {
  /** Address of the contract. */
  address: Address.Address,
  /** Name of the contract, which is the label of its address. */
  name: Schema.String,
  /** Source of the description: `command`, `upload`, or the name of a project's folder. */
  source: Schema.String,
  /** Functions, events and errors that can be decoded. */
  abi: atMost(Abi.maxItems, Abi.Item),
})

export interface ContractAbi extends Schema.Schema.Type<typeof describedCodec> {}

/** Encoded form of `ContractAbi`: the values of its JSON. */
export interface ContractAbiWire extends Schema.Codec.Encoded<typeof describedCodec> {}

/**
 * A contract and its ABI items.
 *
 * Source: decisions 0058 and 0059.
 */
export const ContractAbi: Named<typeof describedCodec, ContractAbi, ContractAbiWire> = describedCodec

const viewCodec = open("ContractView", {
  /** The contract. */
  contract: ContractAbi,
  /** Implementation of a proxy; `null` if the contract is not a proxy or its implementation is not described. */
  implementation: Schema.NullOr(ContractAbi),
})

export interface ContractView extends Schema.Schema.Type<typeof viewCodec> {}

/** Encoded form of `ContractView`: the values of its JSON. */
export interface ContractViewWire extends Schema.Codec.Encoded<typeof viewCodec> {}

/**
 * A contract and its implementation.
 *
 * Source: decisions 0058 and 0059.
 */
export const ContractView: Named<typeof viewCodec, ContractView, ContractViewWire> = viewCodec

const resultCodec = open("ContractResult", {
  /** What is known about the address; `null` if it is not described. */
  result: Schema.NullOr(ContractView),
})

export interface ContractResult extends Schema.Schema.Type<typeof resultCodec> {}

/** Encoded form of `ContractResult`: the values of its JSON. */
export interface ContractResultWire extends Schema.Codec.Encoded<typeof resultCodec> {}

/**
 * What is known about an address.
 *
 * Source: decision 0058.
 */
export const ContractResult: Named<typeof resultCodec, ContractResult, ContractResultWire> = resultCodec

/**
 * Path parameters of the operation: an address, because a pack has no page.
 *
 * Source: decision 0058.
 */
export const Path = Schema.Struct({
  /** Address of the contract, in any case. */
  contract: Address.Address,
})

/**
 * Query parameters of the operation.
 *
 * Source: decision 0058.
 */
export const Query = Schema.Struct({
  /** Chain by name or identifier. */
  chain: Schema.optionalKey(Schema.String),
})
