import { describe, expect, it } from "vitest"
import * as Request from "../../../src/server/http/Request.ts"

describe("Request", () => {
  it.each([
    ["/api/v2.2/0x1?limit=5", "/api/v2.2/0x1?limit=5"],
    ["/a;b/c", "/a%3Bb/c"],
    ["/a#b", "/a%23b"],
    ["/a%20b/%2f", "/a%20b/%2F"],
    ["/100%/b", "/100%25/b"],
    ["/%ff", "/%25ff"],
    ["/a?b=%zz;c#d", "/a?b=%zz;c#d"],
    ["/a?include[]=x&include%5b%5d=y&include=z", "/a?include=x&include=y&include=z"],
    ["/a?include[]", "/a?include"],
    ["/a?include[]x=1&xinclude[]=2", "/a?include[]x=1&xinclude[]=2"],
    ["/include[]", "/include[]"],
    ["?include[]=x", "?include=x"],
  ])("normalizeUrl: %s is %s", (url, expected) => {
    expect(Request.normalizeUrl(url)).toBe(expected)
  })

  it.each([
    ["/rpc/eth", false],
    ["/%72pc/eth", true],
    ["/a%2Db", true],
    ["/a%2eb", true],
    ["/a%5Fb%7E", true],
    ["/%30", true],
    ["/%2F", false],
    ["/%3A", false],
    ["/%40", false],
    ["/%5B", false],
    ["/%60", false],
    ["/%7B", false],
    ["/a?b=%72", false],
    ["/%20?b=%72", false],
    ["/%72?b=1", true],
  ])("hasEncodedUnreserved: %s is %s", (url, expected) => {
    expect(Request.hasEncodedUnreserved(url)).toBe(expected)
  })

  it.each([
    ["/a/b", false],
    ["/a//b", true],
    ["//a", true],
    ["/a?b=//c", false],
    ["/a//?b=1", true],
    ["/a/?b=//", false],
  ])("hasEmptySegment: %s is %s", (url, expected) => {
    expect(Request.hasEmptySegment(url)).toBe(expected)
  })
})
