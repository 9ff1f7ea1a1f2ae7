/**
 * Filters for logs with a wallet in an indexed parameter: the events for holding and approving tokens. Pure.
 *
 * Source: ERC-20, ERC-721, ERC-1155, ERC-2309.
 */
import { topics } from "../ledger/TokenLogs.ts"

/** Topics of a filter: alternatives by position, `null` for any. */
export type Filter = ReadonlyArray<ReadonlyArray<string> | null>

/** Events by position of the wallet. */
const byPosition: ReadonlyArray<ReadonlyArray<string>> = [
  [topics.transfer, topics.approval, topics.approvalForAll, topics.deposit, topics.withdrawal],
  [
    topics.transfer,
    topics.approval,
    topics.approvalForAll,
    topics.transferSingle,
    topics.transferBatch,
    topics.consecutiveTransfer,
  ],
  [topics.transferSingle, topics.transferBatch, topics.consecutiveTransfer],
]

/**
 * A lower-case address as a topic.
 */
export const fromAddress = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

/**
 * Makes one filter for each position in which an event may have one of the wallets.
 */
export const filters = (wallets: ReadonlyArray<string>): ReadonlyArray<Filter> =>
  byPosition.map((events, position) => [events, ...Array<null>(position).fill(null), wallets])
