/**
 * Parameters of Otterscan methods. Otterscan sends numbers as JSON numbers; other clients send hex quantities.
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

/** A block by number or tag, in the form for nodes. */
export const Block = Schema.Union([JsonNumber, RpcMethod.BlockId])

/** A number. */
export const Count = Schema.Union([JsonNumber, Quantity.SafeInteger])

const encode = Schema.encodeSync(RpcMethod.BlockId)

/** A block in the form for nodes. */
export const toWire = (block: RpcMethod.BlockId): string => encode(block)
