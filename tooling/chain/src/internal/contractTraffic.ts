/**
 * Plans of contract transactions: batches, creations and self-destructs, proxies, nested tuples, and EIP-7702 delegation.
 */
import * as Contracts from "../Contracts.ts"
import { by, ether, increment, indexOf, milliether, note, someone, token, trader } from "./plan.ts"
import type { Plan } from "./plan.ts"

export const multisend: Plan = (stage) => {
  const recipients = Array.from({ length: 2 + stage.random.integer(4) }, () => someone(stage))
  const amounts = recipients.map(() => stage.random.amount(milliether, 50n * milliether))
  const data = Contracts.encodeCall("Multisend", "multisend", [recipients, amounts])
  const valueWei = amounts.reduce((sum, amount) => sum + amount, 0n)
  return by(trader(stage), stage.contracts.multisend, data, { valueWei })
}

export const aggregate: Plan = (stage) => {
  const { multicall, gold, proxy } = stage.contracts
  const calls = [
    { target: gold, callData: Contracts.encodeCall("Token", "balanceOf", [stage.accounts.alice]) },
    { target: proxy, callData: Contracts.encodeCall("Counter", "increment", [1n]) },
    { target: multicall, callData: note(stage) },
  ]
  return by(trader(stage), multicall, Contracts.encodeCall("Multicall", "aggregate", [calls]))
}

export const multicall: Plan = (stage) => {
  const data = Contracts.encodeCall("Multicall", "multicall", [[note(stage), note(stage)]])
  return by(trader(stage), stage.contracts.multicall, data)
}

export const makeVault =
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

export const selfdestruct: Plan = (stage) => {
  const vault = stage.vaults.shift()
  if (vault === undefined) return undefined
  return by(vault.owner, vault.address, Contracts.encodeCall("Vault", "close", [stage.random.pick(stage.strangers)]))
}

export const createAndClose: Plan = (stage) => {
  const { vaultFactory } = stage.contracts
  stage.addresses.add(Contracts.createdAddress(vaultFactory, stage.factoryNonce++))
  const data = Contracts.encodeCall("VaultFactory", "createAndClose", [someone(stage)])
  return by(trader(stage), vaultFactory, data, { valueWei: stage.random.amount(1n, 5n * milliether) })
}

export const creation: Plan = (stage) => {
  const symbol = `T${stage.random.integer(10_000)}`
  const data = Contracts.encodeCreation("Token", [`Trial ${symbol}`, symbol])
  return { account: indexOf(trader(stage)), data, gas: 1_500_000 }
}

export const proxyUpgrade: Plan = (stage) => {
  const { counter, doubleCounter, proxy } = stage.contracts
  stage.implementation = stage.implementation === counter ? doubleCounter : counter
  return by("deployer", proxy, Contracts.encodeCall("Proxy", "upgradeTo", [stage.implementation]))
}

export const order: Plan = (stage) => {
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

/** heidi delegates to SmartAccount and makes three calls in one transaction. */
export const setCode: Plan = (stage) => {
  const { accounts, contracts, random } = stage
  const gift = () => ({ to: random.pick(stage.strangers), value: random.amount(1n, milliether), data: "0x" })
  const calls = [gift(), gift(), { to: contracts.proxy, value: 0n, data: increment(stage) }]
  const authorization = { account: indexOf("heidi"), delegate: contracts.smartAccount }
  const data = Contracts.encodeCall("SmartAccount", "execute", [calls])
  return by("heidi", accounts.heidi, data, { type: 4, authorization })
}

/** heidi removes the delegation in a transaction sent by ivan. */
export const clearCode: Plan = ({ accounts }) => ({
  account: indexOf("ivan"),
  to: accounts.heidi,
  valueWei: 1n,
  gas: 100_000,
  type: 4,
  authorization: { account: indexOf("heidi"), delegate: `0x${"00".repeat(20)}` },
})
