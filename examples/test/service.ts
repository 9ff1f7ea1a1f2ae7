/** The service started by `pnpm with-service programs`, and its node. */
const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run "pnpm with-service programs".`)
  return value
}

export const baseUrl = setting("DAYBOOK_BASE_URL")
export const apiKey = setting("DAYBOOK_API_KEY")
export const address = setting("DAYBOOK_ADDRESS").toLowerCase()
const nodeUrl = setting("DAYBOOK_NODE_URL")

/** Calls the node, without a client of this project. */
export const call = async <A>(method: string, ...params: ReadonlyArray<unknown>): Promise<A> => {
  const response = await fetch(nodeUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  const { error, result } = (await response.json()) as { readonly error?: unknown; readonly result: A }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

export interface Receipt {
  readonly from: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly blobGasUsed?: string
  readonly blobGasPrice?: string
  readonly status: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logs: ReadonlyArray<Log>
}

export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: string
  readonly transactionHash: string
}

/** All receipts of the chain, in order. */
export const receipts = async (): Promise<ReadonlyArray<Receipt>> => {
  const head = Number(await call<string>("eth_blockNumber"))
  const all: Array<Receipt> = []
  for (let block = 0; block <= head; block++)
    all.push(...(await call<ReadonlyArray<Receipt>>("eth_getBlockReceipts", `0x${block.toString(16)}`)))
  return all
}
