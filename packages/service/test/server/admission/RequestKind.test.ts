import { describe, expect, it } from "vitest"
import * as RequestKind from "../../../src/server/admission/RequestKind.ts"

const kindOf = (url: string, method = "GET") => RequestKind.of({ method, url })

const wallet = `/api/v2.2/0x${"1".repeat(40)}`

describe("RequestKind", () => {
  it.each([
    ["another wallet", `${wallet}/movements`, `/api/v2.2/0x${"2".repeat(40)}/movements`],
    ["another query", `${wallet}/movements?limit=1`, `${wallet}/movements?limit=100`],
    ["another contract", "/api/v2.2/contracts/0x1", "/api/v2.2/contracts/0x2"],
    ["another page of a list", "/v2/api?action=txlist&page=1", "/v2/api?page=2&action=txlist"],
    ["a longer path before its end", `/${"a".repeat(200)}/names`, `/${"b".repeat(300)}/names`],
  ])("of: a request with %s has the same kind", (_, one, other) => {
    expect(kindOf(one)).toBe(kindOf(other))
  })

  it("of: the operations of wallets, lists and methods have kinds of their own", () => {
    const kinds = [
      ...["verbose", "balances", "movements", "statement", "proof"].map((end) => kindOf(`${wallet}/${end}`)),
      ...["txlist", "tokentx", "tokennfttx", "getLogs"].map((action) => kindOf(`/v2/api?action=${action}`)),
      ...["names", "search", "contracts/0x1"].map((end) => kindOf(`/api/v2.2/${end}`)),
      kindOf(`${wallet}/proof`, "PUT"),
      kindOf("/mcp", "POST"),
    ]

    expect(new Set(kinds).size).toBe(kinds.length)
  })

  it("of: what clients send makes no more than 4,093 kinds", () => {
    const kinds = new Set(Array.from({ length: 2_000 }, (_, at) => kindOf(`/made-up-${at}?action=${at}`)))

    expect(Math.max(...kinds)).toBeLessThanOrEqual(4_092)
  })
})
