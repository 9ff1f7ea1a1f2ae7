/**
 * State that traffic is planned from: named accounts, deployed contracts, and who owns what.
 *
 * `prepare` deploys the contracts and distributes tokens, allowances and liquidity.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import type * as Anvil from "./Anvil.ts"
import * as Contracts from "./Contracts.ts"
import type * as Random from "@daybook/testkit/internal/Random"
import type { RpcFailure } from "@daybook/harness/Rpc"
import type { ScenarioFailed, Sender } from "./Sender.ts"

/** Names of the node's first ten accounts, in order. */
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

/** Accounts that hold every token and have approved the router. */
export const traders = ["alice", "bob", "carol", "dave", "erin", "frank"] as const

/** Addresses of the deployed contracts. */
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
  /** Code to which `heidi` delegates by EIP-7702. */
  readonly smartAccount: Hex
  readonly vaultFactory: Hex
  /** First implementation behind `proxy`. */
  readonly counter: Hex
  /** Second implementation behind `proxy`. */
  readonly doubleCounter: Hex
  readonly proxy: Hex
  readonly oldCaller: Hex
  readonly reverter: Hex
  readonly orders: Hex
}

/** A vault that was created and not yet closed. */
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
  /** Current implementation behind the proxy. */
  implementation: Hex
  /** Every address used so far. */
  readonly addresses: Set<Hex>
}

const ether = 10n ** 18n
const unlimited = 2n ** 256n - 1n

/** Deadline of every exchange call: the year 2100. */
export const deadline = 4_102_444_800n

/** What the steps of the deployment share. */
interface Deployment {
  readonly sender: Sender
  readonly addressOf: (name: AccountName) => Hex
  readonly addresses: Set<Hex>
}

const callFrom = ({ sender }: Deployment, label: string, from: AccountName, to: Hex, data: Hex, valueWei = 0n) =>
  sender.send(label, { account: accountNames.indexOf(from), to, data, valueWei, gas: 400_000 })

const deployContracts = Effect.fnUntraced(function* (
  deployment: Deployment,
): Effect.fn.Return<ContractAddresses, RpcFailure | ScenarioFailed> {
  const { addresses, sender } = deployment
  const deploy = Effect.fnUntraced(function* (name: Contracts.Name, ...args: ReadonlyArray<unknown>) {
    const planned = { account: 0, data: Contracts.encodeCreation(name, args), gas: 4_000_000 }
    const { created } = yield* sender.send("creation", planned)
    const address = created as Hex
    addresses.add(address)
    return address
  })
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
    const salt = Contracts.pairSalt(token0, token1)
    const pair = Contracts.create2Address(pairFactory, salt, Contracts.artifact("Pair").bytecode)
    addresses.add(pair)
    return pair
  }
  const goldSilverPair = pairOf(gold, silver)
  const etherGoldPair = pairOf(wrappedEther, gold)
  return {
    gold,
    silver,
    wrappedEther,
    collectible,
    multiCollectible,
    pairFactory,
    router,
    goldSilverPair,
    etherGoldPair,
    multisend,
    multicall,
    smartAccount,
    vaultFactory,
    counter,
    doubleCounter,
    proxy,
    oldCaller,
    reverter,
    orders,
  }
})

/** Mints tokens and collectibles for every trader, wraps ether, and approves the router. */
const fundTraders = Effect.fnUntraced(function* (
  deployment: Deployment,
  { gold, multiCollectible, router, silver, wrappedEther }: ContractAddresses,
): Effect.fn.Return<void, RpcFailure | ScenarioFailed> {
  const { addressOf } = deployment
  for (const name of ["deployer", ...traders] as const) {
    const tokens = Contracts.encodeCall("Token", "mint", [addressOf(name), 1_000_000n * ether])
    const allowance = Contracts.encodeCall("Token", "approve", [router, unlimited])
    for (const token of [gold, silver]) {
      yield* callFrom(deployment, "tokenMint", "deployer", token, tokens)
      yield* callFrom(deployment, "approve", name, token, allowance)
    }
    const deposit = Contracts.encodeCall("WrappedEther", "deposit")
    yield* callFrom(deployment, "wrap", name, wrappedEther, deposit, 500n * ether)
    for (const id of [1n, 2n]) {
      const args = [addressOf(name), id, 100_000n, `ipfs://daybook/${id}`]
      yield* callFrom(
        deployment,
        "multiMint",
        name,
        multiCollectible,
        Contracts.encodeCall("MultiCollectible", "mint", args),
      )
    }
  }
  const approveRouter = Contracts.encodeCall("WrappedEther", "approve", [router, unlimited])
  yield* callFrom(deployment, "approve", "deployer", wrappedEther, approveRouter)
  const approveBob = Contracts.encodeCall("Token", "approve", [addressOf("bob"), unlimited])
  yield* callFrom(deployment, "approve", "alice", gold, approveBob)
})

/** Creates both pools and lets the router move the deployer's shares. */
const addLiquidity = Effect.fnUntraced(function* (
  deployment: Deployment,
  { etherGoldPair, gold, goldSilverPair, router, silver, wrappedEther }: ContractAddresses,
): Effect.fn.Return<void, RpcFailure | ScenarioFailed> {
  const { addressOf, sender } = deployment
  const addPool = (one: Hex, other: Hex, amounts: readonly [bigint, bigint]) => {
    const args = [one, other, ...amounts, 0n, 0n, addressOf("deployer"), deadline]
    const data = Contracts.encodeCall("Router", "addLiquidity", args)
    return sender.send("createPair", { account: 0, to: router, data, gas: 3_000_000 })
  }
  yield* addPool(gold, silver, [200_000n * ether, 100_000n * ether])
  yield* addPool(wrappedEther, gold, [400n * ether, 80_000n * ether])
  for (const pair of [goldSilverPair, etherGoldPair]) {
    const data = Contracts.encodeCall("Pair", "approve", [router, unlimited])
    yield* callFrom(deployment, "approve", "deployer", pair, data)
  }
})

/** Deploys the contracts and distributes what traffic needs, in about 70 transactions. */
export const prepare = Effect.fn("Stage.prepare")(function* (
  node: Anvil.Node,
  sender: Sender,
  random: Random.Random,
): Effect.fn.Return<Stage, RpcFailure | ScenarioFailed> {
  const addressOf = (name: AccountName) => node.accounts[accountNames.indexOf(name)] as Hex
  const addresses = new Set<Hex>(node.accounts as ReadonlyArray<Hex>)
  const deployment = { sender, addressOf, addresses }
  const contracts = yield* deployContracts(deployment)
  yield* fundTraders(deployment, contracts)
  yield* addLiquidity(deployment, contracts)

  const strangers = Array.from({ length: 6 }, () => random.hex(20))
  for (const stranger of strangers) addresses.add(stranger)
  const accounts = Object.fromEntries(accountNames.map((name) => [name, addressOf(name)]))
  return {
    random,
    accounts: accounts as Record<AccountName, Hex>,
    contracts,
    strangers,
    collectibles: new Map(),
    vaults: [],
    factoryNonce: 1,
    implementation: contracts.counter,
    addresses,
  }
})
