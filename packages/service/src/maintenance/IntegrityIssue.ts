/**
 * What can be wrong with a stored block, found by looking at its rows alone: links, counts, places, and whether each wallet that a
 * document names finds it. Pure.
 */
import type { StoredBlock, StoredTransaction } from "../store/Audit.ts"

/** Something that is not as the indexer writes it. */
export interface IntegrityIssue {
  /** The block that it is in; `null` for the store as a whole. */
  readonly block: number | null
  readonly what: string
}

/** What is read of a document. */
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

const placeFault = (block: StoredBlock, { hash, index }: StoredTransaction, body: Body): string | null => {
  if (body.hash !== hash) return `its document is of transaction ${String(body.hash)}`
  if (body.block_hash !== block.hash) return `its document is of block ${String(body.block_hash)}`
  if (body.block_number !== String(block.number)) return `its document is of block ${String(body.block_number)}`
  if (body.transaction_index !== String(index)) return `its document is of place ${String(body.transaction_index)}`
  const log = listOf(body.logs).findIndex((entry) => entry["transaction_hash"] !== hash)
  return log === -1 ? null : `its log ${log} is of another transaction`
}

const internalFault = (block: StoredBlock, { hash, internal }: StoredTransaction): string | null => {
  if (internal === null) return null
  const rows = parse(internal)
  if (!Array.isArray(rows)) return "its internal transactions are no list"
  const stranger = listOf(rows).some((row) => row["transaction_hash"] !== hash || row["block_hash"] !== block.hash)
  return stranger ? "an internal transaction is of another transaction" : null
}

const faultOf = (block: StoredBlock, transaction: StoredTransaction, watch: ReadonlySet<string> | null) => {
  const body = parse(transaction.body)
  if (!isRecord(body)) return "its document is not JSON"
  const fault = placeFault(block, transaction, body) ?? internalFault(block, transaction)
  if (fault !== null) return fault
  const named = walletsOf(body, watch)
  // A watch list that became shorter leaves wallets behind, which is no flaw.
  const kept = watch === null ? transaction.addresses : transaction.addresses.filter((address) => watch.has(address))
  if (!isSameSet(kept, named)) return `it stands under ${kept.join(", ") || "no wallet"}, not under ${named.join(", ")}`
  const [lost] = transaction.missingAppearances
  return lost === undefined ? null : `the history of ${lost} does not have it`
}

const linkFault = (block: StoredBlock, previous: StoredBlock): string | null => {
  if (block.number !== previous.number + 1) return `no block stands between ${previous.number} and it`
  if (block.parentHash !== previous.hash) {
    return `its parent is ${block.parentHash}, but block ${previous.number} is ${previous.hash}`
  }
  return block.timestamp < previous.timestamp ? `it is older than block ${previous.number}` : null
}

const countFault = (block: StoredBlock, watch: ReadonlySet<string> | null): string | null => {
  const { count, transactions } = block
  if (count !== null && count !== transactions.length) return `it has ${transactions.length} of ${count} transactions`
  const gap = watch === null ? transactions.findIndex(({ index }, position) => index !== position) : -1
  return gap === -1 ? null : `transaction ${gap} is missing`
}

/** Everything that is wrong with a block that stands on `previous`; `undefined` where it is the first. */
export const ofBlock = (
  block: StoredBlock,
  previous: StoredBlock | undefined,
  watch: ReadonlySet<string> | null,
): ReadonlyArray<IntegrityIssue> => {
  const link = previous === undefined ? null : linkFault(block, previous)
  const count = countFault(block, watch)
  const inTransactions = block.transactions.flatMap((transaction) => {
    const fault = faultOf(block, transaction, watch)
    return fault === null ? [] : [`transaction ${transaction.index} (${transaction.hash}): ${fault}`]
  })
  const whats = [...(link === null ? [] : [link]), ...(count === null ? [] : [count]), ...inTransactions]
  return whats.map((what) => ({ block: block.number, what }))
}
