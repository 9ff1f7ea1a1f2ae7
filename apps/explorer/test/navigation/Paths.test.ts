import { describe, expect, it } from "vitest"
import * as Paths from "../../src/navigation/Paths.ts"

describe("Paths", () => {
  it("encodes what is not an identifier, so that it remains one segment of the path", () => {
    expect([Paths.address("a/b?c#d"), Paths.transaction(".."), Paths.block(12n)]).toEqual([
      "/address/a%2Fb%3Fc%23d",
      "/tx/..",
      "/block/12",
    ])
  })

  it("reads the parameters it has written, without empty or undefined ones", () => {
    const search = { chain: "my chain & more", tab: undefined, asset: "", from: "2026-01-31" }

    const url = Paths.withSearch("/address/0x1", search)

    expect(url).toBe("/address/0x1?chain=my+chain+%26+more&from=2026-01-31")
    expect(Paths.parseSearch(new URL(url, "http://localhost").search)).toEqual({
      chain: "my chain & more",
      from: "2026-01-31",
    })
    expect(Paths.withSearch("/", { chain: undefined })).toBe("/")
  })

  it("reads any text after the question mark", () => {
    expect(Paths.parseSearch("?%E0%A4%A&chain=%&chain=last&tab=&__proto__=x")).toMatchObject({ chain: "last" })
    expect(Paths.parseSearch("?chain=")).toEqual({})
  })
})
