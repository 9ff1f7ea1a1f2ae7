import { describe, expect, it } from "vitest"
import { line } from "../../src/download/Csv.ts"
import { parseCsv } from "../Site.ts"

describe("Csv.line", () => {
  it("quotes cells with commas, quotes and line breaks, so that they are read unchanged", () => {
    const cells = ["a,b", 'say "hi"', "two\nlines", "", "plain"]

    expect(parseCsv(line(cells).replace("\n", " ").replace("\r ", "\r\n"))[0]?.length).toBe(5)
    expect(line(cells)).toBe('"a,b","say ""hi""","two\nlines",,plain\r\n')
  })

  it("puts an apostrophe before texts that a spreadsheet would read as a formula, and keeps negative numbers", () => {
    expect(line(["=1+1", "@SUM(A1)", "+x", "-cmd", "-5", -7n, null])).toBe("'=1+1,'@SUM(A1),'+x,'-cmd,-5,-7,\r\n")
  })
})
