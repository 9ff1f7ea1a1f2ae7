/**
 * Items of the ABI of a contract as JSON: functions, events, errors and constructors, with what decoding and reading need of them.
 */
import * as Schema from "effect/Schema"
import * as Quantity from "./Quantity.ts"
import { atMost, type Named, nested, open, type Resource } from "./internal/open.ts"

/**
 * Deepest nesting of tuples in a parameter.
 *
 * Source: decision 0059.
 */
export const maxDepth = 16

/**
 * Parameters of an item at most, with those of its tuples.
 *
 * Source: decision 0059.
 */
export const maxParameters = 256

/**
 * Items of an ABI at most.
 *
 * Source: decision 0059.
 */
export const maxItems = 4_096

/**
 * Values of an enum at most.
 *
 * Source: Solidity documentation, enums; decision 0059.
 */
export const maxMembers = 256

const parameter = {
  /** Name as declared; empty where there is none. */
  name: Schema.String,
  /** Type as compilers write it: `uint256`, `tuple[]`. */
  type: Schema.String,
  /** Only of a parameter of an event that is a topic of the log. */
  indexed: Schema.optionalKey(Schema.Boolean),
  /** Names of the values of an enum, in order; only where the server has its source. */
  enum: Schema.optionalKey(atMost(maxMembers, Schema.String)),
}

export interface Parameter extends Schema.Struct.Type<typeof parameter> {
  /** Members of a tuple. */
  readonly components?: ReadonlyArray<Parameter>
}

/** Encoded form of `Parameter`: the values of its JSON. */
export interface ParameterWire extends Schema.Struct.Encoded<typeof parameter> {
  /** Members of a tuple. */
  readonly components?: ReadonlyArray<ParameterWire>
}

/**
 * A parameter of a function, an event or an error.
 *
 * Source: Solidity ABI specification, JSON; decision 0059.
 */
export const Parameter: Resource<Parameter, ParameterWire> = open("AbiParameter", {
  ...parameter,
  /** Members of a tuple. */
  components: Schema.optionalKey(
    Schema.Array(nested("a parameter of an ABI", maxDepth, (): Schema.Codec<Parameter, ParameterWire> => Parameter)),
  ),
})

const parameters = atMost(maxParameters, Parameter)

const itemCodec = open("AbiItem", {
  /** Kind of item. */
  type: Schema.Literals(["event", "function", "error", "constructor"]),
  /** Name as declared; empty for a constructor. */
  name: Schema.String,
  /** Parameters, in order. */
  inputs: parameters,
  /** Return values of a function; absent for the other kinds. */
  outputs: Schema.optionalKey(parameters),
  /** Of a function and a constructor: `view` and `pure` change nothing, `payable` takes native value. */
  stateMutability: Schema.optionalKey(Schema.Literals(["view", "pure", "payable", "nonpayable"])),
  /** Only of an event: false, as one that is anonymous has no topic to decode it by. */
  anonymous: Schema.optionalKey(Schema.Boolean),
  /** Only of a constructor: bytes of the creation code, which its arguments follow. */
  codeBytes: Schema.optionalKey(Quantity.SafeIntegerFromNumber),
})

export interface Item extends Schema.Schema.Type<typeof itemCodec> {}

/** Encoded form of `Item`: the values of its JSON. */
export interface ItemWire extends Schema.Codec.Encoded<typeof itemCodec> {}

/**
 * An item of an ABI.
 *
 * Source: Solidity ABI specification, JSON; decision 0059.
 */
export const Item: Named<typeof itemCodec, Item, ItemWire> = itemCodec
