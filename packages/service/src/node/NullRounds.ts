/**
 * Numbers without a block. Where no block was made in a round, Filecoin's nodes refuse the number, and the next block's parent is the last
 * block before it. A block without transactions stands for such a number: it has the hash of that block, which is its parent too, so that
 * each number is linked to the one before. A node that refuses the number of a block is found by the next one, which does not fit.
 *
 * Source: decision 0037.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as TrieRoot from "../verification/TrieRoot.ts"

/** Numbers without a block that a node has refused last, one after another. */
export interface Found {
  /** The last block before them. */
  readonly below: HydratedBlock
  readonly last: number
  /** When `below` was read, in milliseconds. */
  readonly atMillis: number
}

/** Numbers below one that are asked for, at most: eight hours of Filecoin. A node that refuses all of them is not asked for lower ones. */
export const maxRounds = 1_000

/** Time in which the block below is not searched for again: a reorg may make blocks of numbers that had none. */
const knownMillis = 5_000

/** Contents of a block without transactions. Sound: addresses, hashes and blooms of their lengths. */
const nothing = {
  miner: `0x${"0".repeat(40)}`,
  gasUsed: 0n,
  logsBloom: `0x${"0".repeat(512)}`,
  transactionsRoot: TrieRoot.empty,
  receiptsRoot: TrieRoot.empty,
  transactions: [],
  uncles: [],
  withdrawals: null,
  withdrawalsRoot: null,
} as unknown as Partial<HydratedBlock>

/** True for the refusal of a number that has no block. Source: Lotus, `ErrNullRound`. */
export const isNullRound = (error: CallError): boolean =>
  error._tag === "RpcError" && /\bnull round\b/.test(error.message)

/** What stands for a number without a block. Sound: the block below is mined, so that it has a hash. */
const standIn = (number: number, below: HydratedBlock): HydratedBlock => ({
  ...below,
  ...nothing,
  number: BigInt(number),
  parentHash: below.hash!,
})

const isFound = (block: HydratedBlock): boolean => block.number !== null && block.hash !== null

/**
 * Gives what stands for a number that a node refused with `error`. `read` gives a block by its number, of which the header is used.
 *
 * **Errors**
 * - `CallError`: the refusal itself, where no block is found below; or the node failed otherwise.
 */
export const at = Effect.fnUntraced(function* (
  endpoint: { nullRounds: Found | undefined },
  number: number,
  error: CallError,
  read: (number: number) => Effect.Effect<HydratedBlock | null, CallError>,
): Effect.fn.Return<HydratedBlock, CallError> {
  const atMillis = yield* MonotonicClock.millis
  const known = endpoint.nullRounds
  const isRecent = known !== undefined && atMillis - known.atMillis < knownMillis
  for (let one = number - 1; one >= 0 && number - one <= maxRounds; one--) {
    if (isRecent && one <= known.last && one > Number(known.below.number)) {
      endpoint.nullRounds = { ...known, last: number }
      return standIn(number, known.below)
    }
    const found = yield* Effect.catchIf(read(one), isNullRound, () => Effect.succeed(undefined))
    if (found === undefined) continue
    if (found === null || !isFound(found)) break
    endpoint.nullRounds = { below: found, last: number, atMillis }
    return standIn(number, found)
  }
  return yield* Effect.fail(error)
})
