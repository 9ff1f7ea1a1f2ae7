/** Compares the ledgers of a chain, from an index and from discoveries without one, with the balances of its node. */
import { Effect } from "effect"
import * as balanceOracle from "./balanceOracle.ts"
import type { BookChain } from "./BookChain.ts"
import * as chainOracle from "./chainOracle.ts"
import * as DiscoveryBooks from "./DiscoveryBooks.ts"
import * as IndexBooks from "./IndexBooks.ts"

/** Result of a comparison. */
export interface Compared {
  /** Number of compared balances. */
  readonly compared: number
  readonly differences: ReadonlyArray<balanceOracle.Difference>
  /** Differences that a reconciliation or statement reports. */
  readonly named: ReadonlyArray<balanceOracle.Difference>
}

const textOf = ({ asset, balance, block, sum, tokenId, wallet }: balanceOracle.Difference): string =>
  `${wallet} ${asset} ${tokenId ?? "-"} block ${block}: movements ${sum}, node ${balance}`

/** Differences that are not reported, and reports without a difference, as text. */
export const contradictions = ({ differences, named }: Compared): ReadonlyArray<string> => {
  const [actual, reported] = [differences.map(textOf), named.map(textOf)]
  return [
    ...actual.filter((text) => !reported.includes(text)).map((text) => `not reported: ${text}`),
    ...reported.filter((text) => !actual.includes(text)).map((text) => `reported, but no difference: ${text}`),
  ]
}

/** State of a chain according to its node: blocks and all balances. */
export const stated = Effect.fnUntraced(function* ({ last, node, tokens, withdrawals }: BookChain) {
  const blocks = yield* chainOracle.scan(node, last)
  const paid = withdrawals.map(({ address }) => address)
  const wallets = [...new Set([...chainOracle.addressesOf(blocks), ...paid])]
  return { blocks, balances: yield* balanceOracle.read(node, last, wallets, tokens) }
})

/** Result of `stated`. */
export type Stated = Effect.Success<ReturnType<typeof stated>>

/** Compares the movements of a service, by kind, with the balances. The service stores in a file, or in the database of a URL. */
export const ofIndex = Effect.fnUntraced(function* (chain: BookChain, { balances }: Stated, database?: string) {
  const { named, rows } = yield* IndexBooks.read(chain, balances.wallets, database)
  const compared: Compared = { ...balanceOracle.differences(balances, rows), named }
  return { ...compared, rows, kinds: [...new Set(rows.map(({ kind }) => kind))].toSorted() }
}, Effect.scoped)

/** Compares the discoveries of wallets with their balances. */
export const ofDiscovery = Effect.fnUntraced(function* (
  { last, node, tokens, url }: BookChain,
  { balances, blocks }: Stated,
  wallets: ReadonlyArray<string>,
) {
  const { calls, discovered } = yield* DiscoveryBooks.discover(url, last, wallets)
  const walletBalances =
    wallets === balances.wallets ? balances : yield* balanceOracle.read(node, last, wallets, tokens)
  const changes = discovered.flatMap((one) => one.changes)
  const { compared, differences } = balanceOracle.differences(walletBalances, changes)
  const different = [...new Set(differences.map(({ wallet }) => wallet))]
  const named = yield* DiscoveryBooks.namedBy(url, last, different)
  const result: Compared = { compared, differences, named }
  return { ...result, calls, missed: DiscoveryBooks.missedOf(blocks, walletBalances, discovered) }
})
