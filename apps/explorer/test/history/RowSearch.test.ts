import type { RestPromiseClient, WalletTransaction } from "@daybook/rest/promise"
import { describe, expect, it } from "vitest"
import * as RowSearch from "../../src/history/RowSearch.ts"

/** Pages of one row each, and the number of those that were requested. */
const paged = (hashes: ReadonlyArray<string>) => {
  let requests = 0
  const pageAt = (at: number): unknown => {
    requests++
    return {
      result: [{ hash: hashes[at] }],
      next: async () => (at + 1 < hashes.length ? pageAt(at + 1) : null),
    }
  }
  const client = { walletTransactions: async () => pageAt(0) } as unknown as RestPromiseClient
  const find = (hash: string, maxPages: number) =>
    RowSearch.find(
      client,
      { address: "0x0000000000000000000000000000000000000001" },
      { matches: (row: WalletTransaction) => row.hash === hash, maxPages, signal: new AbortController().signal },
    )
  return { find, requests: () => requests }
}

describe("RowSearch.find", () => {
  it("returns the row, and requests no page after it", async () => {
    const { find, requests } = paged(["0x1", "0x2", "0x3"])

    expect(await find("0x2", 10)).toEqual({ hash: "0x2" })
    expect(requests()).toBe(2)
  })

  it("requests no more pages than permitted", async () => {
    const { find, requests } = paged(["0x1", "0x2", "0x3"])

    expect(await find("0x3", 2)).toBeNull()
    expect(requests()).toBe(2)
  })

  it("returns null at the end of the history", async () => {
    const { find, requests } = paged(["0x1", "0x2"])

    expect(await find("0x9", 10)).toBeNull()
    expect(requests()).toBe(2)
  })
})
