/**
 * Creation of a contract, from its ledger: the transaction, its sender, and the call that created the contract.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import type { LedgerEntry, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as LedgerSearch from "./LedgerSearch.ts"
import type * as TransactionParts from "./TransactionParts.ts"

/** The creation of a contract. */
export interface Creation {
  readonly document: TransactionParts.Document
  /** The contract whose call created it; `null` if a transaction did. */
  readonly factory: string | null
  /** Init code; `null` if the index omitted it because of its size. */
  readonly code: string | null
}

/** Number of positions read at once, and maximum number of reads: ether may be sent to an address before its contract is created. */
const batch = 512
const maxBatches = 40
const maxBytes = 256 * 1024

const isCreated = ({ roles }: LedgerEntry): boolean => (roles & Role.bits.created) !== 0

/** Calls of a transaction that created a contract; if the transaction failed, they were reverted. */
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

/** Where a search continues. */
interface State {
  readonly from: number
  readonly to: number
  readonly after: Position | null
  /** Number of batches read. */
  readonly batches: number
}

/** Searches a batch of positions. */
const searchBatch = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  wallet: string,
  state: State,
): Effect.fn.Return<LedgerSearch.Step<Creation, State>, StoreError | CompleteRange.Incomplete> {
  const { after, batches, from, to } = state
  if (batches === maxBatches) {
    const message = `the contract ${wallet} has too many transactions before its creation`
    return yield* new CompleteRange.Incomplete({ message })
  }
  const query = { wallet, from, to, order: "ASC", after, limit: batch, maxBytes } as const
  const { hasMore, rows } = yield* snapshot.ledger(query)
  for (const entry of rows.filter(isCreated)) {
    const document = yield* LedgerSearch.documentAt(snapshot, wallet, entry, true)
    const creation = document && creationOf(document, wallet)
    if (creation !== null) return { _tag: "Ended", found: creation }
  }
  const last = hasMore ? rows.at(-1) : undefined
  if (last === undefined) return { _tag: "Ended", found: null }
  return { _tag: "Next", state: { ...state, after: last, batches: batches + 1 } }
})

/**
 * Finds the creation of a contract; `null` for an account that has none.
 *
 * **Errors**
 * - `Incomplete`: it was not found, and blocks, transactions or traces are not indexed.
 * - `NotWatched`, `NotDerived`, `StoreError`: as for pages.
 */
export const find = (query: LedgerSearch.Query): Effect.Effect<Creation | null, LedgerSearch.SearchError> =>
  LedgerSearch.run<Creation, State>(query, {
    needs: "traces",
    begin: ({ first, head }) => ({ from: first, to: head.number, after: null, batches: 0 }),
    step: (snapshot, state) => searchBatch(snapshot, query.wallet, state),
  })
