/**
 * Parts of a block that do not decode, while the rest does: fields that no record shows, which are omitted, and whole transactions and
 * receipts. Pure.
 *
 * Source: decision 0035.
 */

/**
 * A transaction or receipt with something that does not decode.
 */
export interface UndecodedPart {
  /** Hash of the transaction; `null` if it does not decode either. */
  readonly hash: string | null
  /** The first issue, for an operator. */
  readonly reason: string
  /** True if the whole part is omitted; false if only fields that no record shows are. */
  readonly isLeftOut: boolean
}

/**
 * Parts of a block that do not decode.
 */
export interface Undecoded {
  /** Issues of header fields by field name. */
  readonly header: ReadonlyMap<string, string>
  readonly transactions: ReadonlyArray<UndecodedPart>
  readonly receipts: ReadonlyArray<UndecodedPart>
}

/**
 * Everything decodes.
 */
export const none: Undecoded = { header: new Map(), transactions: [], receipts: [] }

/**
 * True if a transaction or receipt lacks fields that no record shows.
 */
export const isIncomplete = ({ receipts, transactions }: Undecoded): boolean =>
  [...receipts, ...transactions].some(({ isLeftOut }) => !isLeftOut)

/**
 * Number of omitted transactions.
 */
export const leftOut = ({ transactions }: Undecoded): number => transactions.filter(({ isLeftOut }) => isLeftOut).length
