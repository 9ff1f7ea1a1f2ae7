/**
 * Fees paid by a transaction, by receiver, in wei. Pure.
 *
 * Source: EIP-1559, EIP-4844; OP Stack specification, execution engine; decision 0048.
 */
import * as FeeRules from "@daybook/schema/FeeRules"
import type { SourceTransaction } from "./LedgerSource.ts"

/** Fees of a transaction. */
export interface Fees {
  readonly base: bigint
  readonly priority: bigint
  readonly blob: bigint
  readonly l1: bigint
  readonly operator: bigint
}

/** Types of transactions sent by the protocol, which pay no fee of their own. */
const deposit = 0x7e
const stateSync = 0x7f

const blobType = 3

/** ZKsync: transactions from L1, whose fee was paid there. Source: ZKsync, transaction types. */
const prepaidTypes: ReadonlySet<number> = new Set([0xfe, 0xff])

/** True for a transaction paid for on L1: the balance of its sender changes by rules that its receipt does not show. */
export const isPrepaid = ({ facts }: SourceTransaction): boolean => facts !== null && prepaidTypes.has(facts.type)

const zeroAddress = `0x${"0".repeat(40)}`

/** True for a state-sync transaction of Polygon, including those before it had a type: from and to the zero address. Source: PIP-74. */
export const isStateSync = ({ facts, from, to }: SourceTransaction): boolean =>
  facts?.type === stateSync || (from === zeroAddress && to === zeroAddress)

/** True for a fee paid in a token, without a log form common to all such chains. */
const isInToken = ({ facts }: SourceTransaction): boolean =>
  facts?.feeCurrency !== undefined || facts?.feeToken !== undefined

/** True for a transaction that pays no fee. */
const isFree = (transaction: SourceTransaction): boolean =>
  transaction.facts?.type === deposit || isStateSync(transaction) || isPrepaid(transaction)

const none: Fees = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

/** Fees of a transaction in a block with a base fee, as far as they are in native currency. */
export const fromTransaction = (
  transaction: SourceTransaction,
  baseFeePerGas: bigint | null,
  rules: FeeRules.FeeRules,
): Fees => {
  if (isFree(transaction) || isInToken(transaction)) return none
  const { facts, gasPrice, gasUsed } = transaction
  const total = gasUsed * gasPrice
  const base = gasUsed * (baseFeePerGas ?? 0n)
  return {
    // A transaction that pays less than the base fee, as system accounts may, pays nothing else.
    base: base < total ? base : total,
    priority: base < total ? total - base : 0n,
    // OP Stack nodes report blob gas for other types, which is not charged.
    blob: facts?.type === blobType ? (facts.blobGasUsed ?? 0n) * (facts.blobGasPrice ?? 0n) : 0n,
    l1: facts?.l1Fee ?? 0n,
    operator: FeeRules.operatorFee({ ...facts, gasUsed }, rules),
  }
}

/** True for a block of a rollup with fees for data on L1: it has a deposit, or a receipt with such fees. */
export const isOfRollup = (transactions: ReadonlyArray<SourceTransaction>): boolean =>
  transactions.some(
    ({ facts }) =>
      facts !== null && (facts.type === deposit || facts.l1Fee !== undefined || facts.operatorFeeScalar !== undefined),
  )

/**
 * Whether a receipt shows every fee that its chain charges and who pays it, under known rules. Some providers omit what an OP Stack chain
 * charges for data on L1, and the meaning of the operator scalar depends on the rules.
 */
export const isStated = (
  transaction: SourceTransaction,
  { l1Fee, operatorFee, unstatedPayers }: FeeRules.FeeRules,
  isRollup: boolean,
): boolean => {
  const { facts } = transaction
  if (isFree(transaction) || facts === null) return true
  if (isInToken(transaction)) return false
  if (unstatedPayers && facts.type === 0 && facts.feePayer === undefined) return false
  if ((typeof l1Fee === "object" || isRollup) && facts.l1Fee === undefined) return false
  if (typeof operatorFee !== "object" && (facts.operatorFeeScalar ?? 0n) > 0n) return false
  return facts.type !== blobType || (facts.blobGasUsed !== undefined && facts.blobGasPrice !== undefined)
}

/** Total fees. */
export const total = ({ base, blob, l1, operator, priority }: Fees): bigint => base + priority + blob + l1 + operator
