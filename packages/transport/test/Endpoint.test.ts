import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { Endpoint } from "../src/index.ts"
import * as EndpointUrl from "../src/internal/EndpointUrl.ts"

const urlOf = (options: Endpoint.Options, target?: Endpoint.Target) =>
  Redacted.value(EndpointUrl.resolve(Endpoint.makeUnsafe(options), target))

describe("Endpoint", () => {
  describe("make", () => {
    it("make: shows only host and port", () => {
      const made = Endpoint.makeUnsafe({ url: "https://node.test:8443/v3/0123456789abcdef?k=v" })

      expect(made.host).toBe("node.test:8443")
      expect(JSON.stringify(made)).not.toContain("0123456789abcdef")
    })
    it.each([undefined, null, {}])("make: rejects %j as options without a URL", (options) =>
      expect(() => Endpoint.makeUnsafe(options as never)).toThrow(
        'Invalid option "url": expected an http or https URL such as https://host/path, received nothing.',
      ),
    )
    it("make: turns user and password into a header", () => {
      const made = Endpoint.makeUnsafe({ url: "https://al%20ice:s%C3%A9cret@node.test/x" })

      expect(Redacted.value(made.url)).toBe("https://node.test/x")
      expect(Redacted.value(made.headers)).toStrictEqual({
        authorization: `Basic ${Buffer.from("al ice:sécret").toString("base64")}`,
      })
    })
    it("make: appends percent-encoded path segments", () =>
      expect(urlOf({ url: "https://node.test/rpc/", path: ["bsc testnet", Redacted.make("k/1")] })).toBe(
        "https://node.test/rpc/bsc%20testnet/k%2F1",
      ))
    it("make: encodes a lone surrogate as URLs do, in a name and in a key", () =>
      expect(urlOf({ url: "https://node.test/\ud800", path: ["a\ud800", Redacted.make("key\udc00-1234")] })).toBe(
        "https://node.test/%EF%BF%BD/a%EF%BF%BD/key%EF%BF%BD-1234",
      ))
    it.each(["http://node.test/rpc/", "http://node.test/a//b", "http://node.test/rpc/?x=1", "http://node.test/"])(
      "make: leaves the path of %s unchanged if none is appended",
      (url) => expect(urlOf({ url })).toBe(url),
    )
    it("make: converts header names to lower case", () =>
      expect(
        Redacted.value(Endpoint.makeUnsafe({ url: "http://a.test", headers: { "X-API-Key": "k" } }).headers),
      ).toStrictEqual({ "x-api-key": "k" }))
    const wrong: ReadonlyArray<[string, string, string]> = [
      ["another text", "canary-key-1234", "received text without http:// or https:// before it."],
      ["another scheme", "ws://node.test/canary-key-1234", "received a URL with the scheme ws:."],
      [
        "a missing scheme",
        "localhost:8545/canary-key-1234",
        'received "localhost:8545" without http:// or https:// before it.',
      ],
      ["an address", "127.0.0.1:8545", 'received "127.0.0.1:8545" without http:// or https:// before it.'],
      ["a user before a host", "canary:canary-key@node.test:8545/canary", 'received "node.test:8545" without'],
      ["a token in place of a URL", "canary0123.canary4567.canary89", "received text without http://"],
      ["an empty text", "  ", "received an empty string."],
      ["an invalid port", "http://node.test:99999/canary-key-1234", "received a URL whose host or port is invalid."],
    ]
    for (const [name, url, issue] of wrong) {
      it.effect(`make: rejects ${name} without showing it`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Endpoint.make({ url, option: "rpcUrl" }))

          expect(error._tag).toBe("InvalidOption")
          expect(error.option).toBe("rpcUrl")
          expect(error.message).toContain(issue)
          expect(error.message).not.toContain("canary")
        }),
      )
    }
    it.effect.each([
      ["a b", "expected a header name of letters, digits and hyphens, received a name with other characters."],
      ["", "expected a header name of letters, digits and hyphens, received a name with other characters."],
      ["Content-Length", "expected a header that a client may set, received a header that the platform writes."],
    ] as const)("make: rejects the header %o", ([name, issue]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Endpoint.make({ url: "http://a.test", headers: { [name]: "canary" } }))

        expect(error.option).toBe(`headers.${name}`)
        expect(error.message).toContain(issue)
        expect(error.message).not.toContain("canary")
      }),
    )
    it.effect("make: rejects a header value with a line break without showing it", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Endpoint.make({ url: "http://a.test", headers: { "X-API-Key": "canary-key\r\nx: y" } }),
        )

        expect(error.option).toBe("headers.X-API-Key")
        expect(error.message).not.toContain("canary")
      }),
    )
  })
  describe("scrub", () => {
    const made = Endpoint.makeUnsafe({
      url: "https://user1:pass1234@node.test/mainnet/0123456789abcdef/bsc-testnet?apikey=querykey1",
      path: ["polygon", Redacted.make("pathkey1")],
      headers: { "x-api-key": "headerkey1", authorization: "Bearer bearerkey1" },
    })
    for (const secret of [
      "user1",
      "pass1234",
      "0123456789abcdef",
      "querykey1",
      "pathkey1",
      "headerkey1",
      "bearerkey1",
    ]) {
      it(`scrub: removes ${secret}`, () => expect(made.scrub(`no ${secret}!`)).toBe("no <redacted>!"))
    }
    it("scrub: keeps words of public paths in the text", () =>
      expect(made.scrub("mainnet bsc-testnet polygon")).toBe("mainnet bsc-testnet polygon"))
  })
  describe("scrub of a key in the query", () => {
    it("scrub: removes a key that is the whole query", () => {
      const made = Endpoint.makeUnsafe({ url: "https://node.test/?barekey1" })

      expect(made.scrub("no barekey1!")).toBe("no <redacted>!")
    })
    it.prop(
      "law: an endpoint never shows a key of 6 characters or more, wherever its URL holds it",
      { key: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{6,40}$/)) },
      ({ key }) => {
        const isPublicWord = !Endpoint.makeUnsafe({ url: `https://a.test/${key}` })
          .scrub(key)
          .includes("<redacted>")
        for (const url of [
          `https://a.test/v3/${key}`,
          `https://a.test/?${key}`,
          `https://a.test/?apikey=${key}`,
          `https://${key}@a.test/`,
          `https://user:${key}@a.test/`,
        ]) {
          const made = Endpoint.makeUnsafe({ url })

          expect(JSON.stringify(made)).not.toContain(key)
          if (!isPublicWord) expect(made.scrub(`about ${key}.`)).toBe("about <redacted>.")
        }
      },
    )
  })
  describe("resolve", () => {
    it("resolve: appends path and query to those of the endpoint", () =>
      expect(
        urlOf(
          { url: "https://a.test/base/?k=1" },
          { path: "/api/v2.2/0x00/verbose", query: { chain: "bsc testnet", limit: undefined } },
        ),
      ).toBe("https://a.test/base/api/v2.2/0x00/verbose?k=1&chain=bsc+testnet"))
    it("resolve: returns the URL of the endpoint without a target", () =>
      expect(urlOf({ url: "https://a.test/rpc/eth/key#part" })).toBe("https://a.test/rpc/eth/key"))
  })
  describe("identity", () => {
    it("identity: differs by key", () => {
      const identity = (key: string) =>
        Redacted.value(
          EndpointUrl.identity(Endpoint.makeUnsafe({ url: "http://a.test", headers: { "x-api-key": key } })),
        )

      expect(identity("one")).toBe(identity("one"))
      expect(identity("one")).not.toBe(identity("two"))
    })
  })
})
