/**
 * The stage on which traffic plays: named accounts, deployed contracts, and what traffic has to remember of them.
 *
 * `prepare` deploys everything and hands out tokens, allowances and liquidity.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import type * as Anvil from "./Anvil.ts"
import * as Contracts from "./Contracts.ts"
import type * as Random from "@daybook/testkit/Random"
import type { RpcFailure } from "@daybook/testkit/Rpc"
import type { ScenarioFailed, Sender } from "./Sender.ts"

/** Names of the node's first ten accounts, in their order. */
export const accountNames = [
  "deployer",
  "alice",
  "bob",
  "carol",
  "dave",
  "erin",
  "frank",
  "grace",
  "heidi",
  "ivan",
] as const

export type AccountName = (typeof accountNames)[number]

/** Accounts that hold every token and have given the router an allowance. */
export const traders = ["alice", "bob", "carol", "dave", "erin", "frank"] as const

/** The contracts of the stage. */
export interface ContractAddresses {
  readonly gold: Hex
  readonly silver: Hex
  readonly wrappedEther: Hex
  readonly collectible: Hex
  readonly multiCollectible: Hex
  readonly pairFactory: Hex
  readonly router: Hex
  /** Pool of gold and silver. */
  readonly goldSilverPair: Hex
  /** Pool of wrapped ether and gold. */
  readonly etherGoldPair: Hex
  readonly multisend: Hex
  readonly multicall: Hex
  /** Code that `heidi` delegates to by EIP-7702. */
  readonly smartAccount: Hex
  readonly vaultFactory: Hex
  /** First implementation behind `proxy`. */
  readonly counter: Hex
  /** Second implementation. */
  readonly doubleCounter: Hex
  readonly proxy: Hex
  readonly oldCaller: Hex
  readonly reverter: Hex
  readonly orders: Hex
}

/** A vault made by traffic that has not been closed. */
export interface OpenVault {
  readonly address: Hex
  readonly owner: AccountName
}

export interface Stage {
  readonly random: Random.Random
  readonly accounts: Readonly<Record<AccountName, Hex>>
  readonly contracts: ContractAddresses
  /** Addresses without a key in the node, which only receive. */
  readonly strangers: ReadonlyArray<Hex>
  /** Owner of each collectible, by its id. */
  readonly collectibles: Map<bigint, AccountName>
  readonly vaults: Array<OpenVault>
  /** Nonce of the next creation by the vault factory. */
  factoryNonce: number
  /** Implementation behind the proxy at this point of the plan. */
  implementation: Hex
  /** Every address seen so far. */
  readonly addresses: Set<Hex>
}

const ether = 10n ** 18n
const unlimited = 2n ** 256n - 1n
/** Deadline of every exchange call: the year 2100. */
export const deadline = 4_102_444_800n

/** Deploys the contracts and hands out what traffic needs; about 70 transactions. */
export const prepare = Effect.fn("Stage.prepare")(function* (
  node: Anvil.Node,
  sender: Sender,
  random: Random.Random,
): Effect.fn.Return<Stage, RpcFailure | ScenarioFailed> {
  const addressOf = (name: AccountName) => node.accounts[accountNames.indexOf(name)] as Hex
  const addresses = new Set<Hex>(node.accounts as ReadonlyArray<Hex>)

  const deploy = Effect.fnUntraced(function* (name: Contracts.Name, ...args: ReadonlyArray<unknown>) {
    const planned = { account: 0, data: Contracts.encodeCreation(name, args), gas: 4_000_000 }
    const { created } = yield* sender.send("creation", planned)
    const address = created as Hex
    addresses.add(address)
    return address
  })
  const call = (label: string, from: AccountName, to: Hex, data: Hex, valueWei = 0n) =>
    sender.send(label, { account: accountNames.indexOf(from), to, data, valueWei, gas: 400_000 })

  const gold = yield* deploy("Token", "Gold", "GOLD")
  const silver = yield* deploy("Token", "Silver", "SILV")
  const wrappedEther = yield* deploy("WrappedEther")
  const collectible = yield* deploy("Collectible")
  const multiCollectible = yield* deploy("MultiCollectible")
  const pairFactory = yield* deploy("PairFactory")
  const router = yield* deploy("Router", pairFactory, wrappedEther)
  const multisend = yield* deploy("Multisend")
  const multicall = yield* deploy("Multicall")
  const smartAccount = yield* deploy("SmartAccount")
  const vaultFactory = yield* deploy("VaultFactory")
  const counter = yield* deploy("Counter")
  const doubleCounter = yield* deploy("DoubleCounter")
  const proxy = yield* deploy("Proxy", counter)
  const oldCaller = yield* deploy("OldCaller")
  const reverter = yield* deploy("Reverter")
  const orders = yield* deploy("Orders")

  const pairOf = (one: Hex, other: Hex): Hex => {
    const [token0, token1] = one < other ? [one, other] : [other, one]
    const packed = Contracts.pairSalt(token0, token1)
    const pair = Contracts.create2Address(pairFactory, packed, Contracts.artifact("Pair").bytecode)
    addresses.add(pair)
    return pair
  }
  const goldSilverPair = pairOf(gold, silver)
  const etherGoldPair = pairOf(wrappedEther, gold)

  for (const name of ["deployer", ...traders] as const) {
    const tokens = Contracts.encodeCall("Token", "mint", [addressOf(name), 1_000_000n * ether])
    const allowance = Contracts.encodeCall("Token", "approve", [router, unlimited])
    for (const token of [gold, silver]) {
      yield* call("tokenMint", "deployer", token, tokens)
      yield* call("approve", name, token, allowance)
    }
    yield* call("wrap", name, wrappedEther, Contracts.encodeCall("WrappedEther", "deposit"), 500n * ether)
    const items = Contracts.encodeCall("MultiCollectible", "mint", [addressOf(name), 1n, 100_000n, "ipfs://daybook/1"])
    yield* call("multiMint", name, multiCollectible, items)
    const others = Contracts.encodeCall("MultiCollectible", "mint", [addressOf(name), 2n, 100_000n, "ipfs://daybook/2"])
    yield* call("multiMint", name, multiCollectible, others)
  }
  yield* call("approve", "deployer", wrappedEther, Contracts.encodeCall("WrappedEther", "approve", [router, unlimited]))
  yield* call("approve", "alice", gold, Contracts.encodeCall("Token", "approve", [addressOf("bob"), unlimited]))

  const pool = (one: Hex, other: Hex, amounts: readonly [bigint, bigint]) =>
    Contracts.encodeCall("Router", "addLiquidity", [one, other, ...amounts, 0n, 0n, addressOf("deployer"), deadline])
  const addPool = (data: Hex) => sender.send("createPair", { account: 0, to: router, data, gas: 3_000_000 })
  yield* addPool(pool(gold, silver, [200_000n * ether, 100_000n * ether]))
  yield* addPool(pool(wrappedEther, gold, [400n * ether, 80_000n * ether]))
  for (const pair of [goldSilverPair, etherGoldPair]) {
    yield* call("approve", "deployer", pair, Contracts.encodeCall("Pair", "approve", [router, unlimited]))
  }

  const strangers = Array.from({ length: 6 }, () => random.hex(20))
  for (const stranger of strangers) addresses.add(stranger)
  const accounts = Object.fromEntries(accountNames.map((name) => [name, addressOf(name)]))
  const contracts: ContractAddresses = {
    ...{
      gold,
      silver,
      wrappedEther,
      collectible,
      multiCollectible,
      pairFactory,
      router,
      goldSilverPair,
      etherGoldPair,
    },
    ...{ multisend, multicall, smartAccount, vaultFactory, counter, doubleCounter, proxy, oldCaller, reverter, orders },
  }
  return {
    random,
    accounts: accounts as Record<AccountName, Hex>,
    contracts,
    strangers,
    collectibles: new Map(),
    vaults: [],
    factoryNonce: 1,
    implementation: counter,
    addresses,
  }
})
