/**
 * Derives the ledger of a block: the roles and movements of every wallet in each of its transactions and in the block itself. Whatever is
 * unknown is marked, never silently omitted. Pure.
 *
 * Source: decision 0048.
 */
import * as Address from "@daybook/schema/Address"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Steps from "../supervision/Steps.ts"
import * as AtomicTransactions from "./AtomicTransactions.ts"
import * as Authorities from "./Authorities.ts"
import * as EtherFlows from "./EtherFlows.ts"
import * as Fees from "./Fees.ts"
import type { LedgerRules } from "./LedgerRules.ts"
import type { LedgerSource, SourceTransaction } from "./LedgerSource.ts"
import * as Movement from "./Movement.ts"
import * as Rewards from "./Rewards.ts"
import * as TokenLogs from "./TokenLogs.ts"
import * as UserOperations from "./UserOperations.ts"
import { type LedgerRow, WalletRows } from "./WalletRows.ts"

export type { LedgerRow } from "./WalletRows.ts"

/** Context shared by the transactions of a block. */
interface BlockContext {
  readonly rules: LedgerRules
  readonly feeRules: FeeRules.FeeRules
  /** `null` if unknown, or if the block has none. */
  readonly baseFeePerGas: bigint | null
  /** Whether the block belongs to a rollup with fees for data on L1. */
  readonly isRollup: boolean
  /** Whether logs show ether transfers. */
  readonly isLogged: boolean
  /** Number of recovered authorizations in the block. */
  recovered: number
}

/** Arbitrum: a deposit, and types that move value by rules of the chain. */
const arbitrumDeposit = 0x64
const arbitrumTypes: ReadonlySet<number> = new Set([0x66, 0x68, 0x69])

/** Marks the rows of a transaction that moves value by rules of Arbitrum, including that of the account to which refunds go. */
const markMovedByRules = (rows: WalletRows, { facts }: SourceTransaction): void => {
  if (facts === null || !arbitrumTypes.has(facts.type)) return
  if (facts.refundTo !== undefined) rows.role(facts.refundTo, "mint_recipient")
  rows.incomplete()
}

/** Value that a transaction mints to its sender. Ronin uses the deposit type for sponsored transactions, which use gas. */
const mintedOf = ({ facts, gasUsed, value }: SourceTransaction): bigint =>
  facts?.type === arbitrumDeposit && gasUsed === 0n ? value : (facts?.mint ?? facts?.depositValue ?? 0n)

const addMint = (rows: WalletRows, transaction: SourceTransaction, isFailed: boolean): void => {
  const amount = mintedOf(transaction)
  if (amount === 0n) return
  rows.role(transaction.from, "mint_recipient")
  rows.change({ wallet: transaction.from, kind: "mint", amount, isFailed })
}

/** Log of what the chain mints at the end of the block. Source: Gnosis, block reward contract, `AddedReceiver`. */
const mintLog = "0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a"

/** Adds what the chain mints according to logs. */
const addLoggedMints = (rows: WalletRows, { logs }: SourceTransaction, { rules }: BlockContext): void => {
  for (const { address, data, topics } of logs) {
    if (address !== rules.mintLogger || topics[0] !== mintLog || data.length !== 66) continue
    const wallet = Address.fromTopic(topics[1])
    if (wallet === undefined) continue
    rows.role(wallet, "mint_recipient")
    rows.change({ wallet, kind: "mint", amount: BigInt(data) })
  }
}

const addFee = (rows: WalletRows, transaction: SourceTransaction, context: BlockContext, isFailed: boolean): void => {
  const { facts, from } = transaction
  if (facts?.feePayer !== undefined) rows.role(facts.feePayer, "fee_payer")
  const wallet = facts?.feePayer ?? from
  const fees = Fees.fromTransaction(transaction, context.baseFeePerGas, context.feeRules)
  rows.change({ wallet, kind: "fee", amount: -Fees.total(fees), isFailed })
  if (!Fees.isStated(transaction, context.feeRules, context.isRollup)) rows.incomplete(wallet)
}

/** Log of the fee received by Polygon's fee recipient: topic and emitter. */
const feeLog = "0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63"
const feeLogger = "0x0000000000000000000000000000000000001010"

/** Adds the fee whose receiver is named in a log of the transaction. */
const addLoggedReward = (rows: WalletRows, transaction: SourceTransaction, context: BlockContext): void => {
  if (context.feeRules.priorityFee !== "logged") return
  const { priority } = Fees.fromTransaction(transaction, context.baseFeePerGas, context.feeRules)
  const log = transaction.logs.findLast(({ address, topics }) => address === feeLogger && topics[0] === feeLog)
  const wallet = Address.fromTopic(log?.topics[3])
  if (wallet === undefined) {
    if (priority > 0n) rows.incomplete()
    return
  }
  rows.role(wallet, "fee_recipient")
  rows.change({ wallet, kind: "reward", amount: priority })
}

const addAuthorities = (rows: WalletRows, { facts }: SourceTransaction, context: BlockContext): void => {
  for (const authorization of facts?.authorizations ?? []) {
    if (context.recovered >= Authorities.maxRecovered) {
      rows.incomplete()
      return
    }
    context.recovered++
    const account = Authorities.recover(authorization, context.rules.chainId)
    if (account !== null) rows.role(account, "authority")
  }
}

const addParties = (rows: WalletRows, { created, from, to }: SourceTransaction): void => {
  rows.role(from, "sender")
  if (to !== null) rows.role(to, "recipient")
  if (created !== null) rows.role(created, "created")
}

/**
 * Marks the rows of a Polygon state-sync transaction that nodes do not trace. Only its logs name the accounts of its deposits, in their
 * last topics.
 */
const markUntracedSync = (rows: WalletRows, transaction: SourceTransaction, { rules }: BlockContext): void => {
  const { frames, logs } = transaction
  if (!Fees.isStateSync(transaction) || (frames !== null && frames.length > 0)) return
  for (const { address, topics } of logs) {
    if (!rules.nativeTokens.has(address) || topics[0] === feeLog) continue
    const account = Address.fromTopic(topics.at(-1))
    if (account !== undefined) rows.role(account, "mint_recipient")
    rows.incomplete()
  }
}

const rowsOfTransaction = (transaction: SourceTransaction, context: BlockContext): ReadonlyArray<LedgerRow> => {
  const { facts, gasUsed, index, logs } = transaction
  const rows = new WalletRows(index, context.rules.maxMovements)
  const isFailed = EtherFlows.succeeded(transaction) === false
  addParties(rows, transaction)
  addMint(rows, transaction, isFailed)
  addLoggedMints(rows, transaction, context)
  addFee(rows, transaction, context, isFailed)
  EtherFlows.add(rows, transaction, context.isLogged)
  TokenLogs.add(rows, { gasUsed, logs: logs.filter((log) => !EtherFlows.isEtherLog(log)) }, context.rules)
  UserOperations.add(rows, transaction)
  addAuthorities(rows, transaction, context)
  addLoggedReward(rows, transaction, context)
  markUntracedSync(rows, transaction, context)
  markMovedByRules(rows, transaction)
  if (facts === null || Fees.isPrepaid(transaction)) rows.incomplete()
  return rows.toRows()
}

/** Rows of the block itself, which follow those of its transactions. */
const blockLevelRows = (source: LedgerSource, { feeRules, rules }: BlockContext): ReadonlyArray<LedgerRow> => {
  if (source.facts === null) return []
  const rows = new WalletRows(Movement.blockLevelIndex, Number.POSITIVE_INFINITY)
  const { blockExtraData } = source.facts
  Rewards.add(rows, source, source.facts, feeRules)
  if (blockExtraData !== undefined) AtomicTransactions.add(rows, blockExtraData, rules.atomicAsset)
  if (rules.irregularBlocks.has(source.number)) rows.incomplete()
  return rows.toRows()
}

/** Number of transactions per step. */
const stepTransactions = 16

/** Derives the rows of a block in steps, in order of index. */
export const steps = function* (source: LedgerSource, rules: LedgerRules): Steps.Steps<ReadonlyArray<LedgerRow>> {
  const { number, timestamp, transactions } = source
  const context: BlockContext = {
    rules,
    feeRules: FeeRules.at(rules.feeRules, BigInt(number), BigInt(timestamp)),
    baseFeePerGas: source.facts?.baseFeePerGas ?? null,
    isRollup: Fees.isOfRollup(transactions),
    isLogged: EtherFlows.hasEtherLogs(transactions),
    recovered: 0,
  }
  const found: Array<LedgerRow> = []
  for (const [position, transaction] of transactions.entries()) {
    const { recovered } = context
    for (const row of rowsOfTransaction(transaction, context)) found.push(row)
    if (position % stepTransactions === stepTransactions - 1 || context.recovered > recovered) yield
  }
  return found.concat(blockLevelRows(source, context))
}

/** Derives the rows of a block in one step. */
export const derive = (source: LedgerSource, rules: LedgerRules): ReadonlyArray<LedgerRow> =>
  Steps.runSync(steps(source, rules))
