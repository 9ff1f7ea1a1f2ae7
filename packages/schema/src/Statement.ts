/**
 * Statements of a wallet: opening balances, what moved in and out by asset and kind, and closing balances.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Balance from "./Balance.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import { orEmpty } from "./internal/leaf.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Movement from "./Movement.ts"
import * as Timestamp from "./Timestamp.ts"
import * as Token from "./Token.ts"

const sumCodec = open("StatementSum", {
  /** Asset moved. */
  asset: Movement.Asset,
  /** Id of the token; `null` for a fungible asset. */
  token_id: orEmpty(Decimal.Decimal, null),
  /** The token as described by its contract; `null` for the native asset, or if it has not been read yet. */
  token: objectOrNull(Token.Token),
  /** Kind of the movements. */
  kind: Movement.Movement.fields.kind,
  /** Number of movements. */
  count: Decimal.SafeInteger,
  /** Sum of what the wallet received, in the smallest unit of the asset. */
  in: Decimal.Signed,
  /** Sum of what it paid, in the smallest unit of the asset: negative or 0. */
  out: Decimal.Signed,
  /** Net change in the smallest unit of the asset: `in` plus `out`, negative if the wallet paid more than it received. */
  amount: Decimal.Signed,
})

export interface Sum extends Schema.Schema.Type<typeof sumCodec> {}

/** Encoded form of `Sum`: the values of its JSON. */
export interface SumWire extends Schema.Codec.Encoded<typeof sumCodec> {}

/**
 * Sum of the movements of one kind in one asset.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Statement from "@daybook/schema/Statement"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Statement.Sum.fields.amount)("-5")) // -5n
 * ```
 *
 * Source: decision 0049.
 */
export const Sum: Named<typeof sumCodec, Sum, SumWire> = sumCodec

const differenceCodec = open("StatementDifference", {
  /** Asset held. */
  asset: Movement.Asset,
  /** Id of the token; `null` for a fungible asset. */
  token_id: orEmpty(Decimal.Decimal, null),
  /** Sum of the movements, in the smallest unit of the asset. */
  expected: Decimal.Signed,
  /** Balance on the chain, in the smallest unit of the asset; `null` if the contract does not report one. */
  found: orEmpty(Decimal.Signed, null),
  /** First block at which both differ; `null` if it was not located. */
  first_block: orEmpty(Decimal.Decimal, null),
})

export interface Difference extends Schema.Schema.Type<typeof differenceCodec> {}

/** Encoded form of `Difference`: the values of its JSON. */
export interface DifferenceWire extends Schema.Codec.Encoded<typeof differenceCodec> {}

/**
 * An asset whose balance on the chain differs from the movements.
 *
 * **Example** (Decoding a difference)
 *
 * ```ts
 * import * as Statement from "@daybook/schema/Statement"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { asset: "native", token_id: null, expected: "5", found: "7", first_block: null }
 * const { expected, found } = Schema.decodeUnknownSync(Statement.Difference)(wire)
 * console.log(expected, found) // 5n 7n
 * ```
 *
 * Source: decisions 0049 and 0050.
 */
export const Difference: Named<typeof differenceCodec, Difference, DifferenceWire> = differenceCodec

const proofCodec = open("StatementProof", {
  /** Block of the comparison. */
  block_number: Decimal.Decimal,
  /** True if everything was compared and nothing differs. */
  proved: Schema.Boolean,
  /** Last block at which that was the case; `null` for none. */
  proved_at_block: orEmpty(Decimal.Decimal, null),
  /** The differences. */
  differences: Schema.Array(Difference),
  /** What could not be compared, as sentences. */
  not_compared: Schema.Array(Schema.String),
  /**
   * What was verified against the state root of the block's header: `native`, `nonce` for the number of sent transactions. Absent if
   * nothing was; for the rest the node was trusted.
   */
  by_state_root: Schema.optionalKey(Schema.Array(Schema.Literals(["native", "nonce"]))),
})

export interface Proof extends Schema.Schema.Type<typeof proofCodec> {}

/** Encoded form of `Proof`: the values of its JSON. */
export interface ProofWire extends Schema.Codec.Encoded<typeof proofCodec> {}

/**
 * The last comparison of a wallet's sums with the state of the chain.
 *
 * **Example** (Decoding a proof)
 *
 * ```ts
 * import * as Statement from "@daybook/schema/Statement"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { block_number: "9", proved: true, proved_at_block: "9", differences: [], not_compared: [] }
 * console.log(Schema.decodeUnknownSync(Statement.Proof)(wire).proved) // true
 * ```
 *
 * Source: decisions 0049 and 0050.
 */
export const Proof: Named<typeof proofCodec, Proof, ProofWire> = proofCodec

const openingCodec = open("StatementOpening", {
  /** The block before the range; `null` if the range starts with block 0. */
  block_number: orEmpty(Decimal.Decimal, null),
  /** Balances: `native` first, then by asset and id. */
  result: Schema.Array(Balance.Balance),
})

export interface Opening extends Schema.Schema.Type<typeof openingCodec> {}

/** Encoded form of `Opening`: the values of its JSON. */
export interface OpeningWire extends Schema.Codec.Encoded<typeof openingCodec> {}

/**
 * Opening balances of a wallet before a range of blocks.
 *
 * **Example** (Decoding the balances before a range)
 *
 * ```ts
 * import * as Statement from "@daybook/schema/Statement"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Statement.Opening)({ block_number: null, result: [] }).result) // []
 * ```
 *
 * Source: decision 0049.
 */
export const Opening: Named<typeof openingCodec, Opening, OpeningWire> = openingCodec

const statementCodec = open("Statement", {
  /** The wallet. */
  address: Address.Address,
  /** First block of the range. */
  from_block: Decimal.Decimal,
  /** Last block of the range. */
  block_number: Decimal.Decimal,
  /** Hash of the last block. */
  block_hash: Hash.Hash,
  /** Time of the last block. */
  block_timestamp: Timestamp.Timestamp,
  /** Balances before the range. Empty if unknown: see `incomplete.opening`. */
  opening: Opening,
  /** Movements in the range, one sum for each asset, id and kind: `native` first, then by asset, id and kind. */
  sums: Schema.Array(Sum),
  /** Balances after the last block, in its `result`. */
  closing: Balance.Balances,
  /** Last comparison of the sums with the state of the chain; `null` if there was none, or a reorg removed its block. */
  proof: objectOrNull(Proof),
  /** What the sums of the range may be missing. They are complete if `opening` is false and `places` is 0. */
  incomplete: Balance.Incomplete,
})

export interface Statement extends Schema.Schema.Type<typeof statementCodec> {}

/** Encoded form of `Statement`: the values of its JSON. */
export interface StatementWire extends Schema.Codec.Encoded<typeof statementCodec> {}

/**
 * Statement of a wallet over a range of blocks: the opening balances plus the sums equal the closing balances.
 *
 * **Example** (Finding what is missing)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as Statement from "@daybook/schema/Statement"
 *
 * const [issue] = Issue.find(Statement.Statement, {})
 * console.log(issue?.received) // nothing
 * ```
 *
 * Source: decision 0049.
 */
export const Statement: Named<typeof statementCodec, Statement, StatementWire> = statementCodec

/**
 * Unknown keys of a statement, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as Statement from "@daybook/schema/Statement"
 *
 * declare const statement: Statement.Statement
 * export const extras = () => Statement.extras(statement)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: Statement): Readonly<Record<string, unknown>> => Statement.extras(value)
