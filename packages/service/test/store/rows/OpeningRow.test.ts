import { describe, expect, it } from "@effect/vitest"
import type * as Holding from "../../../src/ledger/Holding.ts"
import type { LedgerEntry, LedgerQuery, LedgerRows } from "../../../src/store/ChainReader.ts"
import * as Checksum from "../../../src/store/rows/Checksum.ts"
import * as OpeningRow from "../../../src/store/rows/OpeningRow.ts"

const wallet = `0x${"a1".repeat(20)}`
const token = `0x${"b2".repeat(20)}`
const native: Holding.Holding = { standard: "native", asset: "native", tokenId: null }
const erc20: Holding.Holding = { standard: "erc20", asset: token, tokenId: null }
const erc721: Holding.Holding = { standard: "erc721", asset: token, tokenId: null }
const erc1155 = (tokenId: string): Holding.Holding => ({ standard: "erc1155", asset: token, tokenId })

const first = 100
const rowsOf = (...balances: ReadonlyArray<{ readonly holding: Holding.Holding; readonly amount: bigint }>) =>
  OpeningRow.make(first, [{ wallet, balances }])

const walletBytes = Buffer.alloc(20, 0xa1)

/** A row with the checksum of its columns. */
const sealed = (key: Uint8Array): OpeningRow.Columns => {
  const values = [walletBytes, key, first, Uint8Array.of(1)] as const
  return [...values, Checksum.fromValues(values)]
}

/** Result of reading rows, possibly as those of another wallet or first block. */
const read = (rows: ReadonlyArray<OpeningRow.Columns>, of: Uint8Array = walletBytes, from = first) =>
  OpeningRow.read(
    of,
    from,
    rows.map(([, key, , amount, checksum]) => [key, amount, checksum]),
  )

const entry = (block: number, index: number): LedgerEntry => ({ block, index, roles: 1, movements: [] })
const query = (changes: Partial<LedgerQuery>): LedgerQuery => ({
  wallet,
  from: 0,
  to: 1_000,
  order: "ASC",
  after: null,
  limit: 2,
  ...changes,
})
/** Rows of a query with a limit of 2. */
const ledgerOf = (rows: ReadonlyArray<LedgerEntry>): LedgerRows => ({ rows, hasMore: rows.length === 2 })
const placesOf = (rows: ReadonlyArray<LedgerEntry>) =>
  rows.map(({ block, index, movements }) => [block, index, movements.length])

describe("OpeningRow", () => {
  it("read: returns the holding and amount of each written row", () => {
    const balances = [
      { holding: native, amount: 0n },
      { holding: native, amount: 15n },
      { holding: erc20, amount: 2n ** 256n - 1n },
      { holding: erc721, amount: 256n },
      ...["0", "1", "255", "256", String(2n ** 256n - 1n)].map((id) => ({ holding: erc1155(id), amount: 1n })),
    ]

    expect(read(rowsOf(...balances))).toEqual(balances)
  })

  it("bytesOfHolding: counts the standard, the token and the digits of the id, of which 0 has none", () => {
    const bytesOf = (holding: Holding.Holding) => Buffer.from(OpeningRow.bytesOfHolding(holding)).toString("hex")

    expect(bytesOf(native)).toBe("00")
    expect(bytesOf(erc20)).toBe(`01${"b2".repeat(20)}`)
    expect(["0", "15", "256"].map((id) => bytesOf(erc1155(id)))).toEqual(
      ["", "0f", "0100"].map((digits) => `03${"b2".repeat(20)}${digits}`),
    )
  })

  it("read: returns null for a row whose checksum differs or whose key names no token", () => {
    const [row] = rowsOf({ holding: native, amount: 7n })
    const keys = [
      [],
      [99],
      [4],
      [1],
      [1, ...Array.from({ length: 19 }, () => 7)],
      [4, ...Array.from({ length: 20 }, () => 7)],
    ].map((bytes) => Uint8Array.from(bytes))

    expect(read([[...row!.slice(0, -1), row![4] + 1] as unknown as OpeningRow.Columns])).toEqual([])
    expect(read([sealed(Uint8Array.of(0))])).toEqual([{ holding: native, amount: 1n }])
    expect(read(keys.map(sealed))).toEqual([])
  })

  it("read: returns null for a row of another wallet or first block", () => {
    const rows = rowsOf({ holding: native, amount: 7n })

    expect(read(rows)).toHaveLength(1)
    expect([read(rows, Buffer.alloc(20, 0xa2)), read(rows, walletBytes, first + 1)]).toEqual([[], []])
  })

  it("isWithin: an opening is at the start of the first block, which a page reaches or has passed", () => {
    const within = (changes: Partial<LedgerQuery>, rows: ReadonlyArray<LedgerEntry> = []) =>
      OpeningRow.isWithin(query(changes), first, ledgerOf(rows))
    const after = (block: number, index: number) => ({ block, index })

    expect([within({ from: 100 }), within({ from: 101 })]).toEqual([true, false])
    expect([within({ to: 100 }), within({ to: 99 })]).toEqual([true, false])
    expect([
      within({ after: after(99, 5) }),
      within({ after: after(100, 0) }),
      within({ after: after(101, 0) }),
    ]).toEqual([true, false, false])
    const down = (block: number, index: number) => within({ order: "DESC", after: after(block, index) })
    expect([down(101, 0), down(100, 1), down(100, 0), down(99, 3)]).toEqual([true, true, false, false])
    const full = (order: "ASC" | "DESC", ...rows: ReadonlyArray<LedgerEntry>) => within({ order, limit: 2 }, rows)
    expect([
      full("DESC", entry(102, 0), entry(101, 4)),
      full("DESC", entry(101, 4), entry(100, 1)),
      full("DESC", entry(101, 4), entry(100, 0)),
      full("DESC", entry(101, 4)),
      full("ASC", entry(101, 4), entry(102, 0)),
    ]).toEqual([false, false, true, true, true])
  })

  it("add: a page begins with the openings, or ends with them in descending order, within its limit", () => {
    const openings = [
      { holding: native, amount: 5n },
      { holding: erc20, amount: 0n },
      { holding: erc721, amount: 1n },
    ]
    const add = (order: "ASC" | "DESC", rows: ReadonlyArray<LedgerEntry>, held = openings) =>
      placesOf(OpeningRow.add(query({ order }), first, ledgerOf(rows), held))

    expect(add("ASC", [])).toEqual([[100, 0, 1]])
    expect(add("ASC", [entry(101, 4), entry(102, 0)])).toEqual([
      [100, 0, 1],
      [101, 4, 0],
    ])
    expect(add("ASC", [entry(100, 0), entry(101, 4)])).toEqual([
      [100, 0, 1],
      [101, 4, 0],
    ])
    expect(add("ASC", [entry(100, 1)])).toEqual([
      [100, 0, 1],
      [100, 1, 0],
    ])
    expect(add("DESC", [entry(101, 4)])).toEqual([
      [101, 4, 0],
      [100, 0, 1],
    ])
    expect(add("DESC", [entry(101, 4), entry(100, 0)])).toEqual([
      [101, 4, 0],
      [100, 0, 1],
    ])
    expect(add("ASC", [entry(101, 4)], openings.slice(1))).toEqual([[101, 4, 0]])
  })
})
