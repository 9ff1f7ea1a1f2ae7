/**
 * Checks that the transactions, receipts and logs of a block state their own position: their index, and the block and transaction to which
 * they belong. A position that contradicts the lists of the block is corrected, because the lists determine it. Pure.
 *
 * Source: decision 0022.
 */
import type * as Chain from "@daybook/schema/Chain"
import type { Receipt } from "@daybook/schema/Receipt"
import type { Transaction } from "@daybook/schema/Transaction"
import { indexLimit, type MinedBlock } from "./MinedBlock.ts"
import * as TrieRoot from "./TrieRoot.ts"

/**
 * Rules of the chain at the block.
 */
export interface PlaceRules extends Chain.HashRules {
  /** Number of transactions that do not decode and are omitted from the block. */
  readonly leftOut: number
}

/**
 * A block with its receipts.
 */
export interface Parts {
  readonly block: MinedBlock
  /** In the order of the transactions. */
  readonly receipts: ReadonlyArray<Receipt>
}

/** The contents of the parts belong to the block, whatever positions they state. */
const certainKinds = ["log indexes per transaction", "places of receipts", "places of logs"] as const

/** Transactions may belong to another block, or may be incomplete. */
const ofTransactions = [
  "no transactions",
  "transactions of another block",
  "transaction indexes",
  "gap in transaction indexes",
] as const

/** Receipts or logs may belong to another block, or may be incomplete. */
const ofReceipts = [
  "receipts of another block",
  "receipts of no transaction",
  "logs of another block or transaction",
  "log indexes",
  "gap in log indexes",
] as const

/**
 * Kinds of corrections that must be proven by hash, or returned again by the nodes, before they are accepted.
 */
export const doubts = [...ofTransactions, ...ofReceipts] as const

/**
 * A kind of correction that must be proven.
 */
export type Doubt = (typeof doubts)[number]

/**
 * A correction, or a contradiction that is kept as received.
 */
export interface Correction {
  readonly kind: (typeof certainKinds)[number] | Doubt
  /** The first affected part. */
  readonly detail: string
}

const isDoubt = (kind: Correction["kind"]): kind is Doubt => !certainKinds.some((certain) => certain === kind)

/**
 * The kinds of corrections that must be proven, for transactions and for receipts.
 */
export const doubtsOf = (
  corrections: ReadonlyArray<Correction>,
): { readonly transactions: ReadonlyArray<Doubt>; readonly receipts: ReadonlyArray<Doubt> } => {
  const kinds = corrections.map(({ kind }) => kind).filter(isDoubt)
  const isOfTransactions = (kind: Doubt) => ofTransactions.some((one) => one === kind)
  return {
    transactions: kinds.filter(isOfTransactions),
    receipts: kinds.filter((kind) => !isOfTransactions(kind)),
  }
}

/**
 * Describes a contradiction.
 */
export const mismatch = (what: string, received: unknown, expected: unknown): string =>
  `${what}: expected ${expected}, received ${received}`

/** Whether an index is the expected next one, or a larger one on chains whose indexes have gaps. */
const isNext = (index: number, next: number, { indexGaps }: PlaceRules): boolean =>
  indexGaps === true ? index >= next : index === next

/** Whether the index of a transaction is the expected next one. */
const isNextTransaction = (index: number, next: number, rules: PlaceRules): boolean =>
  index < indexLimit && isNext(index, next, rules)

/**
 * Transactions that have a receipt: all of them, unless the chain's receipts have gaps. A receipt without a transaction is reported when it
 * is compared.
 */
export const executed = (
  { transactions }: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
): MinedBlock["transactions"] => {
  if (receipts.length >= transactions.length) return transactions
  const hashes: ReadonlySet<string> = new Set(receipts.map(({ transactionHash }) => transactionHash))
  return transactions.filter(({ hash }) => hashes.has(hash))
}

/** Why a block must have transactions but has none; `null` if it may be empty. */
const issueOfNone = (block: MinedBlock, { leftOut }: PlaceRules): string | null => {
  const lacksAll = block.transactions.length === 0 && leftOut === 0
  return lacksAll && block.gasUsed > 0n && block.transactionsRoot !== TrieRoot.empty
    ? `transactions: expected some for ${block.gasUsed} gas used, received none`
    : null
}

/**
 * The first transaction that states a different position, or the lack of all transactions; `null` if there is no issue.
 */
export const issueOfTransactions = (block: MinedBlock, rules: PlaceRules): string | null => {
  let next = 0
  for (const [index, { blockHash, blockNumber, transactionIndex }] of block.transactions.entries()) {
    if (blockHash != null && blockHash !== block.hash) {
      return mismatch(`the block hash of transaction ${index}`, blockHash, block.hash)
    }
    if (blockNumber != null && blockNumber !== block.number) {
      return mismatch(`the block number of transaction ${index}`, blockNumber, block.number)
    }
    if (transactionIndex != null && !isNextTransaction(transactionIndex, next, rules)) {
      return mismatch(`the index of transaction ${index}`, transactionIndex, next)
    }
    next = (transactionIndex ?? next) + 1
  }
  return issueOfNone(block, rules)
}

const issueOfLogs = (block: MinedBlock, receipt: Receipt, firstLog: number, rules: PlaceRules): string | null => {
  let next = firstLog
  for (const [position, log] of receipt.logs.entries()) {
    const name = `log ${position} of transaction ${receipt.transactionIndex}`
    if (log.removed === true) return `${name} was removed by a reorg`
    if (log.blockHash != null && log.blockHash !== block.hash) {
      return mismatch(`the block hash of ${name}`, log.blockHash, block.hash)
    }
    if (log.blockNumber != null && log.blockNumber !== block.number) {
      return mismatch(`the block number of ${name}`, log.blockNumber, block.number)
    }
    if (log.transactionHash !== receipt.transactionHash) {
      return mismatch(`the transaction of ${name}`, log.transactionHash, receipt.transactionHash)
    }
    if (log.transactionIndex !== receipt.transactionIndex) {
      return mismatch(`the transaction index of ${name}`, log.transactionIndex, receipt.transactionIndex)
    }
    if (log.logIndex === null || !isNext(log.logIndex, next, rules)) {
      return mismatch(`the index of ${name}`, log.logIndex, next)
    }
    next = log.logIndex + 1
  }
  return null
}

/**
 * The first receipt or log that states a different position, or a number of receipts that differs from that of transactions; `null` if
 * there is no issue.
 */
export const issueOfReceipts = ({ block, receipts }: Parts, rules: PlaceRules): string | null => {
  const transactions = rules.indexGaps === true ? executed(block, receipts) : block.transactions
  if (receipts.length !== transactions.length) return mismatch("receipts", receipts.length, transactions.length)
  let nextIndex = 0
  let nextLog = 0
  for (const [index, receipt] of receipts.entries()) {
    const transaction = transactions[index]!
    if (receipt.transactionHash !== transaction.hash) {
      return mismatch(`the transaction of receipt ${index}`, receipt.transactionHash, transaction.hash)
    }
    const expected = transaction.transactionIndex ?? (rules.indexGaps === true ? nextIndex : index)
    const isExpected =
      transaction.transactionIndex == null
        ? isNextTransaction(receipt.transactionIndex, expected, rules)
        : receipt.transactionIndex === expected
    if (!isExpected) return mismatch(`the index of receipt ${index}`, receipt.transactionIndex, expected)
    if (receipt.blockHash !== block.hash) {
      return mismatch(`the block hash of receipt ${index}`, receipt.blockHash, block.hash)
    }
    if (receipt.blockNumber !== block.number) {
      return mismatch(`the block number of receipt ${index}`, receipt.blockNumber, block.number)
    }
    const issue = issueOfLogs(block, receipt, nextLog, rules)
    if (issue !== null) return issue
    nextIndex = receipt.transactionIndex + 1
    nextLog = (receipt.logs.at(-1)?.logIndex ?? nextLog - 1) + 1
  }
  return null
}

/** Corrections of a block: the first one of each kind. */
type Corrections = Map<Correction["kind"], string>

const add = (corrections: Corrections, kind: Correction["kind"], detail: string): void => {
  if (!corrections.has(kind)) corrections.set(kind, detail)
}

const isAscending = (indexes: ReadonlyArray<number | null | undefined>): indexes is ReadonlyArray<number> =>
  indexes.every((index, at) => index != null && (at === 0 || index > (indexes[at - 1] ?? index)))

/** The first index that differs from its position. */
const firstGap = (what: string, indexes: ReadonlyArray<number | null | undefined>): string => {
  const at = indexes.findIndex((index, position) => index !== position)
  return mismatch(`the index of ${what} ${at}`, indexes[at], at)
}

/** Transactions in the order of their indexes if these form a list; otherwise as received. */
const ordered = (transactions: ReadonlyArray<Transaction>): ReadonlyArray<Transaction> => {
  const byIndex = transactions.toSorted((one, other) => (one.transactionIndex ?? 0) - (other.transactionIndex ?? 0))
  return byIndex.every(({ transactionIndex }, at) => transactionIndex === at) ? byIndex : transactions
}

const correctIndexes = (
  transactions: ReadonlyArray<Transaction>,
  corrections: Corrections,
  rules: PlaceRules,
): ReadonlyArray<Transaction> => {
  const indexes = transactions.map(({ transactionIndex }) => transactionIndex)
  if (indexes.every((index, at) => index == null || index === at)) return transactions
  if (isAscending(indexes) && (indexes.at(-1) ?? 0) < indexLimit) {
    if (rules.indexGaps !== true) add(corrections, "gap in transaction indexes", firstGap("transaction", indexes))
    return transactions
  }
  add(corrections, "transaction indexes", firstGap("transaction", indexes))
  return ordered(transactions).map((transaction, transactionIndex) =>
    Object.assign({}, transaction, { transactionIndex }),
  )
}

/** A block whose transactions state their actual positions. */
const correctTransactions = (block: MinedBlock, corrections: Corrections, rules: PlaceRules): MinedBlock => {
  const { hash: blockHash, number: blockNumber } = block
  const placed = block.transactions.map((transaction, at) => {
    const isOwn =
      (transaction.blockHash ?? blockHash) === blockHash && (transaction.blockNumber ?? blockNumber) === blockNumber
    if (isOwn) return transaction
    const detail = mismatch(
      `the block of transaction ${at}`,
      transaction.blockHash ?? transaction.blockNumber,
      blockHash,
    )
    add(corrections, "transactions of another block", detail)
    return Object.assign({}, transaction, { blockHash, blockNumber })
  })
  const issue = issueOfNone(block, rules)
  if (issue !== null) add(corrections, "no transactions", issue)
  return { ...block, transactions: correctIndexes(placed, corrections, rules) }
}

/** A receipt with the index of its transaction. */
interface Executed {
  readonly receipt: Receipt
  readonly index: number
}

/** Receipts in the order of their transactions, matched by hash. */
const orderReceipts = ({ block, receipts }: Parts, corrections: Corrections): ReadonlyArray<Executed> => {
  const left = new Map<string, Array<Receipt>>()
  for (const receipt of receipts) {
    const sameHash = left.get(receipt.transactionHash)
    if (sameHash === undefined) left.set(receipt.transactionHash, [receipt])
    else sameHash.push(receipt)
  }
  const found = block.transactions.flatMap(({ hash, transactionIndex }, at): ReadonlyArray<Executed> => {
    const receipt = left.get(hash)?.shift()
    return receipt === undefined ? [] : [{ receipt, index: transactionIndex ?? at }]
  })
  const moved = found.findIndex(({ receipt }, at) => receipt !== receipts[at])
  const others = [...left.values()].flat()
  if (others.length > 0) {
    const detail = `${others.length} receipts, the first one of ${others[0]!.transactionHash}`
    add(corrections, "receipts of no transaction", detail)
  } else if (moved !== -1) {
    const [received, expected] = [receipts[moved]!, found[moved]!.receipt]
    const detail = mismatch(`the transaction of receipt ${moved}`, received.transactionHash, expected.transactionHash)
    add(corrections, "places of receipts", detail)
  }
  return found
}

type Log = Receipt["logs"][number]

/** A log that states the position of its receipt. */
const correctLog = (log: Log, receipt: Receipt, position: number, corrections: Corrections): Log => {
  const { blockHash, blockNumber, transactionHash, transactionIndex } = receipt
  const name = `log ${position} of transaction ${transactionIndex}`
  const isOther =
    log.removed === true || (log.blockHash ?? blockHash) !== blockHash || log.transactionHash !== transactionHash
  const isMisplaced = (log.blockNumber ?? blockNumber) !== blockNumber || log.transactionIndex !== transactionIndex
  if (!isOther && !isMisplaced) return log
  if (isOther) {
    const received = log.removed === true ? "a reorg" : `${log.transactionHash} of block ${log.blockHash}`
    add(
      corrections,
      "logs of another block or transaction",
      mismatch(`the place of ${name}`, received, transactionHash),
    )
  } else {
    const detail = mismatch(`the transaction index of ${name}`, log.transactionIndex, transactionIndex)
    add(corrections, "places of logs", detail)
  }
  return Object.assign({}, log, { blockHash, blockNumber, transactionHash, transactionIndex, removed: false })
}

/** A receipt that states the position of its transaction, as do its logs; log indexes are corrected for the whole block. */
const correctReceipt = (
  block: MinedBlock,
  { index: transactionIndex, receipt }: Executed,
  corrections: Corrections,
): Receipt => {
  const { hash: blockHash, number: blockNumber } = block
  const name = `receipt ${transactionIndex}`
  if (receipt.blockHash !== blockHash || receipt.blockNumber !== blockNumber) {
    const received = `${receipt.blockNumber} (${receipt.blockHash})`
    const detail = mismatch(`the block of ${name}`, received, `${blockNumber} (${blockHash})`)
    add(corrections, "receipts of another block", detail)
  }
  if (receipt.transactionIndex !== transactionIndex) {
    const detail = mismatch(`the index of ${name}`, receipt.transactionIndex, transactionIndex)
    add(corrections, "places of receipts", detail)
  }
  const placed: Receipt = Object.assign({}, receipt, { blockHash, blockNumber, transactionIndex })
  const logs = receipt.logs.map((log, position) => correctLog(log, placed, position, corrections))
  return Object.assign({}, placed, { logs })
}

/** True if the logs of each receipt are numbered from 0. */
const isPerTransaction = (receipts: ReadonlyArray<Receipt>): boolean =>
  receipts.every(({ logs }) => logs.every(({ logIndex }, position) => logIndex === position))

/** Numbers the logs of a block, unless their indexes already ascend. */
const correctLogIndexes = (
  receipts: ReadonlyArray<Receipt>,
  corrections: Corrections,
  rules: PlaceRules,
): ReadonlyArray<Receipt> => {
  const indexes = receipts.flatMap(({ logs }) => logs.map(({ logIndex }) => logIndex))
  if (indexes.every((index, at) => index === at)) return receipts
  if (isAscending(indexes)) {
    if (rules.indexGaps !== true) add(corrections, "gap in log indexes", firstGap("log", indexes))
    return receipts
  }
  const kind = isPerTransaction(receipts) ? "log indexes per transaction" : "log indexes"
  add(corrections, kind, firstGap("log", indexes))
  let next = 0
  return receipts.map((receipt) => {
    const logs = receipt.logs.map((log) => Object.assign({}, log, { logIndex: next++ }))
    return Object.assign({}, receipt, { logs })
  })
}

/**
 * Parts of a block that state their actual positions, and what was corrected. Receipts without a transaction are omitted; indexes that
 * ascend with gaps are kept as received.
 */
export const correct = (
  parts: Parts,
  rules: PlaceRules,
): Parts & { readonly corrections: ReadonlyArray<Correction> } => {
  const corrections: Corrections = new Map()
  const block = correctTransactions(parts.block, corrections, rules)
  const executedOnes = orderReceipts({ block, receipts: parts.receipts }, corrections)
  const placed = executedOnes.map((one) => correctReceipt(block, one, corrections))
  const receipts = correctLogIndexes(placed, corrections, rules)
  return { block, receipts, corrections: [...corrections].map(([kind, detail]) => ({ kind, detail })) }
}
