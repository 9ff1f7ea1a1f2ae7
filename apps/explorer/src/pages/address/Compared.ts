/** Compares the sums of the movements of an address with what the node states of the same block. */
import type { Balance, Balances } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"

/** A sum of movements beside the state of the chain at the end of a block. */
export interface Compared {
  readonly block: bigint
  /** What the address held before the first indexed block, and all movements since. */
  readonly sum: bigint
  /** By the node. */
  readonly held: bigint
}

/** The sum is what the chain states. */
export const isProved = ({ held, sum }: Compared): boolean => held === sum

/** Comparisons by asset. */
export type ByAsset = ReadonlyMap<string, Compared>

/** Tokens that are compared: anyone may send an address thousands of them. */
const maxTokens = 50

const balanceOf = (address: string): `0x${string}` => `0x70a08231${address.slice(2).padStart(64, "0")}`

/** What an address holds after a block; `null` where the node does not state it. A contract that is not there yet holds nothing. */
const readHeld = async (client: RpcClient, address: string, asset: string, block: bigint): Promise<bigint | null> => {
  try {
    if (asset === "native") return await client.eth_getBalance(address, block)
    const output = await client.eth_call({ to: asset, data: balanceOf(address) }, block)
    return output === "0x" ? 0n : output.length === 66 ? BigInt(output) : null
  } catch {
    return null
  }
}

/** What the address held before the first indexed block, of sums that lack it: the state after the block before it, or after block 0. */
const readOpening = async (
  client: RpcClient,
  address: string,
  asset: string,
  { first, inFirst }: { readonly first: number; readonly inFirst: bigint },
): Promise<bigint | null> => {
  const held = await readHeld(client, address, asset, BigInt(Math.max(0, first - 1)))
  return held === null ? null : held - inFirst
}

/** What a comparison is made of. */
export interface Read {
  readonly address: string
  /** Sums after a block. */
  readonly balances: Pick<Balances, "block_number" | "block_hash" | "incomplete" | "result">
  /** First indexed block. */
  readonly first: number
  /** Sums after block 0, of an index that begins with it and lacks what was held before. */
  readonly inFirst: ReadonlyArray<Pick<Balance, "asset" | "balance" | "token_id">>
}

const isFungible = ({ token_id: id }: Pick<Balance, "token_id">): boolean => id === null || id === undefined

/**
 * Compares the currency of the chain and the tokens that can be divided. An asset of which the node does not have the state is left out; so
 * is all of it where a reorg replaced the block meanwhile.
 */
export const read = async (client: RpcClient, { address, balances, first, inFirst }: Read): Promise<ByAsset> => {
  const block = balances.block_number
  const sums = new Map(balances.result.filter(isFungible).map(({ asset, balance }) => [asset as string, balance]))
  if (!sums.has("native")) sums.set("native", 0n)
  const assets = [...sums].slice(0, maxTokens + 1)
  const compared = await Promise.all(
    assets.map(async ([asset, moved]): Promise<readonly [string, Compared] | null> => {
      const own = inFirst.find((one) => one.asset === asset && isFungible(one))?.balance ?? 0n
      const [held, opening] = await Promise.all([
        readHeld(client, address, asset, block),
        balances.incomplete.opening ? readOpening(client, address, asset, { first, inFirst: own }) : 0n,
      ])
      return held === null || opening === null ? null : [asset, { block, sum: moved + opening, held }]
    }),
  )
  const found = new Map(compared.filter((one) => one !== null))
  if ([...found.values()].every(isProved)) return found
  const stored = await client.eth_getBlockByNumber(block)
  return stored?.hash === balances.block_hash ? found : new Map()
}
