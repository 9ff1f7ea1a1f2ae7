/** Positions of the journal as text, and rows that do not match their checksum. */
import { describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { expect } from "vitest"
import * as Journal from "../../../src/store/Journal.ts"
import * as JournalRow from "../../../src/store/rows/JournalRow.ts"
import * as CheckpointRow from "../../../src/store/rows/CheckpointRow.ts"

const change = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999_999_999 }))
const mark = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Journal.maxMark - 1 }))

describe("JournalRow", () => {
  it.prop("parsePosition: reads what formatPosition writes", { change, mark }, (position) => {
    expect(Journal.parsePosition(Journal.formatPosition(position))).toEqual(Result.succeed(position))
  })

  it("parsePosition: rejects every other text", () => {
    const texts = ["", "1", "1-", "-1", "01-1", "1-01", "1-zzzzzzzzzz", "1-A", "1 -1", "1-1\n", `${"9".repeat(16)}-1`]

    expect(texts.filter((text) => Result.isSuccess(Journal.parsePosition(text)))).toEqual([])
  })

  it("advance: raises the number with each change, and the serial with each except of finality", () => {
    const at = { kind: "append", lowest: 1, highest: 2, hash: null } as const
    const first = JournalRow.advance({ change: at, columns: CheckpointRow.empty }, 7, 1)
    const second = JournalRow.advance({ change: { ...at, kind: "final" }, columns: first.columns }, 8, 2)

    expect(first.columns).toEqual({ ...CheckpointRow.empty, serial: 7, change: 1 })
    expect(second.columns).toEqual({ ...CheckpointRow.empty, serial: 7, change: 2 })
    expect(JournalRow.fromColumns("x", second.row)).toEqual({ ...at, kind: "final", change: 2, serial: 7, mark: 2 })
  })

  it("fromColumns: a row that does not match its checksum is damaged", () => {
    const { row } = JournalRow.advance(
      { change: { kind: "append", lowest: 1, highest: 2, hash: null }, columns: CheckpointRow.empty },
      7,
      1,
    )
    const [number, kind, , ...rest] = row

    expect(() => JournalRow.fromColumns("chain", [number, kind, 0, ...rest])).toThrow(
      "Journal damaged: chain, change 1.",
    )
  })
})
