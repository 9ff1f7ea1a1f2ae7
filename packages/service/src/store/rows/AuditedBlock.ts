/** What an audit reports about blocks, from the rows that an engine read. Pure. */
import type { StoredBlock, StoredTransaction } from "../Audit.ts"
import { StoreError } from "../StoreError.ts"
import type * as BlockRow from "./BlockRow.ts"
import type { StoredRow } from "./DocumentRow.ts"
import * as RowId from "./RowId.ts"

/** Rows of a range of blocks, keyed by block number or by the row id of their transaction. */
export interface Rows {
  readonly headers: ReadonlyArray<BlockRow.StoredHeader>
  /** Transactions, or the issues of their rows. */
  readonly transactions: ReadonlyArray<readonly [id: number, row: StoredRow | StoreError]>
  /** Whether the history of a wallet has a transaction. */
  readonly has: (address: string, id: number) => boolean
  readonly facts: ReadonlyMap<number, string | StoreError>
  readonly ledgerIssues: ReadonlyMap<number, ReadonlyArray<string>>
}

/** The issue of a ledger that cannot be derived. */
export const underivable: ReadonlyArray<string> = ["its ledger cannot be derived from its rows"]

/** The blocks, lowest first. */
export const make = ({ facts, has, headers, ledgerIssues, transactions }: Rows): ReadonlyArray<StoredBlock> => {
  const stored = new Map<number, Array<StoredTransaction>>()
  const damaged = new Map<number, Array<number>>()
  const add = <A>(map: Map<number, Array<A>>, block: number, item: A) => {
    const own = map.get(block)
    if (own === undefined) map.set(block, [item])
    else own.push(item)
  }
  for (const [id, row] of transactions) {
    const { block, index } = RowId.toPosition(id)
    if (row instanceof StoreError) add(damaged, block, index)
    else add(stored, block, { ...row, missingAppearances: row.addresses.filter((address) => !has(address, id)) })
  }
  return headers.map(({ count, hash, isDamaged, number, parentHash, timestamp }) => {
    const found = facts.get(number) ?? null
    return {
      number,
      hash,
      parentHash,
      timestamp,
      count,
      isDamaged,
      facts: typeof found === "string" ? found : null,
      hasDamagedFacts: found instanceof StoreError,
      ledgerIssues: ledgerIssues.get(number) ?? [],
      transactions: stored.get(number) ?? [],
      damagedTransactions: damaged.get(number) ?? [],
    }
  })
}
