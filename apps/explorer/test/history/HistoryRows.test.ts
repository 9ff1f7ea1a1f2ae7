import { describe, expect, it } from "vitest"
import * as Rows from "../../src/history/HistoryRows.ts"

interface Row {
  readonly key: string
  readonly block: bigint
}

const reading: Rows.Reading<Row> = { keyOf: ({ key }) => key, blockOf: ({ block }) => block }

const make = (): Rows.HistoryRows<Row> => {
  const rows = Rows.empty<Row>()
  rows.past.push({ key: "p2", block: 2n }, { key: "p1", block: 1n })
  for (const block of [3n, 4n, 5n]) Rows.addLive(rows, { key: `l${block}`, block }, reading)
  return rows
}

const shown = (rows: Rows.HistoryRows<Row>): ReadonlyArray<string> =>
  Array.from({ length: Rows.count(rows) }, (_, index) => {
    const entry = Rows.at(rows, index)
    return `${entry?.row.key}${entry?.isReverted === true ? " reverted" : ""}`
  })

describe("HistoryRows", () => {
  it("lists new rows above those of the past, newest first", () => {
    expect(shown(make())).toEqual(["l5", "l4", "l3", "p2", "p1"])
    expect(Rows.at(make(), 5)).toBeUndefined()
  })

  it("revert: marks rows from a block, and keeps them", () => {
    const rows = make()

    expect(Rows.revert(rows, 4n, reading)).toBe(false)

    expect(shown(rows)).toEqual(["l5 reverted", "l4 reverted", "l3", "p2", "p1"])
  })

  it("revert: reports that rows of the past must be read again", () => {
    expect(Rows.revert(make(), 2n, reading)).toBe(true)
  })

  it("addLive: a row with the key of a reverted one takes its place", () => {
    const rows = make()
    Rows.revert(rows, 4n, reading)

    Rows.addLive(rows, { key: "l4", block: 5n }, reading)

    expect(shown(rows)).toEqual(["l4", "l5 reverted", "l3", "p2", "p1"])
  })

  it("revert: keeps a bounded number of reverted rows, the newest ones", () => {
    const rows = Rows.empty<Row>()
    for (let block = 0n; block < 500n; block++) Rows.addLive(rows, { key: `l${block}`, block }, reading)

    Rows.revert(rows, 0n, reading)

    expect(Rows.count(rows)).toBe(200)
    expect(Rows.at(rows, 0)?.row.key).toBe("l499")
  })
})
