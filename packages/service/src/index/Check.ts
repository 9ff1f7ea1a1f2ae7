/**
 * Checks that the parts of a block belong together before any of it is stored: the block, its transactions, the receipts and
 * their logs. A lagging or confused node answers with parts of different blocks, or with fewer than there are.
 * Pure. Links between blocks are the indexer's to check; traces are checked where they are read.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Hash } from "@daybook/schema/Hash"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Result from "effect/Result"
import { Mismatch } from "./Mismatch.ts"

/**
 * A block that is mined: it has a number and a hash, and its transactions are in it.
 *
 * @category models
 * @since 0.1.0
 */
export type MinedBlock = HydratedBlock & { readonly number: bigint; readonly hash: Hash }

const isMined = (block: HydratedBlock): block is MinedBlock => block.number !== null && block.hash !== null

/**
 * Root of an empty trie: what `transactionsRoot` is when there are none.
 *
 * Source: Ethereum yellow paper, appendix D.
 *
 * @category models
 * @since 0.1.0
 */
export const emptyRoot: string = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

const expected = (what: string, came: unknown, wanted: unknown): string => `${what} is ${came}, expected ${wanted}`

const faultOfTransactions = (block: MinedBlock): string | null => {
  for (const [index, transaction] of block.transactions.entries()) {
    const { blockHash, blockNumber, transactionIndex } = transaction
    if (blockHash != null && blockHash !== block.hash) {
      return expected(`the block hash of transaction ${index}`, blockHash, block.hash)
    }
    if (blockNumber != null && blockNumber !== block.number) {
      return expected(`the block number of transaction ${index}`, blockNumber, block.number)
    }
    if (transactionIndex != null && transactionIndex !== index) {
      return expected(`the index of transaction ${index}`, transactionIndex, index)
    }
  }
  if (block.transactions.length === 0 && block.gasUsed > 0n && block.transactionsRoot !== emptyRoot) {
    return `no transactions came with ${block.gasUsed} gas used`
  }
  return null
}

const faultOfLogs = (block: MinedBlock, receipt: Receipt, firstLog: number): string | null => {
  for (const [position, log] of receipt.logs.entries()) {
    const name = `log ${position} of transaction ${receipt.transactionIndex}`
    if (log.removed === true) return `${name} was taken back by a reorganisation`
    if (log.blockHash != null && log.blockHash !== block.hash) {
      return expected(`the block hash of ${name}`, log.blockHash, block.hash)
    }
    if (log.blockNumber != null && log.blockNumber !== block.number) {
      return expected(`the block number of ${name}`, log.blockNumber, block.number)
    }
    if (log.transactionHash !== receipt.transactionHash) {
      return expected(`the transaction of ${name}`, log.transactionHash, receipt.transactionHash)
    }
    if (log.transactionIndex !== receipt.transactionIndex) {
      return expected(`the transaction index of ${name}`, log.transactionIndex, receipt.transactionIndex)
    }
    if (log.logIndex !== firstLog + position) return expected(`the index of ${name}`, log.logIndex, firstLog + position)
  }
  return null
}

const faultOfReceipts = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  if (receipts.length !== block.transactions.length) {
    return `${receipts.length} receipts came for ${block.transactions.length} transactions`
  }
  let logs = 0
  for (const [index, receipt] of receipts.entries()) {
    const transaction = block.transactions[index]!
    if (receipt.transactionHash !== transaction.hash) {
      return expected(`the transaction of receipt ${index}`, receipt.transactionHash, transaction.hash)
    }
    if (receipt.transactionIndex !== index) {
      return expected(`the index of receipt ${index}`, receipt.transactionIndex, index)
    }
    if (receipt.blockHash !== block.hash) {
      return expected(`the block hash of receipt ${index}`, receipt.blockHash, block.hash)
    }
    if (receipt.blockNumber !== block.number) {
      return expected(`the block number of receipt ${index}`, receipt.blockNumber, block.number)
    }
    const fault = faultOfLogs(block, receipt, logs)
    if (fault !== null) return fault
    logs += receipt.logs.length
  }
  return null
}

/**
 * Tells whether a block and its receipts are one whole.
 *
 * **Details**
 * Every receipt belongs to the transaction at its place and to this block; every log to its receipt; logs are numbered from 0
 * through the block without a gap. Fields that some nodes leave out of transactions and logs are checked where they are.
 *
 * **Errors**
 * - `Mismatch`: names the first thing that does not fit.
 *
 * @category combinators
 * @since 0.1.0
 */
export const check = (block: HydratedBlock, receipts: ReadonlyArray<Receipt>): Result.Result<MinedBlock, Mismatch> => {
  if (!isMined(block)) {
    return Result.fail(new Mismatch({ block: Number(block.number ?? -1n), hash: "no hash", what: "it is pending" }))
  }
  const { number, hash } = block
  const fail = (what: string) => Result.fail(new Mismatch({ block: Number(number), hash, what }))
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) return fail("its number is too large")
  if (block.timestamp > 253_402_300_799n) return fail(`its time, ${block.timestamp}, is after the year 9999`)
  const fault = faultOfTransactions(block) ?? faultOfReceipts(block, receipts)
  return fault === null ? Result.succeed(block) : fail(fault)
}
