/**
 * The kinds of transactions that a scenario is made of, each as a pure plan from the stage to one transaction.
 *
 * A plan may change what the stage remembers (who owns a collectible, which vaults are open). It returns nothing when
 * the stage has nothing for it yet, for example no vault to close.
 */
import { stringToHex } from "viem"
import type { Hex } from "viem"
import * as Contracts from "./Contracts.ts"
import type { Planned } from "./Sender.ts"
import * as Stage from "./Stage.ts"

/** Plans one transaction, or nothing when it is not possible now. */
export type Plan = (stage: Stage.Stage) => Planned | undefined

/** How often a kind occurs. */
export interface Kind {
  readonly plan: Plan
  /** Share among all kinds. */
  readonly weight: number
  /** Largest number in one scenario. */
  readonly atMost?: number
}

const milliether = 10n ** 15n
const ether = 10n ** 18n

const indexOf = (name: Stage.AccountName) => Stage.accountNames.indexOf(name)

/** A trader; alice is the busiest, so that one wallet has a long history. */
const trader = ({ random }: Stage.Stage): Stage.AccountName =>
  random.next() < 0.35 ? "alice" : random.pick(Stage.traders)

const someone = (stage: Stage.Stage): Hex =>
  stage.random.next() < 0.25 ? stage.random.pick(stage.strangers) : stage.accounts[stage.random.pick(Stage.traders)]

const by = (name: Stage.AccountName, to: Hex, data: Hex, more: Partial<Planned> = {}): Planned => ({
  account: indexOf(name),
  to,
  data,
  gas: 500_000,
  ...more,
})

const transfer =
  (more: Partial<Planned>): Plan =>
  (stage) => ({
    account: indexOf(trader(stage)),
    to: someone(stage),
    valueWei: stage.random.amount(milliether, 2n * ether),
    gas: 60_000,
    ...more,
  })

const token = ({ random, contracts }: Stage.Stage): Hex => random.pick([contracts.gold, contracts.silver])

const tokenCall =
  (functionName: string, args: (stage: Stage.Stage) => ReadonlyArray<unknown>): Plan =>
  (stage) =>
    by(trader(stage), token(stage), Contracts.encodeCall("Token", functionName, args(stage)), { gas: 120_000 })

const swapArguments = (stage: Stage.Stage, path: ReadonlyArray<Hex>, to: Hex) => {
  const amountIn = stage.random.amount(ether, 60n * ether)
  return [amountIn, 1n, path, to, Stage.deadline]
}

const swapTokens =
  (functionName: string, pathOf: (contracts: Stage.ContractAddresses) => ReadonlyArray<Hex>): Plan =>
  (stage) => {
    const name = trader(stage)
    const path = pathOf(stage.contracts)
    const data = Contracts.encodeCall("Router", functionName, swapArguments(stage, path, stage.accounts[name]))
    return by(name, stage.contracts.router, data)
  }

const swapEther: Plan = (stage) => {
  const { contracts } = stage
  const name = trader(stage)
  const path = [contracts.wrappedEther, contracts.gold]
  const data = Contracts.encodeCall("Router", "swapExactETHForTokens", [1n, path, stage.accounts[name], Stage.deadline])
  return by(name, contracts.router, data, { valueWei: stage.random.amount(10n * milliether, ether) })
}

const collectible = (functionName: string, stage: Stage.Stage, args: ReadonlyArray<unknown>, from: Stage.AccountName) =>
  by(from, stage.contracts.collectible, Contracts.encodeCall("Collectible", functionName, args), { gas: 200_000 })

const nftMint: Plan = (stage) => {
  const name = trader(stage)
  const id = BigInt(stage.collectibles.size + 1)
  stage.collectibles.set(id, name)
  return collectible("mint", stage, [stage.accounts[name], id], name)
}

/** Someone who owns a collectible, and its id. */
const owned = ({ random, collectibles }: Stage.Stage) =>
  collectibles.size === 0 ? undefined : random.pick([...collectibles])

const nftTransfer: Plan = (stage) => {
  const found = owned(stage)
  if (found === undefined) return undefined
  const [id, from] = found
  const to = trader(stage)
  stage.collectibles.set(id, to)
  return collectible("safeTransferFrom", stage, [stage.accounts[from], stage.accounts[to], id], from)
}

const nftApprove: Plan = (stage) => {
  const found = owned(stage)
  if (found === undefined) return undefined
  const [id, from] = found
  return collectible("approve", stage, [stage.accounts.grace, id], from)
}

const multi =
  (functionName: string, args: (stage: Stage.Stage) => ReadonlyArray<unknown>): Plan =>
  (stage) => {
    const name = trader(stage)
    const full = [stage.accounts[name], someone(stage), ...args(stage), "0x"]
    return by(name, stage.contracts.multiCollectible, Contracts.encodeCall("MultiCollectible", functionName, full))
  }

const multisend: Plan = (stage) => {
  const recipients = Array.from({ length: 2 + stage.random.integer(4) }, () => someone(stage))
  const amounts = recipients.map(() => stage.random.amount(milliether, 50n * milliether))
  const data = Contracts.encodeCall("Multisend", "multisend", [recipients, amounts])
  const valueWei = amounts.reduce((sum, amount) => sum + amount, 0n)
  return by(trader(stage), stage.contracts.multisend, data, { valueWei })
}

const note = (stage: Stage.Stage): Hex =>
  Contracts.encodeCall("Multicall", "note", [`note ${stage.random.integer(1000)}`])

const aggregate: Plan = (stage) => {
  const { multicall, gold, proxy } = stage.contracts
  const calls = [
    { target: gold, callData: Contracts.encodeCall("Token", "balanceOf", [stage.accounts.alice]) },
    { target: proxy, callData: Contracts.encodeCall("Counter", "increment", [1n]) },
    { target: multicall, callData: note(stage) },
  ]
  return by(trader(stage), multicall, Contracts.encodeCall("Multicall", "aggregate", [calls]))
}

const multicall: Plan = (stage) => {
  const data = Contracts.encodeCall("Multicall", "multicall", [[note(stage), note(stage)]])
  return by(trader(stage), stage.contracts.multicall, data)
}

const makeVault =
  (functionName: "create" | "create2"): Plan =>
  (stage) => {
    const { vaultFactory } = stage.contracts
    const owner = trader(stage)
    const ownerAddress = stage.accounts[owner]
    const salt = stage.random.hex(32)
    const nonce = stage.factoryNonce++
    const address =
      functionName === "create"
        ? Contracts.createdAddress(vaultFactory, nonce)
        : Contracts.create2Address(vaultFactory, salt, Contracts.encodeCreation("Vault", [ownerAddress]))
    stage.vaults.push({ address, owner })
    stage.addresses.add(address)
    const args = functionName === "create" ? [ownerAddress] : [ownerAddress, salt]
    const data = Contracts.encodeCall("VaultFactory", functionName, args)
    return by(owner, vaultFactory, data, { valueWei: stage.random.amount(1n, 10n * milliether) })
  }

const selfdestruct: Plan = (stage) => {
  const vault = stage.vaults.shift()
  if (vault === undefined) return undefined
  return by(vault.owner, vault.address, Contracts.encodeCall("Vault", "close", [stage.random.pick(stage.strangers)]))
}

const createAndClose: Plan = (stage) => {
  const { vaultFactory } = stage.contracts
  stage.addresses.add(Contracts.createdAddress(vaultFactory, stage.factoryNonce++))
  const data = Contracts.encodeCall("VaultFactory", "createAndClose", [someone(stage)])
  return by(trader(stage), vaultFactory, data, { valueWei: stage.random.amount(1n, 5n * milliether) })
}

const creation: Plan = (stage) => {
  const symbol = `T${stage.random.integer(10_000)}`
  const data = Contracts.encodeCreation("Token", [`Trial ${symbol}`, symbol])
  return { account: indexOf(trader(stage)), data, gas: 1_500_000 }
}

const proxyUpgrade: Plan = (stage) => {
  const { counter, doubleCounter, proxy } = stage.contracts
  stage.implementation = stage.implementation === counter ? doubleCounter : counter
  return by("deployer", proxy, Contracts.encodeCall("Proxy", "upgradeTo", [stage.implementation]))
}

const increment = (stage: Stage.Stage): Hex =>
  Contracts.encodeCall("Counter", "increment", [BigInt(1 + stage.random.integer(9))])

const order: Plan = (stage) => {
  const name = trader(stage)
  const item = () => ({
    asset: { token: token(stage), id: stage.random.amount(0n, 99n), tags: [stage.random.hex(32)] },
    amount: stage.random.amount(1n, ether),
    adjustment: -stage.random.amount(0n, 1000n),
  })
  const placed = {
    maker: stage.accounts[name],
    urgent: stage.random.next() < 0.5,
    items: [item(), item()],
    pairs: [
      [1, 2],
      [3, 4],
    ],
    note: "deliver – before ☀",
  }
  return by(name, stage.contracts.orders, Contracts.encodeCall("Orders", "place", [placed, stage.random.hex(65)]))
}

const revert =
  (functionName: string, args: ReadonlyArray<unknown> = [], gas = 100_000): Plan =>
  (stage) =>
    by(trader(stage), stage.contracts.reverter, Contracts.encodeCall("Reverter", functionName, args), {
      gas,
      reverts: true,
    })

const caughtRevert: Plan = (stage) => {
  const data = Contracts.encodeCall("Reverter", "catches", [stage.random.pick(stage.strangers)])
  return by(trader(stage), stage.contracts.reverter, data, { valueWei: stage.random.amount(1n, milliether) })
}

const revertInToken: Plan = (stage) => {
  const data = Contracts.encodeCall("Token", "transfer", [stage.accounts.alice, 5n * ether])
  return by("ivan", token(stage), data, { gas: 120_000, reverts: true })
}

const revertInCall: Plan = (stage) => {
  const calls = [
    { target: stage.contracts.proxy, callData: increment(stage) },
    { target: stage.contracts.reverter, callData: Contracts.encodeCall("Reverter", "withCustomError", [7n]) },
  ]
  const data = Contracts.encodeCall("Multicall", "aggregate", [calls])
  return by(trader(stage), stage.contracts.multicall, data, { reverts: true })
}

const revertCreation: Plan = (stage) => ({
  account: indexOf(trader(stage)),
  data: Contracts.encodeCreation("FailingCreation"),
  gas: 1_000_000,
  reverts: true,
})

/** heidi borrows the code of SmartAccount and makes three calls with it, in one transaction. */
const setCode: Plan = (stage) => {
  const { accounts, contracts, random } = stage
  const gift = () => ({ to: random.pick(stage.strangers), value: random.amount(1n, milliether), data: "0x" })
  const calls = [gift(), gift(), { to: contracts.proxy, value: 0n, data: increment(stage) }]
  const authorization = { account: indexOf("heidi"), delegate: contracts.smartAccount }
  const data = Contracts.encodeCall("SmartAccount", "execute", [calls])
  return by("heidi", accounts.heidi, data, { type: 4, authorization })
}

/** heidi gives the code back; ivan pays. */
const clearCode: Plan = ({ accounts }) => ({
  account: indexOf("ivan"),
  to: accounts.heidi,
  valueWei: 1n,
  gas: 100_000,
  type: 4,
  authorization: { account: indexOf("heidi"), delegate: `0x${"00".repeat(20)}` },
})

/** Every kind of traffic. In the first round each occurs once, in this order. */
export const kinds = {
  transfer: { weight: 10, plan: transfer({}) },
  type0: { weight: 2, plan: transfer({ type: 0 }) },
  type1: { weight: 2, plan: transfer({ type: 1 }) },
  type2: { weight: 2, plan: transfer({ type: 2 }) },
  type3: { weight: 1, atMost: 2, plan: transfer({ type: 3 }) },
  type4: { weight: 1, plan: setCode },
  clearCode: { weight: 0.5, plan: clearCode },
  selfTransfer: {
    weight: 1,
    plan: ({ accounts }) => ({ account: indexOf("grace"), to: accounts.grace, valueWei: 1n, gas: 60_000 }),
  },
  message: { weight: 1, plan: transfer({ data: stringToHex("hello from daybook") }) },
  approve: { weight: 3, plan: tokenCall("approve", (stage) => [stage.accounts.grace, stage.random.amount(0n, ether)]) },
  tokenTransfer: {
    weight: 14,
    plan: tokenCall("transfer", (stage) => [someone(stage), stage.random.amount(1n, 100n * ether)]),
  },
  tokenTransferFrom: {
    weight: 3,
    plan: (stage) => {
      const args = [stage.accounts.alice, someone(stage), stage.random.amount(1n, ether)]
      return by("bob", stage.contracts.gold, Contracts.encodeCall("Token", "transferFrom", args))
    },
  },
  wrap: {
    weight: 4,
    plan: (stage) =>
      by(trader(stage), stage.contracts.wrappedEther, Contracts.encodeCall("WrappedEther", "deposit"), {
        valueWei: stage.random.amount(milliether, ether),
      }),
  },
  unwrap: {
    weight: 4,
    plan: (stage) => {
      const args = [stage.random.amount(milliether, ether)]
      return by(trader(stage), stage.contracts.wrappedEther, Contracts.encodeCall("WrappedEther", "withdraw", args))
    },
  },
  nftMint: { weight: 4, plan: nftMint },
  nftTransfer: { weight: 4, plan: nftTransfer },
  nftApprove: { weight: 1, plan: nftApprove },
  multiTransfer: { weight: 3, plan: multi("safeTransferFrom", ({ random }) => [1n, random.amount(1n, 9n)]) },
  multiBatchTransfer: {
    weight: 3,
    plan: multi("safeBatchTransferFrom", ({ random }) => [
      [1n, 2n],
      [random.amount(1n, 9n), random.amount(1n, 9n)],
    ]),
  },
  swap: { weight: 8, plan: swapTokens("swapExactTokensForTokens", ({ gold, silver }) => [gold, silver]) },
  swapBack: { weight: 4, plan: swapTokens("swapExactTokensForTokens", ({ gold, silver }) => [silver, gold]) },
  swapEther: { weight: 6, plan: swapEther },
  swapForEther: {
    weight: 4,
    plan: swapTokens("swapExactTokensForETH", ({ silver, gold, wrappedEther }) => [silver, gold, wrappedEther]),
  },
  addLiquidity: {
    weight: 2,
    plan: (stage) => {
      const { gold, silver, router } = stage.contracts
      const name = trader(stage)
      const args = [gold, silver, 20n * ether, 20n * ether, 0n, 0n, stage.accounts[name], Stage.deadline]
      return by(name, router, Contracts.encodeCall("Router", "addLiquidity", args))
    },
  },
  removeLiquidity: {
    weight: 1,
    plan: (stage) => {
      const { gold, silver, router } = stage.contracts
      const args = [gold, silver, ether, 0n, 0n, stage.accounts.deployer, Stage.deadline]
      return by("deployer", router, Contracts.encodeCall("Router", "removeLiquidity", args))
    },
  },
  multisend: { weight: 4, plan: multisend },
  aggregate: { weight: 2, plan: aggregate },
  multicall: { weight: 2, plan: multicall },
  create: { weight: 2, plan: makeVault("create") },
  create2: { weight: 2, plan: makeVault("create2") },
  selfdestruct: { weight: 2, plan: selfdestruct },
  createAndClose: { weight: 1, plan: createAndClose },
  creation: { weight: 1, plan: creation },
  proxyCall: { weight: 4, plan: (stage) => by(trader(stage), stage.contracts.proxy, increment(stage)) },
  proxyUpgrade: { weight: 0.5, plan: proxyUpgrade },
  callcode: {
    weight: 1,
    plan: (stage) => {
      const args = [stage.contracts.counter, increment(stage)]
      const more = { valueWei: stage.random.amount(1n, 9n) }
      return by(trader(stage), stage.contracts.oldCaller, Contracts.encodeCall("OldCaller", "run", args), more)
    },
  },
  nestedTuple: { weight: 2, plan: order },
  caughtRevert: { weight: 2, plan: caughtRevert },
  revertReason: { weight: 1, plan: revert("withReason") },
  revertCustomError: { weight: 1, plan: revert("withCustomError", [42n]) },
  revertPanic: { weight: 1, plan: revert("withPanic", [0n]) },
  revertWithoutData: { weight: 1, plan: revert("withoutData") },
  revertInvalid: { weight: 0.5, plan: revert("withInvalidInstruction") },
  revertOutOfGas: { weight: 0.5, plan: revert("outOfGas", [], 60_000) },
  revertInToken: { weight: 2, plan: revertInToken },
  revertInCall: { weight: 1, plan: revertInCall },
  revertCreation: { weight: 0.5, plan: revertCreation },
} satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds
