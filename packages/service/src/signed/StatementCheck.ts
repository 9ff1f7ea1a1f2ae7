/**
 * Verifies a signed statement with any archive node, without an index: the chain, its blocks, the balances and transaction counts at both
 * ends, and that opening balances plus sums equal the closing balances. Ether and transaction counts are verified against the blocks' state
 * roots if the node provides proofs.
 *
 * Source: decision 0050.
 */
import type * as SignedStatement from "@daybook/schema/SignedStatement"
import * as Wei from "@daybook/schema/Wei"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../block/BlockRows.ts"
import * as Holding from "../ledger/Holding.ts"
import * as Calls from "../node/Calls.ts"
import * as Proof from "../proof/Proof.ts"
import * as StateRoot from "../proof/StateRoot.ts"
import { StatementRefused } from "./StatementFile.ts"

type Wallet = SignedStatement.SignedWallet

/** What a check found for a wallet that it did not reject. */
export interface CheckedWallet {
  readonly address: string
  /** Number of balances compared, at both ends. */
  readonly balances: number
  /** Stated amounts that could not be compared, in sentences. */
  readonly notCompared: ReadonlyArray<string>
  /** True if the ether balance and transaction count of the closing block were verified against its state root. */
  readonly isByStateRoot: boolean
  /** Why the node is trusted for the ether balance and transaction count; `null` if they were verified. */
  readonly trusted: string | null
}

/** Why a statement could not be checked. */
export type CheckError = Proof.ProofError | StatementRefused

const refuse = (reason: string) => new StatementRefused({ reason })

const refOf = ({ hash, number }: SignedStatement.SignedBlock): BlockRef => ({ number: Number(number), hash })

const holdingOf = ({
  asset,
  standard,
  token_id,
}: Pick<SignedStatement.SignedBalance, "asset" | "standard" | "token_id">): Holding.Holding => ({
  standard,
  asset,
  tokenId: token_id?.toString() ?? null,
})

const nameOf = ({ asset, standard, tokenId }: Holding.Holding): string => {
  if (standard === "native") return "ether"
  return standard === "nonce"
    ? "the transaction count"
    : `${standard} ${asset}${tokenId === null ? "" : ` id ${tokenId}`}`
}

const formatAmount = (amount: bigint | null, { standard }: Holding.Holding): string =>
  amount === null ? "no balance" : standard === "native" ? Wei.formatEther(amount) : amount.toString()

/** Amounts by holding; a holding that is stated twice is rejected. */
const amountsOf = (balances: ReadonlyArray<SignedStatement.SignedBalance>): Map<string, bigint> =>
  new Map(balances.map((one) => [Holding.keyOf(holdingOf(one)), one.balance]))

/** Every holding of a wallet in a statement; a holding without a balance is stated as 0. */
const holdingsIn = ({ closing, opening, sums }: Wallet): ReadonlyArray<Holding.Holding> => [
  ...new Map(
    [Holding.native, ...[...opening, ...sums, ...closing].map(holdingOf)].map((one) => [Holding.keyOf(one), one]),
  ).values(),
]

/** Why opening balances plus sums do not equal the closing balances; `null` if they do. Pure. */
const issueOfSums = (wallet: Wallet): string | null => {
  const { address, closing, opening, sums } = wallet
  const [before, after] = [amountsOf(opening), amountsOf(closing)]
  if (before.size < opening.length || after.size < closing.length) return `${address} has an asset with two balances`
  const sum = new Map(before)
  for (const one of sums) {
    const key = Holding.keyOf(holdingOf(one))
    sum.set(key, (sum.get(key) ?? 0n) + one.in + one.out)
  }
  for (const holding of holdingsIn(wallet)) {
    const key = Holding.keyOf(holding)
    const [expected, stated] = [sum.get(key) ?? 0n, after.get(key) ?? 0n]
    if (expected === stated) continue
    return `${nameOf(holding)} of ${address} does not add up: opening balance and sums give ${formatAmount(expected, holding)}, the closing balance is ${formatAmount(stated, holding)}`
  }
  return null
}

/** Fails if the node has a different block at the number of a stated block. */
const checkBlock = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  { hash, number }: BlockRef,
): Effect.fn.Return<void, CheckError> {
  const header = yield* Calls.withRetries(budgeted, budgeted.node.header(number))
  if (header?.hash === hash) return
  const received = header === null ? "no block of this number" : header.hash
  return yield* refuse(
    `block ${number} was replaced by a reorg, or never was: the statement has ${hash}, the chain ${received}.`,
  )
})

/** What is stated for every holding at a block; the transaction count comes last. */
interface End {
  readonly block: BlockRef
  readonly claims: ReadonlyArray<Proof.Claim>
}

/** What was found for an end that is not rejected. */
interface CheckedEnd {
  readonly reading: StateRoot.Reading
  /** Number of balances compared. */
  readonly balances: number
  readonly notCompared: ReadonlyArray<Holding.Holding>
}

const endsOf = (header: SignedStatement.StatementHeader, wallet: Wallet): readonly [opening: End, closing: End] => {
  const { sent_transactions: sent } = wallet
  const holdings = holdingsIn(wallet)
  const claimsOf = (balances: ReadonlyArray<SignedStatement.SignedBalance>, nonce: bigint | undefined) => {
    const amounts = amountsOf(balances)
    const claims = holdings.map((holding) => ({ holding, expected: amounts.get(Holding.keyOf(holding)) ?? 0n }))
    return nonce === undefined ? claims : [...claims, { holding: Holding.nonce, expected: nonce }]
  }
  return [
    { block: refOf(header.opening_block), claims: claimsOf(wallet.opening, sent?.opening) },
    { block: refOf(header.closing_block), claims: claimsOf(wallet.closing, sent?.closing) },
  ]
}

/** Compares what is stated at a block with its state. */
const checkEnd = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  address: string,
  { block, claims }: End,
): Effect.fn.Return<CheckedEnd, CheckError> {
  const holdings = claims.map(({ holding }) => holding)
  const isComparable = Holding.comparableAmong(holdings)
  const notCompared: Array<Holding.Holding> = []
  const reads = holdings.map((holding) => ({ holding, block: block.number }))
  const stated = yield* Proof.holdingsAt(budgeted, address, reads, block.number)
  const reading = yield* StateRoot.read(budgeted, address, block)
  if (reading._tag === "Refuted") return yield* refuse(reading.reason)
  const { amounts, issues, verified } = StateRoot.correct(reading, block, holdings, stated)
  for (const [at, { expected, holding }] of claims.entries()) {
    const found = amounts[at] ?? null
    if (found === null && !isComparable(holding)) {
      notCompared.push(holding)
      continue
    }
    if (Proof.isEqual(expected, found)) continue
    const source = verified.has(at) ? "the state root" : "the node"
    return yield* refuse(
      `${nameOf(holding)} of ${address} at block ${block.number}: the statement has ${formatAmount(expected, holding)}, ${source} has ${formatAmount(found, holding)}.`,
    )
  }
  const [issue] = issues
  if (issue !== undefined) return yield* refuse(issue)
  const balances = holdings.filter(({ standard }) => standard !== "nonce").length - notCompared.length
  return { reading, balances, notCompared }
})

/** What could not be compared at the ends, with each contract once. */
const sentencesOf = (ends: ReadonlyArray<CheckedEnd>): ReadonlyArray<string> =>
  [...new Set(ends.flatMap(({ notCompared }) => notCompared.map(({ asset }) => asset)))].map(
    (asset) =>
      `The number of ids of ${asset} was not compared: the contract is also ERC-20, and does not report how many ids a wallet has.`,
  )

/** Why checked wallets are not proved, in sentences; `null` if each of them is. Pure. */
export const whyUnproved = (
  statements: ReadonlyArray<{ readonly address: string; readonly proved: boolean }>,
  checked: ReadonlyArray<CheckedWallet>,
): string | null => {
  const unproved = new Set(statements.filter(({ proved }) => !proved).map(({ address }) => address))
  const partly = checked.filter(({ address, notCompared }) => notCompared.length > 0 && !unproved.has(address))
  const reasons = [
    ...(unproved.size === 0
      ? []
      : [
          `Not proved: ${[...unproved].join(", ")}. What is stated is on the chain; the statement itself names what is missing.`,
        ]),
    ...partly.map(({ address, notCompared }) => `Not proved: ${address}. ${notCompared.join(" ")}`),
  ]
  return reasons.length === 0 ? null : reasons.join(" ")
}

/**
 * Checks a statement whose signature was verified.
 *
 * **Errors**
 * - `StatementRefused`: it is about another chain, or anything differs from this one.
 * - `StateUnavailable`: the node does not have the state of a block.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or there are too many.
 */
export const run = Effect.fn("StatementCheck.run")(function* (
  budgeted: Calls.Budgeted,
  chainId: number,
  { header, statements }: SignedStatement.SignedStatement,
): Effect.fn.Return<ReadonlyArray<CheckedWallet>, CheckError> {
  if (header.chain_id !== BigInt(chainId)) {
    return yield* refuse(
      `it belongs to another chain: its chain id is ${header.chain_id}, but the node has ${chainId}.`,
    )
  }
  for (const block of [header.opening_block, header.closing_block]) yield* checkBlock(budgeted, refOf(block))
  const checked: Array<CheckedWallet> = []
  for (const wallet of statements) {
    const { address } = wallet
    const issue = issueOfSums(wallet)
    if (issue !== null) return yield* refuse(`${issue}.`)
    const [opening, closing] = endsOf(header, wallet)
    const opened = yield* checkEnd(budgeted, address, opening)
    const closed = yield* checkEnd(budgeted, address, closing)
    const { reading } = closed
    checked.push({
      address,
      balances: opened.balances + closed.balances,
      notCompared: sentencesOf([opened, closed]),
      isByStateRoot: reading._tag === "Verified",
      trusted: reading._tag === "Trusted" ? reading.reason : null,
    })
  }
  yield* checkBlock(budgeted, refOf(header.closing_block))
  return checked
})
