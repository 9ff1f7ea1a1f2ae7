/**
 * Verifies that the parts of a block belong together before any of it is stored: the block, its transactions, the receipts and their
 * logs. Where the hash rules of the chain allow, hashes, blooms and roots are computed again.
 * Pure. Links between blocks are verified by the indexer, traces by `InternalTransactions`.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Hash } from "@daybook/schema/Hash"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Result from "effect/Result"
import * as OxHash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as LogsBloom from "./LogsBloom.ts"
import * as Rlp from "./Rlp.ts"
import * as HeaderHash from "./HeaderHash.ts"
import { InvalidBlock } from "./InvalidBlock.ts"
import * as HashRules from "./HashRules.ts"
import * as StateSync from "./StateSync.ts"
import * as Steps from "../supervision/Steps.ts"
import * as TrieRoot from "./TrieRoot.ts"
import * as Undecoded from "./Undecoded.ts"
import * as Withdrawals from "./Withdrawals.ts"

/**
 * A mined block: it has a number and a hash, and holds its transactions.
 */
export type MinedBlock = HydratedBlock & { readonly number: bigint; readonly hash: Hash }

const isMined = (block: HydratedBlock): block is MinedBlock => block.number !== null && block.hash !== null

/**
 * What is verified beyond links, counts and order.
 */
export interface Options {
  /** Default `standard`. */
  readonly checks?: HashRules.Level
  /** Hash rules of the chain. Default: nothing can be computed. */
  readonly rules?: HashRules.HashRules
  /** Accepts a block of which some receipts are missing, and cannot be had. Default false. */
  readonly allowMissing?: boolean
  /** What of the block does not decode, and is left out: it is not verified. Default: nothing. */
  readonly undecoded?: Undecoded.Undecoded
}

/**
 * A block that was verified.
 */
export interface Verified {
  readonly block: MinedBlock
  /** A check that does not hold, where another one proves the contents; `null` for none. */
  readonly unmet: string | null
}

type BlockRules = ReturnType<typeof HashRules.at>

const mismatch = (what: string, received: unknown, expected: unknown): string =>
  `${what}: expected ${expected}, received ${received}`

/** Compares an index with the next one; where indexes have gaps, it may be larger. */
const isNext = (index: number, next: number, { indexGaps }: BlockRules): boolean =>
  indexGaps === true ? index >= next : index === next

const undecodedOf = ({ undecoded = Undecoded.none }: Options): Undecoded.Undecoded => undecoded

const issueOfTransactions = (block: MinedBlock, rules: BlockRules, leftOut: number): string | null => {
  let next = 0
  for (const [index, transaction] of block.transactions.entries()) {
    const { blockHash, blockNumber, transactionIndex } = transaction
    if (blockHash != null && blockHash !== block.hash) {
      return mismatch(`the block hash of transaction ${index}`, blockHash, block.hash)
    }
    if (blockNumber != null && blockNumber !== block.number) {
      return mismatch(`the block number of transaction ${index}`, blockNumber, block.number)
    }
    if (transactionIndex != null && !isNext(transactionIndex, next, rules)) {
      return mismatch(`the index of transaction ${index}`, transactionIndex, next)
    }
    next = (transactionIndex ?? next) + 1
  }
  const lacksAll = block.transactions.length === 0 && leftOut === 0
  if (lacksAll && block.gasUsed > 0n && block.transactionsRoot !== TrieRoot.empty) {
    return `transactions: expected some for ${block.gasUsed} gas used, received none`
  }
  return null
}

const issueOfLogs = (block: MinedBlock, receipt: Receipt, firstLog: number, rules: BlockRules): string | null => {
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
 * Transactions that have a receipt: all of them, unless the chain's receipts have gaps. A receipt of no transaction is reported when it
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

const issueOfReceipts = (block: MinedBlock, receipts: ReadonlyArray<Receipt>, rules: BlockRules): string | null => {
  const transactions = rules.indexGaps === true ? executed(block, receipts) : block.transactions
  if (receipts.length !== transactions.length) return mismatch("receipts", receipts.length, transactions.length)
  let nextIndex = 0
  let nextLog = 0
  for (const [index, receipt] of receipts.entries()) {
    const transaction = transactions[index]!
    if (receipt.transactionHash !== transaction.hash) {
      return mismatch(`the transaction of receipt ${index}`, receipt.transactionHash, transaction.hash)
    }
    const expected = rules.indexGaps === true ? (transaction.transactionIndex ?? nextIndex) : index
    const isExpected =
      transaction.transactionIndex == null
        ? isNext(receipt.transactionIndex, expected, rules)
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

/** Receipts that the block's bloom covers. */
const coveredByBlooms = (block: MinedBlock, receipts: ReadonlyArray<Receipt>, { stateSyncCovered }: BlockRules) =>
  StateSync.isUncovered(block.transactions.at(-1), stateSyncCovered) ? receipts.slice(0, -1) : receipts

/** Transactions that the roots cover. */
const coveredByRoots = ({ transactions }: MinedBlock, { stateSyncCovered }: BlockRules) =>
  stateSyncCovered === false && StateSync.isUncovered(transactions.at(-1), false)
    ? transactions.slice(0, -1)
    : transactions

const stepsOfBlooms = function* (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  rules: BlockRules,
): Steps.Steps<string | null> {
  const inBlock: Array<Uint8Array | null> = []
  for (const [index, receipt] of coveredByBlooms(block, receipts, rules).entries()) {
    const bloom = yield* LogsBloom.stepsOfLogs(receipt.logs)
    yield
    if (!LogsBloom.isSame(bloom, receipt.logsBloom)) return `the bloom of receipt ${index} does not match its logs`
    inBlock.push(bloom)
  }
  if (block.logsBloom != null && !LogsBloom.isSame(LogsBloom.union(inBlock), block.logsBloom)) {
    return "the bloom of the block does not match its logs"
  }
  return null
}

const issueOfTransactionsRoot = (
  block: MinedBlock,
  rules: BlockRules,
  { header, transactions }: Undecoded.Undecoded = Undecoded.none,
): string | null => {
  const covered = coveredByRoots(block, rules)
  const incomplete = new Set(transactions.map(({ hash }) => hash))
  const encoded: Array<Hex.Hex> = []
  for (const [index, transaction] of covered.entries()) {
    const bytes = incomplete.has(transaction.hash) ? null : Rlp.transaction(transaction)
    if (bytes === null) continue
    const hash = OxHash.keccak256(bytes)
    if (hash !== transaction.hash) return mismatch(`the hash of transaction ${index}`, transaction.hash, hash)
    encoded.push(bytes)
  }
  if (encoded.length < covered.length || transactions.length > 0 || header.has("transactionsRoot")) return null
  const root = TrieRoot.of(encoded)
  return root === block.transactionsRoot ? null : mismatch("transactions root", block.transactionsRoot, root)
}

/** Root of the receipts; `null` where it cannot be computed. */
const receiptsRootOf = (block: MinedBlock, receipts: ReadonlyArray<Receipt>, rules: BlockRules): string | null => {
  const types = new Map(block.transactions.map(({ hash, type = 0 }): [string, number] => [hash, type]))
  const leftOut = receipts.length - block.transactions.length
  const encoded: Array<Hex.Hex> = []
  for (const receipt of receipts.slice(0, coveredByRoots(block, rules).length + leftOut)) {
    const type = types.get(receipt.transactionHash) ?? receipt.type
    const bytes = type == null ? null : Rlp.receipt(receipt, type, rules.receiptStateRoots)
    if (bytes === null) return null
    encoded.push(bytes)
  }
  return TrieRoot.of(encoded)
}

const issueOfReceiptsRoot = (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  rules: BlockRules,
  undecoded: Undecoded.Undecoded,
): string | null => {
  if (undecoded.receipts.length > 0 || undecoded.header.has("receiptsRoot")) return null
  const root = receiptsRootOf(block, receipts, rules)
  return root === null || root === block.receiptsRoot ? null : mismatch("receipts root", block.receiptsRoot, root)
}

const issueOfHeader = (block: MinedBlock, { header }: Undecoded.Undecoded): string | null => {
  const hash = HeaderHash.of(block)
  const isComputed = HeaderHash.unknownFields(block).length === 0 && ![...header.keys()].some(HeaderHash.isHashed)
  return hash === block.hash || !isComputed ? null : mismatch("header hash", block.hash, hash)
}

/** Computes hash, withdrawals root and transactions root of the block again. */
const issueOfBlock = (block: MinedBlock, options: Options): string | null => {
  const { checks = "standard", rules = HashRules.none } = options
  if (checks === "links") return null
  const rulesHere = HashRules.at(rules, block.number)
  const undecoded = undecodedOf(options)
  const issue =
    (rulesHere.headerHash ? issueOfHeader(block, undecoded) : null) ??
    Withdrawals.issueOf(block, rulesHere.withdrawals, undecoded)
  return issue ?? (checks === "full" && rulesHere.roots ? issueOfTransactionsRoot(block, rulesHere, undecoded) : null)
}

/** A receipt with the bloom of its logs. */
const withBloom = (receipt: Receipt): Receipt => {
  const bloom = LogsBloom.ofLogs(receipt.logs)
  // Sound: 256 bytes in hex are the text of a bloom.
  return Object.assign({}, receipt, { logsBloom: LogsBloom.format(bloom) as Receipt["logsBloom"] })
}

/** What computing a block again has shown: an issue that refuses it, or a check that does not hold where another proves the contents. */
type Computed = Pick<Verified, "unmet"> & { readonly issue: string | null }

const passed: Computed = { issue: null, unmet: null }

/** Computes blooms and receipts root again. The root covers more than the blooms: where it is right, a wrong bloom is that of the chain. */
const stepsOfOutcome = function* (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options,
): Steps.Steps<Computed> {
  const { checks = "standard", rules = HashRules.none } = options
  const undecoded = undecodedOf(options)
  const leftOut = Undecoded.leftOut(undecoded)
  if (checks === "links" || receipts.length < block.transactions.length + leftOut) return passed
  const rulesHere = HashRules.at(rules, block.number)
  // A transaction that is left out may be the one that blooms and roots do not cover.
  if (leftOut > 0 && rulesHere.stateSyncCovered !== undefined) return passed
  const bloom = rulesHere.blooms ? yield* stepsOfBlooms(block, receipts, rulesHere) : null
  if (bloom === null) {
    const isChecked = checks === "full" && rulesHere.roots
    return isChecked ? { issue: issueOfReceiptsRoot(block, receipts, rulesHere, undecoded), unmet: null } : passed
  }
  const root = rulesHere.roots ? receiptsRootOf(block, receipts.map(withBloom), rulesHere) : null
  return root !== null && root === block.receiptsRoot ? { issue: null, unmet: bloom } : { issue: bloom, unmet: null }
}

/**
 * Verifies a block without its receipts: mined, its transactions in order, its hash that of its header.
 *
 * **Errors**
 * - `InvalidBlock`: names the first mismatch.
 */
export const verifyBlock = (block: HydratedBlock, options: Options = {}): Result.Result<MinedBlock, InvalidBlock> => {
  if (!isMined(block)) {
    return Result.fail(
      new InvalidBlock({ block: Number(block.number ?? -1n), hash: "no hash", what: "the block is pending" }),
    )
  }
  const { number, hash } = block
  const fail = (what: string, isOfRules = false) =>
    Result.fail(new InvalidBlock({ block: Number(number), hash, what, isOfRules }))
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) return fail(`the number ${number} is not a safe integer`)
  if (block.timestamp > 253_402_300_799n) return fail(`the timestamp ${block.timestamp} is after the year 9999`)
  const leftOut = Undecoded.leftOut(undecodedOf(options))
  const rules = rulesAt(number, options, leftOut)
  const issue = issueOfTransactions(block, rules, leftOut)
  if (issue !== null) return fail(issue)
  const computed = issueOfBlock(block, options)
  return computed === null ? Result.succeed(block) : fail(computed, true)
}

/** Rules at a block; what is left out of it leaves gaps in the indexes. */
const rulesAt = (number: bigint, { allowMissing = false, rules = HashRules.none }: Options, leftOut: number) => {
  const { indexGaps = false, ...others } = HashRules.at(rules, number)
  return { ...others, indexGaps: indexGaps || allowMissing || leftOut > 0 }
}

/**
 * Receipts of the transactions of a block, without those of transactions that are left out.
 */
export const ofTransactions = (
  { transactions }: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  undecoded: Undecoded.Undecoded = Undecoded.none,
): ReadonlyArray<Receipt> => {
  const leftOut = Undecoded.leftOut(undecoded)
  if (leftOut === 0) return receipts
  const hashes: ReadonlySet<string> = new Set(transactions.map(({ hash }) => hash))
  const own = receipts.filter(({ transactionHash }) => hashes.has(transactionHash))
  return receipts.length - own.length <= leftOut ? own : receipts
}

/**
 * Verifies a block with its receipts, in steps.
 *
 * **Details**
 * Every receipt belongs to the transaction at its index and to this block, every log to its receipt, and logs are numbered from 0
 * through the block without a gap, except where the chain's rules allow gaps (`indexGaps`), or something is left out. Fields that some
 * nodes leave out of transactions and logs are verified where present. See `HashRules.Level` for what is computed again. A header hash
 * that does not match is accepted where the header has fields of an unknown fork, or a field that does not decode: see `Deviation`. The
 * roots of a block with a transaction of an unknown type are not verified.
 *
 * **Errors**
 * - `InvalidBlock`: names the first mismatch.
 */
export const verifySteps = function* (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Steps.Steps<Result.Result<Verified, InvalidBlock>> {
  const verified = verifyBlock(block, options)
  if (Result.isFailure(verified)) return Result.fail(verified.failure)
  const mined = verified.success
  yield
  const undecoded = undecodedOf(options)
  const rules = rulesAt(mined.number, options, Undecoded.leftOut(undecoded))
  const fail = (what: string, isOfRules: boolean) =>
    Result.fail(new InvalidBlock({ block: Number(mined.number), hash: mined.hash, what, isOfRules }))
  const what = issueOfReceipts(mined, ofTransactions(mined, receipts, undecoded), rules)
  if (what !== null) return fail(what, false)
  yield
  const { issue, unmet } = yield* stepsOfOutcome(mined, receipts, options)
  return issue === null ? Result.succeed({ block: mined, unmet }) : fail(issue, true)
}

/**
 * The same at once.
 */
export const verify = (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Result.Result<Verified, InvalidBlock> => Steps.runSync(verifySteps(block, receipts, options))

/**
 * Which hash rules a block and its receipts follow; `null` where they prove nothing, such as blooms without logs.
 */
export type Evidence = Readonly<Record<"headerHash" | "blooms" | "roots" | "withdrawals", boolean | null>>

const followsBlooms = (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt> | null,
  rules: BlockRules,
): boolean | null => {
  if (receipts === null || receipts.length !== block.transactions.length) return null
  const hasLogs =
    receipts.some(({ logs }) => logs.length > 0) || !LogsBloom.isSame(null, block.logsBloom ?? LogsBloom.none)
  return hasLogs ? Steps.runSync(stepsOfBlooms(block, receipts, rules)) === null : null
}

/** The transactions root is proof enough: the header hash covers it, while receipts are the node's word. */
const followsRoots = (block: MinedBlock, rules: BlockRules): boolean | null => {
  const isComputed = block.transactions.length > 0 && block.transactions.every((one) => Rlp.transaction(one) !== null)
  return isComputed ? issueOfTransactionsRoot(block, rules) === null : null
}

/**
 * Evidence of a block for each hash rule by itself; `null` for a pending block.
 */
export const evidence = (block: HydratedBlock, receipts: ReadonlyArray<Receipt> | null): Evidence | null => {
  if (!isMined(block)) return null
  const rules = HashRules.at(HashRules.ethereum, block.number)
  const isReproduced = HeaderHash.of(block) === block.hash
  // With fields of an unknown fork, another hash proves nothing.
  const headerHash = !isReproduced && HeaderHash.unknownFields(block).length > 0 ? null : isReproduced
  return {
    headerHash,
    blooms: followsBlooms(block, receipts, rules),
    roots: followsRoots(block, rules),
    withdrawals: Withdrawals.followsRule(block),
  }
}
