/**
 * What a transaction paid in fees, by receiver, in wei. Pure.
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

/** Types of transactions that the protocol sends, which pay no fee of their own. */
const deposit = 0x7e
const stateSync = 0x7f

const blobType = 3

/** ZKsync: transactions from L1, whose fee was paid there. Source: ZKsync, transaction types. */
const prepaidTypes: ReadonlySet<number> = new Set([0xfe, 0xff])

/** True for a transaction that was paid for on L1: what its sender holds changes by rules that its receipt does not state. */
export const isPrepaid = ({ facts }: SourceTransaction): boolean => facts !== null && prepaidTypes.has(facts.type)

const zeroAddress = `0x${"0".repeat(40)}`

/** True for a state-sync transaction of Polygon, also before it had a type: from and to the zero address. Source: PIP-74. */
export const isStateSync = ({ facts, from, to }: SourceTransaction): boolean =>
  facts?.type === stateSync || (from === zeroAddress && to === zeroAddress)

/** True for a fee that was paid in a token, without a log that all such chains have in common. */
const isInToken = ({ facts }: SourceTransaction): boolean =>
  facts?.feeCurrency !== undefined || facts?.feeToken !== undefined

/** True for a transaction that pays no fee. */
export const isFree = (transaction: SourceTransaction): boolean =>
  transaction.facts?.type === deposit || isStateSync(transaction) || isPrepaid(transaction)

const none: Fees = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

/** The fees of a transaction in a block with a base fee, as far as they are native currency. */
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
    // A transaction that pays less than the base fee, as one of a system account may, pays nothing beside it.
    base: base < total ? base : total,
    priority: base < total ? total - base : 0n,
    // An OP Stack states blob gas of other types, which is not charged.
    blob: facts?.type === blobType ? (facts.blobGasUsed ?? 0n) * (facts.blobGasPrice ?? 0n) : 0n,
    l1: facts?.l1Fee ?? 0n,
    operator: FeeRules.operatorFee({ ...facts, gasUsed }, rules),
  }
}

/** True for a block of a rollup with fees for data on L1: it has a deposit, or a receipt that states such fees. */
export const isOfRollup = (transactions: ReadonlyArray<SourceTransaction>): boolean =>
  transactions.some(
    ({ facts }) =>
      facts !== null && (facts.type === deposit || facts.l1Fee !== undefined || facts.operatorFeeScalar !== undefined),
  )

/**
 * Whether a receipt states every fee that its chain takes, and who pays it, by rules that are known. Some providers leave out what an OP Stack takes for
 * data on L1, and what the scalar of an operator means depends on rules.
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

/** All fees. */
export const total = ({ base, blob, l1, operator, priority }: Fees): bigint => base + priority + blob + l1 + operator
