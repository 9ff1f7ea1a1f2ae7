/**
 * Configuration of requests without an API key: the keys under `anonymous`.
 *
 * Source: decision 0065.
 */
import * as Schema from "effect/Schema"
import { Count, withDefault } from "./ChainConfig.ts"
import * as Operation from "./Operation.ts"

/** What requests without an API key may ask for, and how often: those of one address, and all of them together. */
export const Anonymous = Schema.Struct({
  /** Average requests per second. Default 5. */
  perSecond: withDefault(Count, () => 5),
  /** Requests at once. Default 10. */
  burst: withDefault(Count, () => 10),
  /** The same for all addresses together. Default 100 and 200. */
  total: withDefault(
    Schema.Struct({ perSecond: withDefault(Count, () => 100), burst: withDefault(Count, () => 200) }),
    () => ({}),
  ),
  /** Names of REST operations, and `relay`. Default: all. */
  operations: Schema.optionalKey(Schema.NonEmptyArray(Schema.Literals(Operation.reading))),
})

/** Limits of requests without an API key, decoded. */
export interface Anonymous extends Schema.Schema.Type<typeof Anonymous> {}
