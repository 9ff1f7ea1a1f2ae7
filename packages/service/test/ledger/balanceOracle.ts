/** Compares sums of movements with the balances that a node states, at every block. It shares no code with the derivation. */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"

/** A change of a balance, as the ledger has it. */
export interface Change {
  readonly block: number
  readonly wallet: string
  readonly asset: string
  readonly tokenId: string | null
  readonly amount: bigint
}

/** A balance that differs from the sum of the changes. */
export interface Difference {
  readonly block: number
  readonly wallet: string
  readonly asset: string
  readonly tokenId: string | null
  readonly expected: bigint
  readonly found: bigint
}

type Call = readonly [method: string, params: ReadonlyArray<unknown>]

const hex = (number: number | bigint) => `0x${number.toString(16)}`
const word = (value: string | bigint) =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")

const batch = (node: Anvil.Node, calls: ReadonlyArray<Call>) =>
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

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

/** Every address that the node names: in headers, transactions, receipts, logs and calls. */
export const addressesOf = Effect.fnUntraced(function* (node: Anvil.Node, last: number) {
  const found = new Set<string>()
  for (let block = 0; block <= last; block++) {
    const [header, receipts, traces] = yield* batch(node, [
      ["eth_getBlockByNumber", [hex(block), true]],
      ["eth_getBlockReceipts", [hex(block)]],
      ["debug_traceBlockByNumber", [hex(block), { tracer: "callTracer" }]],
    ])
    const logs = ((receipts ?? []) as ReadonlyArray<{ readonly logs: ReadonlyArray<RawLog> }>).flatMap(
      (receipt) => receipt.logs,
    )
    const text = JSON.stringify([header, receipts, traces]).toLowerCase()
    for (const [, address] of text.matchAll(/"(0x[0-9a-f]{40})"/g)) found.add(address!)
    for (const topic of logs.flatMap(({ topics }) => topics.slice(1))) {
      if (/^0x0{24}/.test(topic) && !/^0x0{60}/.test(topic)) found.add(`0x${topic.slice(26)}`)
    }
  }
  return [...found]
})

/** Tokens that have a balance of each wallet. */
export interface Tokens {
  readonly fungible: ReadonlyArray<string>
  /** ERC-721. */
  readonly collectibles: ReadonlyArray<string>
  /** ERC-1155, with ids. */
  readonly multi: ReadonlyArray<readonly [address: string, ids: ReadonlyArray<bigint>]>
}

interface Asset {
  readonly asset: string
  readonly tokenId: string | null
  readonly call: (wallet: string, block: string) => Call
}

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

/** Sums of changes up to each block, on top of the balances at block 0 less what block 0 changes. */
export const differences = Effect.fnUntraced(function* (
  node: Anvil.Node,
  last: number,
  changes: ReadonlyArray<Change>,
  tokens: Tokens,
) {
  const wallets = [...new Set([...(yield* addressesOf(node, last)), ...changes.map(({ wallet }) => wallet)])]
  const assets = assetsOf(tokens)
  const collectibles = new Set(tokens.collectibles)
  const sums = new Map<string, bigint>()
  const keyOf = (wallet: string, asset: string, tokenId: string | null) =>
    `${wallet}:${asset}:${collectibles.has(asset) ? null : tokenId}`
  const found: Array<Difference> = []
  let compared = 0
  for (let block = 0; block <= last; block++) {
    for (const { amount, asset, tokenId, wallet } of changes.filter((change) => change.block === block)) {
      const key = keyOf(wallet, asset, tokenId)
      sums.set(key, (sums.get(key) ?? 0n) + amount)
    }
    const pairs = assets.flatMap((asset) => wallets.map((wallet) => ({ ...asset, wallet })))
    const balances = yield* batch(
      node,
      pairs.map(({ call, wallet }) => call(wallet, hex(block))),
    )
    for (const [at, { asset, tokenId, wallet }] of pairs.entries()) {
      const text = balances[at]
      // A token that is not deployed yet has no balance.
      const expected = typeof text === "string" && text !== "0x" ? BigInt(text) : 0n
      const key = keyOf(wallet, asset, tokenId)
      if (block === 0) {
        sums.set(key, expected)
        continue
      }
      const sum = sums.get(key) ?? 0n
      compared++
      if (sum === expected) continue
      found.push({ block, wallet, asset, tokenId, expected, found: sum })
      sums.set(key, expected)
    }
  }
  return { differences: found, compared, wallets: wallets.length }
})
