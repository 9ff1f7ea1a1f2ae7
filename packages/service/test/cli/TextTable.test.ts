import { describe, expect, it } from "vitest"
import * as TextTable from "../../src/cli/TextTable.ts"

describe("TextTable", () => {
  it("format: aligns columns by their widest cells, without blanks at the end of a line", () => {
    expect(
      TextTable.format([
        ["CHAIN", "STATE", "HEAD"],
        ["eth", "synced", "12"],
        ["arbitrum", "", ""],
      ]),
    ).toEqual(["CHAIN     STATE   HEAD", "eth       synced  12", "arbitrum"])
    expect(TextTable.format([])).toEqual([])
  })

  it("formatAge: states the largest unit, and no negative age if clocks differ", () => {
    const now = 10_000_000_000
    expect(
      [59_000, 61_000, 7_300_000, 200_000_000, -5].map((millis) => TextTable.formatAge(now - millis, now)),
    ).toEqual(["59 s ago", "1 min ago", "2 h ago", "2 d ago", "0 s ago"])
  })
})
