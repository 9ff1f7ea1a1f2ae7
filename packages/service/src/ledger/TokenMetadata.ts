/**
 * Self-description of a token contract.
 */

/**
 * Self-description of a token. Anyone can create a token with the name of another; only its address identifies it.
 */
export interface TokenMetadata {
  readonly name: string | null
  readonly symbol: string | null
  /** `null` if the token has none; amounts are in its smallest unit. */
  readonly decimals: number | null
  /** Block at which it was read. */
  readonly block: number
}
