/**
 * Where a contract was created, from the ledger of the contract: the transaction, who sent it, and the call that created the contract.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { LedgerEntry, LedgerRows, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { NotWatched, NotDerived } from "./QueryError.ts"
import * as TransactionParts from "./TransactionParts.ts"

/** The creation of a contract. */
export interface Creation {
  readonly document: TransactionParts.Document
  /** The contract whose call created it; `null` where a transaction did. */
  readonly factory: string | null
  /** Init code; `null` where the index has left it out because of its size. */
  readonly code: string | null
}

/** Why it is not known where a contract was created. */
export type CreationError = CompleteRange.Incomplete | NotWatched | NotDerived | StoreError

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** Places that are read at once, and at most: ether may be sent to an address before its contract is created. */
const batch = 512
const maxBatches = 40
const maxBytes = 256 * 1024

const isCreated = ({ roles }: LedgerEntry): boolean => (roles & Role.bits.created) !== 0

/** The calls of a transaction that have created a contract; each was undone where it failed. */
const creatingCall = ({ internal }: TransactionParts.Document, contract: string) =>
  (internal ?? []).find(
    ({ error, to, type }) => (type === "CREATE" || type === "CREATE2") && to === contract && error == null,
  )

const creationOf = (document: TransactionParts.Document, contract: string): Creation | null => {
  const { transaction } = document
  if (transaction.to_address == null && transaction.receipt_contract_address === contract) {
    return transaction.receipt_status === "0" ? null : { document, factory: null, code: transaction.input }
  }
  const call = creatingCall(document, contract)
  return call === undefined ? null : { document, factory: call.from, code: call.input ?? null }
}

/** The transaction of a place of a ledger. */
const documentAt = Effect.fnUntraced(function* (snapshot: Snapshot, key: string, { block, index }: Position) {
  const after = { block, index: index - 1 }
  const query = { key, from: block, to: block, order: "ASC", after, limit: 1 } as const
  const [row] = (yield* snapshot.page(projection, query)).rows
  return row === undefined ? null : TransactionParts.documentOf(row)
})

const incomplete = (what: string) => new CompleteRange.Incomplete({ message: what })

/** The first creation of a contract in a snapshot. */
const findIn = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  chain: IndexedChain,
  wallet: string,
): Effect.fn.Return<{ readonly creation: Creation | null; readonly coverage: Coverage.Coverage }, CreationError> {
  const stored = yield* snapshot.checkpoint
  yield* Coverage.checkWallet(chain, stored, wallet)
  const checkpoint = stored && WatchList.ofWallet(stored, wallet)
  const missing = Coverage.missingTransactions(yield* snapshot.gapCounts)
  const searchedTo = (stored && WatchList.searchedTo(stored, wallet)) ?? undefined
  const coverage = { checkpoint, missing, reconciledTo: null, searchedTo }
  if (checkpoint === null) return { creation: null, coverage }
  yield* Coverage.checkDerived(projection, snapshot, chain.name, checkpoint)
  const range = { wallet, from: checkpoint.first, to: checkpoint.head.number, order: "ASC" } as const
  let after: Position | null = null
  for (let batches = 0; batches < maxBatches; batches++) {
    const { hasMore, rows }: LedgerRows = yield* snapshot.ledger({ ...range, after, limit: batch, maxBytes })
    for (const entry of rows.filter(isCreated)) {
      const document = yield* documentAt(snapshot, wallet, entry)
      const creation = document && creationOf(document, wallet)
      if (creation !== null) return { creation, coverage }
    }
    if (!hasMore) return { creation: null, coverage }
    after = rows.at(-1) ?? null
    yield* Effect.yieldNow
  }
  return yield* incomplete(`the contract ${wallet} has too many transactions before its creation`)
})

/**
 * Finds the creation of a contract; `null` for an account that has none.
 *
 * **Errors**
 * - `Incomplete`: it was not found, and blocks, transactions or traces are not in the index.
 * - `NotWatched`, `NotDerived`, `StoreError`: as of pages.
 */
export const find = Effect.fnUntraced(function* (
  chain: IndexedChain,
  contract: string,
): Effect.fn.Return<Creation | null, CreationError> {
  const { coverage, creation } = yield* chain.reader.snapshot((snapshot) => findIn(snapshot, chain, contract))
  if (creation !== null) return creation
  yield* CompleteRange.check(chain, coverage, { from: 0, to: Number.MAX_SAFE_INTEGER }, { needs: "traces" })
  return null
})
