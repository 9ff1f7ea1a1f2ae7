/** Compares sums of movements with the balances of a node at every block. It shares no code with the service. */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"

/** A balance change in the form of a ledger. */
export interface Change {
  readonly block: number
  readonly wallet: string
  readonly asset: string
  readonly tokenId: string | null
  readonly amount: bigint
}

/** A balance that differs from the sum of the changes. Later sums start from the balance. */
export interface Difference extends Omit<Change, "amount"> {
  readonly sum: bigint
  readonly balance: bigint
}

/** Tokens whose balances are read for each wallet. */
export interface Tokens {
  readonly fungible: ReadonlyArray<string>
  /** ERC-721. */
  readonly collectibles: ReadonlyArray<string>
  /** ERC-1155, with ids. */
  readonly multi: ReadonlyArray<readonly [address: string, ids: ReadonlyArray<bigint>]>
}

export type Call = readonly [method: string, params: ReadonlyArray<unknown>]

interface Asset {
  readonly asset: string
  readonly tokenId: string | null
  readonly call: (wallet: string, block: string) => Call
}

/** The balances of wallets at every block. */
export interface Balances {
  readonly wallets: ReadonlyArray<string>
  readonly tokens: Tokens
  /** Balances of all wallets by block and asset. */
  readonly blocks: ReadonlyArray<ReadonlyArray<bigint>>
}

const hex = (number: number | bigint) => `0x${number.toString(16)}`
const word = (value: string | bigint) =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")

/** Results of calls, in order; undefined for an error. */
export const batch = (node: Pick<Anvil.Node, "url">, calls: ReadonlyArray<Call>) =>
  Effect.promise(async () => {
    const results: Array<unknown> = []
    for (let at = 0; at < calls.length; at += 1_000) {
      const body = calls.slice(at, at + 1_000).map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))
      const response = await fetch(node.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      const replies = (await response.json()) as ReadonlyArray<{ readonly id: number; readonly result?: unknown }>
      for (const { result } of [...replies].toSorted((a, b) => a.id - b.id)) results.push(result)
    }
    return results
  })

const balanceOf =
  (to: string, data: (wallet: string) => string): Asset["call"] =>
  (wallet, block) => ["eth_call", [{ to, data: data(wallet) }, block]]

const assetsOf = ({ collectibles, fungible, multi }: Tokens): ReadonlyArray<Asset> => [
  { asset: "native", tokenId: null, call: (wallet, block) => ["eth_getBalance", [wallet, block]] },
  ...[...fungible, ...collectibles].map((asset) => ({
    asset,
    tokenId: null,
    call: balanceOf(asset, (wallet) => `0x70a08231${word(wallet)}`),
  })),
  ...multi.flatMap(([asset, ids]) =>
    ids.map((id) => ({
      asset,
      tokenId: id.toString(),
      call: balanceOf(asset, (wallet) => `0x00fdd58e${word(wallet)}${word(id)}`),
    })),
  ),
]

/**
 * Reads all balances from the node. A balance is 0 if the token is not deployed yet or reverts for the wallet, as some do for the zero
 * address.
 */
export const read = Effect.fnUntraced(function* (
  node: Pick<Anvil.Node, "url">,
  last: number,
  wallets: ReadonlyArray<string>,
  tokens: Tokens,
) {
  const assets = assetsOf(tokens)
  const blocks: Array<ReadonlyArray<bigint>> = []
  for (let block = 0; block <= last; block++) {
    const calls = assets.flatMap(({ call }) => wallets.map((wallet) => call(wallet, hex(block))))
    const results = yield* batch(node, calls)
    blocks.push(results.map((text) => (typeof text === "string" && text !== "0x" ? BigInt(text) : 0n)))
  }
  return { wallets, tokens, blocks } satisfies Balances
})

/** Compares the sums of changes up to each block, added to the balances after block 0. */
export const differences = ({ blocks, tokens, wallets }: Balances, changes: ReadonlyArray<Change>) => {
  const assets = assetsOf(tokens)
  const collectibles = new Set(tokens.collectibles)
  const sums = new Map<string, bigint>()
  const keyOf = (wallet: string, asset: string, tokenId: string | null) =>
    `${wallet}:${asset}:${collectibles.has(asset) ? null : tokenId}`
  const known = new Set(assets.flatMap(({ asset, tokenId }) => wallets.map((wallet) => keyOf(wallet, asset, tokenId))))
  const differing: Array<Difference> = []
  let compared = 0
  for (const [block, balances] of blocks.entries()) {
    for (const { amount, asset, tokenId, wallet } of changes.filter((change) => change.block === block)) {
      const key = keyOf(wallet, asset, tokenId)
      if (!known.has(key)) throw new Error(`A change of something that has no balance: ${key} in block ${block}.`)
      sums.set(key, (sums.get(key) ?? 0n) + amount)
    }
    for (const [at, balance] of balances.entries()) {
      const { asset, tokenId } = assets[Math.floor(at / wallets.length)]!
      const wallet = wallets[at % wallets.length]!
      const key = keyOf(wallet, asset, tokenId)
      const sum = sums.get(key) ?? 0n
      if (block > 0) compared++
      if (sum === balance) continue
      if (block > 0) differing.push({ block, wallet, asset, tokenId, sum, balance })
      sums.set(key, balance)
    }
  }
  return { differences: differing, compared }
}
