import { describe, expect, it } from "vitest"
import * as Redacted from "effect/Redacted"
import * as KnownKeys from "../../../src/server/admission/KnownKeys.ts"

const address = "192.0.2.7"

/** Keys of which one is known. */
const make = () => {
  const known = KnownKeys.make()
  known.add(Redacted.make("right"), "one")
  return known
}

describe("KnownKeys", () => {
  it.each([
    ["a header", { headers: { "x-api-key": "right" }, url: "/api" }],
    ["a bearer token", { headers: { authorization: "Bearer right" }, url: "/mcp" }],
    ["the path of the relay", { headers: {}, url: "/rpc/eth/right" }],
    ["the path of the relay with a query", { headers: {}, url: "/rpc/eth/right?a=1" }],
    ["a query of Etherscan's API in another case", { headers: {}, url: "/v2/api?apiKey=right" }],
    ["a query of Etherscan's API", { headers: {}, url: "/v2/api?module=account&apikey=right&page=1" }],
  ])("holderOf: a known key in %s belongs to its holder", (_, request) => {
    expect(make().holderOf(request, address)).toBe("one")
  })

  it("holderOf: requests with unknown keys, or without one, belong to their address", () => {
    const { holderOf } = make()
    const none = holderOf({ headers: {}, url: "/health" }, address)
    const keys = ["a", "b", "c"].map((key) => holderOf({ headers: { "x-api-key": key }, url: "/" }, address))

    expect(new Set([none, ...keys]).size).toBe(1)
    expect(none).not.toBe(holderOf({ headers: {}, url: "/" }, "198.51.100.1"))
  })

  it("add: beyond 10,000 keys all are forgotten, and added again when used", () => {
    const known = make()
    for (let at = 0; at < 10_000; at++) known.add(Redacted.make(`key-${at}`), `holder-${at}`)
    const holderOf = (key: string) => known.holderOf({ headers: { "x-api-key": key }, url: "/" }, address)

    expect(holderOf("key-9999")).toBe("holder-9999")
    expect(holderOf("right")).not.toBe("one")
  })
})
