/**
 * Integrity issues of stored blocks, detected from their rows alone: links, counts, positions, and wallets whose history lacks a
 * transaction. Pure.
 */
import * as BlockFacts from "../block/BlockFacts.ts"
import * as Movement from "../ledger/Movement.ts"
import type { Appearance, StoredBlock, StoredTransaction } from "../store/Audit.ts"

/** A deviation from what the indexer writes. */
export interface IntegrityIssue {
  /** The block with the issue; `null` for the store as a whole. */
  readonly block: number | null
  readonly what: string
}

/** The compared fields of a document. */
interface Body {
  readonly hash?: unknown
  readonly block_number?: unknown
  readonly block_hash?: unknown
  readonly transaction_index?: unknown
  readonly from_address?: unknown
  readonly to_address?: unknown
  readonly receipt_contract_address?: unknown
  readonly logs?: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isRecord) : []

const walletsOf = (body: Body, watch: ReadonlySet<string> | null): ReadonlyArray<string> => {
  const all = [body.from_address, body.to_address, body.receipt_contract_address]
  const named = all.filter((value): value is string => typeof value === "string" && value !== "")
  return [...new Set(named)].filter((address) => watch === null || watch.has(address))
}

const isSameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))

const documentIssue = (block: StoredBlock, { hash, index }: StoredTransaction, body: Body): string | null => {
  if (body.hash !== hash) return `its document has hash ${String(body.hash)}`
  if (body.block_hash !== block.hash) return `its document has block hash ${String(body.block_hash)}`
  if (body.block_number !== String(block.number)) return `its document has block number ${String(body.block_number)}`
  if (body.transaction_index !== String(index))
    return `its document has transaction index ${String(body.transaction_index)}`
  const log = listOf(body.logs).findIndex((entry) => entry["transaction_hash"] !== hash)
  return log === -1 ? null : `its log ${log} belongs to another transaction`
}

const internalIssue = (block: StoredBlock, { hash, internal }: StoredTransaction): string | null => {
  if (internal === null) return null
  const rows = parse(internal)
  // The trace is a gap.
  if (rows === null) return null
  if (!Array.isArray(rows)) return "its internal transactions are not a list"
  const stranger = listOf(rows).some((row) => row["transaction_hash"] !== hash || row["block_hash"] !== block.hash)
  return stranger ? "an internal transaction belongs to another transaction" : null
}

const transactionIssue = (block: StoredBlock, transaction: StoredTransaction, watch: ReadonlySet<string> | null) => {
  const body = parse(transaction.body)
  if (!isRecord(body)) return "its document is not JSON"
  const issue = documentIssue(block, transaction, body) ?? internalIssue(block, transaction)
  if (issue !== null) return issue
  const named = walletsOf(body, watch)
  // Wallets that were removed from the watch list are not an issue.
  const kept = watch === null ? transaction.addresses : transaction.addresses.filter((address) => watch.has(address))
  if (!isSameSet(kept, named))
    return `it belongs to ${kept.join(", ") || "no wallet"}, but its document names ${named.join(", ")}`
  const [missing] = transaction.missingAppearances
  return missing === undefined ? null : `it is missing from the history of ${missing}`
}

const linkIssue = (block: StoredBlock, previous: StoredBlock): string | null => {
  if (block.number !== previous.number + 1) return `it does not follow block ${previous.number}`
  if (block.parentHash !== previous.hash) {
    return `its parent is ${block.parentHash}, but block ${previous.number} is ${previous.hash}`
  }
  return block.timestamp < previous.timestamp ? `it is older than block ${previous.number}` : null
}

const countIssue = (block: StoredBlock, watch: ReadonlySet<string> | null): string | null => {
  const { count, damagedTransactions, transactions } = block
  if (damagedTransactions.length > 0) return null
  if (count !== transactions.length) return `it has ${transactions.length} of ${count} transactions`
  const gap = watch === null ? transactions.findIndex(({ index }, position) => index !== position) : -1
  return gap === -1 ? null : `transaction ${gap} is missing`
}

const feesOf = ({ body }: StoredTransaction): bigint => {
  const document = parse(body)
  if (!isRecord(document)) return 0n
  const [gas, price] = [document["receipt_gas_used"], document["gas_price"]].map((text) =>
    typeof text === "string" && /^[0-9]{1,78}$/.test(text) ? BigInt(text) : 0n,
  )
  return gas! * price!
}

/** For watched wallets, facts cover their transactions only, while fees cover all transactions. */
const factsIssue = (block: StoredBlock, watch: ReadonlySet<string> | null): string | null => {
  const { damagedTransactions, facts: text, hasDamagedFacts, transactions } = block
  if (hasDamagedFacts) return "its facts do not match their checksum"
  if (text === null) return null
  const facts = BlockFacts.fromText(text)
  if (facts === null) return "its facts cannot be read"
  if (damagedTransactions.length > 0) return null
  const indexes = (list: ReadonlyArray<{ readonly index: number }>) => list.map(({ index }) => index).join(", ")
  const [own, stored] = [indexes(facts.transactions), indexes(transactions)]
  if (own !== stored)
    return `its facts belong to transactions ${own || "none"}, but the stored ones are ${stored || "none"}`
  if (watch !== null || facts.gasFees === null) return null
  const fees = transactions.reduce((sum, transaction) => sum + feesOf(transaction), 0n)
  return fees === facts.gasFees ? null : `its facts have gas fees of ${facts.gasFees}, but its documents have ${fees}`
}

/** Issues of a block that follows `previous`, which is `undefined` for the first block. */
export const ofBlock = (
  block: StoredBlock,
  previous: StoredBlock | undefined,
  watch: ReadonlySet<string> | null,
): ReadonlyArray<IntegrityIssue> => {
  if (block.isDamaged) return [{ block: block.number, what: "it does not match its checksum" }]
  const link = previous === undefined || previous.isDamaged ? null : linkIssue(block, previous)
  const count = countIssue(block, watch)
  const inTransactions = block.transactions.flatMap((transaction) => {
    const issue = transactionIssue(block, transaction, watch)
    return issue === null ? [] : [`transaction ${transaction.index} (${transaction.hash}): ${issue}`]
  })
  const damaged = block.damagedTransactions.map((index) => `transaction ${index} does not match its checksum`)
  const facts = factsIssue(block, watch)
  const ofBlock = [link, count, facts].filter((issue) => issue !== null)
  const whats = [...damaged, ...ofBlock, ...block.ledgerIssues, ...inTransactions]
  return whats.map((what) => ({ block: block.number, what }))
}

/** Describes an appearance without a document, or a ledger row without a position in its block. */
export const ofOrphan = ({ assets, block, index, key, table }: Appearance): string => {
  const where = index === Movement.blockLevelIndex ? `block ${block}` : `transaction ${index} of block ${block}`
  if (table === "ledger_block") return `the list of the ledgers of block ${block} refers to a block that is not stored`
  if (assets === undefined) return `the history of ${key} refers to ${where}, which is not stored`
  const moved = assets.length === 0 ? "no movement" : assets.join(", ")
  return `the ledger of ${key} has a row (${moved}) at ${where}, which does not name it`
}
