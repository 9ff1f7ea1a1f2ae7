/** Issues of stored ledgers that differ from those that a block justifies. */
import { describe, expect, it } from "vitest"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Checksum from "../../../src/store/rows/Checksum.ts"
import * as LedgerDifferences from "../../../src/store/rows/LedgerDifferences.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import { blockLevel, type Given, movementOf, token } from "../../server/rest/ledgers.ts"
import * as Rows from "../../server/rows.ts"

const block = 7
const { alice, bob, stranger } = Rows

const rowOf = (wallet: string, index: number, ...given: ReadonlyArray<Given>) => {
  return { wallet, index, roles: 1, movements: given.map(movementOf) }
}
const packed = LedgerCodec.pack([
  rowOf(alice, 0, { amount: 5n }, { amount: -1n, kind: "fee" }, { asset: token, kind: "erc20", amount: 2n }),
  rowOf(alice, 1),
  rowOf(bob, blockLevel, { amount: 9n }),
])
const derived = LedgerCodec.unpack(packed)
const [other] = LedgerCodec.unpack(LedgerCodec.pack([rowOf(stranger, 3, { amount: 1n })]))

type Row = LedgerCodec.PackedRow

const sealed = ({ body, index, wallet }: Row): LedgerDifferences.Columns => {
  const id = RowId.make(block, index)
  return [wallet, id, body, Checksum.fromValues([wallet, id, body])]
}
const listOf = (rows: ReadonlyArray<Row>, places = LedgerCodec.packPlaces(rows)): LedgerDifferences.Places => [
  block,
  places,
  Checksum.fromValues([block, places]),
]
const damaged = ([of, places, checksum]: LedgerDifferences.Places): LedgerDifferences.Places => [
  of,
  places,
  checksum + 1,
]
const unreadable = listOf([], Uint8Array.of(1, 2, 3))

/** Issues of a block with these rows and this list. */
const issuesOf = (
  rows: ReadonlyArray<LedgerDifferences.Columns>,
  places: LedgerDifferences.Places | undefined,
  of = packed,
) =>
  LedgerDifferences.find(
    {
      places,
      rowOf: (wallet, id) => rows.find((row) => Buffer.compare(row[0], wallet) === 0 && row[1] === id),
    },
    block,
    of,
  )

const all = derived.map(sealed)
const [first, second, third] = all as [LedgerDifferences.Columns, LedgerDifferences.Columns, LedgerDifferences.Columns]
const ofAlice = `the ledger of ${alice} in transaction 0 (native, ${token})`

describe("LedgerDifferences.find", () => {
  it.each<
    [string, ReadonlyArray<LedgerDifferences.Columns>, LedgerDifferences.Places | undefined, ReadonlyArray<string>]
  >([
    ["nothing", all, listOf(derived), []],
    ["a missing row with its assets", [second, third], listOf(derived), [`${ofAlice} is missing`]],
    [
      "a missing row without movements",
      [first, third],
      listOf(derived),
      [`the ledger of ${alice} in transaction 1 is missing`],
    ],
    [
      "a missing row of the block itself",
      [first, second],
      listOf(derived),
      [`the ledger of ${bob} outside its transactions (native) is missing`],
    ],
    [
      "a row with another checksum",
      [[first[0], first[1], first[2], first[3] + 1], second, third],
      listOf(derived),
      [`${ofAlice} does not match its checksum`],
    ],
    [
      "a row with another body",
      [sealed({ ...derived[0]!, body: derived[1]!.body }), second, third],
      listOf(derived),
      [`${ofAlice} is not what the block states`],
    ],
    ["a missing list", all, undefined, ["the list of its ledgers is missing"]],
    ["a damaged list", all, damaged(listOf(derived)), ["the list of its ledgers does not match its checksum"]],
    ["a list that cannot be read", all, unreadable, ["the list of its ledgers names other rows"]],
    ["a list without a row", all, listOf(derived.slice(1)), ["the list of its ledgers names other rows"]],
    [
      "a row that is not derived",
      [...all, sealed(other!)],
      listOf([...derived, other!]),
      [
        "the list of its ledgers names other rows",
        `the ledger of ${stranger} in transaction 3 (native) is not what the block states`,
      ],
    ],
    [
      "a row that is not derived and cannot be read",
      [...all, sealed({ ...other!, body: Uint8Array.of(1, 2) })],
      listOf([...derived, other!]),
      [
        "the list of its ledgers names other rows",
        `the ledger of ${stranger} in transaction 3 is not what the block states`,
      ],
    ],
    ["a name without a row", all, listOf([...derived, other!]), ["the list of its ledgers names other rows"]],
  ])("finds %s", (_, rows, places, issues) => {
    expect(issuesOf(rows, places)).toEqual(issues)
  })

  it("describes ten issues of a block, and counts the others", () => {
    const many = (count: number) => LedgerCodec.pack(Array.from({ length: count }, (_, index) => rowOf(alice, index)))
    const issues = (count: number) => {
      const rows = many(count)
      return issuesOf([], listOf(LedgerCodec.unpack(rows)), rows)
    }

    expect(issues(10)).toHaveLength(10)
    expect(issues(12).slice(9)).toEqual([
      `the ledger of ${alice} in transaction 9 is missing`,
      "2 other rows of its ledgers differ",
    ])
  })
})

describe("LedgerDifferences", () => {
  it("isOrphaned: is true for a row that no list of its block names, unless the list is damaged or cannot be read", () => {
    const isOrphaned = (places: LedgerDifferences.Places | undefined, { index, wallet }: Row) =>
      LedgerDifferences.isOrphaned(places, wallet, RowId.make(block, index))
    const [row] = derived as [Row]

    expect(isOrphaned(undefined, row)).toBe(true)
    expect(isOrphaned(listOf(derived), row)).toBe(false)
    expect(isOrphaned(listOf(derived), { ...row, index: 2 })).toBe(true)
    expect(isOrphaned(listOf(derived), { ...row, wallet: other!.wallet })).toBe(true)
    expect(isOrphaned(damaged(listOf([])), row)).toBe(false)
    expect(isOrphaned(unreadable, row)).toBe(false)
  })

  it("walletsOf: returns the wallets of as many lists as there are blocks, and null if one is missing or damaged", () => {
    const lists = [listOf(derived), listOf([other!])]

    expect(LedgerDifferences.walletsOf(lists, 2)).toEqual(new Set([alice, bob, stranger]))
    expect(LedgerDifferences.walletsOf(lists, 3)).toBeNull()
    expect(LedgerDifferences.walletsOf([lists[0]!, damaged(lists[1]!)], 2)).toBeNull()
  })
})
