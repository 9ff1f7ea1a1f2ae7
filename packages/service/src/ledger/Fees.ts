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

const zeroAddress = `0x${"0".repeat(40)}`

/** True for a state-sync transaction of Polygon, also before it had a type: from and to the zero address. Source: PIP-74. */
export const isStateSync = ({ facts, from, to }: SourceTransaction): boolean =>
  facts?.type === stateSync || (from === zeroAddress && to === zeroAddress)

/** True for a transaction that pays no fee. */
export const isFree = (transaction: SourceTransaction): boolean =>
  transaction.facts?.type === deposit || isStateSync(transaction)

const none: Fees = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

/** The fees of a transaction in a block with a base fee. */
export const of = (transaction: SourceTransaction, baseFeePerGas: bigint | null, rules: FeeRules.FeeRules): Fees => {
  if (isFree(transaction)) return none
  const { facts, gasPrice, gasUsed } = transaction
  const total = gasUsed * gasPrice
  const base = gasUsed * (baseFeePerGas ?? 0n)
  return {
    // A transaction that pays less than the base fee, as one of a system account may, pays nothing beside it.
    base: base < total ? base : total,
    priority: base < total ? total - base : 0n,
    blob: (facts?.blobGasUsed ?? 0n) * (facts?.blobGasPrice ?? 0n),
    l1: facts?.l1Fee ?? 0n,
    operator: FeeRules.operatorFee({ ...facts, gasUsed }, rules),
  }
}

/**
 * Whether a receipt states every fee that the rules of its chain name: some providers leave out what an OP Stack takes for data on L1.
 */
export const isStated = (transaction: SourceTransaction, { l1Fee }: FeeRules.FeeRules): boolean =>
  typeof l1Fee !== "object" || isFree(transaction) || transaction.facts?.l1Fee !== undefined

/** All fees. */
export const total = ({ base, blob, l1, operator, priority }: Fees): bigint => base + priority + blob + l1 + operator
