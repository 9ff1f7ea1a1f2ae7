import { describe, expect, it } from "vitest"
import { parse } from "../../src/watch/WatchList.ts"

const address = `0x${"ab".repeat(20)}`

describe("WatchList.parse", () => {
  it("reads a stored list and leaves out what is not valid", () => {
    const stored = [{ address, label: "mine" }, { address: "0x12", label: "" }, null, { address, label: 5 }]

    expect(parse(JSON.stringify(stored))).toEqual([{ address, label: "mine" }])
  })

  it("is empty for nothing and for text that is no list", () => {
    for (const text of [null, "", "{", "{}", "7"]) expect(parse(text)).toEqual([])
  })
})
