/**
 * Differences between a stored block and the same block as currently fetched from a node. Pure.
 */
import { cut } from "@daybook/schema/Issue"
import type { StoredBlock, StoredTransaction } from "../store/Audit.ts"
import { type BlockRows, isWithoutRow, type TransactionRow } from "../block/BlockRows.ts"
import { untraced } from "../fetch/BlockAssembler.ts"
import type { IntegrityIssue } from "./IntegrityIssue.ts"
import { isWatched, type Watch } from "../fetch/KeptRows.ts"

type Value = unknown

const isRecord = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const show = (value: Value): string => cut(JSON.stringify(value) ?? "nothing")

/** Path and values of the first difference; `null` for none. */
const differenceOf = (
  stored: Value,
  remote: Value,
  path: string,
  isIgnored: (key: string) => boolean,
): string | null => {
  if (Array.isArray(stored) && Array.isArray(remote)) {
    if (stored.length !== remote.length) {
      return `${path}: the node has ${remote.length} entries, the stored row ${stored.length}`
    }
    for (const [index, item] of stored.entries()) {
      const found = differenceOf(item, remote[index], `${path}[${index}]`, isIgnored)
      if (found !== null) return found
    }
    return null
  }
  if (isRecord(stored) && isRecord(remote)) {
    for (const key of new Set([...Object.keys(stored), ...Object.keys(remote)])) {
      if (isIgnored(key)) continue
      const found = differenceOf(stored[key], remote[key], path === "" ? key : `${path}.${key}`, isIgnored)
      if (found !== null) return found
    }
    return null
  }
  return stored === remote ? null : `${path}: the node has ${show(remote)}, the stored row ${show(stored)}`
}

const parse = (text: string): Value => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decoded: ReadonlySet<string> = new Set(["decoded_event", "decoded_call"])

/** Calls and events decoded by another revision of the decoder may differ. */
const bodyDifference = (stored: StoredTransaction, remote: TransactionRow, revision: number): string | null => {
  if (stored.body === remote.body) return null
  const isIgnored = (key: string) => stored.decoderRevision !== revision && decoded.has(key)
  return differenceOf(parse(stored.body), parse(remote.body), "", isIgnored)
}

/** Internal transactions are compared if both sides have them: traces may have been off, or a gap. */
const internalDifference = (stored: StoredTransaction, remote: TransactionRow): string | null => {
  if (stored.internal === remote.internal) return null
  const [own, other] = [parse(stored.internal ?? "null"), parse(remote.internal ?? "null")]
  return own === null || other === null ? null : differenceOf(own, other, "internal_transactions", () => false)
}

const isSameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))

const watchedOf = (addresses: ReadonlyArray<string>, watch: Watch): ReadonlyArray<string> =>
  watch == null ? addresses : addresses.filter((address) => watch.has(address))

const transactionDifference = (
  stored: StoredTransaction,
  remote: TransactionRow,
  revision: number,
  watch: Watch,
): string | null => {
  if (stored.index !== remote.index)
    return `the node has it at index ${remote.index}, the stored row at ${stored.index}`
  const difference = bodyDifference(stored, remote, revision) ?? internalDifference(stored, remote)
  if (difference !== null) return difference
  const [own, other] = [watchedOf(stored.addresses, watch), watchedOf(remote.addresses, watch)]
  if (isSameSet(own, other)) return null
  return `wallets: the node has ${show(other)}, the stored row ${show(own)}`
}

const blockDifference = (stored: StoredBlock, remote: BlockRows): string | null => {
  for (const key of ["hash", "parentHash", "timestamp"] as const) {
    if (stored[key] !== remote[key]) return `${key}: the node has ${remote[key]}, the stored block ${stored[key]}`
  }
  return null
}

/** True for what a node omits: facts represent it as `null` or an empty list, and a transaction type as 0. */
const isLeftOut = (value: Value, key?: string): boolean =>
  value == null || (Array.isArray(value) && value.length === 0) || (key === "type" && value === 0)

/** Facts from the node plus fields that only the stored facts have: nodes omit more or less of a block and its transactions. */
const withStoredFields = (stored: Value, remote: Value, key?: string): Value => {
  if (isLeftOut(remote, key)) return stored
  if (Array.isArray(stored) && Array.isArray(remote)) {
    return remote.map((item, index) => withStoredFields(stored[index], item))
  }
  if (!isRecord(stored) || !isRecord(remote)) return remote
  const own = Object.entries(remote).map(
    ([name, value]) => [name, withStoredFields(stored[name], value, name)] as const,
  )
  return { ...stored, ...Object.fromEntries(own) }
}

/** Facts are compared if both sides have them and no record is missing; those of watched wallets depend on which wallets are watched. */
const factsDifference = (stored: StoredBlock, remote: BlockRows, watch: Watch): ReadonlyArray<IntegrityIssue> => {
  const isCompared = watch == null && stored.facts !== null && remote.facts !== undefined
  if (!isCompared || withoutRow(remote).size > 0 || stored.facts === remote.facts) return []
  const own = parse(stored.facts)
  const what = differenceOf(own, withStoredFields(own, parse(remote.facts)), "facts", () => false)
  return what === null ? [] : [{ block: stored.number, what }]
}

/** Transactions for which the node currently returns no record. */
const withoutRow = ({ gaps = [] }: BlockRows): ReadonlySet<string> =>
  new Set(
    gaps.flatMap(({ kind, transaction }) => (isWithoutRow(kind) && transaction !== undefined ? [transaction] : [])),
  )

/**
 * Stored rows of watched wallets that are not among those made from the node's block.
 */
const unmatched = (stored: StoredBlock, remote: BlockRows, watch: Watch): ReadonlyArray<StoredTransaction> => {
  const hashes = new Set(remote.transactions.map(({ hash }) => hash))
  const gaps = withoutRow(remote)
  return stored.transactions.filter(
    ({ addresses, hash }) => isWatched(addresses, watch) && !hashes.has(hash) && !gaps.has(hash),
  )
}

/** True for a row that an index of watched wallets keeps because the node cannot trace it now: it may not concern a watched wallet. */
const hasUnknownRoles = ({ addresses, internal }: TransactionRow, watch: Watch): boolean =>
  watch != null && internal === untraced && addresses.length === 0

/**
 * Differences of a block: of the block itself, or else one per transaction. Rows of unwatched wallets, and those without a receipt at the
 * node, are not compared.
 */
export const ofBlock = (stored: StoredBlock, remote: BlockRows, watch: Watch = null): ReadonlyArray<IntegrityIssue> => {
  const block = stored.number
  const own = blockDifference(stored, remote)
  if (own !== null) return [{ block, what: own }]
  const remoteByHash = new Map(remote.transactions.map((row) => [row.hash, row]))
  const storedHashes = new Set(stored.transactions.map(({ hash }) => hash))
  const absent = new Set(unmatched(stored, remote, watch))
  const ofStored = stored.transactions.flatMap((row) => {
    const other = remoteByHash.get(row.hash)
    const what = absent.has(row)
      ? "the node does not have it"
      : other === undefined || !isWatched(row.addresses, watch)
        ? null
        : transactionDifference(row, other, remote.decoderRevision, watch)
    return what === null ? [] : [{ block, what: `transaction ${row.index} (${row.hash}): ${what}` }]
  })
  const missing = remote.transactions
    .filter((row) => !storedHashes.has(row.hash) && isWatched(row.addresses, watch) && !hasUnknownRoles(row, watch))
    .map(({ hash, index }) => ({ block, what: `transaction ${index} (${hash}): it is not stored` }))
  return [...factsDifference(stored, remote, watch), ...ofStored, ...missing]
}
