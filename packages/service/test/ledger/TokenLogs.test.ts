import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as Role from "../../src/ledger/Role.ts"
import type { SourceLog, SourceTransaction } from "../../src/ledger/LedgerSource.ts"
import { topics } from "../../src/ledger/TokenLogs.ts"
import {
  account,
  alice,
  bob,
  carol,
  data,
  ethereum,
  frame,
  log,
  miner,
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

/** Wallets with a row, other than sender, recipient and fee recipient. */
const namedBy = (...logs: ReadonlyArray<SourceLog>) =>
  rowsOf(block(logs))
    .map(({ wallet }) => wallet)
    .filter((wallet) => ![account("1"), account("2"), miner].includes(wallet))

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

  it("add: ignores a log of another form", () => {
    const odd = [
      transferLog(alice, bob, 1n, { data: "0x" }),
      transferLog(alice, bob, 1n, { data: data(1, 2) }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(alice), topic(bob), topic(1)] }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(alice)] }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(huge), topic(bob)] }),
      transferLog(alice, bob, 1n, { topics: [topics.transfer, topic(alice), topic(huge)] }),
      log({ topics: [topics.transfer, topic(huge), topic(bob), topic(1)] }),
      multi(topic(1), data(64, 160, 2, 7, 8, 2, 70, 80)),
      multi(topic(1), data(7, 70)),
      log({ topics: [topics.transferSingle, topic(carol), topic(huge), topic(bob)], data: data(7, 70) }),
      log({ topics: [topics.transfer], data: data(alice, bob, 1) }),
    ]

    expect(of(alice, ...odd)).toEqual([])
    expect(of(bob, ...odd)).toEqual([])
    expect(namedBy(...odd)).toEqual([])
  })

  it("add: adds no token row for the zero address", () => {
    expect(of(bob, transferLog(zero, bob, 3n))).toEqual([`erc20 ${token} 3`])
    expect(rolesOf(zero, transferLog(zero, bob, 3n), transferLog(bob, zero, 3n))).toBeUndefined()
  })

  it("add: reads single and batch transfers of ERC-1155", () => {
    const batch = multi(topics.transferBatch, data(64, 160, 2, 7, 8, 2, 70, 80))

    expect(of(alice, multi(topics.transferSingle, data(7, 70)))).toEqual([`erc1155 ${token} 7 -70`])
    expect(of(bob, batch)).toEqual([`erc1155 ${token} 7 70`, `erc1155 ${token} 8 80`])
  })

  it("add: ignores a batch whose arrays do not fit its data", () => {
    const odd = [
      data(64, 160, 2, 7, 8, 1, 70, 80),
      data(64, 160, huge, 7, 8, 2, 70, 80),
      data(huge, 160, 2, 7, 8, 2, 70, 80),
      data(64, 160),
      data(64, 256, 2, 7, 8, 2, 70, 80),
      data(64, 160, 2, 7, 8, 3, 70, 80),
      data(64, 192, 3, 7, 8, 9, 3, 70, 80),
      "0x",
    ]

    for (const words of odd) expect(of(bob, multi(topics.transferBatch, words))).toEqual([])
  })

  it("add: names the parties of a batch without items, whose arrays end with the data", () => {
    const empty = multi(topics.transferBatch, data(64, 96, 0, 0))

    expect(rolesOf(alice, empty)).toEqual(["token_sender"])
    expect(rolesOf(bob, empty)).toEqual(["token_recipient"])
    expect(of(bob, empty)).toEqual([])
  })

  it("add: reads only as many items of a batch as rows may hold, and marks the rows", () => {
    const count = 10_000
    const items = [count, ...Array.from({ length: count }, (_, at) => at + 1)]
    const batch = multi(topics.transferBatch, data(64, 96 + count * 32, ...items, ...items))
    const rows = rowsOf(block([batch]), { ...ethereum, maxMovements: 8 }).filter(({ index }) => index === 0)

    expect(rows.flatMap(({ movements }) => movements)).toHaveLength(8)
    expect(rows.every(({ isIncomplete }) => isIncomplete)).toBe(true)
  })

  it("add: reads ranges of ERC-721 ids", () => {
    const range = (from: string, to: string, first: bigint | number, last: bigint | number) =>
      log({ topics: [topics.consecutiveTransfer, topic(first), topic(from), topic(to)], data: data(last) })

    expect(of(bob, range(zero, bob, 5, 7))).toEqual([5, 6, 7].map((id) => `erc721 ${token} ${id} 1`))
    expect(of(alice, range(alice, bob, huge, huge))).toEqual([`erc721 ${token} ${huge} -1`])
    expect(rolesOf(bob, range(zero, bob, 5, 7))).toEqual(["token_recipient"])
    const odd = [
      range(zero, bob, 7, 5),
      range(zero, bob, 7, 6),
      range(alice, huge as never, 5, 7),
      range(huge as never, bob, 5, 7),
      log({ topics: [topics.consecutiveTransfer], data: data(7) }),
      log({ topics: [topics.consecutiveTransfer, topic(5), topic(zero), topic(bob)], data: data(7, 8) }),
      log({ topics: [topic(huge), topic(5), topic(zero), topic(bob)], data: data(7) }),
    ]
    expect(namedBy(...odd)).toEqual([])
  })

  it("add: marks the parties of a range with more ids than its gas has words for, and keeps its token for a proof", () => {
    const range = (last: bigint) =>
      log({ topics: [topics.consecutiveTransfer, topic(1), topic(zero), topic(bob)], data: data(last) })
    const rowOf = (...logs: ReadonlyArray<SourceLog>) =>
      Ledger.derive(block(logs), ethereum).find(({ wallet }) => wallet === bob)
    const words = 21_000n / 256n
    const [within, beyond] = [rowOf(range(words)), rowOf(range(1n), range(words), range(huge))]

    expect([within?.movements.length, Role.isIncomplete(within?.roles ?? 0)]).toEqual([Number(words), false])
    expect([beyond?.movements.length, Role.isIncomplete(beyond?.roles ?? 0)]).toEqual([1, true])
    expect(rowOf(range(huge))?.candidates).toEqual([{ asset: token, kind: "erc721", tokenId: null }])
  })

  it("add: names owners, spenders and operators of approvals", () => {
    const approval = log({ topics: [topics.approval, topic(alice), topic(bob)], data: data(1) })
    const one = log({ topics: [topics.approval, topic(alice), topic(bob), topic(5)] })
    const all = log({ topics: [topics.approvalForAll, topic(alice), topic(bob)], data: data(1) })

    expect(rolesOf(alice, approval)).toEqual(["approval_owner"])
    expect(rolesOf(bob, one)).toEqual(["approval_spender"])
    expect(rolesOf(bob, all)).toEqual(["approval_operator"])
  })

  it("add: ignores an approval of another form, and gives the zero address no role", () => {
    const of = (topic0: string, count: number, words: string) =>
      log({ topics: [topic0, topic(alice), topic(bob), topic(5)].slice(0, count), data: words })
    const odd = [
      of(topics.approvalForAll, 3, "0x"),
      of(topics.approvalForAll, 3, data(1, 2)),
      of(topics.approvalForAll, 4, data(1)),
      of(topics.approvalForAll, 4, "0x"),
      of(topics.approval, 3, "0x"),
      of(topics.approval, 3, data(1, 2)),
      of(topics.approval, 4, data(1)),
      of(topic(7), 3, data(1)),
      of(topic(7), 4, "0x"),
    ]
    const ofZero = log({ topics: [topics.approval, topic(zero), topic(zero)], data: data(1) })

    expect(namedBy(...odd)).toEqual([])
    expect(namedBy(ofZero)).toEqual([])
    expect(rolesOf(bob, of(topics.approval, 3, data(1)))).toEqual(["approval_spender"])
  })

  it("add: counts a burn once if both a transfer and a withdrawal state it, and other transfers beside a withdrawal", () => {
    const withdrawn = log({ address: weth, topics: [topics.withdrawal, topic(alice)], data: data(4) })
    const burned = transferLog(alice, zero, 4n, { address: weth })
    const sent = transferLog(alice, bob, 4n, { address: weth })
    const other = transferLog(zero, alice, 6n, { address: weth })
    const deposited = log({ address: weth, topics: [topics.deposit, topic(alice)], data: data(5) })

    expect(of(alice, burned, withdrawn)).toEqual([`erc20 ${weth} -4`])
    expect(of(alice, sent, withdrawn)).toEqual([`erc20 ${weth} -4`, `erc20 ${weth} -4`])
    expect(of(alice, other, deposited)).toEqual([`erc20 ${weth} 6`, `erc20 ${weth} 5`])
  })

  it("add: ignores a wrapping of another form, and names the roles of a valid one", () => {
    const of = (topic0: string, account: string | bigint, more: Partial<SourceLog> = {}) =>
      log({ address: weth, topics: [topic0, topic(account)], data: data(5), ...more })
    const odd = [
      of(topic(7), alice),
      of(topics.deposit, alice, { data: data(5, 6) }),
      of(topics.deposit, alice, { topics: [topics.deposit, topic(alice), topic(bob)] }),
      of(topics.withdrawal, huge),
      of(topics.deposit, zero),
    ]

    expect(namedBy(...odd)).toEqual([])
    expect(rolesOf(alice, of(topics.deposit, alice))).toEqual(["token_recipient"])
    expect(rolesOf(alice, of(topics.withdrawal, alice))).toEqual(["token_sender"])
  })

  it("add: mints and burns wrapped ether for its Deposit and Withdrawal, once", () => {
    const deposited = log({ address: weth, topics: [topics.deposit, topic(alice)], data: data(5) })
    const withdrawn = log({ address: weth, topics: [topics.withdrawal, topic(alice)], data: data(4) })
    const minted = transferLog(zero, alice, 5n, { address: weth })

    expect(of(alice, deposited, withdrawn)).toEqual([`erc20 ${weth} 5`, `erc20 ${weth} -4`])
    expect(of(alice, minted, deposited)).toEqual([`erc20 ${weth} 5`])
    expect(of(alice, minted, deposited, deposited)).toEqual([`erc20 ${weth} 5`, `erc20 ${weth} 5`])
    expect(of(alice, { ...deposited, address: token })).toEqual([])
  })

  describe("contract that is not listed", () => {
    const deposited = log({ topics: [topics.deposit, topic(alice)], data: data(5) })
    const withdrawn = log({ topics: [topics.withdrawal, topic(alice)], data: data(5) })
    const received = (logs: ReadonlyArray<SourceLog>, ...amounts: ReadonlyArray<bigint>) =>
      block(logs, { frames: amounts.map((amount) => frame(carol, token, amount)) })
    const tokensOf = (source: ReturnType<typeof block>, wallet = alice) =>
      movementsOf(wallet, source).filter((movement) => movement.startsWith("erc20"))

    it.each([1, 31_337])(
      "add: treats a Deposit as wrapped currency if the same amount was sent to the contract, on chain %i",
      (id) => {
        const rules = LedgerRules.fromChainId(id)

        expect(movementsOf(alice, block([deposited], { to: token, value: 5n }), rules)).toEqual([`erc20 ${token} 5`])
        expect(movementsOf(alice, received([deposited], 5n), rules)).toEqual([`erc20 ${token} 5`])
        expect(movementsOf(alice, block([deposited], { to: token, value: 6n }), rules)).toEqual([])
        expect(rolesOf(alice, deposited)).toEqual(["token_recipient"])
      },
    )

    it.each([1, 31_337])(
      "add: treats a Withdrawal as wrapped currency if the contract paid the same amount, on chain %i",
      (id) => {
        const rules = LedgerRules.fromChainId(id)
        const paid = (amount: bigint) => block([withdrawn], { frames: [frame(token, alice, amount)] })

        expect(movementsOf(alice, paid(5n), rules)).toEqual(["internal 5", `erc20 ${token} -5`])
        expect(movementsOf(alice, paid(4n), rules)).toEqual(["internal 4"])
        expect(movementsOf(alice, received([withdrawn], 5n), rules)).toEqual([])
      },
    )

    it("add: lists ignored events and approvals as candidates for a proof, and marks a contract that was paid", () => {
      const rowOf = (source: ReturnType<typeof block>, wallet = alice) =>
        Ledger.derive(source, LedgerRules.fromChainId(1)).find((row) => row.wallet === wallet)
      const candidate = { asset: token, kind: "erc20", tokenId: null }
      const approval = (count: number) =>
        log({
          topics: [topics.approval, topic(alice), topic(bob), topic(5)].slice(0, count),
          data: count === 4 ? "0x" : data(1),
        })
      const all = log({ topics: [topics.approvalForAll, topic(alice), topic(bob)], data: data(1) })
      const twice = received([deposited, { ...deposited, topics: [topics.deposit, topic(bob)] }], 5n)
      const isMarked = (source: ReturnType<typeof block>) => Role.isIncomplete(rowOf(source)!.roles)

      expect(rowOf(twice, bob)).toMatchObject({ movements: [], candidates: [candidate] })
      expect(rowOf(twice)).not.toHaveProperty("candidates")
      expect(rowOf(block([withdrawn]))!.candidates).toEqual([candidate])
      expect(rowOf(block([approval(3), approval(3)]))!.candidates).toEqual([candidate])
      expect(rowOf(block([approval(4), all]))!.candidates).toEqual([{ ...candidate, kind: "erc721" }])
      expect(rowOf(block([approval(3), transferLog(bob, alice, 5n)]))).not.toHaveProperty("candidates")
      expect(rowOf(block([approval(3)]), bob)).not.toHaveProperty("candidates")
      expect([received([deposited], 4n), received([withdrawn], 4n), block([deposited])].map(isMarked)).toEqual([
        true,
        false,
        false,
      ])
      expect(isMarked(received([deposited], 5n))).toBe(false)
    })

    it("add: counts at most as many events as amounts moved, even if a hostile contract logs many", () => {
      const ofBob = { ...deposited, topics: [topics.deposit, topic(bob)] }
      const many = [deposited, ofBob, deposited, ofBob]

      expect(tokensOf(received(many, 5n))).toEqual([`erc20 ${token} 5`])
      expect(tokensOf(received(many, 5n), bob)).toEqual([])
      expect(tokensOf(received(many, 5n, 5n), bob)).toEqual([`erc20 ${token} 5`])
      expect(tokensOf(block(many))).toEqual([])
      expect(tokensOf(block(many.map(() => transferLog(zero, alice, 5n))))).toHaveLength(4)
    })

    it("add: counts a mint once if a transfer states it too, even with another amount or from the contract itself", () => {
      const shares = transferLog(zero, alice, 3n)
      const sold = transferLog(token, alice, 7n)

      expect(tokensOf(received([shares, deposited], 5n))).toEqual([`erc20 ${token} 3`])
      expect(tokensOf(received([deposited, sold], 5n))).toEqual([`erc20 ${token} 7`])
      expect(tokensOf(received([shares, deposited, deposited], 5n))).toEqual([`erc20 ${token} 3`, `erc20 ${token} 5`])
      expect(tokensOf(received([transferLog(bob, alice, 5n), deposited], 5n))).toHaveLength(2)
      expect(tokensOf(received([transferLog(zero, bob, 5n), deposited], 5n))).toEqual([`erc20 ${token} 5`])
      expect(tokensOf(received([transferLog(zero, token, 5n), deposited], 5n))).toEqual([`erc20 ${token} 5`])
      expect(tokensOf(received([{ ...shares, address: weth }, deposited], 5n))).toHaveLength(2)
    })

    it("add: counts a burn once if a transfer states it too, even with another amount or to the contract itself", () => {
      const paid = (...logs: ReadonlyArray<SourceLog>) => block(logs, { frames: [frame(token, carol, 5n)] })

      expect(tokensOf(paid(transferLog(alice, zero, 3n), withdrawn))).toEqual([`erc20 ${token} -3`])
      expect(tokensOf(paid(transferLog(alice, token, 5n), withdrawn))).toEqual([`erc20 ${token} -5`])
      expect(tokensOf(paid(transferLog(zero, alice, 5n), withdrawn))).toEqual([`erc20 ${token} 5`, `erc20 ${token} -5`])
    })
  })

  it("add: keeps the deposit of a listed contract beside a transfer of another amount or from the contract", () => {
    const deposited = log({ address: weth, topics: [topics.deposit, topic(alice)], data: data(5) })
    const withdrawn = log({ address: weth, topics: [topics.withdrawal, topic(alice)], data: data(5) })
    const returned = transferLog(alice, weth, 5n, { address: weth })

    expect(of(alice, transferLog(zero, alice, 3n, { address: weth }), deposited)).toHaveLength(2)
    expect(of(alice, returned, withdrawn)).toEqual([`erc20 ${weth} -5`, `erc20 ${weth} -5`])
  })

  const word = Schema.Literals(["0", "1", "40", "60", "a0", "f".repeat(64), alice.slice(2), bob.slice(2)])

  it.prop(
    "add: returns amounts that cancel out, and never throws, for logs with any words",
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
