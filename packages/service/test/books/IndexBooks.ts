/** Ledgers of an index: movements as returned by its service, and the differences that reconciliations report. */
import { Effect } from "effect"
import * as LedgerScope from "../../src/proof/LedgerScope.ts"
import * as Reconciliation from "../../src/proof/Reconciliation.ts"
import { caughtUp, start as startIndexer } from "../indexer/chain.ts"
import { sourceOf } from "../proof/indexed.ts"
import * as service from "../server/service.ts"
import type { Change, Difference } from "./balanceOracle.ts"
import type { BookChain } from "./BookChain.ts"

/** A movement of a page. */
export interface Row extends Change {
  readonly kind: string
  readonly transactionIndex: number | null
  readonly isIncomplete: boolean
}

const rowOf = (wallet: string, json: service.Json): Row => ({
  wallet,
  block: Number(json.block_number),
  asset: json.asset,
  tokenId: json.token_id,
  amount: BigInt(json.amount),
  kind: json.kind,
  transactionIndex: json.transaction_index === null ? null : Number(json.transaction_index),
  isIncomplete: json.incomplete,
})

/** All movements of a wallet, page by page. */
const movementsOf = Effect.fnUntraced(function* (started: service.Started, chain: string, wallet: string) {
  const rows: Array<Row> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const next: string = cursor === "" ? "" : `&cursor=${cursor}`
    const path = `/api/v2.2/${wallet}/movements?chain=${chain}&order=ASC&limit=100${next}`
    const { json, status, text }: service.Response = yield* started.get(path)
    if (status !== 200) return yield* Effect.die(new Error(`Status ${status} of ${path}: ${text}`))
    rows.push(...(json.result as ReadonlyArray<service.Json>).map((one) => rowOf(wallet, one)))
    cursor = json.cursor
  }
  return rows
})

/** Differences that a reconciliation reports, in the form of the oracle. */
const namedBy = Effect.fnUntraced(function* (source: Reconciliation.Source, wallet: string, at: number) {
  const scope = yield* LedgerScope.read(source.reader, "books", at)
  const { proof } = yield* Reconciliation.run(source, scope, wallet)
  if (proof.unchecked.length > 0) return yield* Effect.die(new Error(`Not compared: ${proof.unchecked.join(" ")}`))
  return proof.holdings
    .filter(({ expected, found }) => expected !== (found ?? 0n))
    .map(({ expected: sum, firstBlock, found, holding: { asset, tokenId } }): Difference => ({
      block: firstBlock ?? -1,
      wallet,
      asset,
      tokenId,
      sum,
      balance: found ?? 0n,
    }))
})

/** Indexes a chain, and reads and reconciles every wallet. */
export const read = Effect.fnUntraced(function* (
  { chain, last, url }: Pick<BookChain, "chain" | "last" | "url">,
  wallets: ReadonlyArray<string>,
  database = "sqlite:data",
) {
  const config = chain.id === 31_337 ? { id: chain.id } : {}
  const started = yield* service.start({ config: { database }, chains: { [chain.name]: { config } } })
  const store = started.stores[chain.name]!
  const indexer = yield* startIndexer(store, [url], { checks: "full" })
  yield* indexer.until(caughtUp(last))
  yield* indexer.stop
  const rows = yield* Effect.forEach(wallets, (wallet) => movementsOf(started, chain.name, wallet))
  const source = yield* sourceOf(store, url)
  const named = yield* Effect.forEach(wallets, (wallet) => namedBy(source, wallet, last))
  return { rows: rows.flat(), named: named.flat() }
})
