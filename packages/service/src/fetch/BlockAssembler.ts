/**
 * Assembles the rows of a block from a node's responses: verifies that they belong together, and writes each transaction's JSON text as the
 * interface defines it, with decoded calls and events. The text is stored and served unchanged; labels and internal transactions are
 * appended when it is served. Pure.
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.3, docs/interface.md#2.4; decisions 0009, 0015 and 0020.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { TransactionTrace } from "@daybook/schema/Trace"
import type { Transaction } from "@daybook/schema/Transaction"
import * as Result from "effect/Result"
import type { Decoder } from "@daybook/abi/Decoder"
import * as GasPrice from "../ledger/GasPrice.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as LedgerCodec from "../ledger/LedgerCodec.ts"
import type { LedgerRules } from "../ledger/LedgerRules.ts"
import * as LedgerSource from "../ledger/LedgerSource.ts"
import type { Traces } from "../block/Traces.ts"
import type { BlockGap, BlockRows, TransactionRow } from "../block/BlockRows.ts"
import * as BlockVerifier from "../verification/BlockVerifier.ts"
import * as BlockFacts from "../block/BlockFacts.ts"
import * as Deviation from "../block/Deviation.ts"
import * as InternalTransactions from "../block/InternalTransactions.ts"
import type { MinedBlock } from "../verification/MinedBlock.ts"
import * as Placement from "../verification/Placement.ts"
import type { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as Steps from "../supervision/Steps.ts"
import * as Undecoded from "../verification/Undecoded.ts"

/**
 * Responses of a node about one block.
 */
export interface Responses {
  readonly block: HydratedBlock
  readonly receipts: ReadonlyArray<Receipt>
  /** `null` if traces are off. */
  readonly traces: Traces | null
}

/**
 * Rows of a block, and its accepted deviations.
 */
export interface Assembled {
  readonly rows: BlockRows
  readonly deviations: ReadonlyArray<Deviation.Deviation>
}

/**
 * How to assemble rows.
 */
export interface Options extends InternalTransactions.Options, BlockVerifier.Options {
  readonly decoder: Decoder
  /**
   * Only transactions in which these wallets (lower case) have a role become rows; `null` or absent for all. Without ledger rules, those in
   * which they are a party.
   */
  readonly watch?: ReadonlySet<string> | null
  /** Hashes of transactions that become rows regardless of `watch`, because they are already stored. */
  readonly kept?: ReadonlySet<string> | undefined
  /** Ledger rules of the chain; absent for rows without a ledger. */
  readonly ledger?: LedgerRules | undefined
  /** Why receipts are missing. Default: no node has them. */
  readonly missing?: string
}

/** Text of an optional number; `""` for none. */
const textOf = (value: bigint | number | null | undefined): string => (value == null ? "" : value.toString())

/** Text of a number that is only absent in transactions of unknown types. */
const numberOf = (value: bigint | number | null | undefined): string => (value ?? 0).toString()

/** Text of a block in its documents and logs. Here and below, digits and hex need no escapes. */
const blockTextOf = ({ hash, number, timestamp }: MinedBlock): string => {
  const time = new Date(Number(timestamp) * 1000).toISOString()
  return ['"block_timestamp":"', time, '","block_number":"', number.toString(), '","block_hash":"', hash, '"'].join("")
}

/** Text of a hash that may be absent. */
const hashText = (hash: string | null): string => (hash === null ? "null" : `"${hash}"`)

/**
 * Adds the pieces of a log's text. A document's pieces are joined once: each string concatenation creates an object that keeps both of its
 * parts alive until the text is read.
 */
const addLog = (pieces: Array<string>, blockText: string, log: Receipt["logs"][number], decoder: Decoder): void => {
  const { address, data, logIndex, topics, transactionHash, transactionIndex } = log
  const event = decoder.event(log)
  pieces.push(
    '{"log_index":"',
    numberOf(logIndex),
    '","transaction_hash":',
    hashText(transactionHash),
    ',"transaction_index":"',
    numberOf(transactionIndex),
    '","address":"',
    address,
    '","data":"',
    data,
    '","topic0":"',
    topics[0] ?? "",
    '","topic1":"',
    topics[1] ?? "",
    '","topic2":"',
    topics[2] ?? "",
    '","topic3":"',
    topics[3] ?? "",
    '",',
    blockText,
    ',"decoded_event":',
    event === null ? "null" : JSON.stringify(event),
    "}",
  )
}

/** Number of logs per step. */
const stepLogs = 32

/** Adds the pieces of a transaction's logs, in steps. */
const stepsOfLogs = function* (
  pieces: Array<string>,
  blockText: string,
  logs: Receipt["logs"],
  decoder: Decoder,
): Steps.Steps<void> {
  for (let at = 0; at < logs.length; at++) {
    if (at > 0) pieces.push(",")
    addLog(pieces, blockText, logs[at]!, decoder)
    if (at % stepLogs === stepLogs - 1) yield
  }
}

const stepsOfBody = function* (
  { baseFeePerGas }: MinedBlock,
  blockText: string,
  transaction: Transaction,
  receipt: Receipt,
  decoder: Decoder,
): Steps.Steps<string> {
  const { from, gas, hash, nonce, to, value } = transaction
  const input = transaction.input ?? "0x"
  const { contractAddress, cumulativeGasUsed, gasUsed, root, status, transactionIndex } = receipt
  const call = to == null ? null : decoder.call(input)
  const pieces = [
    '{"hash":"',
    hash,
    '","nonce":"',
    numberOf(nonce),
    '","transaction_index":"',
    transactionIndex.toString(),
    '","from_address":"',
    from,
    '","to_address":',
    hashText(to ?? null),
    ',"value":"',
    numberOf(value),
    '","gas":"',
    numberOf(gas),
    '","gas_price":"',
    GasPrice.effective(transaction, receipt, baseFeePerGas).toString(),
    '","input":"',
    input,
    '","receipt_cumulative_gas_used":"',
    cumulativeGasUsed.toString(),
    '","receipt_gas_used":"',
    gasUsed.toString(),
    '","receipt_contract_address":"',
    contractAddress ?? "",
    '","receipt_root":"',
    root != null && root.length > 2 ? root : "",
    '","receipt_status":"',
    textOf(status),
    '",',
    blockText,
    ',"logs":[',
  ]
  yield* stepsOfLogs(pieces, blockText, receipt.logs, decoder)
  pieces.push('],"decoded_call":', JSON.stringify(call), "}")
  return pieces.join("")
}

/** Wallets of a transaction, without duplicates: sender, recipient, created contract. Source: decision 0009. */
const walletsOf = (transaction: Transaction, receipt: Receipt): ReadonlyArray<string> => {
  const addresses = new Set<string>([transaction.from])
  if (transaction.to != null) addresses.add(transaction.to)
  if (receipt.contractAddress !== null) addresses.add(receipt.contractAddress)
  return [...addresses]
}

/** Rows of a block, without its transactions. */
const headerRows = (block: MinedBlock, { decoder }: Options) => ({
  number: Number(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: Number(block.timestamp),
  decoderRevision: decoder.revision,
})

/** Facts of a block; `null` if a field that they may include does not decode, or the node omitted the withdrawals. */
const factsOf = (source: BlockFacts.Source, options: Options): BlockFacts.BlockFacts | null => {
  const { undecoded = Undecoded.none } = options
  if (Deviation.lacksWithdrawals(source.block, options)) return null
  const isComplete = !Undecoded.isIncomplete(undecoded) && ![...undecoded.header.keys()].some(BlockFacts.isOfHeader)
  return isComplete ? BlockFacts.fromBlock(source) : null
}

/** Makes the stored facts of a block, and its ledger. */
const stepsOfFacts = function* (
  source: BlockFacts.Source,
  internal: InternalTransactions.Rows | null,
  options: Options,
): Steps.Steps<Pick<BlockRows, "facts" | "ledger">> {
  const facts = factsOf(source, options)
  const texts = facts === null ? {} : { facts: BlockFacts.textOf(facts) }
  if (options.ledger === undefined) return texts
  const responses = { block: source.block, executed: source.rows, internal, facts }
  const rows = yield* Ledger.steps(LedgerSource.fromResponses(responses), options.ledger)
  return { ...texts, ledger: LedgerCodec.pack(rows) }
}

/** Gas fees of a block in wei; `null` if a transaction or a receipt is missing. */
const gasFeesOf = (
  block: MinedBlock,
  executed: ReadonlyArray<BlockFacts.Executed>,
  { undecoded = Undecoded.none }: Options,
): bigint | null => {
  if (executed.length < block.transactions.length + Undecoded.leftOut(undecoded)) return null
  return executed.reduce(
    (sum, { receipt, transaction }) =>
      sum + receipt.gasUsed * GasPrice.effective(transaction, receipt, block.baseFeePerGas),
    0n,
  )
}

/** Traces of a block's transactions, without those of omitted transactions. */
const withoutLeftOut = (block: MinedBlock, traces: Traces, undecoded: Undecoded.Undecoded): Traces => {
  if (traces._tag === "Untraced" || Undecoded.leftOut(undecoded) === 0) return traces
  const hashes: ReadonlySet<string> = new Set(block.transactions.map(({ hash }) => hash))
  if (traces._tag === "Flat") {
    const isOwn = (hash: string | null | undefined) => hash == null || hashes.has(hash)
    return { ...traces, traces: traces.traces.filter(({ transactionHash }) => isOwn(transactionHash)) }
  }
  const positions = new Set(block.transactions.map(({ transactionIndex }) => transactionIndex))
  const isOwn = ({ txHash }: TransactionTrace, at: number) =>
    txHash === undefined ? positions.has(at) : hashes.has(txHash)
  return { ...traces, traces: traces.traces.filter(isOwn) }
}

/** Internal transactions of those transactions that have a receipt. The tracer may or may not know the others. */
const internalOf = (
  block: MinedBlock,
  transactions: ReadonlyArray<Transaction>,
  received: Traces,
  options: Options,
): Result.Result<InternalTransactions.Rows, InvalidBlock> => {
  const traces = withoutLeftOut(block, received, options.undecoded ?? Undecoded.none)
  const hashes = new Set(transactions.map(({ hash }) => hash))
  const ofAll = Result.map(InternalTransactions.fromTraces(block, traces, options), (rows) =>
    rows.filter((_, position) => hashes.has(block.transactions[position]!.hash)),
  )
  const { hash, number } = block
  return Result.orElse(ofAll, () => InternalTransactions.fromTraces({ hash, number, transactions }, traces, options))
}

/** Gaps of transactions without a receipt, any of which may concern a watched wallet. */
const receiptGaps = (
  { transactions }: MinedBlock,
  executed: ReadonlyArray<Transaction>,
  { missing = "No node has the receipt.", undecoded = Undecoded.none }: Options,
): ReadonlyArray<BlockGap> => {
  if (executed.length === transactions.length) return []
  const hashes = new Set(executed.map(({ hash }) => hash))
  const reasons = new Map(undecoded.receipts.map(({ hash, reason }) => [hash, reason]))
  return transactions
    .filter(({ hash }) => !hashes.has(hash))
    .map(({ hash }) => ({ kind: "receipt", transaction: hash, reason: reasons.get(hash) ?? missing }))
}

/** Gaps of transactions omitted from the block, any of which may concern a watched wallet. */
const transactionGaps = ({ undecoded = Undecoded.none }: Options): ReadonlyArray<BlockGap> =>
  undecoded.transactions
    .filter(({ isLeftOut }) => isLeftOut)
    .map(({ hash, reason }) => ({ kind: "transaction", transaction: hash ?? undefined, reason }))

/** Gaps of deviations that mark a block. */
const checkGaps = (deviations: ReadonlyArray<Deviation.Deviation>): ReadonlyArray<BlockGap> =>
  deviations.filter(Deviation.isMarked).map(({ detail, kind }) => ({ kind: "check", reason: `${kind}: ${detail}` }))

const withGaps = (rows: BlockRows, gaps: ReadonlyArray<BlockGap>): BlockRows =>
  gaps.length === 0 ? rows : { ...rows, gaps }

/** Reason why the price of a transaction is unknown: the base fee needed to compute it does not decode. */
const unpriced = (
  transaction: Transaction,
  receipt: Receipt,
  { undecoded = Undecoded.none }: Options,
): string | null => {
  const fees: GasPrice.Fees = transaction
  return receipt.effectiveGasPrice == null && fees.gasPrice == null
    ? (undecoded.header.get("baseFeePerGas") ?? null)
    : null
}

/** Stored text of a transaction's internal transactions. */
const internalText = (rows: InternalTransactions.TransactionRows | undefined): string | null => {
  if (rows === undefined) return null
  return InternalTransactions.isUntraced(rows) ? untraced : JSON.stringify(rows)
}

/** Stored text if a transaction is untraced. */
export const untraced = "null"

/** Rows of a block's transactions, and the input of its facts. */
interface Rows {
  readonly transactions: ReadonlyArray<TransactionRow>
  readonly stored: ReadonlyArray<BlockFacts.Executed>
  /** Internal transactions of the stored ones; `null` if traces were off. */
  readonly internal: InternalTransactions.Rows | null
  readonly gaps: ReadonlyArray<BlockGap>
}

const setCodeType = 4

/** Hashes of set-code transactions with a field that does not decode, whose authorities are unknown. */
const withoutAuthorities = (
  { transactions }: MinedBlock,
  { undecoded = Undecoded.none }: Options,
): ReadonlySet<string> => {
  const incomplete = new Set(undecoded.transactions.map(({ hash }) => hash))
  return new Set(transactions.flatMap(({ hash, type }) => (type === setCodeType && incomplete.has(hash) ? [hash] : [])))
}

/**
 * Indexes of transactions in which watched wallets have a role, or whose roles are unknown because the tracer failed or their authorities
 * do not decode; `null` for all.
 */
const stepsOfConcerned = function* (
  block: MinedBlock,
  executed: ReadonlyArray<BlockFacts.Executed>,
  internal: InternalTransactions.Rows | null,
  options: Options,
): Steps.Steps<ReadonlySet<number> | null> {
  const { kept, ledger, watch } = options
  if (watch == null) return null
  const unknown = withoutAuthorities(block, options)
  const found = new Set<number>()
  for (const [position, { receipt, transaction }] of executed.entries()) {
    const rows = internal?.[position]
    const isUnknown = unknown.has(transaction.hash) || (rows !== undefined && InternalTransactions.isUntraced(rows))
    const isParty = walletsOf(transaction, receipt).some((address) => watch.has(address))
    if (isParty || isUnknown || kept?.has(transaction.hash) === true) found.add(receipt.transactionIndex)
  }
  if (ledger === undefined || found.size === executed.length) return found
  // A header field that does not decode is absent. Roles do not depend on the gas used by the block.
  const source = Object.assign({ gasUsed: 0n }, block)
  const decoded = executed.filter(({ transaction }) => !unknown.has(transaction.hash))
  const facts = BlockFacts.fromBlock({ block: source, rows: decoded, gasFees: null, watch })
  const rows = yield* Ledger.steps(LedgerSource.fromResponses({ block, executed, internal, facts }), ledger)
  for (const { index, wallet } of rows) if (watch.has(wallet)) found.add(index)
  return found
}

const stepsOfRows = function* (
  block: MinedBlock,
  executed: ReadonlyArray<BlockFacts.Executed>,
  internal: InternalTransactions.Rows | null,
  options: Options,
): Steps.Steps<Rows> {
  const { decoder, watch } = options
  const concerned = yield* stepsOfConcerned(block, executed, internal, options)
  const blockText = blockTextOf(block)
  const transactions: Array<TransactionRow> = []
  const stored: Array<BlockFacts.Executed> = []
  const traced: Array<InternalTransactions.TransactionRows> = []
  const gaps: Array<BlockGap> = []
  for (const [position, { receipt, transaction }] of executed.entries()) {
    if (concerned?.has(receipt.transactionIndex) === false) continue
    const wallets = walletsOf(transaction, receipt)
    const addresses = watch == null ? wallets : wallets.filter((address) => watch.has(address))
    const { hash } = transaction
    const reason = unpriced(transaction, receipt, options)
    if (reason !== null) {
      gaps.push({ kind: "transaction", transaction: hash, reason })
      continue
    }
    stored.push({ receipt, transaction })
    const rows = internal?.[position]
    if (rows !== undefined) traced.push(rows)
    if (rows !== undefined && InternalTransactions.isUntraced(rows)) {
      gaps.push({ kind: "trace", transaction: hash, reason: rows.reason })
    }
    const body = yield* stepsOfBody(block, blockText, transaction, receipt, decoder)
    transactions.push({ index: receipt.transactionIndex, hash, body, internal: internalText(rows), addresses })
    yield
  }
  return { transactions, stored, internal: internal === null ? null : traced, gaps }
}

/**
 * Assembles the rows of a block, in steps. A transaction that does not decode or lacks a receipt has no row; one without a trace has no
 * internal transactions. These are gaps of the block.
 *
 * **Errors**
 * - `InvalidBlock`: the responses do not belong together.
 */
export const steps = function* (
  responses: Responses,
  options: Options,
): Steps.Steps<Result.Result<Assembled, InvalidBlock>> {
  const { traces } = responses
  const { watch } = options
  const verified = yield* BlockVerifier.verifySteps(responses.block, responses.receipts, options)
  if (Result.isFailure(verified)) return Result.fail(verified.failure)
  const { block, receipts, unmet } = verified.success
  const executed = Placement.executed(block, receipts)
  const internal = traces === null ? Result.succeed(null) : internalOf(block, executed, traces, options)
  if (Result.isFailure(internal)) return Result.fail(internal.failure)
  yield
  const all = receipts.map((receipt, position) => ({ receipt, transaction: executed[position]! }))
  const { stored, transactions, ...found } = yield* stepsOfRows(block, all, internal.success, options)
  const deviations = [...Deviation.find(responses.block, receipts, options), ...unmet]
  const gaps = [
    ...checkGaps(deviations),
    ...transactionGaps(options),
    ...receiptGaps(block, executed, options),
    ...found.gaps,
  ]
  const source = { block, rows: stored, gasFees: gasFeesOf(block, all, options), watch }
  const facts = yield* stepsOfFacts(source, found.internal, options)
  const rows = withGaps({ ...headerRows(block, options), transactions, ...facts }, gaps)
  return Result.succeed({ rows, deviations })
}

/**
 * Assembles the rows of a block in one step.
 */
export const assemble = (responses: Responses, options: Options): Result.Result<BlockRows, InvalidBlock> =>
  Result.map(Steps.runSync(steps(responses, options)), ({ rows }) => rows)
