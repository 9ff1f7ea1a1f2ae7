import { describe, expect, it } from "vitest"
import { added, maxWatched, parse } from "../../src/watch/WatchList.ts"

const address = `0x${"ab".repeat(20)}`

describe("WatchList.parse", () => {
  it("reads a stored list and omits invalid entries", () => {
    const stored = [{ address, label: "mine" }, { address: "0x12", label: "" }, null, { address, label: 5 }]

    expect(parse(JSON.stringify(stored))).toEqual([{ address, label: "mine" }])
  })

  it("is empty for nothing and for text that is not a list", () => {
    for (const text of [null, "", "{", "{}", "7"]) expect(parse(text)).toEqual([])
  })
})

describe("WatchList.added", () => {
  const entryOf = (at: number, label = "") => ({ address: `0x${at.toString(16).padStart(40, "0")}`, label })
  const full = Array.from({ length: maxWatched }, (_, at) => entryOf(at))

  it("adds an address, and changes the label of an existing one", () => {
    expect(added([entryOf(1), entryOf(2)], entryOf(1, "mine"))).toEqual([entryOf(2), entryOf(1, "mine")])
    expect(added(full, entryOf(0, "mine"))).toEqual([...full.slice(1), entryOf(0, "mine")])
  })

  it("leaves a full list unchanged: no address is dropped for another one", () => {
    expect(added(full, entryOf(maxWatched))).toEqual(full)
  })
})
