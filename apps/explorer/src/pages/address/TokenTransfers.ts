/**
 * The transfers of a token by its logs, read from the node in ranges of blocks, the newest first. There is no index of them: ranges grow
 * where they have few logs, and shrink where a node refuses them.
 */
import { type RpcClient, transfers } from "@daybook/rpc/promise"
import { kindOf } from "../../service/Errors.ts"

export type Transfer = ReturnType<typeof transfers>[number]

/** A transfer with its place. */
export interface PlacedTransfer extends Transfer {
  readonly hash: string
  readonly block: bigint
}

/** Transfers of some ranges. */
export interface TransferPage {
  readonly rows: ReadonlyArray<PlacedTransfer>
  /** First block that was read. */
  readonly from: bigint
}

/** Transfer of ERC-20 and ERC-721; TransferSingle and TransferBatch of ERC-1155. */
const topics: ReadonlyArray<`0x${string}`> = [
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
]

const firstRange = 1_000n
const maxRange = 100_000n
/** Rows after which no further range is read, and requests of a page. */
const enoughRows = 50
const maxRequests = 12

/** A node without a method, or without access to it, has it for no range. */
const isFinal = (error: unknown): boolean => ["methodUnsupported", "unauthorized"].includes(kindOf(error) ?? "")

const readRange = async (client: RpcClient, token: string, from: bigint, to: bigint) => {
  const logs = await client.eth_getLogs({ address: token, topics: [topics], fromBlock: from, toBlock: to })
  return logs.flatMap((log): ReadonlyArray<PlacedTransfer> => {
    const { blockNumber: block, transactionHash: hash } = log
    if (block === null || hash === null || block === undefined || hash === undefined) return []
    return transfers({ logs: [log] }).map((transfer) => ({ ...transfer, hash, block }))
  })
}

/** Reads down from a block until there are enough transfers, or the first block was read. */
export const read = async (client: RpcClient, token: string, last: bigint): Promise<TransferPage> => {
  const rows: Array<PlacedTransfer> = []
  let [to, range] = [last, firstRange]
  for (let request = 0; request < maxRequests && to >= 0n && rows.length < enoughRows; request++) {
    const from = to + 1n < range ? 0n : to - range + 1n
    try {
      const found = await readRange(client, token, from, to)
      rows.push(...found.toReversed())
      to = from - 1n
      if (found.length < enoughRows / 2) range = range * 4n > maxRange ? maxRange : range * 4n
    } catch (error) {
      if (isFinal(error) || range === 1n) throw error
      range = range / 8n === 0n ? 1n : range / 8n
    }
  }
  return { rows, from: to + 1n }
}
