/**
 * Stored rows that a refetched block keeps: those of wallets that are no longer watched, and internal transactions. Pure.
 */
import * as Json from "@daybook/schema/Json"
import type { StoredBlock, StoredRange } from "../store/Audit.ts"
import { type BlockGap, type BlockRows, isWithoutRow, type TransactionRow } from "../block/BlockRows.ts"
import * as BlockFacts from "../block/BlockFacts.ts"
import { type ContractDecoder, redecode } from "../projection/Redecode.ts"
import { untraced } from "./BlockAssembler.ts"
import * as WatchList from "../store/WatchList.ts"

/** Wallets of an index; `null` or absent for all. */
export type Watch = ReadonlySet<string> | null | undefined

/**
 * True for a row of a watched wallet.
 */
export const isWatched = (addresses: ReadonlyArray<string>, watch: Watch): boolean =>
  watch == null || addresses.length === 0 || addresses.some((address) => watch.has(address))

/**
 * Number of rows in a block whose wallets are all no longer watched.
 */
export const unwatched = ({ transactions }: StoredBlock, watch: Watch): number =>
  transactions.filter(({ addresses }) => !isWatched(addresses, watch)).length

/** Selects which transactions of a block become rows. */
export interface Selection {
  readonly watch: ReadonlySet<string> | null
  readonly kept: ReadonlySet<string>
}

/**
 * Selects which rows of a block are remade: those of watched and added wallets, and those that are stored, including rows of wallets that
 * are no longer watched.
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
 * Why a refetched block must not replace the stored one, namely that it lacks a stored record; `null` if it may.
 */
export const lost = (stored: StoredBlock | undefined, { gaps = [], hash, transactions }: BlockRows): string | null => {
  if (stored?.hash !== hash) return null
  const gap = gaps.find(({ kind }) => isWithoutRow(kind))
  const hashes = new Set(transactions.map((row) => row.hash))
  return gap === undefined || stored.transactions.every((row) => hashes.has(row.hash)) ? null : gap.reason
}

const isTraced = (internal: string | null): boolean => internal !== null && internal !== untraced

/**
 * Why a refetched block must not replace the stored one; `null` if it may. No node can trace a transaction whose trace is stored, or one
 * that is not stored and has no watched wallet as a party.
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

/** Facts of a block, including those of kept transactions, and the sum of its fees if it was known. */
const mergeFacts = (
  stored: string | null,
  fetched: string | undefined,
  kept: ReadonlySet<number>,
): string | undefined => {
  const before = stored === null ? null : BlockFacts.fromText(stored)
  const now = fetched === undefined ? null : BlockFacts.fromText(fetched)
  if (before === null || now === null) return fetched
  const transactions = [...now.transactions, ...before.transactions.filter(({ index }) => kept.has(index))]
  return BlockFacts.textOf({
    ...now,
    gasFees: now.gasFees ?? before.gasFees,
    transactions: transactions.toSorted((one, other) => one.index - other.index),
  })
}

/** Wallets of a kept row: its own, and those of the others that are a party to it. */
const addressesOf = (body: string, addresses: ReadonlyArray<string>, others: ReadonlyArray<string>) => {
  const { from_address, receipt_contract_address, to_address } = Json.parse(body) as Readonly<Record<string, unknown>>
  const parties = new Set([from_address, to_address, receipt_contract_address])
  return [...new Set([...addresses, ...others.filter((wallet) => parties.has(wallet))])]
}

/**
 * Rows of a refetched block, including stored rows of transactions that no node returns any more, which are not gaps. Their texts are
 * decoded again. `added` are wallets that are indexed from now on.
 */
export const keepRows = (
  stored: StoredBlock | undefined,
  rows: BlockRows,
  added: ReadonlyArray<string>,
  decoder: ContractDecoder,
): BlockRows => {
  if (stored?.hash !== rows.hash) return rows
  const fetched = new Set(rows.transactions.map(({ hash }) => hash))
  const kept = stored.transactions.filter(({ hash }) => !fetched.has(hash))
  if (kept.length === 0) return rows
  const hashes: ReadonlySet<string | undefined> = new Set(kept.map(({ hash }) => hash))
  const { ledger: _, ...texts } = rows
  const transactions = kept.map(({ addresses, body, hash, index, internal }) => {
    return { index, hash, internal, body: redecode(body, decoder), addresses: addressesOf(body, addresses, added) }
  })
  return {
    ...texts,
    transactions: [...rows.transactions, ...transactions].toSorted((one, other) => one.index - other.index),
    facts: mergeFacts(stored.facts, rows.facts, new Set(kept.map(({ index }) => index))),
    gaps: rows.gaps?.filter(({ kind, transaction }) => !isWithoutRow(kind) || !hashes.has(transaction)),
  }
}

const noTracer = "No node can trace now."

/**
 * Rows of a refetched block, with the stored internal transactions if no queried node can trace. A trace that is a stored gap remains one.
 * The ledger is omitted; it is derived from the kept texts.
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
