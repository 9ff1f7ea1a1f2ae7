/**
 * The transfers of a token, read from its logs on the node in block ranges, newest first. No index of them exists, so ranges grow where they
 * have few transfers, and shrink where they have many or the node rejects them.
 */
import { type RpcClient, transfers, transferTopics } from "@daybook/rpc/promise"
import { kindOf } from "../../service/Errors.ts"

export type Transfer = ReturnType<typeof transfers>[number]

/** A transfer with its position. */
export interface PlacedTransfer extends Transfer {
  readonly hash: string
  readonly block: bigint
}

/** Transfers of one or more ranges. */
export interface TransferPage {
  readonly rows: ReadonlyArray<PlacedTransfer>
  /** Lowest block whose transfers are in the page. */
  readonly from: bigint
  /** Number of transfers of that block that are omitted, if it alone has more than a page. */
  readonly hidden: number
  /** Size of the first range of the next page, in blocks. */
  readonly range: bigint
}

const topics = Object.values(transferTopics)

/** Size of the first range of a token, in blocks: each block may have many transfers. */
const firstRange = 16n
const maxRange = 100_000n
/** Number of rows after which no further range is read, then the maximum numbers of rows and of requests per page. */
const enoughRows = 50
const maxRows = 200
const maxRequests = 12

/** A node that lacks a method, or denies access to it, does so for every range. */
const isFinal = (error: unknown): boolean => ["methodUnsupported", "unauthorized"].includes(kindOf(error) ?? "")

const readRange = async (client: RpcClient, token: string, from: bigint, to: bigint) => {
  const logs = await client.eth_getLogs({ address: token, topics: [topics], fromBlock: from, toBlock: to })
  return logs.flatMap((log): ReadonlyArray<PlacedTransfer> => {
    const { blockNumber: block, transactionHash: hash } = log
    if (block === null || hash === null || block === undefined || hash === undefined) return []
    return transfers({ logs: [log] }).map((transfer) => ({ ...transfer, hash, block }))
  })
}

/** Size of the next range, after one with this many transfers. */
const rangeAfter = (range: bigint, count: number): bigint => {
  if (count > maxRows) return range < 4n ? 1n : range / 4n
  if (count >= enoughRows / 2) return range
  return range * 4n > maxRange ? maxRange : range * 4n
}

/** The newest rows up to a limit: whole blocks, or the newest rows of a single block that exceeds it. */
const cut = (rows: ReadonlyArray<PlacedTransfer>, from: bigint): Omit<TransferPage, "range"> => {
  const border = rows[maxRows]?.block
  if (border === undefined) return { rows, from, hidden: 0 }
  const newest = rows.slice(0, maxRows)
  const whole = newest.filter(({ block }) => block > border)
  if (whole.length > 0) return { rows: whole, from: border + 1n, hidden: 0 }
  return { rows: newest, from: border, hidden: rows.filter(({ block }) => block === border).length - maxRows }
}

/** Reads down from a block until there are enough transfers or the first block is reached. */
export const read = async (
  client: RpcClient,
  token: string,
  last: bigint,
  start: bigint = firstRange,
): Promise<TransferPage> => {
  const rows: Array<PlacedTransfer> = []
  let [to, range] = [last, start]
  for (let request = 0; request < maxRequests && to >= 0n && rows.length < enoughRows; request++) {
    const from = to + 1n < range ? 0n : to - range + 1n
    try {
      const found = await readRange(client, token, from, to)
      // A range may have more transfers than a call can have arguments.
      for (const transfer of found.toReversed()) rows.push(transfer)
      to = from - 1n
      range = rangeAfter(range, found.length)
    } catch (error) {
      if (isFinal(error) || range === 1n) throw error
      range = range / 8n === 0n ? 1n : range / 8n
    }
  }
  return { ...cut(rows, to + 1n), range }
}
