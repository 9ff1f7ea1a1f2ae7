/**
 * What the plans of traffic share: choosing accounts, and building calls and transfers.
 */
import type { Hex } from "viem"
import * as Contracts from "../Contracts.ts"
import type { Planned } from "../Sender.ts"
import * as Stage from "../Stage.ts"

/** Plans one transaction; undefined when the stage does not permit it. */
export type Plan = (stage: Stage.Stage) => Planned | undefined

export const milliether = 10n ** 15n
export const ether = 10n ** 18n

/** Index of an account among the node's. */
export const indexOf = (name: Stage.AccountName) => Stage.accountNames.indexOf(name)

/** A trader; in a third of the cases alice, so that one wallet has a long history. */
export const trader = ({ random }: Stage.Stage): Stage.AccountName =>
  random.next() < 0.35 ? "alice" : random.pick(Stage.traders)

/** A recipient: a trader, or in a quarter of the cases an address without a key. */
export const someone = (stage: Stage.Stage): Hex =>
  stage.random.next() < 0.25 ? stage.random.pick(stage.strangers) : stage.accounts[stage.random.pick(Stage.traders)]

/** A contract call by a named account. */
export const by = (name: Stage.AccountName, to: Hex, data: Hex, more: Partial<Planned> = {}): Planned => ({
  account: indexOf(name),
  to,
  data,
  gas: 500_000,
  ...more,
})

/** An ether transfer by a trader. */
export const transfer =
  (more: Partial<Planned>): Plan =>
  (stage) => ({
    account: indexOf(trader(stage)),
    to: someone(stage),
    valueWei: stage.random.amount(milliether, 2n * ether),
    gas: 60_000,
    ...more,
  })

/** Gold or silver. */
export const token = ({ random, contracts }: Stage.Stage): Hex => random.pick([contracts.gold, contracts.silver])

/** A call of gold or silver by a trader. */
export const tokenCall =
  (functionName: string, args: (stage: Stage.Stage) => ReadonlyArray<unknown>): Plan =>
  (stage) =>
    by(trader(stage), token(stage), Contracts.encodeCall("Token", functionName, args(stage)), { gas: 120_000 })

/** Calldata of a note in the multicall contract. */
export const note = (stage: Stage.Stage): Hex =>
  Contracts.encodeCall("Multicall", "note", [`note ${stage.random.integer(1000)}`])

/** Calldata that increments the counter. */
export const increment = (stage: Stage.Stage): Hex =>
  Contracts.encodeCall("Counter", "increment", [BigInt(1 + stage.random.integer(9))])
