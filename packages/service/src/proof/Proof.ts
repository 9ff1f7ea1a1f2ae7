/**
 * Proves the balances of a wallet at a block: compares the sums of its movements with the state of the chain, and locates the first block
 * of each difference. Used for a discovery, but applicable to any source of sums.
 *
 * Source: decision 0047.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AccountCalls from "../discovery/AccountCalls.ts"
import type * as Calls from "../node/Calls.ts"
import type { StateUnavailable } from "../node/CallsError.ts"
import * as Holding from "../ledger/Holding.ts"

/**
 * Expected balance of a wallet at the block of the proof.
 */
export interface Claim {
  readonly holding: Holding.Holding
  readonly expected: bigint
}

/**
 * A holding whose balance differs from the sum of its movements.
 */
export interface Difference extends Claim {
  /** `null` if the contract returns no balance. */
  readonly found: bigint | null
  /** First block at which both differ; `null` if it was not located. */
  readonly firstBlock: number | null
}

/**
 * Why a proof could not be made.
 */
export type ProofError = Calls.CallsError | StateUnavailable

/**
 * A wallet, and the blocks between which its movements are compared.
 */
export interface Range {
  readonly wallet: string
  /** Block at which the sums equal the balances. */
  readonly opening: number
  readonly closing: number
}

/**
 * True for errors that are a contract's answer.
 */
export const isAnswer = (error: CallError): boolean =>
  error._tag === "RpcError" && !error.isRetryable && ["reverted", "unknown", "invalidParams"].includes(error.kind)

/**
 * Amount in a result; `null` if the contract returns none.
 */
export const amountIn = (
  holding: Holding.Holding,
  wallet: string,
  result: Result.Result<unknown, CallError>,
): bigint | null => (Result.isSuccess(result) ? Holding.heldIn(holding, wallet, result.success) : null)

/**
 * Compares a sum with the chain. If a contract returns no balance, the wallet holds nothing.
 */
export const isEqual = (expected: bigint, found: bigint | null): boolean => expected === (found ?? 0n)

/**
 * Balances of holdings, each at its own block; `null` if the contract returns none.
 */
export const holdingsAt = (
  budgeted: Calls.Budgeted,
  wallet: string,
  reads: ReadonlyArray<{ readonly holding: Holding.Holding; readonly block: number }>,
  end: number,
): Effect.Effect<ReadonlyArray<bigint | null>, ProofError> => {
  const callOf = Holding.callAmong(reads.map(({ holding }) => holding))
  return Effect.map(
    AccountCalls.readState(
      budgeted,
      reads.map(({ block, holding }) => ({ block, address: wallet, call: callOf(holding, wallet, block) })),
      end,
      isAnswer,
    ),
    (results) => results.map((result, at) => amountIn(reads[at]!.holding, wallet, result)),
  )
}

/**
 * The claims that do not hold. Pure.
 */
export const compare = (claims: ReadonlyArray<Claim>, found: ReadonlyArray<bigint | null>): ReadonlyArray<Difference> =>
  claims.flatMap((claim, at) => {
    const one = found[at] ?? null
    return isEqual(claim.expected, one) ? [] : [{ ...claim, found: one, firstBlock: null }]
  })

/** A range at whose start a holding is as expected, and at whose end it is not. */
interface Search {
  readonly difference: Difference
  readonly equal: number
  readonly different: number
}

const middleOf = ({ different, equal }: Search): number => equal + Math.floor((different - equal) / 2)

const isOpen = ({ different, equal }: Search): boolean => different - equal > 1

/** Maximum number of located differences. Others have no first block. */
const maxLocated = 1_000

/**
 * Locates all differences concurrently by bisection. `expectedAt` returns the sum of the movements up to a block.
 */
export const locate = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  { closing, opening, wallet }: Range,
  differences: ReadonlyArray<Difference>,
  expectedAt: (holding: Holding.Holding, block: number) => Effect.Effect<bigint>,
): Effect.fn.Return<ReadonlyArray<Difference>, ProofError> {
  const left = differences.slice(maxLocated)
  let searches = differences
    .slice(0, maxLocated)
    .map((difference): Search => ({ difference, equal: opening, different: closing }))
  while (searches.some(isOpen)) {
    const open = searches.filter(isOpen)
    const reads = open.map((search) => ({ holding: search.difference.holding, block: middleOf(search) }))
    const found = yield* holdingsAt(budgeted, wallet, reads, closing)
    const expected = yield* Effect.forEach(reads, ({ block, holding }) => expectedAt(holding, block))
    const narrowed = new Map(
      open.map((search, at) => {
        const isSame = isEqual(expected[at]!, found[at] ?? null)
        return [search, isSame ? { ...search, equal: middleOf(search) } : { ...search, different: middleOf(search) }]
      }),
    )
    searches = searches.map((search) => narrowed.get(search) ?? search)
  }
  return [...searches.map(({ difference, different }) => ({ ...difference, firstBlock: different })), ...left]
})

/**
 * Compares claims with the state of the chain at the closing block, and locates what differs.
 *
 * **Errors**
 * - `StateUnavailable`: the node lacks the state of a block.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const prove = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  range: Range,
  claims: ReadonlyArray<Claim>,
  expectedAt: (holding: Holding.Holding, block: number) => Effect.Effect<bigint>,
): Effect.fn.Return<ReadonlyArray<Difference>, ProofError> {
  const { closing, wallet } = range
  const reads = claims.map(({ holding }) => ({ holding, block: closing }))
  const differences = compare(claims, yield* holdingsAt(budgeted, wallet, reads, closing))
  return yield* locate(budgeted, range, differences, expectedAt)
})
