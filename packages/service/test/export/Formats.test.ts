import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Wei from "@daybook/schema/Wei"
import * as Beancount from "../../src/export/Beancount.ts"
import * as Csv from "../../src/export/Csv.ts"
import * as Hledger from "../../src/export/Hledger.ts"
import * as Ndjson from "../../src/export/Ndjson.ts"
import * as TextFields from "../../src/export/TextFields.ts"
import { entryOf, ether, token, tokenOf, wallet } from "./entries.ts"

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(2n ** 256n), maximum: 2n ** 256n }))
const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 }))

/** Reads lines of RFC 4180. */
const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = [[]]
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (const [, quoted, plain = "", end] of text.matchAll(pattern)) {
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === "\r\n") rows.push([])
  }
  return rows.slice(0, -1)
}

const tail = {
  closings: [{ wallet, asset: ether, amount: 5n, largest: 5n, found: 6n }],
  blockNumber: 9,
  timestamp: 1_700_000_000,
}

describe("Csv", () => {
  it("entry: writes a line per movement below the column names", () => {
    const format = Csv.make()

    expect(format.head([{ chainId: 1, wallet }])).toBe(
      "chain_id,wallet,block_number,block_timestamp,block_hash,transaction_hash,transaction_index,group,log_index,kind,asset,token_id,symbol,counterparty,counterparty_label,amount,amount_in_smallest_unit,failed,flags\r\n",
    )
    expect(format.entry(entryOf(tokenOf("GOLD", 6), -1_500_000n))).toBe(
      `1,${wallet},7,2023-11-14T22:13:20.000Z,0x${"b7".repeat(32)},0x${"7a".repeat(32)},2,7-2,5,erc20,${token},,GOLD,0x${"c0".repeat(20)},,-1.5,-1500000,false,\r\n`,
    )
    expect(format.tail(tail)).toBe("")
  })

  it.prop(
    "entry: preserves any symbol and amount, and writes no symbol that a spreadsheet reads as a formula",
    { symbol: Schema.String, amount: Amount, decimals: Decimals },
    ({ amount, decimals, symbol }) => {
      const [fields] = parseCsv(Csv.make().entry(entryOf(tokenOf(symbol, decimals), amount)))
      const at = (name: (typeof Csv.columns)[number]) => fields![Csv.columns.indexOf(name)]!

      expect(fields).toHaveLength(Csv.columns.length)
      expect(at("symbol").replaceAll("'", "")).toBe(symbol.replaceAll("'", ""))
      expect(at("symbol")).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
      expect(Wei.parseUnits(at("amount"), decimals)).toBe(amount)
      expect(BigInt(at("amount_in_smallest_unit"))).toBe(amount)
    },
  )

  it.prop(
    "entry: has no cell that is a formula, whether lines are split at commas, semicolons or tabs, with or without quotes",
    { parts: Schema.Array(Schema.Literals([";", "\t", "\n", '"', "=", "+1", "-", "@", "＝", " ", "A", "'", ","])) },
    ({ parts }) => {
      const label = parts.join("")
      const text = Csv.make().entry({ ...entryOf(tokenOf(label, 0), 1n), counterpartyLabel: label })
      const [fields] = parseCsv(text)
      // Amounts are signed numbers that the program writes itself.
      const cells = text
        .replace(/,1,1,false\r\n$/, "")
        .split(/[;\t\n\r]/)
        .slice(1)

      for (const name of ["symbol", "counterparty_label"] as const) {
        expect(fields![Csv.columns.indexOf(name)]!.replaceAll("'", "")).toBe(label.replaceAll("'", ""))
      }
      for (const cell of cells) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/)
    },
  )

  it("entry: neutralises and quotes a text that a spreadsheet reads as a formula after a semicolon or a tab", () => {
    const entry = (symbol: string) => Csv.make().entry(entryOf(tokenOf(symbol, 0), 1n))

    expect(entry("A;=1+1;")).toContain(`,"A;'=1+1;",`)
    expect(entry("A\t=1+1")).toContain(`,"A\t'=1+1",`)
    expect(entry('A; "=1+1')).toContain(`,"A;' ""=1+1",`)
    expect(entry("A;B")).toContain(`,"A;B",`)
  })

  it("entry: writes a formula as text", () => {
    const [fields] = parseCsv(Csv.make().entry(entryOf(tokenOf('=HYPERLINK("https://x.example","a")', 0), 1n)))

    const [wide] = parseCsv(Csv.make().entry(entryOf(tokenOf("＝1+1", 0), 1n)))

    expect(fields![Csv.columns.indexOf("symbol")]).toBe('\'=HYPERLINK("https://x.example","a")')
    expect(wide![Csv.columns.indexOf("symbol")]).toBe("'＝1+1")
  })
})

describe("Ndjson", () => {
  it("entry: writes an object per line with the names of the interface", () => {
    expect(JSON.parse(Ndjson.make().entry(entryOf(tokenOf("GOLD", 6), -1_500_000n)))).toEqual({
      chain_id: 1,
      address: wallet,
      kind: "erc20",
      asset: token,
      token_id: null,
      symbol: "GOLD",
      decimals: 6,
      amount: "-1500000",
      amount_in_units: "-1.5",
      counterparty: `0x${"c0".repeat(20)}`,
      counterparty_label: null,
      group: "7-2",
      transaction_hash: `0x${"7a".repeat(32)}`,
      transaction_index: 2,
      log_index: 5,
      block_number: 7,
      block_hash: `0x${"b7".repeat(32)}`,
      block_timestamp: "2023-11-14T22:13:20.000Z",
      failed: false,
      flags: [],
    })
  })
})

describe("Ndjson: the whole file", () => {
  it("head, tail: write nothing", () => {
    const format = Ndjson.make()

    expect([format.head([{ chainId: 1, wallet }]), format.tail(tail)]).toEqual(["", ""])
  })
})

describe("transfers between wallets of an export", () => {
  const other = `0x${"c0".repeat(20)}`
  const sent = { ...entryOf(ether, -5n, "value"), own: "sent" as const, counterpartyLabel: 'Cold "wallet"; 1\n2' }
  const received = {
    ...entryOf(ether, 5n, "value"),
    own: "received" as const,
    movement: { ...entryOf(ether, 5n, "value").movement, wallet: other, counterparty: wallet },
  }

  it("Beancount: writes one entry with both accounts and the label of the counterparty", () => {
    const format = Beancount.make()

    expect(format.entry(sent)).toContain(
      `  label: "Cold wallet 1 2"\n  Assets:Chain1:${wallet}  -0.000000000000000005 ETH\n  Assets:Chain1:${other}  0.000000000000000005 ETH\n`,
    )
    expect(format.entry(received)).toBe("")
  })

  it("Hledger: writes one entry with both accounts and the label of the counterparty", () => {
    const format = Hledger.make()
    const text = format.entry(sent)

    expect(text).toContain("asset:native, label:Cold wallet 1 2\n")
    expect(text).toContain(`    assets:chain1:${wallet}  -0.000000000000000005 "ETH"\n    assets:chain1:${other}\n`)
    expect(format.entry(received)).toBe("")
  })
})

describe("TextFields", () => {
  it.prop(
    "commodityOf: returns a name that beancount accepts, whatever the symbol",
    { symbol: Schema.NullOr(Schema.String) },
    ({ symbol }) => {
      expect(TextFields.commodityOf(tokenOf(symbol, 0))).toMatch(/^[A-Z][A-Z0-9.]{0,22}[A-Z0-9]$/)
    },
  )

  it("commodityOf: distinguishes tokens with the same symbol by address and id", () => {
    const one = tokenOf("GOLD", 18)
    const others = [
      { ...one, holding: { ...one.holding, asset: wallet } },
      { ...one, holding: { ...one.holding, standard: "erc1155" as const, tokenId: "1" } },
      { ...one, chainId: 2 },
    ]
    const names = [one, ...others].map(TextFields.commodityOf)

    expect(new Set(names).size).toBe(4)
    expect(names.every((name) => name.startsWith("GOLD."))).toBe(true)
  })

  it("commodityOf: distinguishes the currency of a test network or of a chain without a row from that of another chain", () => {
    const of = (chainId: number) => TextFields.commodityOf({ ...ether, chainId })

    expect([1, 8_453, 11_155_111, 31_337].map(of)).toEqual(["ETH", "ETH.8453", "ETH.11155111", "ETH.31337"])
    expect([137, 80_002, 100].map(of)).toEqual(["POL", "POL.80002", "XDAI"])
  })
})

describe("Beancount", () => {
  it("make: opens the accounts, balances each movement, and asserts the balances of the day after the last block", () => {
    const format = Beancount.make()

    expect(format.head([{ chainId: 1, wallet }])).toContain(`1970-01-01 open Assets:Chain1:${wallet}\n`)
    expect(format.entry(entryOf(ether, -21_000n, "fee"))).toBe(
      `2023-11-14 * "0x${"c0".repeat(20)}" "fee"\n  block: "7"\n  transaction: "0x${"7a".repeat(32)}"\n  asset: "native"\n` +
        `  Assets:Chain1:${wallet}  -0.000000000000021 ETH\n  Expenses:Fees  0.000000000000021 ETH\n\n`,
    )
    expect(format.tail(tail)).toBe(
      `; not proved: the chain has 0.000000000000000006\n2023-11-15 balance Assets:Chain1:${wallet}  0.000000000000000005 ~ 0 ETH\n`,
    )
  })
})

describe("Beancount: sums of more than 28 digits", () => {
  it("make: writes them as comments, because beancount rounds them", () => {
    const closings = [{ wallet, asset: ether, amount: 1n, largest: 10n ** 28n, found: 1n }]
    const lines = Beancount.make()
      .entry(entryOf(ether, 10n ** 28n, "value"))
      .split("\n")

    expect(lines.every((line) => line === "" || line.startsWith("; "))).toBe(true)

    expect(Beancount.make().tail({ ...tail, closings })).toBe(
      `; more digits than beancount computes with: 2023-11-15 balance Assets:Chain1:${wallet}  0.000000000000000001 ~ 0 ETH\n`,
    )
  })
})

describe("Hledger", () => {
  it("entry: names the id of a token, and no transaction for a movement of the block itself", () => {
    const id = { ...ether, holding: { standard: "erc1155", asset: token, tokenId: "12" } } as const
    const entry = { ...entryOf(id, 5n, "erc1155"), transactionHash: null }

    expect(Hledger.make().entry(entry)).toContain(`| erc1155  ; block:7, asset:${token}, token:12\n`)
  })

  it("make: declares each commodity once, before its first use, and asserts the balances at the end", () => {
    const format = Hledger.make()
    const first = format.entry(entryOf(ether, 5n, "value"))
    const second = format.entry(entryOf(ether, -5n, "value"))

    expect(first).toBe(
      `commodity 1000.000000000000000000 "ETH"\n\n2023-11-14 * 0x${"c0".repeat(20)} | value  ; block:7, transaction:0x${"7a".repeat(32)}, asset:native\n` +
        `    assets:chain1:${wallet}  0.000000000000000005 "ETH"\n    equity:transfers\n\n`,
    )
    expect(second.startsWith("2023-11-14 * ")).toBe(true)
    expect(format.tail(tail)).toBe(
      `2023-11-14 * balances\n    assets:chain1:${wallet}  0 "ETH" = 0.000000000000000005 "ETH"  ; not proved: the chain has 0.000000000000000006\n\n`,
    )
  })
})
