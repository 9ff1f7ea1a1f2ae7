/**
 * Plans of transactions that revert, completely or in an inner call.
 */
import * as Contracts from "../Contracts.ts"
import { by, ether, increment, indexOf, milliether, token, trader } from "./plan.ts"
import type { Plan } from "./plan.ts"

export const revert =
  (functionName: string, args: ReadonlyArray<unknown> = [], gas = 100_000): Plan =>
  (stage) =>
    by(trader(stage), stage.contracts.reverter, Contracts.encodeCall("Reverter", functionName, args), {
      gas,
      reverts: true,
    })

export const caughtRevert: Plan = (stage) => {
  const data = Contracts.encodeCall("Reverter", "catches", [stage.random.pick(stage.strangers)])
  return by(trader(stage), stage.contracts.reverter, data, { valueWei: stage.random.amount(1n, milliether) })
}

export const revertInToken: Plan = (stage) => {
  const data = Contracts.encodeCall("Token", "transfer", [stage.accounts.alice, 5n * ether])
  return by("ivan", token(stage), data, { gas: 120_000, reverts: true })
}

export const revertInCall: Plan = (stage) => {
  const calls = [
    { target: stage.contracts.proxy, callData: increment(stage) },
    { target: stage.contracts.reverter, callData: Contracts.encodeCall("Reverter", "withCustomError", [7n]) },
  ]
  const data = Contracts.encodeCall("Multicall", "aggregate", [calls])
  return by(trader(stage), stage.contracts.multicall, data, { reverts: true })
}

export const revertCreation: Plan = (stage) => ({
  account: indexOf(trader(stage)),
  data: Contracts.encodeCreation("FailingCreation"),
  gas: 1_000_000,
  reverts: true,
})
