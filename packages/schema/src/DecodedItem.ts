/**
 * A log or a call in words: the name and parameters that a known ABI gives it.
 */
import * as Schema from "effect/Schema"
import { open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"

/**
 * One parameter of a decoded event or call.
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const Param = open(
  "Param",
  {
    /** Name in the ABI; `""` when it has none. */
    name: Schema.optionalKey(Text.OrNothing),
    /** Value as text: addresses checksummed, integers decimal, arrays and tuples compact JSON. */
    value: Text.Value,
    /** Solidity type such as `uint256` or `(address,uint256)[]`. */
    type: Schema.String,
  },
  { name: () => "" },
)

/**
 * One parameter of a decoded event or call.
 */
export interface Param extends Schema.Schema.Type<typeof Param> {}

/**
 * A decoded event or call.
 *
 * Source: docs/interface.md#2.4; decision 0015.
 */
export const DecodedItem = open("DecodedItem", {
  /** Canonical signature such as `transfer(address,uint256)`. */
  signature: Schema.String,
  /** Short name such as `transfer`. */
  label: Schema.String,
  /** `event` for a log, `function` for a call. */
  type: Schema.String,
  /** Parameters, in the order of the ABI. */
  params: Schema.Array(Param),
})

/**
 * A decoded event or call.
 */
export interface DecodedItem extends Schema.Schema.Type<typeof DecodedItem> {}
