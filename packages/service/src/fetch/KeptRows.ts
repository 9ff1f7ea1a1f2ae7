/**
 * Stored rows that a block fetched again keeps: those of wallets that are no longer watched, and internal transactions. Pure.
 */
import type { StoredBlock, StoredRange } from "../store/Audit.ts"
import { type BlockGap, type BlockRows, isWithoutRow, type TransactionRow } from "../block/BlockRows.ts"
import { untraced } from "./BlockAssembler.ts"
import * as WatchList from "../store/WatchList.ts"

/** Wallets of an index; `null` or left out for all. */
export type Watch = ReadonlySet<string> | null | undefined

/**
 * True for a row of a watched wallet.
 */
export const isWatched = (addresses: ReadonlyArray<string>, watch: Watch): boolean =>
  watch == null || addresses.length === 0 || addresses.some((address) => watch.has(address))

/**
 * Number of a block's rows whose wallets are all no longer watched.
 */
export const unwatched = ({ transactions }: StoredBlock, watch: Watch): number =>
  transactions.filter(({ addresses }) => !isWatched(addresses, watch)).length

/** Which transactions of a block become rows. */
export interface Selection {
  readonly watch: ReadonlySet<string> | null
  readonly kept: ReadonlySet<string>
}

/**
 * Which rows of a block are made again: those of the watched wallets, of wallets that are added, and those that are stored, also of wallets
 * that are no longer watched.
 */
export const withStored = (
  { blocks: [block], checkpoint }: StoredRange,
  number: number,
  added: ReadonlyArray<string> = [],
): Selection => {
  const watch = checkpoint === null ? null : WatchList.walletsAt(checkpoint, number)
  const { transactions = [] } = block ?? {}
  const stored = transactions.flatMap(({ addresses }) => addresses)
  return {
    watch: watch === null ? null : new Set([...watch, ...stored, ...added]),
    kept: new Set(transactions.map(({ hash }) => hash)),
  }
}

/**
 * Why a block fetched again must not replace the stored one: it lacks a record that the stored one has; `null` when it may.
 */
export const lost = (stored: StoredBlock | undefined, { gaps = [], hash, transactions }: BlockRows): string | null => {
  if (stored?.hash !== hash) return null
  const gap = gaps.find(({ kind }) => isWithoutRow(kind))
  const hashes = new Set(transactions.map((row) => row.hash))
  return gap === undefined || stored.transactions.every((row) => hashes.has(row.hash)) ? null : gap.reason
}

const isTraced = (internal: string | null): boolean => internal !== null && internal !== untraced

/**
 * Why a block fetched again must not replace the stored one; `null` when it may. No node can trace a transaction whose trace is stored,
 * or one that is not stored and names no watched wallet.
 */
export const lostTrace = (stored: StoredBlock | undefined, { hash, transactions }: BlockRows): string | null => {
  if (stored?.hash !== hash) return null
  const internalOf = new Map(stored.transactions.map((row) => [row.hash, row.internal]))
  const lostRow = transactions.find((row) => {
    if (row.internal !== untraced || stored.damagedTransactions.includes(row.index)) return false
    const internal = internalOf.get(row.hash)
    return internal === undefined ? row.addresses.length === 0 : isTraced(internal)
  })
  return lostRow === undefined ? null : `No node can trace transaction ${lostRow.hash} now.`
}

const noTracer = "No node can trace now."

/**
 * The rows of a block fetched again, with the stored internal transactions where no node that was asked can trace. A trace that is a
 * stored gap stays one. Without a ledger, which is derived of the texts that are kept.
 */
export const keepTraces = (stored: StoredBlock | undefined, rows: BlockRows): BlockRows => {
  if (stored?.hash !== rows.hash) return rows
  const internalOf = new Map(stored.transactions.map(({ hash, internal }) => [hash, internal]))
  const isKept = ({ hash, internal }: TransactionRow) => internal === untraced && isTraced(internalOf.get(hash) ?? null)
  const kept: ReadonlySet<string | undefined> = new Set(rows.transactions.filter(isKept).map(({ hash }) => hash))
  const gaps: Array<BlockGap> = (rows.gaps ?? []).filter(
    ({ kind, transaction }) => kind !== "trace" || !kept.has(transaction),
  )
  const transactions = rows.transactions.map((row) => {
    const own = kept.has(row.hash) ? null : row.internal
    const internal = own ?? internalOf.get(row.hash) ?? null
    if (row.internal === null && internal === untraced) {
      gaps.push({ kind: "trace", transaction: row.hash, reason: noTracer })
    }
    return { ...row, internal }
  })
  const { ledger: _, ...texts } = rows
  return { ...texts, transactions, gaps: gaps.length === 0 ? undefined : gaps }
}
