/**
 * Selects the holdings of a wallet to compare with the chain. Anyone may send a wallet any number of ids and tokens, so their number is
 * bounded, and omissions are reported. If a contract returns no balance for its first ids, the others are not read.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as Holding from "../ledger/Holding.ts"
import type * as Calls from "../node/Calls.ts"
import * as Proof from "./Proof.ts"

/** Maximum number of compared ids per contract. */
const maxIds = 1_000

/** Maximum number of compared holdings. */
export const maxHoldings = 20_000

/** Number of ids of a contract that are read first. */
const firstIds = 16

/** Holdings to compare, and sentences about what is not compared. */
export interface Selection {
  readonly holdings: ReadonlyArray<Holding.Holding>
  readonly unchecked: ReadonlyArray<string>
}

/** Order of selection: what others cannot multiply comes first, so that no number of tokens displaces it. */
const order = ["native", "nonce", "erc20", "erc721", "erc1155"] as const satisfies ReadonlyArray<Holding.Standard>

const rankOf = ({ standard, tokenId }: Holding.Holding): number =>
  order.indexOf(standard) + (tokenId === null ? 0 : order.length)

const byRank = (one: Holding.Holding, other: Holding.Holding): number =>
  rankOf(one) - rankOf(other) || (Holding.keyOf(one) < Holding.keyOf(other) ? -1 : 1)

/** Number of id holdings per contract. */
const countIds = (holdings: ReadonlyArray<Holding.Holding>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { asset, tokenId } of holdings) {
    if (tokenId !== null) counts.set(asset, (counts.get(asset) ?? 0) + 1)
  }
  return counts
}

/** The first id holdings of each contract, up to a number, and all other holdings. */
const firstOf = (holdings: ReadonlyArray<Holding.Holding>, max: number): ReadonlyArray<Holding.Holding> => {
  const counts = new Map<string, number>()
  return holdings.filter(({ asset, tokenId }) => {
    if (tokenId === null) return true
    const count = (counts.get(asset) ?? 0) + 1
    counts.set(asset, count)
    return count <= max
  })
}

/** Maximum number of contracts named in a sentence. */
const maxNamed = 10

const named = (assets: ReadonlyArray<string>): string =>
  assets.length <= maxNamed
    ? assets.join(", ")
    : `${assets.slice(0, maxNamed).join(", ")} and ${assets.length - maxNamed} more`

/**
 * Selects what to compare: at most 1,000 ids per contract, and in total as many holdings as a quarter of the calls allows. Pure.
 */
export const select = (holdings: Iterable<Holding.Holding>, maxCalls: number): Selection => {
  const every = [...holdings].toSorted(byRank)
  const counts = countIds(every)
  const large = [...counts].filter(([, count]) => count > maxIds).map(([asset]) => asset)
  const bounded = firstOf(every, maxIds)
  const compared = bounded.slice(0, Math.min(maxHoldings, Math.max(1, Math.floor(maxCalls / 4))))
  return {
    holdings: compared,
    unchecked: [
      ...(large.length === 0 ? [] : [`Only ${maxIds} ids of each of these contracts are compared: ${named(large)}.`]),
      ...(compared.length === bounded.length
        ? []
        : [
            `Only ${compared.length} of ${bounded.length} assets are compared. Raise --max-calls, or leave out tokens with --ignore.`,
          ]),
    ],
  }
}

/** Holdings according to the chain. */
export interface Found extends Selection {
  /** In the order of the holdings; `null` if the contract returns no balance. */
  readonly amounts: ReadonlyArray<bigint | null>
  /** Contracts that returned no balance for their first ids, and have more of them. */
  readonly withoutBalances: ReadonlySet<string>
}

/**
 * Reads a wallet's balances of the selected holdings at a block. If a contract returns no balance for 16 ids, its others are skipped.
 *
 * **Errors**
 * - `StateUnavailable`: the node lacks the state of the block.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const read = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  wallet: string,
  { holdings, unchecked }: Selection,
  block: number,
): Effect.fn.Return<Found, Proof.ProofError> {
  const readAll = Effect.fnUntraced(function* (list: ReadonlyArray<Holding.Holding>) {
    const reads = list.map((holding) => ({ holding, block }))
    const amounts = yield* Proof.holdingsAt(budgeted, wallet, reads, block)
    return list.map((holding, at) => [holding, amounts[at] ?? null] as const)
  })
  const counts = countIds(holdings)
  const first = yield* readAll(firstOf(holdings, firstIds))
  const answering = new Set(
    first.flatMap(([{ asset, tokenId }, amount]) => (tokenId !== null && amount !== null ? [asset] : [])),
  )
  const silent = [...counts]
    .filter(([asset, count]) => count > firstIds && !answering.has(asset))
    .map(([asset]) => asset)
  const withoutBalances = new Set(silent)
  const known = new Set(first.map(([holding]) => holding))
  const left = holdings.filter((holding) => !known.has(holding) && !withoutBalances.has(holding.asset))
  const found = new Map([...first, ...(yield* readAll(left))])
  const compared = holdings.filter((holding) => found.has(holding))
  const sentence = `Only ${firstIds} ids of each of these contracts are compared, because the contract returns no balance for any of them: ${named(silent)}.`
  return {
    holdings: compared,
    amounts: compared.map((holding) => found.get(holding) ?? null),
    withoutBalances,
    unchecked: silent.length === 0 ? unchecked : [...unchecked, sentence],
  }
})
