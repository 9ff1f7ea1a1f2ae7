/**
 * Changes of a block besides its transactions: withdrawals, and fees and rewards received by its fee recipient or by accounts in the
 * chain's fee rules. Pure.
 *
 * Source: EIP-1559, EIP-4895; decision 0048.
 */
import type { FeeReceiver, FeeRules } from "@daybook/schema/FeeRules"
import type { BlockFacts } from "../block/BlockFacts.ts"
import * as Fees from "./Fees.ts"
import type { LedgerSource } from "./LedgerSource.ts"
import type { WalletRows } from "./WalletRows.ts"

const gwei = 10n ** 9n
const nephewShare = 32n

interface Sums {
  readonly base: bigint
  readonly priority: bigint
  readonly blob: bigint
  readonly l1: bigint
  readonly operator: bigint
}

const none: Sums = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

/**
 * Sums of the fees of a block, and which of them are certain. An index of watched wallets lacks transactions, but the header provides what
 * Ethereum's rules need.
 */
const sumsOf = ({ transactions }: LedgerSource, facts: BlockFacts, rules: FeeRules) => {
  const sums = transactions.reduce((sum, transaction) => {
    const fees = Fees.fromTransaction(transaction, facts.baseFeePerGas, rules)
    return {
      base: sum.base + fees.base,
      priority: sum.priority + fees.priority,
      blob: sum.blob + fees.blob,
      l1: sum.l1 + fees.l1,
      operator: sum.operator + fees.operator,
    }
  }, none)
  const gasUsed = transactions.reduce((sum, transaction) => sum + transaction.gasUsed, 0n)
  if (gasUsed === facts.gasUsed) return { sums, isWhole: true }
  const base = facts.gasUsed * (facts.baseFeePerGas ?? 0n)
  return { sums: { ...sums, base, priority: (facts.gasFees ?? base) - base }, isWhole: false }
}

/** The account that receives a fee; `null` for none. */
const accountOf = (receiver: FeeReceiver, facts: BlockFacts): string | null => {
  if (typeof receiver === "object") return receiver.account
  return receiver === "fee_recipient" ? facts.feeRecipient : null
}

const parts = [
  ["base", "baseFee"],
  ["priority", "priorityFee"],
  ["blob", "blobFee"],
  ["l1", "l1Fee"],
  ["operator", "operatorFee"],
] as const

/** Fees received by each account, and whether all that are due are known. */
const received = (source: LedgerSource, facts: BlockFacts, rules: FeeRules) => {
  const { isWhole, sums } = sumsOf(source, facts, rules)
  const byAccount = new Map<string, bigint>()
  const isRollup = Fees.isOfRollup(source.transactions)
  const isStated = source.transactions.every((transaction) => Fees.isStated(transaction, rules, isRollup))
  let isComplete = !rules.unstatedChanges && facts.gasFees !== null && isStated
  for (const [part, rule] of parts) {
    const receiver = rules[rule]
    const amount = sums[part]
    if (receiver === "unknown" && amount > 0n) isComplete = false
    const account = accountOf(receiver, facts)
    if (account === null) continue
    // Without all transactions, only what Ethereum's rules determine is certain.
    if (!isWhole && !(part === "priority" && rules.baseFee === "burned")) {
      isComplete = false
      continue
    }
    if (facts.gasFees !== null) byAccount.set(account, (byAccount.get(account) ?? 0n) + amount)
  }
  return { byAccount, isComplete }
}

const addWithdrawals = (rows: WalletRows, facts: BlockFacts, { nativeWithdrawals }: FeeRules): void => {
  for (const { address, amount } of facts.withdrawals) {
    rows.role(address, "withdrawal_recipient")
    if (nativeWithdrawals) rows.change({ wallet: address, kind: "withdrawal", amount: amount * gwei })
  }
}

/** Static reward of a proof-of-work block, including the part for the uncles it references. */
const staticReward = ({ difficulty, uncles }: BlockFacts, { blockReward }: FeeRules): bigint =>
  difficulty === 0n ? 0n : blockReward + (blockReward / nephewShare) * BigInt(uncles.length)

/**
 * Adds withdrawals, fees and rewards of a block. The rows of rewards are marked if the block has uncles, whose miners its facts do not
 * name, and if its rules or facts do not determine all fees.
 */
export const add = (rows: WalletRows, source: LedgerSource, facts: BlockFacts, rules: FeeRules): void => {
  addWithdrawals(rows, facts, rules)
  if (source.number === 0) return
  const { byAccount, isComplete } = received(source, facts, rules)
  const reward = staticReward(facts, rules)
  const { feeRecipient } = facts
  if (feeRecipient !== null) {
    byAccount.set(feeRecipient, (byAccount.get(feeRecipient) ?? 0n) + reward)
  }
  const isMarked = !isComplete || facts.uncles.length > 0
  for (const [account, amount] of byAccount) {
    rows.role(account, "fee_recipient")
    rows.change({ wallet: account, kind: "reward", amount })
    if (isMarked) rows.incomplete(account)
  }
}
