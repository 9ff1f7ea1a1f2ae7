/**
 * What is not stored: traces of bombs, which have more frames than the indexer keeps, traces of blocks that some nodes cannot trace, and
 * transactions whose receipts some nodes have lost. Which they are follows from their hashes.
 */
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Block, Call, Deed } from "./Tree.ts"

/**
 * Whether the internal calls of a transaction are stored: never for a bomb, possibly if a node cannot trace the block.
 */
export type Stored = "always" | "perhaps" | "never"

/** What is untraceable in a world. */
export interface Untraceable {
  /** The transaction has more frames than are kept. */
  readonly isBomb: (deed: Deed) => boolean
  /** The block is one that nodes without its state cannot trace. */
  readonly isOld: (block: Block) => boolean
  /** The transaction is one whose receipt some nodes have lost. */
  readonly isLost: (deed: Deed) => boolean
}

/** Bounds of the indexers of a simulated world. */
export const traceLimits = { transactionBytes: 1_000, blockBytes: 3_000, frames: 100, depth: 1_024 } as const

/** Draws what is untraceable. */
export const make = (random: SeededRandom): Untraceable => {
  const hasBombs = random.is(0.4)
  return {
    isBomb: ({ hash }) => hasBombs && hash.endsWith("0"),
    isOld: ({ hash }) => /[0-2]$/.test(hash),
    isLost: ({ hash }) => /[0-2].$/.test(hash),
  }
}

/** The calls of a transaction, with those that make a bomb of it. */
export const callsOf = (deed: Deed, isBomb: boolean): ReadonlyArray<Call> => {
  if (!isBomb) return deed.calls
  const [from, to] = [deed.to ?? deed.created!, deed.from]
  const call: Call = { kind: "CALL", from, to, value: 0, isFailed: false, calls: [] }
  return [...deed.calls, ...Array.from({ length: traceLimits.frames + 1 }, () => call)]
}
