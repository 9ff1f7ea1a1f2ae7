/**
 * Data that is not stored: traces of bombs, which have more frames than the indexer stores, traces of blocks that some nodes cannot
 * trace, and transactions whose receipts some nodes have lost. They are determined by hashes.
 */
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Block, Call, Transaction } from "./Tree.ts"

/**
 * Whether the internal calls of a transaction are stored: never for a bomb, possibly if a node cannot trace the block.
 */
export type Stored = "always" | "perhaps" | "never"

/** Predicates for data that may be missing. */
export interface Untraceable {
  /** True if the transaction has more frames than are stored. */
  readonly isBomb: (transaction: Transaction) => boolean
  /** True if nodes without the state of the block cannot trace it. */
  readonly isOld: (block: Block) => boolean
  /** True if some nodes have lost the receipt of the transaction. */
  readonly isLost: (transaction: Transaction) => boolean
}

/** Trace limits of the indexers of a simulated world. */
export const traceLimits = { transactionBytes: 1_000, blockBytes: 3_000, frames: 100, depth: 1_024 } as const

/** Chooses the untraceable data at random. */
export const make = (random: SeededRandom): Untraceable => {
  const hasBombs = random.is(0.4)
  return {
    isBomb: ({ hash }) => hasBombs && hash.endsWith("0"),
    isOld: ({ hash }) => /[0-2]$/.test(hash),
    isLost: ({ hash }) => /[0-2].$/.test(hash),
  }
}

/** Calls of a transaction, including those that make it a bomb. */
export const callsOf = (transaction: Transaction, isBomb: boolean): ReadonlyArray<Call> => {
  if (!isBomb) return transaction.calls
  const [from, to] = [transaction.to ?? transaction.created!, transaction.from]
  const call: Call = { kind: "CALL", from, to, value: 0, isFailed: false, calls: [] }
  return [...transaction.calls, ...Array.from({ length: traceLimits.frames + 1 }, () => call)]
}
