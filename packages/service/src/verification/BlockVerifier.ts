/**
 * Checks that the parts of a block belong together before any of it is stored: the block, its transactions, the receipts and
 * their logs. A lagging or confused node answers with parts of different blocks, or with fewer than there are; where the chain's
 * rules allow, everything is computed again from the header's hash down.
 * Pure. Links between blocks are the indexer's to check; traces are checked where they are read.
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
import * as TrieRoot from "./TrieRoot.ts"

/**
 * A block that is mined: it has a number and a hash, and its transactions are in it.
 */
export type MinedBlock = HydratedBlock & { readonly number: bigint; readonly hash: Hash }

const isMined = (block: HydratedBlock): block is MinedBlock => block.number !== null && block.hash !== null

/**
 * What is checked beyond links, counts and order.
 */
export interface Options {
  /** Default `standard`. */
  readonly checks?: HashRules.Level
  /** What can be computed of the chain's blocks. Default: nothing. */
  readonly rules?: HashRules.HashRules
}

const expected = (what: string, received: unknown, wanted: unknown): string =>
  `${what} is ${received}, expected ${wanted}`

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
  if (block.transactions.length === 0 && block.gasUsed > 0n && block.transactionsRoot !== TrieRoot.empty) {
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

/** Polygon's state-sync transaction before it had a type: nobody signed it, and neither root nor bloom knows it. */
const isUnsigned = (transaction: MinedBlock["transactions"][number]): boolean =>
  /^0x0{40}$/.test(transaction.from) && /^0x0{40}$/.test(transaction.to ?? "")

const faultOfBlooms = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  const inBlock: Array<Uint8Array | null> = []
  for (const [index, receipt] of receipts.entries()) {
    const isLeftOut = index === receipts.length - 1 && isUnsigned(block.transactions[index]!)
    if (isLeftOut) continue
    const bloom = LogsBloom.ofLogs(receipt.logs)
    if (!LogsBloom.isSame(bloom, receipt.logsBloom)) return `the bloom of receipt ${index} is not that of its logs`
    inBlock.push(bloom)
  }
  if (block.logsBloom !== null && !LogsBloom.isSame(LogsBloom.union(inBlock), block.logsBloom)) {
    return "the bloom of the block is not that of its logs: some are missing, or too many"
  }
  return null
}

const faultOfTransactionsRoot = (block: MinedBlock): string | null => {
  const encoded: Array<Hex.Hex> = []
  for (const [index, transaction] of block.transactions.entries()) {
    const bytes = Rlp.transaction(transaction)
    if (bytes === null) return null
    const hash = OxHash.keccak256(bytes)
    if (hash !== transaction.hash) return expected(`the hash of transaction ${index}`, transaction.hash, hash)
    encoded.push(bytes)
  }
  const root = TrieRoot.of(encoded)
  return root === block.transactionsRoot ? null : expected("the root of its transactions", block.transactionsRoot, root)
}

const faultOfReceiptsRoot = (block: MinedBlock, receipts: ReadonlyArray<Receipt>): string | null => {
  const encoded: Array<Hex.Hex> = []
  for (const [index, receipt] of receipts.entries()) {
    const bytes = Rlp.receipt(receipt, block.transactions[index]!.type ?? 0)
    if (bytes === null) return null
    encoded.push(bytes)
  }
  const root = TrieRoot.of(encoded)
  return root === block.receiptsRoot ? null : expected("the root of its receipts", block.receiptsRoot, root)
}

const faultOfHeader = (block: MinedBlock): string | null => {
  const hash = HeaderHash.of(block)
  return hash === block.hash ? null : expected("its hash", block.hash, hash)
}

/** What is computed again of the block alone. */
const faultOfBlock = (block: MinedBlock, { checks = "standard", rules = HashRules.none }: Options): string | null => {
  if (checks === "links") return null
  const { headerHash, roots } = HashRules.at(rules, block.number)
  const fault = headerHash ? faultOfHeader(block) : null
  return fault ?? (checks === "full" && roots ? faultOfTransactionsRoot(block) : null)
}

/** What is computed again of the receipts. */
const faultOfOutcome = (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  { checks = "standard", rules = HashRules.none }: Options,
): string | null => {
  if (checks === "links") return null
  const { blooms, roots } = HashRules.at(rules, block.number)
  const fault = blooms ? faultOfBlooms(block, receipts) : null
  return fault ?? (checks === "full" && roots ? faultOfReceiptsRoot(block, receipts) : null)
}

/**
 * Tells whether a block is whole by itself: mined, its transactions its own and in order, and its hash what its header gives.
 *
 * **Errors**
 * - `Mismatch`: names the first thing that does not fit.
 */
export const checkBlock = (block: HydratedBlock, options: Options = {}): Result.Result<MinedBlock, InvalidBlock> => {
  if (!isMined(block)) {
    return Result.fail(new InvalidBlock({ block: Number(block.number ?? -1n), hash: "no hash", what: "it is pending" }))
  }
  const { number, hash } = block
  const fail = (what: string) => Result.fail(new InvalidBlock({ block: Number(number), hash, what }))
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) return fail("its number is too large")
  if (block.timestamp > 253_402_300_799n) return fail(`its time, ${block.timestamp}, is after the year 9999`)
  const fault = faultOfTransactions(block) ?? faultOfBlock(block, options)
  return fault === null ? Result.succeed(block) : fail(fault)
}

/**
 * Tells whether a block and its receipts are one whole.
 *
 * **Details**
 * Every receipt belongs to the transaction at its place and to this block; every log to its receipt; logs are numbered from 0
 * through the block without a gap. Fields that some nodes leave out of transactions and logs are checked where they are.
 * What the chain's rules let compute, is computed: see `Rules.Level`. A block with a transaction of a type whose bytes are not
 * known has roots that cannot be computed; they are passed over.
 *
 * **Errors**
 * - `Mismatch`: names the first thing that does not fit.
 */
export const check = (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Result.Result<MinedBlock, InvalidBlock> =>
  Result.flatMap(checkBlock(block, options), (mined) => {
    const what = faultOfReceipts(mined, receipts) ?? faultOfOutcome(mined, receipts, options)
    return what === null
      ? Result.succeed(mined)
      : Result.fail(new InvalidBlock({ block: Number(mined.number), hash: mined.hash, what }))
  })
