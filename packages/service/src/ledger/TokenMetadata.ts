/**
 * What a token contract states about itself.
 */

/**
 * How a token describes itself. Anyone can create a token with the name of another one: its address identifies it.
 */
export interface TokenMetadata {
  readonly name: string | null
  readonly symbol: string | null
  /** `null` where the token has none: amounts are in its smallest unit. */
  readonly decimals: number | null
  /** The block it was read at. */
  readonly block: number
}
