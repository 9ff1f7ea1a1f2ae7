/**
 * The kinds of transactions that a scenario sends. A kind is a pure plan from the stage to one transaction, with a weight.
 *
 * A plan may change the stage (the owner of a collectible, the open vaults). It returns nothing when the stage has nothing for
 * it, for example no vault to close.
 */
import { stringToHex } from "viem"
import * as Contracts from "./Contracts.ts"
import * as Stage from "./Stage.ts"
import {
  aggregate,
  clearCode,
  createAndClose,
  creation,
  makeVault,
  multicall,
  multisend,
  order,
  proxyUpgrade,
  selfdestruct,
  setCode,
} from "./internal/contractTraffic.ts"
import { by, ether, increment, indexOf, milliether, someone, tokenCall, trader, transfer } from "./internal/plan.ts"
import { caughtRevert, revert, revertCreation, revertInCall, revertInToken } from "./internal/revertTraffic.ts"
import { multi, nftApprove, nftMint, nftTransfer, swapEther, swapTokens } from "./internal/tokenTraffic.ts"
import type { Plan } from "./internal/plan.ts"

export type { Plan } from "./internal/plan.ts"

/** A kind of transaction. */
export interface Kind {
  readonly plan: Plan
  /** Relative frequency. */
  readonly weight: number
  /** Largest number in a scenario. */
  readonly atMost?: number
}

/** Every kind of traffic. A scenario first sends each of them once, in this order. */
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
