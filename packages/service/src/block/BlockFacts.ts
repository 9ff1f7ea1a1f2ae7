/**
 * Facts about fees and native value that a block and its transactions carry beyond the documents: fee recipient, base fee, withdrawals,
 * uncles, L1 and operator fees, blob gas, minted value, authorizations. They are stored with the block as one JSON text. Pure.
 *
 * Source: decision 0044.
 */
import type { Withdrawal } from "@daybook/schema/Block"
import * as Address from "@daybook/schema/Address"
import * as Decimal from "@daybook/schema/Decimal"
import * as Hash from "@daybook/schema/Hash"
import * as Hex from "@daybook/schema/Hex"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Transaction from "@daybook/schema/Transaction"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { MinedBlock } from "../verification/MinedBlock.ts"

const amount = Schema.optionalKey(Decimal.Decimal)
const account = Schema.optionalKey(Address.Address)
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** An authorization of a set-code transaction. Its account is recovered from the signature. Source: EIP-7702. */
export const Authorization = Schema.Struct({
  /** Chain for which it is valid, 0 for every chain; `null` if the node omits it. */
  chainId: Schema.NullOr(Decimal.Decimal),
  /** Contract that the code is delegated to. */
  address: Address.Address,
  /** Nonce of the authorizing account. */
  nonce: Decimal.Decimal,
  /** `r`, `s` and the parity of the signature, 65 bytes; `null` if the node omits them or they do not form a signature. */
  signature: Schema.NullOr(Hex.Hex),
})

export interface Authorization extends Schema.Schema.Type<typeof Authorization> {}

/** Amounts of receipts and transactions, under the names that nodes use; absent if the node omits them. */
const amounts = {
  /** Blob gas used (EIP-4844). */
  blobGasUsed: amount,
  /** Price of blob gas, in wei (EIP-4844). */
  blobGasPrice: amount,
  /** OP Stack, Scroll: fee for data on L1, in wei. */
  l1Fee: amount,
  /** OP Stack: scalar of the operator fee. */
  operatorFeeScalar: amount,
  /** OP Stack: constant of the operator fee, in wei. */
  operatorFeeConstant: amount,
  /** Arbitrum: part of the gas used that pays for data on L1. */
  gasUsedForL1: amount,
  /** OP Stack: nonce of the sender of a deposit. */
  depositNonce: amount,
  /** OP Stack: amount minted by a deposit, in wei. */
  mint: amount,
  /** Arbitrum: amount deposited with a retryable ticket, in wei. */
  depositValue: amount,
  /** Arbitrum: maximum submission fee, in wei. */
  maxSubmissionFee: amount,
  /** Arbitrum: refund of the submission fee, in wei. */
  submissionFeeRefund: amount,
  /** Arbitrum: maximum refund, in wei. */
  maxRefund: amount,
  /** Arbitrum: value of the retried call, in wei. */
  retryValue: amount,
}

/** Accounts and ids, under the same rule. */
const texts = {
  /** Arbitrum: recipient of the retried call. */
  retryTo: account,
  /** Arbitrum: account that receives refunds. */
  refundTo: account,
  /** Arbitrum: account that receives the value of a cancelled ticket. */
  beneficiary: account,
  /** Arbitrum: id of the redeemed ticket. */
  ticketId: Schema.optionalKey(Hash.Hash),
  /** Celo: token that the fee is paid in. */
  feeCurrency: account,
  /** Tempo: token that the fee was paid in. */
  feeToken: account,
  /** Tempo, and sponsored transactions of Ronin: account that paid the fee. */
  feePayer: account,
}

/** Facts of a stored transaction. */
export const TransactionFacts = Schema.Struct({
  /** Position in the block. */
  index: count,
  /** Transaction type (EIP-2718); 0 if the node omits it. */
  type: count,
  ...amounts,
  ...texts,
  /** Authorizations of a set-code transaction. */
  authorizations: Schema.optionalKey(Schema.Array(Authorization)),
})

export interface TransactionFacts extends Schema.Schema.Type<typeof TransactionFacts> {}

/** Facts of a block. */
export const BlockFacts = Schema.Struct({
  /** Account that receives the fees of the block (`miner`); `null` if the node omits it. */
  feeRecipient: Schema.NullOr(Address.Address),
  /** Base fee, in wei; `null` before EIP-1559 and on chains without one. */
  baseFeePerGas: Schema.NullOr(Decimal.Decimal),
  /** Gas used by all transactions, from the header. */
  gasUsed: Decimal.Decimal,
  /**
   * Sum of gas used times effective gas price over all transactions of the block, including those without a row, in wei; `null` if not all
   * receipts were read.
   */
  gasFees: Schema.NullOr(Decimal.Decimal),
  /** Difficulty; 0 since the merge. */
  difficulty: Decimal.Decimal,
  /** Avalanche: encoded atomic transactions, which move value between its chains; absent for none. */
  blockExtraData: Schema.optionalKey(Hex.Hex),
  /** Hashes of uncles. */
  uncles: Schema.Array(Hash.Hash),
  /** Withdrawals, in block order; an index of watched wallets only has those of its wallets. */
  withdrawals: Schema.Array(
    Schema.Struct({
      index: Decimal.Decimal,
      validator: Decimal.Decimal,
      address: Address.Address,
      /** In gwei, not wei. */
      amount: Decimal.Decimal,
    }),
  ),
  /** One for each stored transaction. */
  transactions: Schema.Array(TransactionFacts),
})

export interface BlockFacts extends Schema.Schema.Type<typeof BlockFacts> {}

/** Maximum total of uncles, withdrawals and authorizations in a block; facts with more are omitted. */
export const maxEntries = 32_768

/** Maximum number of characters of atomic transactions; facts with more are omitted. */
export const maxExtraData = 1 << 20

/** Maximum gas fees of a block; larger ones could not be decoded, so the facts are omitted. */
export const maxGasFees = 2n ** 256n - 1n

const amountNames = Object.keys(amounts)
const textNames = Object.keys(texts)
const hex = /^0x([0-9a-f]{40}|[0-9a-f]{64})$/

type Fields = Omit<TransactionFacts, "index" | "type" | "authorizations">

/** Type of Ronin's sponsored transactions and of Arbitrum's deposits; the latter do not name a payer. */
const sponsored = 0x64

/** Account that paid for a sponsored transaction. */
const sponsorOf = (transaction: Transaction.Transaction): unknown =>
  transaction.type === sponsored ? Transaction.extras(transaction)["payer"] : undefined

/** Known fields sent by a node. Keys unknown to the schema of a transaction may hold anything and are omitted. */
const fieldsOf = (transaction: Transaction.Transaction, receipt: Receipt): Fields => {
  // Sound: each value is checked before use.
  const [own, other] = [receipt, transaction] as ReadonlyArray<object> as ReadonlyArray<Record<string, unknown>>
  const found: Record<string, bigint | string> = {}
  for (const name of amountNames) {
    const value = typeof own![name] === "bigint" ? own![name] : other![name]
    if (typeof value === "bigint") found[name] = value
  }
  for (const name of textNames) {
    const value = own![name] ?? other![name] ?? (name === "feePayer" ? sponsorOf(transaction) : undefined)
    const characters = name === "ticketId" ? 66 : 42
    if (typeof value === "string" && value.length === characters && hex.test(value)) found[name] = value
  }
  return found
}

const wordBytes = 32

/** 65 bytes: `r`, `s`, parity. */
const signatureOf = ({ r, s, v, yParity }: Transaction.Authorization): Hex.Hex | null => {
  const parity = yParity ?? v
  if (r === undefined || s === undefined || parity === undefined) return null
  const halves = [r, s].map((half) =>
    Hex.toBigInt(half)
      .toString(16)
      .padStart(wordBytes * 2, "0"),
  )
  if (halves.some(({ length }) => length > wordBytes * 2)) return null
  const bit = parity >= 27n ? parity - 27n : parity
  return bit > 1n ? null : `0x${halves.join("")}0${bit}`
}

const authorizationsOf = (transaction: Transaction.Transaction): ReadonlyArray<Transaction.Authorization> =>
  transaction.type === 4 ? transaction.authorizationList : []

const authorizationOf = (authorization: Transaction.Authorization): Authorization => ({
  chainId: authorization.chainId ?? null,
  address: authorization.address,
  nonce: authorization.nonce,
  signature: signatureOf(authorization),
})

/** A transaction with its receipt. */
export interface Executed {
  readonly transaction: Transaction.Transaction
  readonly receipt: Receipt
}

const transactionOf = ({ receipt, transaction }: Executed): TransactionFacts => {
  const authorizations = authorizationsOf(transaction)
  const facts = {
    index: receipt.transactionIndex,
    type: transaction.type ?? 0,
    ...fieldsOf(transaction, receipt),
  }
  return authorizations.length === 0 ? facts : { ...facts, authorizations: authorizations.map(authorizationOf) }
}

const withdrawalOf = ({ address, amount, index, validatorIndex }: Withdrawal) => ({
  index,
  validator: validatorIndex,
  address,
  amount,
})

const headerFields = new Set([
  "miner",
  "baseFeePerGas",
  "gasUsed",
  "difficulty",
  "blockExtraData",
  "uncles",
  "withdrawals",
])

/** True for a header field that facts include. */
export const isOfHeader = (field: string): boolean => headerFields.has(field)

/** Input from which facts are made. */
export interface Source {
  readonly block: MinedBlock
  /** The transactions that have a row. */
  readonly rows: ReadonlyArray<Executed>
  /** See `BlockFacts`. */
  readonly gasFees: bigint | null
  /** Watched wallets; `null` or absent for all. */
  readonly watch?: ReadonlySet<string> | null | undefined
}

/** Makes the facts of a block; `null` if they exceed the bounds. */
export const fromBlock = ({ block, gasFees, rows, watch }: Source): BlockFacts | null => {
  const withdrawals = (block.withdrawals ?? []).filter(({ address }) => watch == null || watch.has(address))
  const uncles = block.uncles ?? []
  const authorizations = rows.reduce((sum, { transaction }) => sum + authorizationsOf(transaction).length, 0)
  const extra = block.blockExtraData ?? "0x"
  const entries = withdrawals.length + uncles.length + authorizations
  if (entries > maxEntries || extra.length > maxExtraData || (gasFees ?? 0n) > maxGasFees) return null
  const facts = {
    feeRecipient: block.miner,
    baseFeePerGas: block.baseFeePerGas ?? null,
    gasUsed: block.gasUsed,
    gasFees,
    difficulty: block.difficulty,
    uncles,
    withdrawals: withdrawals.map(withdrawalOf),
    transactions: rows.map(transactionOf),
  }
  return extra === "0x" ? facts : { ...facts, blockExtraData: extra }
}

/** Formats facts as text, with numbers as decimal text. */
export const textOf = (facts: BlockFacts): string =>
  JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(BlockFacts))

/** Parses stored facts; `null` if the text is malformed. */
export const fromText = (text: string): BlockFacts | null => Option.getOrNull(decode(text))
