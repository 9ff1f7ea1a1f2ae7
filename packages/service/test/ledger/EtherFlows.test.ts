import { describe, expect, it } from "@effect/vitest"
import type { SourceLog, SourceTransaction } from "../../src/ledger/LedgerSource.ts"
import { account, alice, bob, carol, frame, log, markedIn, movementsOf, rowsOf, source, topic } from "./sources.ts"
import { transaction, transferLog } from "./sources.ts"

const of = (...transactions: ReadonlyArray<Partial<SourceTransaction>>) =>
  source({ facts: null, transactions: transactions.map((more) => transaction({ gasPrice: 0n, ...more })) })

const rolesIn = (block: ReturnType<typeof of>) =>
  Object.fromEntries(rowsOf(block).map(({ roles, wallet }) => [wallet, roles]))

const etherLogger = `0x${"f".repeat(39)}e`
const logged = (amount: bigint, more: Partial<SourceLog> = {}, from = bob, to = carol) =>
  transferLog(from, to, amount, { address: etherLogger, ...more })
const huge = 2n ** 256n - 1n

describe("EtherFlows", () => {
  it("add: reads ether transfers of the correct form, and no log beside them", () => {
    const transferTopic = transferLog(bob, carol, 1n).topics[0]!
    const logs = [
      logged(3n),
      logged(5n, { topics: [topic(7), topic(bob), topic(carol)] }),
      logged(7n, { data: "0x" }),
      logged(9n, { topics: [transferTopic, topic(huge), topic(account("e"))] }),
      logged(11n, { topics: [transferTopic, topic(account("e")), topic(huge)] }),
    ]
    const block = of({ frames: null, logs })

    expect(movementsOf(carol, block)).toEqual(["ether_log 3"])
    expect(rolesIn(block)).toEqual({
      [alice]: ["sender"],
      [bob]: ["recipient", "internal_caller"],
      [carol]: ["internal_callee"],
    })
    expect(markedIn(block)).toEqual([])
  })

  it("add: does not treat a token transfer as an ether transfer", () => {
    const block = of({ frames: null, logs: [logged(3n), transferLog(bob, carol, 4n)] })

    expect(movementsOf(carol, block)).toEqual(["ether_log 3", `erc20 ${account("7")} 4`])
    expect(markedIn(of({ frames: null, logs: [transferLog(bob, carol, 4n)] }))).toEqual([alice, bob, carol])
  })

  it("add: marks a transaction whose traces and logs name other wallets or sums, but not if they agree", () => {
    const calls = [frame(bob, carol, 3n)]

    expect(markedIn(of({ frames: calls, logs: [logged(3n)] }))).toEqual([])
    expect(markedIn(of({ frames: [], logs: [logged(3n)] }))).toEqual([alice, bob])
    expect(markedIn(of({ frames: calls, logs: [logged(3n, {}, bob, account("e"))] }))).toEqual([alice, bob, carol])
    const both = [frame(bob, carol, 3n), frame(carol, bob, 3n)]
    expect(markedIn(of({ frames: both, logs: [logged(3n), logged(3n, {}, carol, bob)] }))).toEqual([])
  })

  it("add: moves the value of a transaction before Byzantium that did not use all its gas", () => {
    expect(movementsOf(bob, of({ status: null, value: 4n }))).toEqual(["value 4"])
    expect(movementsOf(bob, of({ status: null, value: 4n, gas: 90_000n, gasUsed: 40_000n }))).toEqual(["value 4"])
  })

  it("add: marks both sides of a self-destruct that repeats the last transfer, as tracers report one that moves nothing", () => {
    const destroyed = frame(bob, carol, 5n, { type: "SELFDESTRUCT" })
    const ofValue = frame(alice, bob, 4n, { type: "SELFDESTRUCT" })

    expect(markedIn(of({ frames: [frame(bob, carol, 5n), destroyed] }))).toEqual([bob, carol])
    expect(markedIn(of({ value: 4n, frames: [ofValue] }))).toEqual([alice, bob])
    expect(markedIn(of({ frames: [frame(bob, carol, 5n), frame(carol, alice, 1n), destroyed] }))).toEqual([])
    expect(markedIn(of({ frames: [frame(bob, carol, 5n), { ...destroyed, isFailed: true }] }))).toEqual([])
  })

  it("add: marks a contract of an earlier transaction that receives ether after its self-destruct", () => {
    const destroyed = frame(bob, carol, 5n, { type: "SELFDESTRUCT" })
    const paid = frame(carol, bob, 3n)

    expect(movementsOf(bob, of({ frames: [destroyed, paid] }))).toEqual(["internal -5", "internal 3"])
    expect(markedIn(of({ frames: [destroyed, paid] }))).toEqual([bob])
    expect(markedIn(of({ frames: [paid, destroyed] }))).toEqual([])
    expect(markedIn(of({ frames: [destroyed, frame(carol, bob, 0n)] }))).toEqual([])
  })

  it("add: names the roles of calls and creations, but not of calls that move nothing", () => {
    const frames = [
      frame(bob, carol, 0n),
      frame(bob, account("d"), 0n, { type: "STATICCALL" }),
      frame(bob, account("d"), 0n, { type: "DELEGATECALL" }),
    ]
    const creations = [
      frame(carol, account("e"), 0n, { type: "CREATE" }),
      frame(carol, null, 4n, { type: "CREATE", isFailed: true }),
    ]

    expect(rolesIn(of({ frames: [...frames, ...creations] }))).toEqual({
      [alice]: ["sender"],
      [bob]: ["recipient", "internal_caller"],
      [carol]: ["creator", "internal_caller", "internal_callee"],
      [account("e")]: ["created"],
    })
  })

  it("add: moves nothing to an account that a frame does not name", () => {
    const block = of({ frames: [frame(bob, null, 4n, { type: "CREATE" })] })

    expect(movementsOf(bob, block)).toEqual([])
    expect(rowsOf(block).map(({ wallet }) => wallet)).toEqual([alice, bob])
  })

  it("add: counts a call to oneself in both directions, and burns nothing", () => {
    const block = of({ frames: [frame(carol, carol, 5n)] })

    expect(movementsOf(carol, block)).toEqual(["internal -5", "internal 5"])
    expect(markedIn(block)).toEqual([])
  })

  it("add: burns the balance of a destroyed contract that the transaction created, unless the creation failed", () => {
    const frames = [frame(carol, carol, 5n, { type: "SELFDESTRUCT" })]
    const created = of({ to: null, created: carol, value: 5n, frames })
    const failed = of({ to: null, created: carol, value: 5n, frames, status: 0 })

    expect(movementsOf(carol, created)).toEqual(["value 5", "internal -5"])
    expect(markedIn(created)).toEqual([])
    expect(movementsOf(carol, failed)).toEqual([])
    expect(markedIn(failed)).toEqual([carol])
  })

  it("add: marks a contract whose self-destruct pays itself only if it held something", () => {
    const destroyed = (amount: bigint) => of({ frames: [frame(carol, carol, amount, { type: "SELFDESTRUCT" })] })

    expect(markedIn(destroyed(5n))).toEqual([carol])
    expect(markedIn(destroyed(0n))).toEqual([])
  })

  it("add: marks value sent to an unknown contract, but not zero value", () => {
    expect(markedIn(of({ to: null, value: 1n }))).toEqual([alice])
    expect(markedIn(of({ to: null, value: 0n }))).toEqual([])
  })

  it("add: does not treat logs of a token as ether transfers if they are the only ones of the block", () => {
    const block = of({ frames: null, value: 4n, logs: [log({ topics: [topic(1)] })] })

    expect(movementsOf(bob, block)).toEqual(["value 4"])
    expect(markedIn(block)).toEqual([alice, bob])
  })
})
