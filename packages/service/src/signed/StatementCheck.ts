/**
 * Checks a signed statement against any archive node, without an index: the chain, its blocks, the balances and transaction counts at both
 * ends, and that opening balances and sums give the closing ones. Ether and transaction counts are verified against the state roots of
 * the blocks, where the node has proofs.
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

/** What a check has found of a wallet that it did not refuse. */
export interface CheckedWallet {
  readonly address: string
  /** Balances that were compared, at both ends. */
  readonly balances: number
  /** Ether and transaction count of the closing block were verified against its state root. */
  readonly isByStateRoot: boolean
  /** Why the node is trusted for them; `null` where they were verified. */
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

/** Amounts by holding, of which one that is stated twice is refused. */
const amountsOf = (balances: ReadonlyArray<SignedStatement.SignedBalance>): Map<string, bigint> =>
  new Map(balances.map((one) => [Holding.keyOf(holdingOf(one)), one.balance]))

/** Why opening balances and sums do not give the closing ones; `null` where they do. Pure. */
const issueOfSums = ({ address, closing, opening, sums }: Wallet): string | null => {
  const [before, after] = [amountsOf(opening), amountsOf(closing)]
  if (before.size < opening.length || after.size < closing.length) return `${address} has an asset with two balances`
  const sum = new Map(before)
  const holdings = new Map(
    [...opening, ...sums, ...closing].map((one) => [Holding.keyOf(holdingOf(one)), holdingOf(one)]),
  )
  for (const one of sums) {
    const key = Holding.keyOf(holdingOf(one))
    sum.set(key, (sum.get(key) ?? 0n) + one.in + one.out)
  }
  for (const [key, holding] of holdings) {
    const [expected, stated] = [sum.get(key) ?? 0n, after.get(key) ?? 0n]
    if (expected === stated) continue
    return `${nameOf(holding)} of ${address} does not add up: opening balance and sums give ${formatAmount(expected, holding)}, the closing balance is ${formatAmount(stated, holding)}`
  }
  return null
}

/** Fails where the node has another block in place of one of the statement. */
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

/** What is stated at a block, in the order of its balances; the transaction count comes last. */
interface End {
  readonly block: BlockRef
  readonly claims: ReadonlyArray<Proof.Claim>
}

const endsOf = (header: SignedStatement.StatementHeader, wallet: Wallet): readonly [opening: End, closing: End] => {
  const { sent_transactions: sent } = wallet
  const native = { holding: Holding.native, expected: 0n }
  const claimsOf = (balances: ReadonlyArray<SignedStatement.SignedBalance>, nonce: bigint | undefined) => {
    const claims = balances.map((one): Proof.Claim => ({ holding: holdingOf(one), expected: one.balance }))
    const hasNative = claims.some(({ holding }) => holding.standard === "native")
    return [
      ...(hasNative ? claims : [native, ...claims]),
      ...(nonce === undefined ? [] : [{ holding: Holding.nonce, expected: nonce }]),
    ]
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
): Effect.fn.Return<StateRoot.Reading, CheckError> {
  const holdings = claims.map(({ holding }) => holding)
  const reads = holdings.map((holding) => ({ holding, block: block.number }))
  const stated = yield* Proof.holdingsAt(budgeted, address, reads, block.number)
  const reading = yield* StateRoot.read(budgeted, address, block)
  if (reading._tag === "Refuted") return yield* refuse(reading.reason)
  const { amounts, issues, verified } = StateRoot.correct(reading, block, holdings, stated)
  for (const [at, { expected, holding }] of claims.entries()) {
    const found = amounts[at] ?? null
    if (Proof.isEqual(expected, found)) continue
    const source = verified.has(at) ? "the state root" : "the node"
    return yield* refuse(
      `${nameOf(holding)} of ${address} at block ${block.number}: the statement has ${formatAmount(expected, holding)}, ${source} has ${formatAmount(found, holding)}.`,
    )
  }
  const [issue] = issues
  return issue === undefined ? reading : yield* refuse(issue)
})

/**
 * Checks a statement whose signature was verified.
 *
 * **Errors**
 * - `StatementRefused`: it is not about this chain, or anything differs from it.
 * - `StateUnavailable`: the node has no state of a block.
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const run = Effect.fn("StatementCheck.run")(function* (
  budgeted: Calls.Budgeted,
  chainId: number,
  { header, statements }: SignedStatement.SignedStatement,
): Effect.fn.Return<ReadonlyArray<CheckedWallet>, CheckError> {
  if (header.chain_id !== BigInt(chainId)) {
    return yield* refuse(
      `it belongs to another chain: its chain id is ${header.chain_id}, that of the node ${chainId}.`,
    )
  }
  for (const block of [header.opening_block, header.closing_block]) yield* checkBlock(budgeted, refOf(block))
  const checked: Array<CheckedWallet> = []
  for (const wallet of statements) {
    const { address } = wallet
    const issue = issueOfSums(wallet)
    if (issue !== null) return yield* refuse(`${issue}.`)
    const [opening, closing] = endsOf(header, wallet)
    yield* checkEnd(budgeted, address, opening)
    const reading = yield* checkEnd(budgeted, address, closing)
    checked.push({
      address,
      balances: wallet.opening.length + wallet.closing.length,
      isByStateRoot: reading._tag === "Verified",
      trusted: reading._tag === "Trusted" ? reading.reason : null,
    })
  }
  yield* checkBlock(budgeted, refOf(header.closing_block))
  return checked
})
