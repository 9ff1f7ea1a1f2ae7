import { describe, expect, it } from "vitest"
import * as CsvReader from "./CsvReader.ts"

const rowsOf = async (...pieces: ReadonlyArray<string>) => {
  const stream = async function* () {
    for (const piece of pieces) yield piece
  }
  const rows: Array<ReadonlyArray<string>> = []
  for await (const row of CsvReader.read(stream())) rows.push(row)
  return rows
}

describe("CsvReader", () => {
  it("read: returns rows with quotes, commas and line breaks, wherever the text is split", async () => {
    const text = 'a,"b ""c"", d",\r\n"line\r\nbreak",,x\r\n'
    const rows = [
      ["a", 'b "c", d', ""],
      ["line\r\nbreak", "", "x"],
    ]

    for (let at = 0; at <= text.length; at++) expect(await rowsOf(text.slice(0, at), text.slice(at))).toEqual(rows)
  })

  it("read: accepts a lone line feed as the end of a row", async () => {
    expect(await rowsOf("a,b\nc,d\n")).toEqual([
      ["a", "b"],
      ["c", "d"],
    ])
  })
})
