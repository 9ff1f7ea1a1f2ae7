/**
 * Events and calls decoded by a known ABI.
 */
import * as Schema from "effect/Schema"
import { type Named, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"

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
)

export interface Param extends Schema.Schema.Type<typeof paramCodec> {}

/** Encoded form of `Param`: the values of its JSON. */
export interface ParamWire extends Schema.Codec.Encoded<typeof paramCodec> {}

/**
 * Parameter of a decoded event or call.
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const Param: Named<typeof paramCodec, Param, ParamWire> = paramCodec

const decodedItemCodec = open("DecodedItem", {
  /** Canonical signature such as `transfer(address,uint256)`. */
  signature: Schema.String,
  /** Name of the event or function, such as `transfer`. */
  label: Schema.String,
  /** Kind of item: `event` or `function`. */
  type: Schema.String,
  /** Parameters, in ABI order. */
  params: Schema.Array(Param),
})

export interface DecodedItem extends Schema.Schema.Type<typeof decodedItemCodec> {}

/** Encoded form of `DecodedItem`: the values of its JSON. */
export interface DecodedItemWire extends Schema.Codec.Encoded<typeof decodedItemCodec> {}

/**
 * Decoded event or call.
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const DecodedItem: Named<typeof decodedItemCodec, DecodedItem, DecodedItemWire> = decodedItemCodec
