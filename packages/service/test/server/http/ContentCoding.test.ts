import { describe, expect, it } from "vitest"
import * as ContentCoding from "../../../src/server/http/ContentCoding.ts"

const built = ["br", "gzip", "identity"] as const

describe("ContentCoding", () => {
  it("choose: uses the smallest coding that a browser accepts", () => {
    for (const [header, coding] of [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip, deflate", "gzip"],
      ["BR", "br"],
      ["*", "br"],
      ["br;q=0, *;q=0.5", "gzip"],
    ] as const) {
      expect([header, ContentCoding.choose(header, built)]).toEqual([header, coding])
    }
  })

  it("choose: uses what the request prefers, and no coding rather than one with a lower weight", () => {
    expect(ContentCoding.choose("br;q=0.2, gzip;q=0.8", built)).toBe("gzip")
    expect(ContentCoding.choose("gzip;q=0.5, identity", built)).toBe("identity")
    expect(ContentCoding.choose("br;q=0.1, gzip;q=0.2, *;q=0.5", built)).toBe("identity")
    expect(ContentCoding.choose("br;q=0.1, gzip;q=0.2, *;q=0", built)).toBe("gzip")
  })

  it("choose: uses no coding for a request that accepts none, or whose header is malformed", () => {
    for (const header of [
      undefined,
      "",
      "deflate, zstd",
      "br;q=0, gzip;q=0.000",
      "br;q=2",
      ";;, gzip;level=9",
      "*;q=0",
      "identity;q=0",
      "*;q=0, identity;q=0",
    ]) {
      expect([header, ContentCoding.choose(header, built)]).toEqual([header, "identity"])
    }
  })

  it("choose: uses no coding that the file was not built in", () => {
    expect(ContentCoding.choose("br, gzip", ["identity"])).toBe("identity")
    expect(ContentCoding.choose("br, gzip", ["gzip", "identity"])).toBe("gzip")
  })
})
