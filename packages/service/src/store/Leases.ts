/**
 * Leases: the right to index a chain, held by one owner at a time. A lease only avoids duplicate work. Writes are safe because of the
 * fencing token that each of them carries, and that is replaced whenever the lease is taken.
 */
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type { ChainRef } from "./ChainRef.ts"
import type { StoreError } from "./StoreError.ts"

/** Identifies one acquisition of a chain's lease; a later one has a greater token. */
export type FencingToken = number & Brand.Brand<"FencingToken">

/** Leases of a database. Expiry is determined by the database's clock. */
export interface Leases {
  /**
   * Takes the lease of a chain for a duration in milliseconds; `null` while another owner holds it. An owner that takes it again gets a new
   * token, and its earlier one is rejected from then on. A lease in the future, such as after the clock was set back, is free.
   */
  readonly acquire: (chain: ChainRef, owner: string, millis: number) => Effect.Effect<FencingToken | null, StoreError>
  /** Extends a lease from now; false if the token is not the current one. */
  readonly renew: (chain: ChainRef, token: FencingToken, millis: number) => Effect.Effect<boolean, StoreError>
  /** Releases a lease; does nothing if the token is not the current one. */
  readonly release: (chain: ChainRef, token: FencingToken) => Effect.Effect<void, StoreError>
}
