/** Compares the sums of an address's movements with the state of the node at the same block. */
import type { Balance, Balances, Statement } from "@daybook/rest/promise"
import type { RpcClient } from "@daybook/rpc/promise"

/** A sum of movements next to the state of the chain at the end of a block. */
export interface Compared {
  readonly block: bigint
  /** Holdings from before the first indexed block plus all movements since. */
  readonly sum: bigint
  /** Holdings from before the first indexed block, if the sums of movements lack them. */
  readonly opening: bigint
  /** Balance on the node. */
  readonly held: bigint
}

/** Whether the sum equals the balance on the chain. */
export const isProved = ({ held, sum }: Compared): boolean => held === sum

/** Comparisons by the key of the holding. */
export type ByAsset = ReadonlyMap<string, Compared>

/** Holdings from before the first indexed block, for sums that lack them; undefined unless known for each of them. */
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

/** The fields of a balance that are shown. */
export type Held = Pick<Balance, "asset" | "balance" | "proved_at_block" | "token" | "token_id">

/** Holdings that the service knows from before the first indexed block: movements of kind `genesis` in that block. */
export const genesisOf = (sums: Statement["sums"]): ReadonlyArray<Held> =>
  sums
    .filter(({ kind }) => kind === "genesis")
    .map(({ amount, asset, token, token_id }) => ({ asset, token, token_id, balance: amount, proved_at_block: null }))

/** Sums that may lack holdings from before the first indexed block. */
interface Sums {
  readonly opening: ReadonlyArray<Held>
  readonly closing: ReadonlyArray<Held>
}

/**
 * Adds holdings from before the first indexed block to the sums at both ends of a range; undefined unless they are known for each sum.
 * Sums of 0 are then omitted.
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

/** Maximum number of token holdings compared: anyone may send an address thousands of tokens. */
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

/** Calls that return what an address holds: of a token, of an ERC-1155 id, or the owner of an ERC-721 id. */
const callsOf = (address: string, id: bigint | null): ReadonlyArray<`0x${string}`> => {
  const owner = word(address.slice(2))
  if (id === null) return [`0x70a08231${owner}`]
  const digits = word(id.toString(16))
  return [`0x00fdd58e${owner}${digits}`, `0x6352211e${digits}`]
}

const ownerSelector = "0x6352211e"

/** A holding as its contract reports it; `null` if it does not. A contract that does not exist yet counts as holding nothing. */
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

/** What an address holds after a block; `null` if the node does not return it. */
const readHeld = (client: RpcClient, address: string, holding: Holding, block: bigint): Promise<bigint | null> =>
  holding.asset === "native"
    ? client.eth_getBalance(address, block).catch(() => null)
    : readToken(client, address, holding, block)

/** Holdings from before the first indexed block, for sums that lack them: the state after the previous block, or after block 0. */
const readOpening = async (
  client: RpcClient,
  address: string,
  holding: Holding,
  { first, inFirst }: { readonly first: number; readonly inFirst: bigint },
): Promise<bigint | null> => {
  const held = await readHeld(client, address, holding, BigInt(Math.max(0, first - 1)))
  return held === null ? null : held - inFirst
}

/** Input of a comparison. */
export interface Read {
  readonly address: string
  /** Sums after a block. */
  readonly balances: Pick<Balances, "block_number" | "block_hash" | "incomplete" | "result">
  /** First indexed block. */
  readonly first: number
  /** Sums after block 0, for an index that starts there and lacks the genesis state. */
  readonly inFirst: ReadonlyArray<Pick<Balance, "asset" | "balance" | "token_id">>
}

/**
 * Compares the currency of the chain, tokens and ids of collections. A holding whose state the node does not have is omitted; if a reorg
 * replaced the block in the meantime, all of them are.
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
