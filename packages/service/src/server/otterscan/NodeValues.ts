/**
 * Reads the needed parts of node values, which may have any form. Forwarded fields are not decoded.
 *
 * Source: decisions 0016 and 0020.
 */
import * as Address from "@daybook/schema/Address"
import * as Hash from "@daybook/schema/Hash"
import * as Hex from "@daybook/schema/Hex"
import * as Quantity from "@daybook/schema/Quantity"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as LocalMethod from "../relay/LocalMethod.ts"

/** Members of a forwarded value. */
export type Members = Readonly<Record<string, unknown>>

/** A node's value with the members to forward. */
export interface Passed<Fields> {
  readonly fields: Fields
  readonly members: Members
}

/** A node's result does not match its method. */
export const unreadable = (what: string): LocalMethod.CallFailed =>
  LocalMethod.failed(`Invalid response of the node: expected ${what}. Retry later, or use another node.`)

/** Reads a value; `null` counts as none. */
const reader = <Fields>(what: string, schema: Schema.Codec<Fields, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value: unknown): Effect.Effect<Passed<Fields> | null, LocalMethod.CallFailed> => {
    if (value === null) return Effect.succeed(null)
    const fields = decode(value)
    // Sound: the schema is that of an object.
    return Option.isSome(fields)
      ? Effect.succeed({ fields: fields.value, members: value as Members })
      : Effect.fail(unreadable(what))
  }
}

/** Fields of a block. */
export interface BlockFields {
  readonly number: number
  readonly hash: string
  readonly transactions: ReadonlyArray<unknown>
  readonly uncles?: ReadonlyArray<string>
  readonly difficulty?: bigint | null
  readonly timestamp: bigint
}

/** Reads a block. */
export const readBlock = reader<BlockFields>(
  "a block",
  Schema.Struct({
    number: Quantity.SafeInteger,
    hash: Hash.Hash,
    transactions: Schema.Array(Schema.Unknown),
    uncles: Schema.optionalKey(Schema.Array(Hash.Hash)),
    difficulty: Schema.optionalKey(Quantity.OrNull),
    timestamp: Quantity.Quantity,
  }),
)

/** Fields of a transaction. */
export interface TransactionFields {
  readonly hash: string
  readonly blockHash: string | null
  readonly from: string
  readonly nonce: number
  readonly input: string
}

/** Reads a transaction. */
export const readTransaction = reader<TransactionFields>(
  "a transaction",
  Schema.Struct({
    hash: Hash.Hash,
    blockHash: Hash.OrNull,
    from: Address.Address,
    nonce: Quantity.SafeInteger,
    input: Hex.Hex,
  }),
)

/** Fields of a receipt. */
export interface ReceiptFields {
  readonly transactionHash: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly from: string
  readonly contractAddress?: string | null
  readonly gasUsed: bigint
  readonly effectiveGasPrice?: bigint | null
  readonly status?: bigint | null
}

/** Reads a receipt. */
export const readReceipt = reader<ReceiptFields>(
  "a receipt",
  Schema.Struct({
    transactionHash: Hash.Hash,
    blockNumber: Quantity.SafeInteger,
    blockHash: Hash.Hash,
    from: Address.Address,
    contractAddress: Schema.optionalKey(Address.OrNull),
    gasUsed: Quantity.Quantity,
    effectiveGasPrice: Schema.optionalKey(Quantity.OrNull),
    status: Schema.optionalKey(Quantity.OrNull),
  }),
)

/** Reads all items of a list, none of which may be missing. */
export const readAll = <Fields>(
  what: string,
  read: (value: unknown) => Effect.Effect<Passed<Fields> | null, LocalMethod.CallFailed>,
  values: unknown,
): Effect.Effect<ReadonlyArray<Passed<Fields>>, LocalMethod.CallFailed> =>
  Array.isArray(values)
    ? Effect.forEach(values, (value) =>
        Effect.flatMap(read(value), (item) => (item === null ? Effect.fail(unreadable(what)) : Effect.succeed(item))),
      )
    : Effect.fail(unreadable(what))

const decodeNumber = Schema.decodeUnknownOption(Quantity.SafeInteger)
const decodeHex = Schema.decodeUnknownOption(Hex.Hex)

const required = <A>(what: string, value: Option.Option<A>): Effect.Effect<A, LocalMethod.CallFailed> =>
  Option.isSome(value) ? Effect.succeed(value.value) : Effect.fail(unreadable(what))

/** Reads a number. */
export const readNumber = (value: unknown) => required("a number", decodeNumber(value))

/** Reads data in hex. */
export const readHex = (value: unknown) => required("data in hex", decodeHex(value))
