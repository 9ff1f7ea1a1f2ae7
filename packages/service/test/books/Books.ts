/** Holds the ledgers of a chain against the balances of its node: those of an index, and those of discoveries without one. */
import { Effect } from "effect"
import * as balanceOracle from "./balanceOracle.ts"
import type { BookChain } from "./BookChain.ts"
import * as chainOracle from "./chainOracle.ts"
import * as DiscoveryBooks from "./DiscoveryBooks.ts"
import * as IndexBooks from "./IndexBooks.ts"

/** What a comparison found. */
export interface Compared {
  /** Balances that were compared. */
  readonly compared: number
  readonly differences: ReadonlyArray<balanceOracle.Difference>
  /** Differences that a reconciliation or statement names. */
  readonly named: ReadonlyArray<balanceOracle.Difference>
}

const textOf = ({ asset, balance, block, sum, tokenId, wallet }: balanceOracle.Difference): string =>
  `${wallet} ${asset} ${tokenId ?? "-"} block ${block}: movements ${sum}, node ${balance}`

/** Differences that are not named, or named and none, as text. */
export const contradictions = ({ differences, named }: Compared): ReadonlyArray<string> => {
  const [found, reported] = [differences.map(textOf), named.map(textOf)]
  return [
    ...found.filter((text) => !reported.includes(text)).map((text) => `not named: ${text}`),
    ...reported.filter((text) => !found.includes(text)).map((text) => `named, and no difference: ${text}`),
  ]
}

/** What the node states of a chain: its blocks, and all balances. */
export const stated = Effect.fnUntraced(function* ({ last, node, tokens, withdrawals }: BookChain) {
  const blocks = yield* chainOracle.scan(node, last)
  const paid = withdrawals.map(({ address }) => address)
  const wallets = [...new Set([...chainOracle.addressesOf(blocks), ...paid])]
  return { blocks, balances: yield* balanceOracle.read(node, last, wallets, tokens) }
})

/** Result of `stated`. */
export type Stated = Effect.Success<ReturnType<typeof stated>>

/**
 * Compares a service's movements with the balances; kinds are those of the movements. The service stores in a file, or
 * in the database of a URL.
 */
export const ofIndex = Effect.fnUntraced(function* (chain: BookChain, { balances }: Stated, database?: string) {
  const { named, rows } = yield* IndexBooks.read(chain, balances.wallets, database)
  const compared: Compared = { ...balanceOracle.differences(balances, rows), named }
  return { ...compared, rows, kinds: [...new Set(rows.map(({ kind }) => kind))].toSorted() }
}, Effect.scoped)

/** Holds discoveries of wallets against the balances of these. */
export const ofDiscovery = Effect.fnUntraced(function* (
  { last, node, tokens, url }: BookChain,
  { balances, blocks }: Stated,
  wallets: ReadonlyArray<string>,
) {
  const { calls, discovered } = yield* DiscoveryBooks.discover(url, last, wallets)
  const own = wallets === balances.wallets ? balances : yield* balanceOracle.read(node, last, wallets, tokens)
  const changes = discovered.flatMap((one) => one.changes)
  const { compared, differences } = balanceOracle.differences(own, changes)
  const different = [...new Set(differences.map(({ wallet }) => wallet))]
  const named = yield* DiscoveryBooks.namedBy(url, last, different)
  const result: Compared = { compared, differences, named }
  return { ...result, calls, missed: DiscoveryBooks.missedOf(blocks, own, discovered) }
})
