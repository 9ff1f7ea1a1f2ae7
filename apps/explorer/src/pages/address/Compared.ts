/** Compares the sums of the movements of an address with what the node states of the same block. */
import type { Balance, Balances, Statement } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"

/** A sum of movements beside the state of the chain at the end of a block. */
export interface Compared {
  readonly block: bigint
  /** What the address held before the first indexed block, and all movements since. */
  readonly sum: bigint
  /** What it held before the first indexed block, where the sums of movements lack it. */
  readonly opening: bigint
  /** By the node. */
  readonly held: bigint
}

/** The sum is what the chain states. */
export const isProved = ({ held, sum }: Compared): boolean => held === sum

/** Comparisons by the key of their holding. */
export type ByAsset = ReadonlyMap<string, Compared>

/** What was held before the first indexed block, of sums that lack it; undefined where that is not known of each of them. */
export const openingsOf = (
  { incomplete, result }: Pick<Balances, "incomplete" | "result">,
  compared: ByAsset,
): ReadonlyArray<Pick<Balance, "asset" | "balance" | "token_id">> | undefined => {
  if (!incomplete.opening) return []
  const openings = result.map(({ asset, token_id }) => {
    const found = compared.get(keyOf({ asset, id: token_id }))
    return found === undefined ? undefined : { asset, token_id, balance: found.opening }
  })
  return openings.includes(undefined) ? undefined : openings.filter((one) => one !== undefined)
}

/** What is shown of a balance. */
export type Held = Pick<Balance, "asset" | "balance" | "proved_at_block" | "token" | "token_id">

/** What the service knows of the time before the first indexed block, which is a movement of that block. */
export const genesisOf = (sums: Statement["sums"]): ReadonlyArray<Held> =>
  sums
    .filter(({ kind }) => kind === "genesis")
    .map(({ amount, asset, token, token_id }) => ({ asset, token, token_id, balance: amount, proved_at_block: null }))

/** Sums that may lack what was held before the first indexed block. */
interface Sums {
  readonly opening: ReadonlyArray<Held>
  readonly closing: ReadonlyArray<Held>
}

/**
 * Adds to the sums at both ends of a range what was held before the first indexed block; undefined where that is not known of each of
 * them. What is 0 then is left out.
 */
export const withOpenings = ({ closing, opening }: Sums, compared: ByAsset): Sums | undefined => {
  const keyFor = (row: Held) => keyOf(holdingOf(row))
  const all = new Map([...closing, ...opening].map((row) => [keyFor(row), row]))
  if (![...all.keys()].every((key) => compared.has(key))) return undefined
  const added = (rows: ReadonlyArray<Held>): ReadonlyArray<Held> => {
    const sums = new Map(rows.map((row) => [keyFor(row), row.balance]))
    return [...all].flatMap(([key, row]) => {
      const balance = (sums.get(key) ?? 0n) + (compared.get(key)?.opening ?? 0n)
      return balance === 0n ? [] : [{ ...row, balance }]
    })
  }
  return { opening: added(opening), closing: added(closing) }
}

/** Holdings of tokens that are compared: anyone may send an address thousands of them. */
const maxTokens = 50

/** The currency of the chain, a token, or an id of a collection. */
export interface Holding {
  readonly asset: string
  readonly id: bigint | null
}

/** The key of a holding among comparisons. */
export const keyOf = ({ asset, id }: Holding): string => (id === null ? asset : `${asset} ${id}`)

const holdingOf = ({ asset, token_id: id }: Pick<Balance, "asset" | "token_id">): Holding => ({ asset, id })

const word = (value: string): string => value.padStart(64, "0")

/** Calls that state what an address holds: of a token, of an id by ERC-1155, and the owner of an id by ERC-721. */
const callsOf = (address: string, id: bigint | null): ReadonlyArray<`0x${string}`> => {
  const owner = word(address.slice(2))
  if (id === null) return [`0x70a08231${owner}`]
  const digits = word(id.toString(16))
  return [`0x00fdd58e${owner}${digits}`, `0x6352211e${digits}`]
}

const ownerSelector = "0x6352211e"

/** What a contract states of a holding; `null` where it does not. One that is not there yet holds nothing. */
const readToken = async (client: RpcClient, address: string, { asset, id }: Holding, block: bigint) => {
  for (const data of callsOf(address, id)) {
    const output = await client.eth_call({ to: asset, data }, block).catch(() => null)
    if (output === "0x") return 0n
    if (output?.length !== 66) continue
    if (!data.startsWith(ownerSelector)) return BigInt(output)
    return BigInt(output) === BigInt(address) ? 1n : 0n
  }
  return null
}

/** What an address holds after a block; `null` where the node does not state it. */
const readHeld = (client: RpcClient, address: string, holding: Holding, block: bigint): Promise<bigint | null> =>
  holding.asset === "native"
    ? client.eth_getBalance(address, block).catch(() => null)
    : readToken(client, address, holding, block)

/** What the address held before the first indexed block, of sums that lack it: the state after the block before it, or after block 0. */
const readOpening = async (
  client: RpcClient,
  address: string,
  holding: Holding,
  { first, inFirst }: { readonly first: number; readonly inFirst: bigint },
): Promise<bigint | null> => {
  const held = await readHeld(client, address, holding, BigInt(Math.max(0, first - 1)))
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

/**
 * Compares the currency of the chain, tokens and ids of collections. One of which the node does not have the state is left out; so
 * is all of it where a reorg replaced the block meanwhile.
 */
export const read = async (client: RpcClient, { address, balances, first, inFirst }: Read): Promise<ByAsset> => {
  const block = balances.block_number
  const hasEther = balances.result.some(({ asset }) => asset === "native")
  const ether = { asset: "native", token_id: null, balance: 0n } as const
  const rows = [...(hasEther ? [] : [ether]), ...balances.result].slice(0, maxTokens + 1)
  const compared = await Promise.all(
    rows.map(async (row): Promise<readonly [string, Compared] | null> => {
      const holding = holdingOf(row)
      const key = keyOf(holding)
      const own = inFirst.find((one) => keyOf(holdingOf(one)) === key)?.balance ?? 0n
      const [held, opening] = await Promise.all([
        readHeld(client, address, holding, block),
        balances.incomplete.opening ? readOpening(client, address, holding, { first, inFirst: own }) : 0n,
      ])
      return held === null || opening === null ? null : [key, { block, sum: row.balance + opening, opening, held }]
    }),
  )
  const found = new Map(compared.filter((one) => one !== null))
  if ([...found.values()].every(isProved)) return found
  const stored = await client.eth_getBlockByNumber(block)
  return stored?.hash === balances.block_hash ? found : new Map()
}
