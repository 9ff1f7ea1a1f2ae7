/**
 * ABI items of a contract as JSON: functions, events, errors and constructors, with what is needed to decode and call them.
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
 * Maximum number of parameters of an item, including those of its tuples.
 *
 * Source: decision 0059.
 */
export const maxParameters = 256

/**
 * Maximum number of items of an ABI.
 *
 * Source: decision 0059.
 */
export const maxItems = 4_096

/**
 * Maximum number of values of an enum.
 *
 * Source: Solidity documentation, enums; decision 0059.
 */
export const maxMembers = 256

const parameter = {
  /** Declared name; empty if there is none. */
  name: Schema.String,
  /** Type as compilers write it: `uint256`, `tuple[]`. */
  type: Schema.String,
  /** True for an event parameter that is a topic of the log; absent for any other parameter. */
  indexed: Schema.optionalKey(Schema.Boolean),
  /** Names of the values of an enum, in order; only if the server has its source. */
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
  /** Declared name; empty for a constructor. */
  name: Schema.String,
  /** Parameters, in order. */
  inputs: parameters,
  /** Return values of a function; absent for the other kinds. */
  outputs: Schema.optionalKey(parameters),
  /** Only on functions and constructors: `view` and `pure` change nothing, `payable` takes native value. */
  stateMutability: Schema.optionalKey(Schema.Literals(["view", "pure", "payable", "nonpayable"])),
  /** Only on events, and always false: an anonymous event has no topic by which it could be decoded. */
  anonymous: Schema.optionalKey(Schema.Boolean),
  /** Only on constructors: length of the creation code in bytes, after which the arguments follow. */
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
