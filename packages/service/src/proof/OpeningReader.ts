/**
 * Reads opening balances of wallets before the first indexed block: at the end of the preceding block or, if the index starts with block 0,
 * at the end of that block minus its movements.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as AccountCalls from "../discovery/AccountCalls.ts"
import type * as Calls from "../node/Calls.ts"
import * as Books from "../ledger/Books.ts"
import * as Holding from "../ledger/Holding.ts"
import * as Proof from "./Proof.ts"

/** A holding of a wallet, with its movements in the first block. */
export interface Wanted {
  readonly wallet: string
  readonly holding: Holding.Holding
  /** Sum of its movements in block 0; only needed for an index that starts there. */
  readonly movedInFirst: bigint
}

/** Block at whose end opening balances are read. */
export const blockOf = (first: number): number => Math.max(0, first - 1)

/** Movements of block 0 are not part of the opening balance. */
const correct = (amount: bigint, { movedInFirst }: Wanted, first: number): bigint =>
  first === 0 ? amount - movedInFirst : amount

/**
 * Reads opening balances, in list order. If a contract returns no balance, it is 0.
 *
 * **Errors**
 * - `StateUnavailable`: no node has the state of that block.
 */
export const read = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  first: number,
  wanted: ReadonlyArray<Wanted>,
): Effect.fn.Return<ReadonlyArray<bigint>, Proof.ProofError> {
  const block = blockOf(first)
  const callOf = Holding.callAmong(wanted.map(({ holding }) => holding))
  const reads = wanted.map(({ holding, wallet }) => ({
    block,
    address: wallet,
    call: callOf(holding, wallet, block),
  }))
  const found = yield* AccountCalls.readState(budgeted, reads, block, Proof.isAnswer)
  return found.map((result, at) => {
    const one = wanted[at]!
    return correct(Proof.amountIn(one.holding, one.wallet, result) ?? 0n, one, first)
  })
})

/**
 * Holdings of a wallet, with their movements in block 0; `null` for an index that starts later.
 */
export const wantedOf = (
  wallet: string,
  holdings: ReadonlyArray<Holding.Holding>,
  books: Books.Books | null,
): ReadonlyArray<Wanted> =>
  holdings.map((holding) => ({
    wallet,
    holding,
    movedInFirst: books === null ? 0n : Books.changeUpTo(books, holding, -1, 0),
  }))
