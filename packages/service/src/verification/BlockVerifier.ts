/**
 * Verifies that the parts of a block belong together before any of it is stored: the block, its transactions, the receipts and their logs.
 * If the chain's hash rules allow, hashes, blooms and roots are recomputed. Pure. The indexer verifies links between blocks,
 * `InternalTransactions` verifies traces.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type * as Chain from "@daybook/schema/Chain"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Result from "effect/Result"
import * as OxHash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as LogsBloom from "./LogsBloom.ts"
import * as Rlp from "./Rlp.ts"
import * as HeaderHash from "./HeaderHash.ts"
import { InvalidBlock } from "./InvalidBlock.ts"
import * as HashRules from "./HashRules.ts"
import { isMined, type MinedBlock } from "./MinedBlock.ts"
import * as Placement from "./Placement.ts"
import * as StateSync from "./StateSync.ts"
import * as Steps from "../supervision/Steps.ts"
import * as TrieRoot from "./TrieRoot.ts"
import * as Undecoded from "./Undecoded.ts"
import * as Withdrawals from "./Withdrawals.ts"

/**
 * What to verify beyond links, counts and order.
 */
export interface Options {
  /** Default: `standard`. */
  readonly checks?: HashRules.Level
  /** Hash rules of the chain. Default: nothing can be computed. */
  readonly rules?: HashRules.HashRules | undefined
  /** Accepts a block with some receipts missing that cannot be obtained. Default: false. */
  readonly allowMissing?: boolean
  /** Parts of the block that do not decode. They are omitted and not verified. Default: nothing. */
  readonly undecoded?: Undecoded.Undecoded
  /** Kinds of corrections that are accepted without proof, because the nodes return the block in this form each time. Default: none. */
  readonly acceptedDoubts?: ReadonlySet<Placement.Doubt>
}

/**
 * A check that failed for an accepted block.
 */
export interface Unmet {
  readonly kind: Placement.Correction["kind"] | "blooms" | "timestamp"
  readonly detail: string
}

/**
 * A verified block with the receipts of its transactions. Their positions are corrected.
 */
export interface Verified extends Placement.Parts {
  readonly unmet: ReadonlyArray<Unmet>
}

type BlockRules = Chain.HashRules

const undecodedOf = ({ undecoded = Undecoded.none }: Options): Undecoded.Undecoded => undecoded

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
    if (hash !== transaction.hash) return Placement.mismatch(`the hash of transaction ${index}`, transaction.hash, hash)
    encoded.push(bytes)
  }
  if (encoded.length < covered.length || transactions.length > 0 || header.has("transactionsRoot")) return null
  const root = TrieRoot.fromValues(encoded)
  return root === block.transactionsRoot ? null : Placement.mismatch("transactions root", block.transactionsRoot, root)
}

/** Root of the receipts; `null` if it cannot be computed. */
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
  return TrieRoot.fromValues(encoded)
}

const issueOfReceiptsRoot = (
  block: MinedBlock,
  receipts: ReadonlyArray<Receipt>,
  rules: BlockRules,
  undecoded: Undecoded.Undecoded,
): string | null => {
  if (undecoded.receipts.length > 0 || undecoded.header.has("receiptsRoot")) return null
  const root = receiptsRootOf(block, receipts, rules)
  return root === null || root === block.receiptsRoot
    ? null
    : Placement.mismatch("receipts root", block.receiptsRoot, root)
}

const issueOfHeader = (block: MinedBlock, { header }: Undecoded.Undecoded): string | null => {
  const hash = HeaderHash.fromBlock(block)
  const isComputed = HeaderHash.unknownFields(block).length === 0 && ![...header.keys()].some(HeaderHash.isHashed)
  return hash === block.hash || !isComputed ? null : Placement.mismatch("header hash", block.hash, hash)
}

/** Recomputes the hash, withdrawals root and transactions root of the block. */
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

/** A receipt with its computed logs bloom. */
const withBloom = (receipt: Receipt): Receipt => {
  const bloom = LogsBloom.ofLogs(receipt.logs)
  // Sound: 256 bytes in hex are the text of a bloom.
  return Object.assign({}, receipt, { logsBloom: LogsBloom.format(bloom) as Receipt["logsBloom"] })
}

/**
 * Result of recomputing blooms and roots: an issue that rejects the block, or one that is accepted because the receipts root proves the
 * contents.
 */
interface Computed {
  readonly issue: string | null
  readonly unmet: ReadonlyArray<Unmet>
}

const passed: Computed = { issue: null, unmet: [] }

/** Recomputes blooms and the receipts root. The root covers more than the blooms: if it matches, a wrong bloom comes from the chain. */
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
  // An omitted transaction may be the one that blooms and roots do not cover.
  if (leftOut > 0 && rulesHere.stateSyncCovered !== undefined) return passed
  const bloom = rulesHere.blooms ? yield* stepsOfBlooms(block, receipts, rulesHere) : null
  if (bloom === null) {
    const isChecked = checks === "full" && rulesHere.roots
    return isChecked ? { issue: issueOfReceiptsRoot(block, receipts, rulesHere, undecoded), unmet: [] } : passed
  }
  const root = rulesHere.roots ? receiptsRootOf(block, receipts.map(withBloom), rulesHere) : null
  return root !== null && root === block.receiptsRoot
    ? { issue: null, unmet: [{ kind: "blooms", detail: bloom }] }
    : { issue: bloom, unmet: [] }
}

/** Whether the transactions root proves the transactions of a block; `null` if it cannot be computed. */
const proofOfTransactions = (
  block: MinedBlock,
  rules: BlockRules,
  undecoded: Undecoded.Undecoded = Undecoded.none,
): boolean | null => {
  if (!rules.roots || undecoded.transactions.length > 0 || undecoded.header.has("transactionsRoot")) return null
  const isComputed = coveredByRoots(block, rules).every((transaction) => Rlp.transaction(transaction) !== null)
  return isComputed ? issueOfTransactionsRoot(block, rules, undecoded) === null : null
}

/** Whether the receipts root proves the receipts of a block; `null` if it cannot be computed. */
const proofOfReceipts = (
  { block, receipts }: Placement.Parts,
  rules: Placement.PlaceRules,
  undecoded: Undecoded.Undecoded,
): boolean | null => {
  const isWhole = rules.leftOut === 0 && receipts.length === block.transactions.length
  if (!isWhole || !rules.roots || undecoded.receipts.length > 0 || undecoded.header.has("receiptsRoot")) return null
  const root = receiptsRootOf(block, receipts, rules)
  return root === null ? null : root === block.receiptsRoot
}

/** Kinds of corrections that hashes do not prove, for parts that may belong to another block; `null` if a hash refutes one. */
const unproven = (
  parts: Placement.Parts,
  corrections: ReadonlyArray<Placement.Correction>,
  rules: Placement.PlaceRules,
  options: Options,
): ReadonlyArray<Placement.Doubt> | null => {
  const undecoded = undecodedOf(options)
  const { receipts, transactions } = Placement.doubtsOf(corrections)
  const ofTransactions = transactions.length === 0 ? true : proofOfTransactions(parts.block, rules, undecoded)
  const ofReceipts = receipts.length === 0 ? true : proofOfReceipts(parts, rules, undecoded)
  if (ofTransactions === false || ofReceipts === false) return null
  return [...(ofTransactions === null ? transactions : []), ...(ofReceipts === null ? receipts : [])]
}

/** Why a block is rejected. */
type Reason = Pick<InvalidBlock, "what" | "isOfRules" | "doubts">

/**
 * Corrects the positions of parts if they have an issue. Parts that may belong to another block are accepted if the roots prove them, or if
 * all nodes return them each time.
 */
const correctPlaces = (
  parts: Placement.Parts,
  issue: string | null,
  rules: Placement.PlaceRules,
  options: Options,
): Result.Result<Verified, Reason> => {
  if (issue === null) return Result.succeed({ ...parts, unmet: [] })
  const { corrections: unmet, ...corrected } = Placement.correct(parts, rules)
  const doubts = unproven(corrected, unmet, rules, options)
  if (doubts === null) return Result.fail({ what: issue, isOfRules: true })
  const isAccepted = doubts.every((kind) => options.acceptedDoubts?.has(kind))
  return isAccepted ? Result.succeed({ ...corrected, unmet }) : Result.fail({ what: issue, doubts })
}

/** Corrects the positions of receipts; reports no issue if a receipt is missing. */
const correctReceipts = (
  parts: Placement.Parts,
  rules: Placement.PlaceRules,
  options: Options,
): Result.Result<Verified, Reason> => {
  const issue = Placement.issueOfReceipts(parts, rules)
  return Result.flatMap(correctPlaces(parts, issue, rules, options), (corrected) => {
    const missing = corrected.block.transactions.length - corrected.receipts.length
    return missing > 0 && rules.indexGaps !== true
      ? Result.fail({ what: issue ?? "receipts are missing" })
      : Result.succeed(corrected)
  })
}

/** End of the year 9999, in seconds since 1970: the latest time that records can state. */
const maxTimestamp = 253_402_300_799n

/** Replaces a time that records cannot state. */
const correctTime = ({ block, receipts, unmet }: Verified): Verified => {
  const { timestamp } = block
  if (timestamp <= maxTimestamp) return { block, receipts, unmet }
  const detail = `the timestamp ${timestamp} is after the year 9999`
  return { block: { ...block, timestamp: maxTimestamp }, receipts, unmet: [...unmet, { kind: "timestamp", detail }] }
}

/** Rules at a block; parts that are omitted from it leave gaps in the indexes. */
const rulesAt = (number: bigint, options: Options): Placement.PlaceRules => {
  const { allowMissing = false, rules = HashRules.none } = options
  const leftOut = Undecoded.leftOut(undecodedOf(options))
  const { indexGaps = false, ...others } = HashRules.at(rules, number)
  return { ...others, indexGaps: indexGaps || allowMissing || leftOut > 0, leftOut }
}

const refuse = ({ hash, number }: MinedBlock, reason: Reason): Result.Result<never, InvalidBlock> =>
  Result.fail(new InvalidBlock({ block: Number(number), hash, ...reason }))

/** Verifies everything except receipts and time. */
const verifyTransactions = (block: HydratedBlock, options: Options): Result.Result<Verified, InvalidBlock> => {
  if (!isMined(block)) {
    return Result.fail(
      new InvalidBlock({ block: Number(block.number ?? -1n), hash: "no hash", what: "the block is pending" }),
    )
  }
  const { number } = block
  if (number > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse(block, { what: `the number ${number} is not a safe integer` })
  const rules = rulesAt(number, options)
  const placed = correctPlaces({ block, receipts: [] }, Placement.issueOfTransactions(block, rules), rules, options)
  if (Result.isFailure(placed)) return refuse(block, placed.failure)
  const issue = issueOfBlock(placed.success.block, options)
  return issue === null ? Result.succeed(placed.success) : refuse(block, { what: issue, isOfRules: true })
}

/** Receipts of a block's transactions, except those of omitted transactions. */
const ofTransactions = (
  { transactions }: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  leftOut: number,
): ReadonlyArray<Receipt> => {
  if (leftOut === 0) return receipts
  const hashes: ReadonlySet<string> = new Set(transactions.map(({ hash }) => hash))
  const decoded = receipts.filter(({ transactionHash }) => hashes.has(transactionHash))
  return receipts.length - decoded.length <= leftOut ? decoded : receipts
}

/**
 * Verifies a block with its receipts, in steps.
 *
 * **Details** Every receipt belongs to the transaction at its index and to this block, every log to its receipt. Logs are numbered from 0
 * through the block without a gap, except where the chain's rules allow gaps (`indexGaps`), or something is omitted. Fields that some nodes
 * omit from transactions and logs are verified where present. Contradictions are corrected: see `Placement`. See `HashRules.Level` for what
 * is recomputed. A header hash that does not match is accepted if the header has fields of an unknown fork, or a field that does not
 * decode: see `Deviation`. The roots of a block with a transaction of an unknown type are not verified.
 *
 * **Errors**
 * - `InvalidBlock`: names the first mismatch.
 */
export const verifySteps = function* (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Steps.Steps<Result.Result<Verified, InvalidBlock>> {
  const verified = verifyTransactions(block, options)
  if (Result.isFailure(verified)) return Result.fail(verified.failure)
  const { block: mined, unmet } = verified.success
  yield
  const rules = rulesAt(mined.number, options)
  const parts = { block: mined, receipts: ofTransactions(mined, receipts, rules.leftOut) }
  const placed = correctReceipts(parts, rules, options)
  if (Result.isFailure(placed)) return refuse(mined, placed.failure)
  const corrected = placed.success
  yield
  // Blooms and roots also cover the receipts of omitted transactions.
  const computed = yield* stepsOfOutcome(mined, rules.leftOut === 0 ? corrected.receipts : receipts, options)
  if (computed.issue !== null) return refuse(mined, { what: computed.issue, isOfRules: true })
  const kinds = new Set(unmet.map(({ kind }) => kind))
  const ofReceipts = corrected.unmet.filter(({ kind }) => !kinds.has(kind))
  return Result.succeed(correctTime({ ...corrected, unmet: [...unmet, ...ofReceipts, ...computed.unmet] }))
}

/**
 * Verifies a block with its receipts in one turn.
 */
export const verify = (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  options: Options = {},
): Result.Result<Verified, InvalidBlock> => Steps.runSync(verifySteps(block, receipts, options))

/**
 * Which hash rules a block and its receipts follow; `null` if they prove nothing, such as blooms without logs.
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

/** The transactions root is sufficient proof because the header hash covers it, while receipts are trusted from the node. */
const followsRoots = (block: MinedBlock, rules: BlockRules): boolean | null =>
  block.transactions.length === 0 ? null : proofOfTransactions(block, rules)

/**
 * Evidence from a block for each hash rule separately; `null` for a pending block.
 */
export const evidence = (block: HydratedBlock, receipts: ReadonlyArray<Receipt> | null): Evidence | null => {
  if (!isMined(block)) return null
  const rules = rulesAt(block.number, { rules: HashRules.ethereum })
  const isReproduced = HeaderHash.fromBlock(block) === block.hash
  // With fields of an unknown fork, a different hash proves nothing.
  const headerHash = !isReproduced && HeaderHash.unknownFields(block).length > 0 ? null : isReproduced
  return {
    headerHash,
    blooms: followsBlooms(block, receipts, rules),
    roots: followsRoots(block, rules),
    withdrawals: Withdrawals.followsRule(block),
  }
}
