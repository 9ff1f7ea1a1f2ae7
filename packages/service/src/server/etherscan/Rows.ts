/**
 * Writes rows with the names of Etherscan's API: numbers as decimal text, addresses in lower case, and empty text for absent values. Pure.
 *
 * Source: decision 0070.
 */
import type { DecodedItemWire } from "@daybook/schema/DecodedItem"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import type { Document, PartRow } from "../../query/TransactionParts.ts"
import type { Reward, Withdrawal } from "../../query/WalletBlocks.ts"
import type { Frame } from "../../query/WalletFrames.ts"
import type { MovementRow } from "../../query/WalletMovements.ts"
import type { Transfer } from "../../query/WalletTransfers.ts"

/** Input of rows besides the stored transaction. */
export interface Context {
  /** Number of the last indexed block. */
  readonly head: number
  /** Call of a transaction as currently decoded; `null` if its function is unknown. */
  readonly callOf: (document: Document) => DecodedItemWire | null
}

/** The time of a block, in seconds. */
export const secondsOf = ({ block_timestamp: time }: Pick<WalletTransactionWire, "block_timestamp">): string =>
  String(Math.floor(Date.parse(time) / 1000))

const selectorLength = 10

const methodIdOf = (input: string): string => (input.length >= selectorLength ? input.slice(0, selectorLength) : "0x")

const functionNameOf = (call: DecodedItemWire | null): string => {
  if (call === null) return ""
  const parameters = call.params.map(({ name, type }) => (name === "" ? type : `${type} ${name}`))
  return `${call.label}(${parameters.join(", ")})`
}

/** Whether a transaction failed; before Byzantium, whether it used all its gas, as a plain transfer does too. */
const hasFailed = ({ gas, receipt_gas_used: used, receipt_status: status }: WalletTransactionWire): boolean => {
  if (status === "0" || status === "1") return status === "0"
  return used === gas && BigInt(gas) > 21_000n
}

const flag = (value: boolean): string => (value ? "1" : "0")

const confirmationsOf = ({ head }: Context, { row }: Document): string => String(Math.max(0, head - row.block))

/** A transaction. */
export const transaction = (document: Document, context: Context) => {
  const { transaction: own } = document
  return {
    blockNumber: own.block_number,
    blockHash: own.block_hash,
    timeStamp: secondsOf(own),
    hash: own.hash,
    nonce: own.nonce,
    transactionIndex: own.transaction_index,
    from: own.from_address,
    to: own.to_address ?? "",
    value: own.value,
    gas: own.gas,
    gasPrice: own.gas_price,
    input: own.input,
    methodId: methodIdOf(own.input),
    functionName: functionNameOf(context.callOf(document)),
    contractAddress: own.to_address === null ? (own.receipt_contract_address ?? "") : "",
    cumulativeGasUsed: own.receipt_cumulative_gas_used,
    txreceipt_status: own.receipt_status ?? "",
    gasUsed: own.receipt_gas_used,
    confirmations: confirmationsOf(context, document),
    isError: flag(hasFailed(own)),
  }
}

const types: Readonly<Record<string, string>> = {
  CALL: "call",
  CREATE: "create",
  CREATE2: "create2",
  SELFDESTRUCT: "self-destruct",
}

/** A call inside a transaction, without fields that only rows of an address have. */
export const internalOfTransaction = ({ document, part: { frame } }: PartRow<Frame>) => {
  const isCreation = frame.type === "CREATE" || frame.type === "CREATE2"
  const to = frame.to ?? ""
  return {
    blockNumber: String(document.row.block),
    timeStamp: secondsOf(document.transaction),
    from: frame.from,
    to: isCreation ? "" : to,
    value: frame.value,
    contractAddress: isCreation ? to : "",
    input: "",
    type: types[frame.type] ?? frame.type.toLowerCase(),
    gas: frame.gas,
    gasUsed: frame.gas_used,
    isError: flag(frame.error != null),
    errCode: frame.error ?? "",
  }
}

/** A call inside a transaction, for an address. */
export const internal = (row: PartRow<Frame>) => {
  const { blockNumber, timeStamp, ...own } = internalOfTransaction(row)
  const traceId = String(row.part.index)
  return { blockNumber, timeStamp, hash: row.document.transaction.hash, ...own, traceId }
}

/** Action that lists token transfers. */
export type TokenAction = "tokentx" | "tokennfttx" | "token1155tx"

const valuesOf = (action: TokenAction, { amount, tokenId }: Transfer) => {
  if (action === "tokentx") return { value: String(amount) }
  const tokenID = String(tokenId ?? 0n)
  return action === "tokennfttx" ? { tokenID } : { tokenID, tokenValue: String(amount) }
}

const decimalsOf = (action: TokenAction, token: TokenMetadata | undefined) => {
  if (action === "token1155tx") return {}
  return { tokenDecimal: action === "tokennfttx" ? "0" : String(token?.decimals ?? "") }
}

/** A token transfer, with its transaction. */
export const transfer = (
  action: TokenAction,
  { document, part }: PartRow<Transfer>,
  token: TokenMetadata | undefined,
  context: Context,
  flags: ReadonlyArray<string>,
) => {
  const { transaction: own } = document
  const row = {
    blockNumber: own.block_number,
    timeStamp: secondsOf(own),
    hash: own.hash,
    nonce: own.nonce,
    blockHash: own.block_hash,
    from: part.from,
    contractAddress: part.token,
    to: part.to,
    ...valuesOf(action, part),
    tokenName: token?.name ?? "",
    tokenSymbol: token?.symbol ?? "",
    ...decimalsOf(action, token),
    transactionIndex: own.transaction_index,
    gas: own.gas,
    gasPrice: own.gas_price,
    gasUsed: own.receipt_gas_used,
    cumulativeGasUsed: own.receipt_cumulative_gas_used,
    input: "deprecated",
    methodId: methodIdOf(own.input),
    functionName: functionNameOf(context.callOf(document)),
    confirmations: confirmationsOf(context, document),
    logIndex: part.logIndex,
  }
  return flags.length === 0 ? row : { ...row, flags: flags.join(",") }
}

/** A withdrawal from the beacon chain, in gwei. */
export const withdrawal = (address: string, { amount, block, index, validator }: Withdrawal) => ({
  withdrawalIndex: String(index),
  validatorIndex: String(validator),
  address,
  amount: String(amount),
  blockNumber: String(block.number),
  timestamp: String(block.timestamp),
})

/** A block whose fees and rewards an address received. */
export const minedBlock = ({ amount, block }: Reward) => ({
  blockNumber: String(block.number),
  timeStamp: String(block.timestamp),
  blockReward: String(amount),
})

/** A movement that funds an account; an opening balance belongs to no transaction. */
export const funding = ({ block, movement: { amount, counterparty }, transactionHash }: MovementRow) => ({
  block: block.number,
  timeStamp: String(block.timestamp),
  fundingAddress: counterparty ?? "",
  fundingTxn: transactionHash,
  value: String(amount),
})
