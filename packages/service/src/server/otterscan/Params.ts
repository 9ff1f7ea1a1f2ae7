/**
 * Parameters of the methods of Otterscan, which sends numbers as JSON numbers; other clients send hex quantities.
 */
import * as Quantity from "@daybook/schema/Quantity"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Schema from "effect/Schema"

const JsonNumber = Schema.Number.check(
  Schema.isBetween(
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { expected: "a whole number from 0 to 9007199254740991, or the same in hex" },
  ),
  Schema.isInt(),
)

/** A block by its number or tag, as nodes are asked for it. */
export const Block = Schema.Union([JsonNumber, RpcMethod.BlockId])

/** A number. */
export const Count = Schema.Union([JsonNumber, Quantity.SafeInteger])

const encode = Schema.encodeSync(RpcMethod.BlockId)

/** A block as nodes are asked for it. */
export const toWire = (block: RpcMethod.BlockId): string => encode(block)
