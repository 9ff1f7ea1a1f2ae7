import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import type { SourceLog, SourceTransaction } from "../../src/ledger/LedgerSource.ts"
import { topics } from "../../src/ledger/TokenLogs.ts"
import {
  account,
  alice,
  bob,
  carol,
  data,
  ethereum,
  log,
  movementsOf,
  rowsOf,
  source,
  token,
  topic,
  transaction,
  transferLog,
  zero,
} from "./sources.ts"

const block = (logs: ReadonlyArray<SourceLog>, more: Partial<SourceTransaction> = {}) =>
  source({ transactions: [transaction({ from: account("1"), to: account("2"), logs, ...more })] })
const of = (wallet: string, ...logs: ReadonlyArray<SourceLog>) => movementsOf(wallet, block(logs))
const rolesOf = (wallet: string, ...logs: ReadonlyArray<SourceLog>) =>
  rowsOf(block(logs)).find((row) => row.wallet === wallet)?.roles

const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
const multi = (topic0: string, words: string) =>
  log({ topics: [topic0, topic(carol), topic(alice), topic(bob)], data: words })
const huge = 2n ** 256n - 1n

describe("TokenLogs", () => {
  it("add: distinguishes ERC-20 from ERC-721 by topics and data", () => {
    const collectible = log({ topics: [topics.transfer, topic(alice), topic(bob), topic(huge)] })

    expect(of(alice, transferLog(alice, bob, huge))).toEqual([`erc20 ${token} -${huge}`])
    expect(of(bob, collectible)).toEqual([`erc721 ${token} ${huge} 1`])
    expect(rolesOf(alice, transferLog(alice, bob, 0n))).toEqual(["token_sender"])
  })

  it("add: takes a log of another form for none", () => {
    const odd = [
      transferLog(alice, bob, 1n, { data: "0x" }),
      transferLog(alice, bob, 1n, { data: data(1, 2) }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(alice), topic(bob), topic(1)] }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(alice)] }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(huge), topic(bob)] }),
      log({ topics: [topics.transfer], data: data(alice, bob, 1) }),
    ]

    expect(of(alice, ...odd)).toEqual([])
    expect(of(bob, ...odd)).toEqual([])
  })

  it("add: gives the zero address no row of tokens", () => {
    expect(of(bob, transferLog(zero, bob, 3n))).toEqual([`erc20 ${token} 3`])
    expect(rolesOf(zero, transferLog(zero, bob, 3n), transferLog(bob, zero, 3n))).toBeUndefined()
  })

  it("add: reads single and batch transfers of ERC-1155", () => {
    const batch = multi(topics.transferBatch, data(64, 160, 2, 7, 8, 2, 70, 80))

    expect(of(alice, multi(topics.transferSingle, data(7, 70)))).toEqual([`erc1155 ${token} 7 -70`])
    expect(of(bob, batch)).toEqual([`erc1155 ${token} 7 70`, `erc1155 ${token} 8 80`])
  })

  it("add: takes a batch whose arrays do not fit its data for none", () => {
    const odd = [
      data(64, 160, 2, 7, 8, 1, 70, 80),
      data(64, 160, huge, 7, 8, 2, 70, 80),
      data(huge, 160, 2, 7, 8, 2, 70, 80),
      data(64, 160),
      data(64, 256, 2, 7, 8, 2, 70, 80),
      data(64, 160, 2, 7, 8, 3, 70, 80),
      "0x",
    ]

    for (const words of odd) expect(of(bob, multi(topics.transferBatch, words))).toEqual([])
  })

  it("add: reads of a batch only as many items as rows may hold, and marks the rows", () => {
    const count = 10_000
    const items = [count, ...Array.from({ length: count }, (_, at) => at + 1)]
    const batch = multi(topics.transferBatch, data(64, 96 + count * 32, ...items, ...items))
    const rows = rowsOf(block([batch]), { ...ethereum, maxMovements: 8 }).filter(({ index }) => index === 0)

    expect(rows.flatMap(({ movements }) => movements)).toHaveLength(8)
    expect(rows.every(({ isIncomplete }) => isIncomplete)).toBe(true)
  })

  it("add: names owners, spenders and operators of approvals", () => {
    const approval = log({ topics: [topics.approval, topic(alice), topic(bob)], data: data(1) })
    const one = log({ topics: [topics.approval, topic(alice), topic(bob), topic(5)] })
    const all = log({ topics: [topics.approvalForAll, topic(alice), topic(bob)], data: data(1) })

    expect(rolesOf(alice, approval)).toEqual(["approval_owner"])
    expect(rolesOf(bob, one)).toEqual(["approval_spender"])
    expect(rolesOf(bob, all)).toEqual(["approval_operator"])
  })

  it("add: mints and burns wrapped ether by its Deposit and Withdrawal, once", () => {
    const deposited = log({ address: weth, topics: [topics.deposit, topic(alice)], data: data(5) })
    const withdrawn = log({ address: weth, topics: [topics.withdrawal, topic(alice)], data: data(4) })
    const minted = transferLog(zero, alice, 5n, { address: weth })

    expect(of(alice, deposited, withdrawn)).toEqual([`erc20 ${weth} 5`, `erc20 ${weth} -4`])
    expect(of(alice, minted, deposited)).toEqual([`erc20 ${weth} 5`])
    expect(of(alice, minted, deposited, deposited)).toEqual([`erc20 ${weth} 5`, `erc20 ${weth} 5`])
    expect(of(alice, { ...deposited, address: token })).toEqual([])
  })

  it("add: takes a Deposit for wrapped currency on a chain of no list where the same amount moved to its emitter", () => {
    const deposited = log({ topics: [topics.deposit, topic(alice)], data: data(5) })
    const rules = LedgerRules.fromChainId(31_337)

    expect(movementsOf(alice, block([deposited], { to: token, value: 5n }), rules)).toEqual([`erc20 ${token} 5`])
    expect(movementsOf(alice, block([deposited], { to: token, value: 6n }), rules)).toEqual([])
    expect(movementsOf(alice, block([deposited], { to: token, value: 5n }), ethereum)).toEqual([])
  })

  const word = Schema.Literals(["0", "1", "40", "60", "a0", "f".repeat(64), alice.slice(2), bob.slice(2)])

  it.prop(
    "add: gives amounts that cancel out, and never throws, for logs of any words",
    { topic0: Schema.Literals(Object.values(topics)), words: Schema.Array(word), indexed: Schema.Array(word) },
    ({ indexed, topic0, words }) => {
      const any = log({
        topics: [topic0, ...indexed.slice(0, 3).map((one) => `0x${one.padStart(64, "0")}`)],
        data: `0x${words.map((one) => one.padStart(64, "0")).join("")}`,
      })
      const own = rowsOf(block([any])).flatMap(({ movements, wallet }) =>
        movements.filter((movement) => movement.startsWith("erc")).map((movement) => [wallet, movement] as const),
      )
      for (const [wallet, movement] of own) {
        expect([
          alice,
          bob,
          account("f"),
          `0x${"0".repeat(39)}1`,
          `0x${"0".repeat(38)}40`,
          `0x${"0".repeat(38)}60`,
          `0x${"0".repeat(38)}a0`,
        ]).toContain(wallet)
        expect(movement).not.toMatch(/ -?0$/)
      }
    },
  )
})
