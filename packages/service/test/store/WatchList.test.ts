import { describe, expect, it } from "@effect/vitest"
import * as WatchList from "../../src/store/WatchList.ts"

const of = { first: 10, head: { number: 20, hash: "0x14" }, headTimestamp: 20, finalized: null }

const every = of

const some = { ...of, watch: ["0xa", "0xb", "0xc"], addedFrom: { "0xb": 15, "0xc": 21 } }

const lower = { ...some, addedFrom: { "0xb": 10, "0xc": 4 } }

describe("WatchList", () => {
  it("firstBlock: is that of the index, unless the wallet was added above it", () => {
    expect(["0xa", "0xb", "0xc"].map((wallet) => WatchList.firstBlock(some, wallet))).toEqual([10, 15, 21])
    expect(["0xa", "0xb", "0xc"].map((wallet) => WatchList.firstBlock(lower, wallet))).toEqual([10, 10, 10])
    expect(WatchList.firstBlock(every, "0xa")).toBe(10)
  })

  it("ofWallet: begins with the first block of the wallet", () => {
    expect(WatchList.ofWallet(some, "0xb")).toEqual({ ...some, first: 15 })
    expect(WatchList.ofWallet(every, "0xb")).toBe(every)
  })

  it("walletsAt: returns the wallets whose first block is at or below the block; null if every wallet is indexed", () => {
    expect([14, 15, 20, 21].map((block) => [...(WatchList.walletsAt(some, block) ?? [])])).toEqual([
      ["0xa"],
      ["0xa", "0xb"],
      ["0xa", "0xb"],
      ["0xa", "0xb", "0xc"],
    ])
    expect(WatchList.walletsAt(every, 15)).toBeNull()
  })

  it("completeWallets: returns the wallets of which all blocks have the transactions", () => {
    expect([...(WatchList.completeWallets(some) ?? [])]).toEqual(["0xa"])
    expect([...(WatchList.completeWallets(lower) ?? [])]).toEqual(["0xa", "0xb", "0xc"])
    expect(WatchList.completeWallets(every)).toBeNull()
  })
})
