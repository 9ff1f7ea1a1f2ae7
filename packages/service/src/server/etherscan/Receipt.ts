/** Reads the needed parts of a node's receipt, which may have any form. Pure. */
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import * as Address from "@daybook/schema/Address"
import * as Quantity from "@daybook/schema/Quantity"

const Fields = Schema.Struct({
  blockNumber: Quantity.Quantity,
  from: Address.Address,
  status: Schema.optionalKey(Schema.NullOr(Quantity.Quantity)),
})

const decode = Schema.decodeUnknownOption(Fields)

/** Parts of a receipt. */
export interface Receipt {
  readonly block: number
  /** Lower case. */
  readonly from: string
  /** `null` before Byzantium. */
  readonly status: "0" | "1" | null
}

/** Reads a receipt; `null` for none. */
export const read = (value: unknown): Receipt | null => {
  const fields = Option.getOrUndefined(decode(value))
  if (fields === undefined) return null
  const { blockNumber, from, status } = fields
  return { block: Number(blockNumber), from, status: status == null ? null : status === 0n ? "0" : "1" }
}
