/**
 * Token transfers in the logs of a transaction. The topics and the length of the data determine the standard that an event follows; any
 * other log is not a transfer. What a contract logs is not verified further: its token may be worthless.
 */
import * as Address from "./Address.ts"
import { isRestLog } from "./internal/eitherLog.ts"
import * as Log from "./Log.ts"
import type * as Receipt from "./Receipt.ts"
import type { WalletTransaction } from "./WalletTransaction.ts"

/**
 * Topic 0 of the events that transfer tokens.
 *
 * **Example** (Recognising a transfer)
 *
 * ```ts
 * import * as TokenTransfer from "@daybook/schema/TokenTransfer"
 *
 * console.log(TokenTransfer.topics.transfer.slice(0, 10)) // 0xddf252ad
 * ```
 *
 * Source: ERC-20, ERC-721 (Transfer); ERC-1155 (TransferSingle, TransferBatch).
 */
export const topics = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
} as const

/**
 * Emitter of ether transfer logs, which have the form of ERC-20 but do not belong to a token.
 *
 * **Example** (Recognising logged ether transfers)
 *
 * ```ts
 * import * as TokenTransfer from "@daybook/schema/TokenTransfer"
 *
 * console.log(TokenTransfer.etherLogger.length) // 42
 * ```
 *
 * Source: EIP-7708.
 */
export const etherLogger: string = `0x${"f".repeat(39)}e`

/**
 * Standard of a token.
 *
 * Source: ERC-20, ERC-721, ERC-1155.
 */
export type Standard = "erc20" | "erc721" | "erc1155"

/**
 * The parts of a log that determine whether it is a transfer.
 *
 * Source: Solidity ABI specification, events.
 */
export interface EventLog {
  /** ABI-encoded parameters that are not indexed, in lower-case hex. */
  readonly data: string
  /** Topics, in lower-case hex. */
  readonly topics: ReadonlyArray<string>
}

/**
 * Id and amount of a token; the id is `null` for a fungible token.
 *
 * Source: ERC-20, ERC-721, ERC-1155.
 */
export type Item = readonly [tokenId: bigint | null, amount: bigint]

interface Parties {
  /** Previous holder; the zero address if the token was minted. */
  readonly from: Address.Address
  /** New holder; the zero address if the token was burned. */
  readonly to: Address.Address
}

/**
 * Transfer of one log; an ERC-1155 batch has several items.
 *
 * Source: ERC-20, ERC-721, ERC-1155.
 */
export interface LogTransfer extends Parties {
  /** Standard that the event follows. */
  readonly standard: Standard
  /** Ids and amounts. Can be iterated once. */
  readonly items: Iterable<Item>
}

const wordDigits = 64

const bytesOf = ({ data }: EventLog): number => (data.length - 2) / 2

const wordAt = (data: string, at: number): bigint => BigInt(`0x${data.slice(2 + at * 2, 2 + at * 2 + wordDigits)}`)

/** Position and length of an array in the data of a log; `null` if it does not fit. */
const arrayAt = (log: EventLog, head: number): { readonly at: number; readonly length: number } | null => {
  const bytes = bytesOf(log)
  const offset = wordAt(log.data, head)
  if (offset > BigInt(bytes - 32)) return null
  const length = wordAt(log.data, Number(offset))
  const at = Number(offset) + 32
  return length > BigInt(Math.floor((bytes - at) / 32)) ? null : { at, length: Number(length) }
}

/** Ids and amounts, read lazily: a log may claim more of them than a caller can hold. */
const batchItems = function* (log: EventLog, ids: number, amounts: number, length: number): Generator<Item> {
  for (let at = 0; at < length; at++) yield [wordAt(log.data, ids + at * 32), wordAt(log.data, amounts + at * 32)]
}

/** Ids and amounts of a TransferBatch; `null` if the data is malformed. */
const batchOf = (log: EventLog): Iterable<Item> | null => {
  const bytes = bytesOf(log)
  if (bytes < 128 || !Number.isInteger(bytes)) return null
  const [ids, amounts] = [arrayAt(log, 0), arrayAt(log, 32)]
  if (ids === null || amounts === null || ids.length !== amounts.length) return null
  return batchItems(log, ids.at, amounts.at, ids.length)
}

const partiesOf = (from: string | undefined, to: string | undefined): Parties | null => {
  const [sender, recipient] = [Address.fromTopic(from), Address.fromTopic(to)]
  return sender === undefined || recipient === undefined ? null : { from: sender, to: recipient }
}

/** Standard and items of a log; `null` for any other event. */
const contentOf = (log: EventLog): Pick<LogTransfer, "standard" | "items"> | null => {
  const [topic0, , , topic3] = log.topics
  const [count, bytes] = [log.topics.length, bytesOf(log)]
  if (topic0 === topics.transfer) {
    if (count === 3 && bytes === 32) return { standard: "erc20", items: [[null, wordAt(log.data, 0)]] }
    return count === 4 && bytes === 0 ? { standard: "erc721", items: [[BigInt(topic3!), 1n]] } : null
  }
  if (count !== 4) return null
  if (topic0 === topics.transferSingle)
    return bytes === 64 ? { standard: "erc1155", items: [[wordAt(log.data, 0), wordAt(log.data, 32)]] } : null
  const items = topic0 === topics.transferBatch ? batchOf(log) : null
  return items && { standard: "erc1155", items }
}

/**
 * Reads the transfer of a log; `null` for any other event.
 *
 * **Details**
 *
 * ERC-20 has three topics and one word of data, ERC-721 four topics and no data, ERC-1155 four topics and its arguments as data. An indexed
 * address is preceded by twelve zero bytes.
 *
 * **Example** (Reading a log)
 *
 * ```ts
 * import * as TokenTransfer from "@daybook/schema/TokenTransfer"
 *
 * const word = (digit: string) => `0x${digit.padStart(64, "0")}`
 * const topics = [TokenTransfer.topics.transfer, word("1"), word("2")]
 * console.log(TokenTransfer.fromLog({ topics, data: word("5") })?.standard) // erc20
 * ```
 *
 * Source: ERC-20, ERC-721, ERC-1155; decision 0048.
 */
export const fromLog = (log: EventLog): LogTransfer | null => {
  const content = contentOf(log)
  if (content === null) return null
  const isMulti = content.standard === "erc1155"
  const parties = partiesOf(log.topics[isMulti ? 2 : 1], log.topics[isMulti ? 3 : 2])
  return parties && { ...parties, ...content }
}

/**
 * A transfer of a token. Its amount is in the smallest unit of the token.
 *
 * Source: ERC-20, ERC-721, ERC-1155.
 */
export interface TokenTransfer extends Parties {
  /** Standard of the token, by the form of the event. */
  readonly standard: Standard
  /** Contract of the token. */
  readonly token: Address.Address
  /** Id of the token; `null` for ERC-20. */
  readonly tokenId: bigint | null
  /** Amount; 1 for ERC-721. */
  readonly amount: bigint
  /** Index of the log in the block, from 0; `null` while pending. */
  readonly logIndex: number | null
}

/**
 * Returns the token transfers of a wallet transaction or a receipt, in log order.
 *
 * **Details**
 *
 * An ERC-1155 batch yields one transfer per id. Minted tokens come from the zero address, burned ones go to it.
 *
 * **Gotchas**
 *
 * - Deposits and withdrawals of wrapped currency are only listed if the contract logs a Transfer, which WETH9 on Ethereum does not.
 * - Some chains log transfers of their native currency as transfers of a token, such as `0x0000000000000000000000000000000000001010` on
 *   Polygon.
 *
 * **Example** (Listing the transfers of a receipt)
 *
 * ```ts
 * import { transfers } from "@daybook/schema/TokenTransfer"
 * import * as Receipt from "@daybook/schema/Receipt"
 * import * as Schema from "effect/Schema"
 *
 * const word = (value: bigint) => value.toString(16).padStart(64, "0")
 * const log = Schema.decodeUnknownSync(Receipt.Log)({
 *   address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
 *   topics: [
 *     "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
 *     `0x${word(0xa11cen)}`,
 *     `0x${word(0xb0bn)}`,
 *   ],
 *   data: `0x${word(1_500_000n)}`,
 *   transactionHash: null,
 *   transactionIndex: null,
 *   logIndex: null,
 * })
 * for (const { amount, standard, to } of transfers({ logs: [log] })) console.log(standard, amount, to.slice(-3)) // erc20 1500000n b0b
 * ```
 *
 * Source: ERC-20, ERC-721, ERC-1155; decision 0048.
 */
export const transfers = (
  record: Pick<WalletTransaction, "logs"> | Pick<Receipt.Receipt, "logs">,
): ReadonlyArray<TokenTransfer> => {
  const found: Array<TokenTransfer> = []
  for (const log of record.logs) {
    if (log.address === etherLogger) continue
    const [logIndex, logTopics] = isRestLog(log) ? [log.log_index, Log.topics(log)] : [log.logIndex, log.topics]
    const transfer = fromLog({ data: log.data, topics: logTopics })
    if (transfer === null) continue
    const { from, items, standard, to } = transfer
    for (const [tokenId, amount] of items)
      found.push({ standard, token: log.address, from, to, tokenId, amount, logIndex })
  }
  return found
}
