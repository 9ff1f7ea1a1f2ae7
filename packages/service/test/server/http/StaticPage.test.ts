import { describe, expect, it } from "vitest"
import * as Response from "effect/http/HttpServerResponse"
import * as StaticPage from "../../../src/server/http/StaticPage.ts"

const body = new Uint8Array([1, 2, 3])

describe("StaticPage", () => {
  it.each([
    ["index.html", "text/html; charset=utf-8"],
    ["assets/a.b-c1.js", "text/javascript; charset=utf-8"],
    ["a.woff2", "font/woff2"],
    ["a.html.br", undefined],
    ["a.JS", undefined],
    ["js", undefined],
    ["", undefined],
  ])("contentTypeOf: %s has the type %s", (name, expected) => {
    expect(StaticPage.contentTypeOf(name)).toBe(expected)
  })

  it.each([
    ["immutable", undefined, { "cache-control": "public, max-age=31536000, immutable" }],
    ["revalidated", "br", { "cache-control": "no-cache", "content-encoding": "br", vary: "accept-encoding" }],
    ["revalidated", "identity", { "cache-control": "no-cache", vary: "accept-encoding" }],
  ] as const)(
    "make: a file that is %s in the coding %s has headers that keep it to this server",
    (lifetime, coding, own) => {
      const options = { contentType: "text/css", lifetime }
      const { headers, status } = StaticPage.make(body, coding === undefined ? options : { ...options, coding })

      expect(status).toBe(200)
      expect(headers).toMatchObject({ ...own, "content-type": "text/css", "x-frame-options": "DENY" })
      expect([headers["vary"], headers["content-encoding"]]).toEqual([
        "vary" in own ? own.vary : undefined,
        "content-encoding" in own ? own["content-encoding"] : undefined,
      ])
    },
  )

  it("is: recognises responses of this module, whatever their status", () => {
    const missing = StaticPage.make(body, { contentType: "text/html", lifetime: "revalidated", status: 404 })

    expect([missing.status, StaticPage.is(missing), StaticPage.is(Response.empty())]).toEqual([404, true, false])
  })
})
