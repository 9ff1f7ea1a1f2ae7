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
import * as TrieRoot from "./TrieRoot.ts"

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
}

const mismatch = (what: string, received: unknown, expected: unknown): string =>
  `${what}: expected ${expected}, received ${received}`

const issueOfTransactions = (block: MinedBlock): string | null => {
  for (const [index, transaction] of block.transactions.entries()) {
    const { blockHash, blockNumber, transactionIndex } = transaction
    if (blockHash != null && blockHash !== block.hash) {
      return mismatch(`the block hash of transaction ${index}`, blockHash, block.hash)
    }
    if (blockNumber != null && blockNumber !== block.number) {
      return mismatch(`the block number of transaction ${index}`, blockNumber, block.number)
    }
    if (transactionIndex != null && transactionIndex !== index) {
      return mismatch(`the index of transaction ${index}`, transactionIndex, index)
    }
  }
  if (block.transactions.length === 0 && block.gasUsed > 0n && block.transactionsRoot !== TrieRoot.empty) {
    return `transactions: expected some for ${block.gasUsed} gas used, received none`
  }
  return null
}

const issueOfLogs = (block: MinedBlock, receipt: Receipt, firstLog: number): string | null => {
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
    if (log.logIndex !== firstLog + position) return mismatch(`the index of ${name}`, log.logIndex, firstLog + position)
  }
  return null
}

const issueOfReceipts = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  if (receipts.length !== block.transactions.length) {
    return mismatch("receipts", receipts.length, block.transactions.length)
  }
  let logs = 0
  for (const [index, receipt] of receipts.entries()) {
    const transaction = block.transactions[index]!
    if (receipt.transactionHash !== transaction.hash) {
      return mismatch(`the transaction of receipt ${index}`, receipt.transactionHash, transaction.hash)
    }
    if (receipt.transactionIndex !== index) {
      return mismatch(`the index of receipt ${index}`, receipt.transactionIndex, index)
    }
    if (receipt.blockHash !== block.hash) {
      return mismatch(`the block hash of receipt ${index}`, receipt.blockHash, block.hash)
    }
    if (receipt.blockNumber !== block.number) {
      return mismatch(`the block number of receipt ${index}`, receipt.blockNumber, block.number)
    }
    const issue = issueOfLogs(block, receipt, logs)
    if (issue !== null) return issue
    logs += receipt.logs.length
  }
  return null
}

const issueOfBlooms = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  const inBlock: Array<Uint8Array | null> = []
  for (const [index, receipt] of receipts.entries()) {
    const isUncovered = index === receipts.length - 1 && StateSync.isUntyped(block.transactions[index]!)
    if (isUncovered) continue
    const bloom = LogsBloom.ofLogs(receipt.logs)
    if (!LogsBloom.isSame(bloom, receipt.logsBloom)) return `the bloom of receipt ${index} does not match its logs`
    inBlock.push(bloom)
  }
  if (block.logsBloom !== null && !LogsBloom.isSame(LogsBloom.union(inBlock), block.logsBloom)) {
    return "the bloom of the block does not match its logs"
  }
  return null
}

const issueOfTransactionsRoot = (block: MinedBlock): string | null => {
  const encoded: Array<Hex.Hex> = []
  for (const [index, transaction] of block.transactions.entries()) {
    const bytes = Rlp.transaction(transaction)
    if (bytes === null) return null
    const hash = OxHash.keccak256(bytes)
    if (hash !== transaction.hash) return mismatch(`the hash of transaction ${index}`, transaction.hash, hash)
    encoded.push(bytes)
  }
  const root = TrieRoot.of(encoded)
  return root === block.transactionsRoot ? null : mismatch("transactions root", block.transactionsRoot, root)
}

const issueOfReceiptsRoot = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  const encoded: Array<Hex.Hex> = []
  for (const [index, receipt] of receipts.entries()) {
    const bytes = Rlp.receipt(receipt, block.transactions[index]!.type ?? 0)
    if (bytes === null) return null
    encoded.push(bytes)
  }
  const root = TrieRoot.of(encoded)
  return root === block.receiptsRoot ? null : mismatch("receipts root", block.receiptsRoot, root)
}

const issueOfHeader = (block: MinedBlock): string | null => {
  const hash = HeaderHash.of(block)
  return hash === block.hash ? null : mismatch("header hash", block.hash, hash)
}

/** Computes hash and transactions root of the block again. */
const issueOfBlock = (block: MinedBlock, { checks = "standard", rules = HashRules.none }: Options): string | null => {
  if (checks === "links") return null
  const { headerHash, roots } = HashRules.at(rules, block.number)
  const issue = headerHash ? issueOfHeader(block) : null
  return issue ?? (checks === "full" && roots ? issueOfTransactionsRoot(block) : null)
}

/** Computes blooms and receipts root again. */
const issueOfOutcome = (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  { checks = "standard", rules = HashRules.none }: Options,
): string | null => {
  if (checks === "links") return null
  const { blooms, roots } = HashRules.at(rules, block.number)
  const issue = blooms ? issueOfBlooms(block, receipts) : null
  return issue ?? (checks === "full" && roots ? issueOfReceiptsRoot(block, receipts) : null)
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
  const fail = (what: string) => Result.fail(new InvalidBlock({ block: Number(number), hash, what }))
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) return fail(`the number ${number} is not a safe integer`)
  if (block.timestamp > 253_402_300_799n) return fail(`the timestamp ${block.timestamp} is after the year 9999`)
  const issue = issueOfTransactions(block) ?? issueOfBlock(block, options)
  return issue === null ? Result.succeed(block) : fail(issue)
}

/**
 * Verifies a block with its receipts.
 *
 * **Details**
 * Every receipt belongs to the transaction at its index and to this block, every log to its receipt, and logs are numbered from 0
 * through the block without a gap. Fields that some nodes leave out of transactions and logs are verified where present.
 * See `HashRules.Level` for what is computed again. The roots of a block with a transaction of an unknown type are not verified.
 *
 * **Errors**
 * - `InvalidBlock`: names the first mismatch.
 */
export const verify = (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Result.Result<MinedBlock, InvalidBlock> =>
  Result.flatMap(verifyBlock(block, options), (mined) => {
    const what = issueOfReceipts(mined, receipts) ?? issueOfOutcome(mined, receipts, options)
    return what === null
      ? Result.succeed(mined)
      : Result.fail(new InvalidBlock({ block: Number(mined.number), hash: mined.hash, what }))
  })
