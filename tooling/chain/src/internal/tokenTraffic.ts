/**
 * Plans of token transactions: swaps, and transfers of single and multiple collectibles.
 */
import type { Hex } from "viem"
import * as Contracts from "../Contracts.ts"
import * as Stage from "../Stage.ts"
import { by, ether, milliether, someone, trader } from "./plan.ts"
import type { Plan } from "./plan.ts"

const swapArguments = (stage: Stage.Stage, path: ReadonlyArray<Hex>, to: Hex) => {
  const amountIn = stage.random.amount(ether, 60n * ether)
  return [amountIn, 1n, path, to, Stage.deadline]
}

export const swapTokens =
  (functionName: string, pathOf: (contracts: Stage.ContractAddresses) => ReadonlyArray<Hex>): Plan =>
  (stage) => {
    const name = trader(stage)
    const path = pathOf(stage.contracts)
    const data = Contracts.encodeCall("Router", functionName, swapArguments(stage, path, stage.accounts[name]))
    return by(name, stage.contracts.router, data)
  }

export const swapEther: Plan = (stage) => {
  const { contracts } = stage
  const name = trader(stage)
  const path = [contracts.wrappedEther, contracts.gold]
  const data = Contracts.encodeCall("Router", "swapExactETHForTokens", [1n, path, stage.accounts[name], Stage.deadline])
  return by(name, contracts.router, data, { valueWei: stage.random.amount(10n * milliether, ether) })
}

const collectible = (functionName: string, stage: Stage.Stage, args: ReadonlyArray<unknown>, from: Stage.AccountName) =>
  by(from, stage.contracts.collectible, Contracts.encodeCall("Collectible", functionName, args), { gas: 200_000 })

export const nftMint: Plan = (stage) => {
  const name = trader(stage)
  const id = BigInt(stage.collectibles.size + 1)
  stage.collectibles.set(id, name)
  return collectible("mint", stage, [stage.accounts[name], id], name)
}

/** The id of a collectible and its owner. */
const owned = ({ random, collectibles }: Stage.Stage) =>
  collectibles.size === 0 ? undefined : random.pick([...collectibles])

export const nftTransfer: Plan = (stage) => {
  const found = owned(stage)
  if (found === undefined) return undefined
  const [id, from] = found
  const to = trader(stage)
  stage.collectibles.set(id, to)
  return collectible("safeTransferFrom", stage, [stage.accounts[from], stage.accounts[to], id], from)
}

export const nftApprove: Plan = (stage) => {
  const found = owned(stage)
  if (found === undefined) return undefined
  const [id, from] = found
  return collectible("approve", stage, [stage.accounts.grace, id], from)
}

export const multi =
  (functionName: string, args: (stage: Stage.Stage) => ReadonlyArray<unknown>): Plan =>
  (stage) => {
    const name = trader(stage)
    const full = [stage.accounts[name], someone(stage), ...args(stage), "0x"]
    return by(name, stage.contracts.multiCollectible, Contracts.encodeCall("MultiCollectible", functionName, full))
  }
