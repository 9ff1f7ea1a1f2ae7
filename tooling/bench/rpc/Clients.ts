/** The measured RPC clients. Each requests the same block, in single calls or in batches. */
import { join } from "node:path"
import type * as Promises from "../../../packages/rpc/src/promise.ts"

export interface Client {
  /** One call in one HTTP request. */
  readonly single: (hydrated: boolean) => Promise<unknown>
  /** Several calls in one HTTP request; absent if the client does not batch. */
  readonly batch?: (hydrated: boolean, calls: number) => Promise<ReadonlyArray<unknown>>
}

const number = 0x1312d00
const hex = "0x1312d00"

/** Distinct numbers, so that no client deduplicates the calls. */
const numbers = (calls: number) => Array.from({ length: calls }, (_, at) => number + at)
const toHex = (value: number): `0x${string}` => `0x${value.toString(16)}`

const daybook = async (url: string, root: string, fetch?: typeof globalThis.fetch): Promise<Client> => {
  // Sound: the client of an older checkout has these calls too.
  const { createRpcClient } = (await import(join(root, "packages/rpc/src/promise.ts"))) as typeof Promises
  const client = createRpcClient({ url, fetch })
  return {
    single: (hydrated) => client.eth_getBlockByNumber(number, hydrated),
    batch: (hydrated, calls) => Promise.all(numbers(calls).map((one) => client.eth_getBlockByNumber(one, hydrated))),
  }
}

/** A client without a library: `send` sends a body and parses the response. */
const bare = (send: (body: unknown) => Promise<unknown>): Client => {
  const call = (id: number, block: string, hydrated: boolean) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getBlockByNumber",
    params: [block, hydrated],
  })
  return {
    single: (hydrated) => send(call(1, hex, hydrated)),
    batch: async (hydrated, calls) =>
      (await send(numbers(calls).map((one, id) => call(id, toHex(one), hydrated)))) as ReadonlyArray<unknown>,
  }
}

const post = (body: unknown) =>
  ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }) as const

/** Makes a client for a URL, by name; this repository's clients belong to a checkout. */
export const clients: Readonly<Record<string, (url: string, root: string) => Promise<Client>>> = {
  "undici and JSON.parse": async (url) => {
    const { Agent, request } = await import("undici")
    const dispatcher = new Agent()
    return bare(async (body) => JSON.parse(await (await request(url, { dispatcher, ...post(body) })).body.text()))
  },
  "fetch and JSON.parse": async (url) => bare(async (body) => JSON.parse(await (await fetch(url, post(body))).text())),
  "@daybook/rpc": (url, root) => daybook(url, root),
  "@daybook/rpc over the global fetch": (url, root) => daybook(url, root, globalThis.fetch),
  viem: async (url) => {
    const { createPublicClient, http } = await import("viem")
    const plain = createPublicClient({ transport: http(url), cacheTime: 0 })
    const batched = createPublicClient({ transport: http(url, { batch: true }), cacheTime: 0 })
    return {
      single: (includeTransactions) => plain.getBlock({ blockNumber: BigInt(number), includeTransactions }),
      batch: (includeTransactions, calls) =>
        Promise.all(numbers(calls).map((one) => batched.getBlock({ blockNumber: BigInt(one), includeTransactions }))),
    }
  },
  ethers: async (url) => {
    const { JsonRpcProvider, Network } = await import("ethers")
    const staticNetwork = Network.from(1)
    const provider = new JsonRpcProvider(url, staticNetwork, { staticNetwork, cacheTimeout: -1, batchStallTime: 0 })
    return {
      single: (hydrated) => provider.getBlock(number, hydrated),
      batch: (hydrated, calls) => Promise.all(numbers(calls).map((one) => provider.getBlock(one, hydrated))),
    }
  },
  ox: async (url) => {
    const { Block, RpcTransport } = await import("ox")
    const transport = RpcTransport.fromHttp(url)
    return {
      single: async (hydrated) =>
        Block.fromRpc(
          (await transport.request({ method: "eth_getBlockByNumber", params: [hex, hydrated] })) as never,
          { includeTransactions: hydrated } as never,
        ),
    }
  },
}
