/** The RPC clients that are measured. Each asks for the same block, one by one or twenty at a time. */
export interface Client {
  /** Asks once. */
  readonly one: (hydrated: boolean) => Promise<unknown>
  /** Asks so many times in one request; undefined where the client cannot. */
  readonly many?: (hydrated: boolean, calls: number) => Promise<ReadonlyArray<unknown>>
}

const number = 0x1312d00
const hex = "0x1312d00"

/** Distinct numbers, so that no client takes the calls for one. */
const numbers = (calls: number) => Array.from({ length: calls }, (_, at) => number + at)
const toHex = (value: number): `0x${string}` => `0x${value.toString(16)}`

const daybook = async (url: string, fetch?: typeof globalThis.fetch): Promise<Client> => {
  const { createRpcClient } = await import("../../../packages/rpc/src/promise.ts")
  const client = createRpcClient({ url, fetch })
  return {
    one: (hydrated) => client.eth_getBlockByNumber(number, hydrated),
    many: (hydrated, calls) => Promise.all(numbers(calls).map((one) => client.eth_getBlockByNumber(one, hydrated))),
  }
}

/** What asks without a library: sends a body and reads JSON. */
const bare = (ask: (body: unknown) => Promise<unknown>): Client => {
  const call = (id: number, block: string, hydrated: boolean) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getBlockByNumber",
    params: [block, hydrated],
  })
  return {
    one: (hydrated) => ask(call(1, hex, hydrated)),
    many: async (hydrated, calls) =>
      (await ask(numbers(calls).map((one, id) => call(id, toHex(one), hydrated)))) as ReadonlyArray<unknown>,
  }
}

const headers = { "content-type": "application/json" }

const bareUndici = (url: string, { Agent, request }: Pick<typeof import("undici"), "Agent" | "request">): Client => {
  const dispatcher = new Agent()
  return bare(async (body) => {
    const response = await request(url, { method: "POST", dispatcher, headers, body: JSON.stringify(body) })
    return JSON.parse(await response.body.text())
  })
}

export const clients: Readonly<Record<string, (url: string) => Promise<Client>>> = {
  "undici 7 and JSON.parse": async (url) => bareUndici(url, await import("undici")),
  "undici 8 and JSON.parse": async (url) => bareUndici(url, await import("undici-8")),
  "fetch and JSON.parse": async (url) =>
    bare(async (body) => {
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      return JSON.parse(await response.text())
    }),
  "**@daybook/rpc**": (url) => daybook(url),
  "@daybook/rpc over the global fetch": (url) => daybook(url, globalThis.fetch),
  viem: async (url) => {
    const { createPublicClient, http } = await import("viem")
    const plain = createPublicClient({ transport: http(url), cacheTime: 0 })
    const batched = createPublicClient({ transport: http(url, { batch: true }), cacheTime: 0 })
    return {
      one: (includeTransactions) => plain.getBlock({ blockNumber: BigInt(number), includeTransactions }),
      many: (includeTransactions, calls) =>
        Promise.all(numbers(calls).map((one) => batched.getBlock({ blockNumber: BigInt(one), includeTransactions }))),
    }
  },
  ethers: async (url) => {
    const { JsonRpcProvider, Network } = await import("ethers")
    const staticNetwork = Network.from(1)
    const provider = new JsonRpcProvider(url, staticNetwork, { staticNetwork, cacheTimeout: -1, batchStallTime: 0 })
    return {
      one: (hydrated) => provider.getBlock(number, hydrated),
      many: (hydrated, calls) => Promise.all(numbers(calls).map((one) => provider.getBlock(one, hydrated))),
    }
  },
  ox: async (url) => {
    const { Block, RpcTransport } = await import("ox")
    const transport = RpcTransport.fromHttp(url)
    return {
      one: async (hydrated) =>
        Block.fromRpc(
          (await transport.request({ method: "eth_getBlockByNumber", params: [hex, hydrated] })) as never,
          { includeTransactions: hydrated } as never,
        ),
    }
  },
}
