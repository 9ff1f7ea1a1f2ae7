/**
 * Block numbers without a block. If no block was produced in a round, Filecoin nodes reject its number, and the next block's parent is the
 * last block before it. An empty block stands for such a number: it has the hash of that last block, which is also its parent, so that each
 * number is linked to the previous one. If a node rejects the number of an existing block, the next block does not fit and exposes it.
 *
 * Source: decision 0037.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as TrieRoot from "../verification/TrieRoot.ts"

/** Consecutive numbers without a block that a node last rejected. */
export interface Found {
  /** The last block before them. */
  readonly below: HydratedBlock
  readonly last: number
  /** When `below` was read, in milliseconds. */
  readonly atMillis: number
}

/** Maximum number of lower numbers that are tried: eight hours of Filecoin. If a node rejects all of them, lower ones are not requested. */
export const maxRounds = 1_000

/** Time for which the block below is reused: a reorg may produce blocks for numbers that had none. */
const knownMillis = 5_000

/** Contents of an empty block. Sound: addresses, hashes and blooms have their lengths. */
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

/** True for the rejection of a number without a block. Source: Lotus, `ErrNullRound`. */
export const isNullRound = (error: CallError): boolean =>
  error._tag === "RpcError" && /\bnull round\b/.test(error.message)

/** Substitute for the block of a number without one. Sound: the block below is mined, so it has a hash. */
const substitute = (number: number, below: HydratedBlock): HydratedBlock => ({
  ...below,
  ...nothing,
  number: BigInt(number),
  parentHash: below.hash!,
})

const isFound = (block: HydratedBlock): boolean => block.number !== null && block.hash !== null

/**
 * Finds the substitute for a number that a node rejected with `error`. `read` reads a block by number; only its header is used.
 *
 * **Errors**
 * - `CallError`: the rejection itself if no block is found below, or another failure of the node.
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
      return substitute(number, known.below)
    }
    const found = yield* Effect.catchIf(read(one), isNullRound, () => Effect.succeed(undefined))
    if (found === undefined) continue
    if (found === null || !isFound(found)) break
    endpoint.nullRounds = { below: found, last: number, atMillis }
    return substitute(number, found)
  }
  return yield* Effect.fail(error)
})
