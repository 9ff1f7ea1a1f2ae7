/**
 * Replies to JSON-RPC calls from a recorded chain. Pure: the same call always has the same reply.
 */

/** Results for one block as JSON texts; undefined where the node does not have the method. */
export interface RecordedBlock {
  readonly hash: string
  readonly hydrated: string
  readonly receipts: string
  readonly flatTraces: string | undefined
  readonly callTraces: string | undefined
}

/** A recorded chain. */
export interface Recording {
  /** Wire form, for example `0x1`. */
  readonly chainId: string
  /** Blocks by number, from 0 to the head. */
  readonly blocks: ReadonlyArray<RecordedBlock>
}

/** A call as received. */
export interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: ReadonlyArray<unknown>
}

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

interface LogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | ReadonlyArray<string>
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

/** JSON-RPC error code of a method that does not exist. */
export const methodNotFound = -32601

const withHashes = (hydrated: string): string => {
  const block = JSON.parse(hydrated) as { readonly transactions: ReadonlyArray<{ readonly hash: string }> }
  return JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) })
}

/** Number of a block by tag, number or hash; undefined when the recording does not hold it. */
const blockFinder = ({ blocks }: Recording) => {
  const byHash = new Map(blocks.map(({ hash }, number) => [hash, number]))
  return (id: unknown): number | undefined => {
    if (id === "earliest") return 0
    if (typeof id !== "string" || !id.startsWith("0x")) return blocks.length - 1
    const number = id.length === 66 ? byHash.get(id.toLowerCase()) : Number(id)
    return number !== undefined && number < blocks.length ? number : undefined
  }
}

const matches =
  ({ address, topics = [] }: LogFilter) =>
  (log: Log): boolean => {
    const addresses = address === undefined ? undefined : [address].flat().map((one) => one.toLowerCase())
    return (
      (addresses === undefined || addresses.includes(log.address.toLowerCase())) &&
      topics.every((topic, at) => topic === null || [topic].flat().includes(log.topics[at] ?? ""))
    )
  }

/** Logs of a range of blocks by address and topics, from the receipts. Source: Ethereum JSON-RPC. */
const logsOf = ({ blocks }: Recording, find: (id: unknown) => number | undefined, filter: LogFilter): string => {
  const { blockHash, fromBlock = "latest", toBlock = "latest" } = filter
  const from = find(blockHash ?? fromBlock) ?? 0
  const to = blockHash === undefined ? (find(toBlock) ?? blocks.length - 1) : from
  const logs = blocks.slice(from, to + 1).flatMap(({ receipts }) => {
    const list = JSON.parse(receipts) as ReadonlyArray<{ readonly logs: ReadonlyArray<Log> }>
    return list.flatMap((receipt) => receipt.logs.filter(matches(filter)))
  })
  return JSON.stringify(logs)
}

/** The text of the reply to a call; an error object for a method that was not recorded. */
export const responder = (recording: Recording) => {
  const { blocks, chainId } = recording
  const find = blockFinder(recording)
  const withoutBodies: Array<string | undefined> = []
  /** A recorded text of the block: `null` when there is no such block, undefined when it was not recorded. */
  const ofBlock = (id: unknown, give: (block: RecordedBlock, number: number) => string | undefined) => {
    const number = find(id)
    const block = number === undefined ? undefined : blocks[number]
    return number === undefined || block === undefined ? "null" : give(block, number)
  }
  const result = (method: unknown, [id, isHydrated]: ReadonlyArray<unknown>): string | undefined => {
    switch (method) {
      case "eth_getLogs":
        return logsOf(recording, find, id ?? {})
      case "eth_chainId":
        return JSON.stringify(chainId)
      case "net_version":
        return JSON.stringify(String(Number(chainId)))
      case "eth_blockNumber":
        return JSON.stringify(`0x${(blocks.length - 1).toString(16)}`)
      case "web3_clientVersion":
        return JSON.stringify("Daybook/replay")
      case "eth_syncing":
        return "false"
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash":
        return ofBlock(id, ({ hydrated }, number) =>
          isHydrated === true ? hydrated : (withoutBodies[number] ??= withHashes(hydrated)),
        )
      case "eth_getBlockReceipts":
        return ofBlock(id, ({ receipts }) => receipts)
      case "trace_block":
        return ofBlock(id, ({ flatTraces }) => flatTraces)
      case "debug_traceBlockByNumber":
      case "debug_traceBlockByHash":
        return ofBlock(id, ({ callTraces }) => callTraces)
      default:
        return undefined
    }
  }
  return ({ id = null, method, params = [] }: Call): string => {
    const text = result(method, params)
    const rest =
      text === undefined
        ? `"error":{"code":${methodNotFound},"message":"the method ${String(method).replaceAll(/[^\w]/g, "")} was not recorded"}`
        : `"result":${text}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`
  }
}
