/**
 * Progress of a requested comparison of a wallet with the chain.
 */
import type * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Statement from "./Statement.ts"

const progressCodec = open("ProofProgress", {
  /** The wallet. */
  address: Address.Address,
  /** Block of the comparison. */
  block_number: Decimal.Decimal,
  /** Number of calls to nodes so far; 0 while the comparison is queued, and once it is complete. */
  calls: Decimal.SafeInteger,
  /** The comparison; `null` while it is running. */
  proof: objectOrNull(Statement.Proof),
})

export interface ProofProgress extends Schema.Schema.Type<typeof progressCodec> {}

/** Encoded form of `ProofProgress`: the values of its JSON. */
export interface ProofProgressWire extends Schema.Codec.Encoded<typeof progressCodec> {}

/**
 * Progress of the comparison of a wallet's sums with the state of the chain, and the comparison once it is complete.
 *
 * **Example** (Decoding a running comparison)
 *
 * ```ts
 * import * as ProofProgress from "@daybook/schema/ProofProgress"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { address: `0x${"ab".repeat(20)}`, block_number: "20000000", calls: "12", proof: null }
 * console.log(Schema.decodeUnknownSync(ProofProgress.ProofProgress)(wire).calls) // 12
 * ```
 *
 * Source: decision 0050.
 */
export const ProofProgress: Named<typeof progressCodec, ProofProgress, ProofProgressWire> = progressCodec

/**
 * Unknown keys of the progress, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as ProofProgress from "@daybook/schema/ProofProgress"
 *
 * declare const progress: ProofProgress.ProofProgress
 * export const extras = () => ProofProgress.extras(progress)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: ProofProgress): Readonly<Record<string, unknown>> => ProofProgress.extras(value)
