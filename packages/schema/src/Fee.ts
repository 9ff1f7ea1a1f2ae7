/**
 * Fees that a transaction paid, as far as its record shows. A wallet transaction shows the gas it paid for; a receipt also shows blobs and,
 * on rollups, the fees for data on L1. Movements of kind `fee` are exact on every chain known to the service.
 */
import * as Chain from "./Chain.ts"
import * as FeeRules from "./FeeRules.ts"
import type { Receipt } from "./Receipt.ts"
import type { WalletTransaction } from "./WalletTransaction.ts"

/**
 * Fees of a transaction by part, in wei. A part is `null` if the record does not show it.
 *
 * Source: EIP-1559, EIP-4844; OP Stack specification, execution engine.
 */
export interface Fee {
  /** Sum of the known parts. */
  readonly total: bigint
  /** True if every part is known, so that `total` is what the transaction paid. */
  readonly isComplete: boolean
  /** Gas used times its effective price: base fee and priority fee. */
  readonly gas: bigint | null
  /** Blob gas used times its price. */
  readonly blob: bigint | null
  /** Fee for data on L1, which OP Stack chains and Scroll charge in addition to gas. */
  readonly l1: bigint | null
  /** Operator fee of an OP Stack chain. */
  readonly operator: bigint | null
}

/**
 * Facts about a transaction that its record does not include.
 *
 * Source: docs/interface.md#4.1.1; OP Stack specification, execution engine.
 */
export interface Options {
  /** Chain of the transaction. Without it, rollup fees that the record does not show are unknown. */
  readonly chain?: Chain.Input | undefined
  /** Block time of a receipt that does not include it, in seconds since 1970. The operator fee of an OP Stack chain depends on it. */
  readonly timestamp?: bigint | undefined
}

type Parts = Omit<Fee, "total" | "isComplete">

const fromParts = ({ blob, gas, l1, operator }: Parts): Fee => {
  const parts = [gas, blob, l1, operator]
  return {
    total: parts.reduce((sum: bigint, part) => sum + (part ?? 0n), 0n),
    isComplete: !parts.includes(null),
    gas,
    blob,
    l1,
    operator,
  }
}

const free: Parts = { gas: 0n, blob: 0n, l1: 0n, operator: 0n }

/** Transaction types sent by the protocol, which pay no fee: deposits of the OP Stack, state-sync transactions of Polygon. */
const freeTypes: ReadonlySet<number> = new Set([0x7e, 0x7f])

/** Transaction types whose gas was paid by another transaction or by a deposit (Arbitrum), or on L1 (ZKsync). */
const prepaidTypes: ReadonlySet<number> = new Set([0x66, 0x68, 0x69, 0xfe, 0xff])

const blobType = 3

/** Fee rules of chains without blob transactions. */
const withoutBlobs: ReadonlySet<FeeRules.Name> = new Set<FeeRules.Name>([
  "base",
  "baseSepolia",
  "optimism",
  "optimismSepolia",
  "polygon",
  "polygonAmoy",
  "avalanche",
])

interface Rules {
  readonly ranges: FeeRules.FeeRanges
  /** True if the chain charges a fee for data on L1. */
  readonly takesL1Fee: boolean
  readonly takesBlobs: boolean
}

const rulesOf = (chain: Chain.Input | undefined): Rules | undefined => {
  const [found] = chain === undefined ? [] : Chain.fromInput(chain)
  const name = found && Chain.fromName(found.name)?.feeRules
  if (name === undefined) return undefined
  const ranges = FeeRules.all[name]
  return {
    ranges,
    takesL1Fee: ranges.some(({ l1Fee }) => typeof l1Fee === "object"),
    takesBlobs: !withoutBlobs.has(name),
  }
}

/** Operator fee. Its formula only depends on the time if there is a scalar. */
const operatorOf = (
  receipt: Receipt,
  rules: Rules | undefined,
  timestamp: bigint | null | undefined,
): bigint | null => {
  if (rules !== undefined && !rules.takesL1Fee) return 0n
  // Nodes report both fees of a rollup, or neither.
  if (receipt.l1Fee == null && receipt.operatorFeeConstant == null && receipt.operatorFeeScalar == null) return null
  if ((receipt.operatorFeeScalar ?? 0n) === 0n) return receipt.operatorFeeConstant ?? 0n
  if (rules === undefined || timestamp == null) return null
  return FeeRules.operatorFee(receipt, FeeRules.at(rules.ranges, receipt.blockNumber, timestamp))
}

/** OP Stack nodes also report blob gas for transactions without blobs, which pay nothing for it. */
const blobOf = ({ blobGasPrice, blobGasUsed, type }: Receipt): bigint | null => {
  if (type !== blobType) return 0n
  return blobGasUsed == null || blobGasPrice == null ? null : blobGasUsed * blobGasPrice
}

const gasOf = ({ effectiveGasPrice, feeToken, gasUsed, type }: Receipt): bigint | null =>
  effectiveGasPrice == null || feeToken != null || prepaidTypes.has(type ?? 0) ? null : gasUsed * effectiveGasPrice

const partsOfReceipt = (receipt: Receipt, rules: Rules | undefined, timestamp: bigint | undefined): Parts => {
  if (freeTypes.has(receipt.type ?? 0)) return free
  return {
    gas: gasOf(receipt),
    blob: blobOf(receipt),
    l1: receipt.l1Fee ?? (rules === undefined || rules.takesL1Fee ? null : 0n),
    operator: operatorOf(receipt, rules, timestamp ?? receipt.blockTimestamp ?? undefined),
  }
}

/** A record without a type may have blobs, unless it creates a contract. Source: EIP-4844. */
const partsOfRow = (row: WalletTransaction, rules: Rules | undefined): Parts => {
  const rollup = rules === undefined || rules.takesL1Fee ? null : 0n
  return {
    gas: row.receipt_gas_used * row.gas_price,
    blob: row.to_address === null || rules?.takesBlobs === false ? 0n : null,
    l1: rollup,
    operator: rollup,
  }
}

/** Sound: JSON has no bigints, so only a decoded wallet transaction has one. */
const isRow = (record: WalletTransaction | Receipt): record is WalletTransaction =>
  "receipt_gas_used" in record && typeof record.receipt_gas_used === "bigint"

/**
 * Returns the fee of a wallet transaction or a receipt, in wei, by part. `isComplete` is false if the record does not show every part.
 *
 * **Details**
 *
 * A receipt shows the whole fee of a legacy, EIP-1559 or blob transaction, and on a rollup if the provider sends `l1Fee`. Pass its `chain`:
 * otherwise an absent `l1Fee` may mean that there is none, or that the provider omits it. A wallet transaction has neither type, blobs nor
 * fees for data on L1: its fee is complete on Polygon and Avalanche, and lacks the blob fees on Ethereum.
 *
 * **Gotchas**
 *
 * - `gas` is `null` if the node omits the effective price, or if the fee was paid in a token or by another transaction.
 *
 * **Example** (Reading the fee of a transaction with blobs)
 *
 * ```ts
 * import { fee } from "@daybook/schema/Fee"
 * import * as Receipt from "@daybook/schema/Receipt"
 * import * as Schema from "effect/Schema"
 *
 * const hash = `0x${"ab".repeat(32)}`
 * const receipt = Schema.decodeUnknownSync(Receipt.Receipt)({
 *   ...{ transactionHash: hash, transactionIndex: "0x0", blockHash: hash, blockNumber: "0x1406f40" },
 *   ...{ cumulativeGasUsed: "0x5208", gasUsed: "0x5208", effectiveGasPrice: "0x3b9aca00", contractAddress: null },
 *   ...{ logs: [], logsBloom: `0x${"00".repeat(256)}`, type: "0x3", blobGasUsed: "0x20000", blobGasPrice: "0x5" },
 * })
 * console.log(fee(receipt, { chain: "eth" }))
 * // { total: 21000000655360n, isComplete: true, gas: 21000000000000n, blob: 655360n, l1: 0n, operator: 0n }
 * ```
 *
 * Source: EIP-1559, EIP-4844; OP Stack specification, execution engine; decision 0009.
 */
export const fee = (record: WalletTransaction | Receipt, { chain, timestamp }: Options = {}): Fee => {
  const rules = rulesOf(chain)
  return fromParts(isRow(record) ? partsOfRow(record, rules) : partsOfReceipt(record, rules, timestamp))
}
