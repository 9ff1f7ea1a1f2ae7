import { describe, expect, it } from "@effect/vitest"
import type * as Holding from "../../../src/ledger/Holding.ts"
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
  ).balances

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

  it.each([
    ["ASC", undefined, { from: 0, count: 3 }],
    ["ASC", 3, { from: 4, count: 3 }],
    ["DESC", undefined, { from: 3, count: 2 }],
    ["DESC", 4, { from: 2, count: 2 }],
    ["DESC", 1, { from: 0, count: 1 }],
    ["DESC", 0, { from: 0, count: 0 }],
  ] as const)("numbersOf: two of five openings, %s after %s", (order, after, numbers) => {
    expect(OpeningRow.numbersOf({ wallet, order, after, limit: 2 }, 5)).toEqual(numbers)
  })

  it("rangeOf: numbers the movements in the order of the query; a damaged row has a number and is omitted", () => {
    const stored = rowsOf(
      { holding: native, amount: 5n },
      { holding: erc20, amount: 6n },
      { holding: erc1155("1"), amount: 7n },
    )
    const rows = stored.map(([, key, , amount, checksum]) => [key, amount, checksum] as const)
    const damaged = rows.map(
      ([key, amount, checksum], at) => [key, amount, at === 1 ? checksum + 1 : checksum] as const,
    )
    const range = (order: "ASC" | "DESC", from: number, read: typeof rows) => {
      const { next, rows } = OpeningRow.rangeOf(
        { wallet, order, after: undefined, limit: 2 },
        first,
        { from, count: 0 },
        read,
      )
      return [rows.map(({ movement, number }) => [number, movement.amount]), next]
    }

    expect(range("ASC", 4, rows)).toEqual([
      [
        [4, 5n],
        [5, 6n],
      ],
      5,
    ])
    expect(range("ASC", 4, rows.slice(0, 2))).toEqual([
      [
        [4, 5n],
        [5, 6n],
      ],
      undefined,
    ])
    expect(range("ASC", 4, damaged)).toEqual([[[4, 5n]], 5])
    expect(range("DESC", 4, rows.slice(0, 2))).toEqual([
      [
        [5, 6n],
        [4, 5n],
      ],
      4,
    ])
    expect(range("DESC", 0, damaged.slice(0, 2))).toEqual([[[0, 5n]], undefined])
  })
})
