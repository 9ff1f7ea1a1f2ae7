import { describe, expect, it } from "@effect/vitest"
import * as AtomicTransactions from "../../src/ledger/AtomicTransactions.ts"
import * as Books from "../../src/ledger/Books.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import { alice, bob, carol, facts, markedIn, miner, movementsOf, rowsOf, source } from "./sources.ts"

const avalanche = LedgerRules.fromChainId(43_114)
const avax = avalanche.atomicAsset!

const number = (value: number | bigint, bytes = 4) => value.toString(16).padStart(2 * bytes, "0")
const list = (...elements: ReadonlyArray<string>) => `${number(elements.length)}${elements.join("")}`
const bare = (hex: string) => hex.slice(2)
const id = "ab".repeat(32)

const credentials = list(`${number(9)}${list("11".repeat(65), "22".repeat(65))}`, `${number(9)}${list()}`)
const chains = `${number(1)}${id}${id}`
const input = `${id}${number(3)}${bare(avax)}${number(5)}${number(9n, 8)}${list(number(0), number(1))}`
const output = `${bare(avax)}${number(7)}${number(9n, 8)}${number(0, 8)}${number(1)}${list("33".repeat(20))}`
const received = (account: string, amount: bigint, asset = avax) => `${bare(account)}${number(amount, 8)}${bare(asset)}`
const sent = (account: string, amount: bigint, asset = avax) => `${received(account, amount, asset)}${number(7, 8)}`

const imports = (...outputs: ReadonlyArray<string>) =>
  `${number(0)}${chains}${list(input, input)}${list(...outputs)}${credentials}`
const exports = (...inputs: ReadonlyArray<string>) =>
  `${number(1)}${chains}${list(...inputs)}${list(output)}${credentials}`

const block = (blockExtraData: string) => source({ facts: facts({ blockExtraData }) })
const single = (transaction: string) => block(`0x0000${transaction}`)
const batch = (...transactions: ReadonlyArray<string>) => block(`0x0000${list(...transactions)}`)

/** The atomic transaction of a block of Avalanche's C-Chain, which exports to its P-Chain. */
const recorded =
  "0x00000000000100000001000000010427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652000000000000000000000000000000000000000000000000000000000000000000000001565f0fe9715e3cb0df579f186c299d6707887e830000000dc7d44f6f21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff0000000000025fcd0000000121e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000070000000dc7d42391000000000000000000000001000000015cf998275803a7277926912defdf177b2e97b0b4000000010000000900000001c1b39952df371d6ac3cb7615630dc279dec7a471c1c355738c0fa087b41fd5c317ac85d312b4dc01c9b37513bcac98465cf7a834f8a291536aab1c6403d29d1b01"

describe("AtomicTransactions", () => {
  it("add: debits exports and credits imports, in wei", () => {
    const found = batch(exports(sent(carol, 5n), sent(bob, 2n)), imports(received(carol, 3n)))

    expect(movementsOf(carol, found, avalanche)).toEqual(["irregular -5000000000", "irregular 3000000000"])
    expect(movementsOf(bob, found, avalanche)).toEqual(["irregular -2000000000"])
    expect(rowsOf(found, avalanche).find(({ wallet }) => wallet === carol)?.roles).toEqual(["mint_recipient"])
    expect(markedIn(found, avalanche)).toEqual([])
    expect(rowsOf(batch(imports(received(carol, 0n))), avalanche).map(({ wallet }) => wallet)).not.toContain(carol)
  })

  it("add: reads the atomic transactions of a recorded block", () => {
    const account = "0x565f0fe9715e3cb0df579f186c299d6707887e83"

    expect(movementsOf(account, block(recorded), avalanche)).toEqual([`irregular -${0xdc7d44f6fn * 10n ** 9n}`])
  })

  it("add: reads a single transaction, the form before Apricot Phase 5", () => {
    expect(movementsOf(carol, single(imports(received(carol, 3n))), avalanche)).toEqual(["irregular 3000000000"])
    expect(movementsOf(carol, single(exports(sent(carol, 3n))), avalanche)).toEqual(["irregular -3000000000"])
  })

  it("add: reads an encoding in upper case", () => {
    const { blockExtraData } = single(imports(received(carol, 3n))).facts!
    const upper = `0x${bare(blockExtraData!).toUpperCase()}`

    expect(movementsOf(carol, block(upper), avalanche)).toEqual(["irregular 3000000000"])
  })

  it("add: moves no native currency for another asset", () => {
    const other = `0x${"cd".repeat(32)}`

    expect(movementsOf(carol, batch(imports(received(carol, 3n, other))), avalanche)).toEqual([])
  })

  it("add: marks the rows of a block whose atomic transactions cannot be read", () => {
    const whole = batch(imports(received(carol, 3n))).facts!.blockExtraData!
    const unreadable = [
      whole.slice(0, -2),
      // Without the last credential of two.
      whole.slice(0, -16),
      `0x0000${number(0)}${chains}${list()}${number(2)}${received(carol, 3n)}`,
      whole.slice(0, 150),
      `${whole}00`,
      whole.replace("0x0000", "0x0001"),
      `0x0000${list(`${number(2)}${id}`)}`,
      `0x0000${list(`${number(2)}${chains}${list()}${list()}`)}`,
      "0x01",
    ]

    for (const data of unreadable) expect([data, markedIn(block(data), avalanche)]).toEqual([data, [miner]])
    expect(markedIn(block(whole), LedgerRules.fromChainId(1))).toEqual([miner])
    expect(AtomicTransactions.transfersIn("0x0000")).toBe(null)
  })

  it("add: counts an export towards the transaction count of its account", () => {
    const books = Books.make(carol)
    const rows = rowsOf(batch(exports(sent(carol, 5n))), avalanche)
    const movement = { counterparty: null, asset: "native", tokenId: null, logIndex: null, isFailed: false }
    const change = (amount: bigint, kind: "irregular" | "value" = "irregular") => {
      return { ...movement, wallet: carol, kind, amount }
    }

    expect(rows.map(({ wallet }) => wallet)).toEqual([alice, bob, miner, carol])
    expect(rows.at(-1)?.roles).toEqual([])
    Books.addRow(books, 1, { index: null, roles: 0, movements: [change(5n), change(0n), change(-5n, "value")] })
    expect(books.delegations).toBe(0)
    Books.addRow(books, 2, { index: null, roles: 0, movements: [change(5n), change(-5n)] })
    expect(books.delegations).toBe(1)
  })
})
