/**
 * A log or a call in words: the name and parameters that a known ABI gives it.
 */
import * as Schema from "effect/Schema"
import { open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"

/**
 * One parameter of a decoded event or call.
 *
 * Source: interface 2.4; decision 0015.
 *
 * @category codecs
 * @since 0.1.0
 */
export const Param = open(
  "Param",
  {
    /** Name in the ABI; `""` when it has none. Source: interface 2.4. */
    name: Schema.optionalKey(Text.OrNothing),
    /** Value as text: addresses checksummed, integers decimal, arrays and tuples compact JSON. Source: decision 0015. */
    value: Text.Value,
    /** Solidity type such as `uint256` or `(address,uint256)[]`. Source: interface 2.4. */
    type: Schema.String,
  },
  { name: () => "" },
)

/**
 * One parameter of a decoded event or call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Param extends Schema.Schema.Type<typeof Param> {}

/**
 * A decoded event or call.
 *
 * Source: interface 2.4; decision 0015.
 *
 * @category codecs
 * @since 0.1.0
 */
export const DecodedItem = open("DecodedItem", {
  /** Canonical signature such as `transfer(address,uint256)`. Source: interface 2.4. */
  signature: Schema.String,
  /** Short name such as `transfer`. Source: interface 2.4. */
  label: Schema.String,
  /** `event` for a log, `function` for a call. Source: interface 2.4. */
  type: Schema.String,
  /** Parameters, in the order of the ABI. Source: interface 2.4. */
  params: Schema.Array(Param),
})

/**
 * A decoded event or call.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecodedItem extends Schema.Schema.Type<typeof DecodedItem> {}
