/**
 * A scenario chain with features that anvil lacks: withdrawals, and balances that change without a record. The node credits a
 * withdrawal, and a proxy in front of it adds the withdrawal to the block.
 */
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import { FaultyServer, LocalServer } from "@daybook/harness"
import type { Tokens } from "./balanceOracle.ts"

/**
 * A chain without an entry in the chain table, and two whose entries have the rules of anvil. No entry lists the wrapped ether contract
 * of the scenario.
 */
const chains = [
  { name: "books", id: 31_337 },
  { name: "eth", id: 1 },
  { name: "sepolia", id: 11_155_111 },
] as const

const hex = (number: number | bigint) => `0x${number.toString(16)}`
const gwei = 10n ** 9n

/** A balance change without a transaction. */
export interface Unstated {
  readonly wallet: string
  readonly asset: string
  readonly amount: bigint
}

interface Withdrawal {
  readonly block: number
  readonly address: string
  /** In gwei. */
  readonly amount: bigint
}

/** Changes the state of the head and mines the next block; returns the head. */
const changeHead = Effect.fnUntraced(function* (node: Anvil.Node, change: Effect.Effect<unknown, unknown>) {
  yield* node.call("evm_mine")
  const block = Number(yield* node.call<string>("eth_blockNumber"))
  yield* change
  yield* node.call("evm_mine")
  return block
})

const credit = Effect.fnUntraced(function* (node: Anvil.Node, wallet: string, amount: bigint) {
  const held = BigInt(yield* node.call<string>("eth_getBalance", [wallet, "latest"]))
  yield* node.call("anvil_setBalance", [wallet, hex(held + amount)])
})

const creditToken = Effect.fnUntraced(function* (node: Anvil.Node, token: string, wallet: string, amount: bigint) {
  const data = `0x70a08231${wallet.slice(2).padStart(64, "0")}`
  const held = BigInt(yield* node.call<string>("eth_call", [{ to: token, data }, "latest"]))
  yield* node.call("anvil_dealERC20", [wallet, token, hex(held + amount)])
})

interface Reply {
  readonly result?: { readonly number?: string; withdrawals?: ReadonlyArray<unknown> } | null
}

/** Serves a node with withdrawals in its blocks until the scope ends. */
const serve = Effect.fnUntraced(function* (node: Anvil.Node, withdrawals: ReadonlyArray<Withdrawal>) {
  const byBlock = new Map(
    withdrawals.map(({ address, amount, block }, index) => [
      hex(block),
      [{ index: hex(index), validatorIndex: hex(index + 7), address, amount: hex(amount) }],
    ]),
  )
  const add = ({ result }: Reply) => {
    const blockWithdrawals = result?.withdrawals === undefined ? undefined : byBlock.get(result.number ?? "")
    if (blockWithdrawals !== undefined) result!.withdrawals = blockWithdrawals
  }
  const respond = async (body: string): Promise<string> => {
    const response = await fetch(node.url, { method: "POST", headers: { "content-type": "application/json" }, body })
    const text = await response.text()
    if (!body.includes("eth_getBlockBy")) return text
    const replies = JSON.parse(text) as Reply | ReadonlyArray<Reply>
    for (const reply of [replies].flat()) add(reply)
    return JSON.stringify(replies)
  }
  const { url } = yield* LocalServer.scoped(() =>
    FaultyServer.start(async ({ body }) => ({ body: await respond(body) })),
  )
  return `${url}/`
})

/** Runs a scenario, then withdrawals and unrecorded changes. */
export const make = Effect.fnUntraced(function* (options: Scenario.Options & { readonly seed: number }) {
  const chain = chains[options.seed % chains.length]!
  const node = yield* Anvil.make({ chainId: chain.id })
  const world = yield* Scenario.run(node, options)
  const { accounts, contracts, strangers } = world
  const recipients = [accounts.heidi, contracts.multisend, strangers[2]!, `0x${"5e".repeat(20)}`]
  const withdrawals = yield* Effect.forEach(recipients, (address, at) => {
    const amount = 32n * BigInt(at + 1) + 7n
    return Effect.map(changeHead(node, credit(node, address, amount * gwei)), (block): Withdrawal => ({
      block,
      address,
      amount,
    }))
  })
  const unstated: ReadonlyArray<Unstated> = [
    { wallet: strangers[0]!, asset: "native", amount: 5n },
    { wallet: accounts.alice, asset: contracts.gold, amount: 3n },
  ]
  for (const { amount, asset, wallet } of unstated) {
    yield* changeHead(
      node,
      asset === "native" ? credit(node, wallet, amount) : creditToken(node, asset, wallet, amount),
    )
  }
  const { collectible, gold, multiCollectible, silver, wrappedEther, ...more } = contracts
  const tokens: Tokens = {
    fungible: [gold, silver, wrappedEther, more.goldSilverPair, more.etherGoldPair],
    collectibles: [collectible],
    multi: [[multiCollectible, [1n, 2n]]],
  }
  const last = Number(yield* node.call<string>("eth_blockNumber"))
  const url = yield* serve(node, withdrawals)
  return { chain, node, url, world, tokens, last, withdrawals, unstated }
})

/** Result of `make`. */
export type BookChain = Effect.Success<ReturnType<typeof make>>
