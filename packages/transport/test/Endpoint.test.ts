import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Endpoint } from "../src/index.ts"

const urlOf = (options: Endpoint.Options, target?: Endpoint.Target) =>
  Redacted.value(Endpoint.resolve(Endpoint.makeUnsafe(options), target))

describe("Endpoint", () => {
  describe("make", () => {
    it("shows host and port alone", () => {
      const made = Endpoint.makeUnsafe({ url: "https://node.test:8443/v3/0123456789abcdef?k=v" })

      assert.strictEqual(made.host, "node.test:8443")
      assert.notInclude(JSON.stringify(made), "0123456789abcdef")
    })
    it("turns user and password into a header", () => {
      const made = Endpoint.makeUnsafe({ url: "https://al%20ice:s%C3%A9cret@node.test/x" })

      assert.strictEqual(Redacted.value(made.url), "https://node.test/x")
      assert.deepStrictEqual(Redacted.value(made.headers), {
        authorization: `Basic ${Buffer.from("al ice:sécret").toString("base64")}`,
      })
    })
    it("appends path segments, encoded", () =>
      assert.strictEqual(
        urlOf({ url: "https://node.test/rpc/", path: ["bsc testnet", Redacted.make("k/1")] }),
        "https://node.test/rpc/bsc%20testnet/k%2F1",
      ))
    it("keeps headers under lower-case names", () =>
      assert.deepStrictEqual(
        Redacted.value(Endpoint.makeUnsafe({ url: "http://a.test", headers: { "X-API-Key": "k" } }).headers),
        { "x-api-key": "k" },
      ))
    const wrong: ReadonlyArray<[string, string, string]> = [
      ["no URL", "canary-key-1234", "is not an http or https URL"],
      ["a scheme of its own", "ws://node.test/canary-key-1234", "has the scheme ws:"],
      ["a missing scheme", "localhost:8545/canary-key-1234", "lacks http://"],
      ["an empty text", "  ", "is empty"],
      ["a bad port", "http://node.test:99999/canary-key-1234", "is not an http or https URL"],
    ]
    for (const [name, url, issue] of wrong) {
      it.effect(`refuses ${name} without showing it`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Endpoint.make({ url, option: "rpcUrl" }))

          assert.strictEqual(error._tag, "InvalidOption")
          assert.strictEqual(error.option, "rpcUrl")
          assert.include(error.message, issue)
          assert.notInclude(error.message, "canary")
        }),
      )
    }
    it.effect.each([
      ["a b", "cannot be sent: the name of a header takes"],
      ["", "cannot be sent: the name of a header takes"],
      ["Content-Length", "cannot be given: the platform writes this header itself."],
    ] as const)("refuses the header %o", ([name, issue]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Endpoint.make({ url: "http://a.test", headers: { [name]: "canary" } }))

        assert.strictEqual(error.option, `headers.${name}`)
        assert.include(error.message, issue)
        assert.notInclude(error.message, "canary")
      }),
    )
    it.effect("refuses a header value with a line break without showing it", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Endpoint.make({ url: "http://a.test", headers: { "X-API-Key": "canary-key\r\nx: y" } }),
        )

        assert.strictEqual(error.option, "headers.X-API-Key")
        assert.notInclude(error.message, "canary")
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
      it(`removes ${secret}`, () => assert.strictEqual(made.scrub(`no ${secret}!`), "no <redacted>!"))
    }
    it("leaves words of public paths", () =>
      assert.strictEqual(made.scrub("mainnet bsc-testnet polygon"), "mainnet bsc-testnet polygon"))
  })
  describe("resolve", () => {
    it("adds path and query below the endpoint's own", () =>
      assert.strictEqual(
        urlOf(
          { url: "https://a.test/base/?k=1" },
          { path: "/api/v2.2/0x00/verbose", query: { chain: "bsc testnet", limit: undefined } },
        ),
        "https://a.test/base/api/v2.2/0x00/verbose?k=1&chain=bsc+testnet",
      ))
    it("is the endpoint itself without a target", () =>
      assert.strictEqual(urlOf({ url: "https://a.test/rpc/eth/key#part" }), "https://a.test/rpc/eth/key"))
  })
  describe("identity", () => {
    it("tells keys apart", () => {
      const identity = (key: string) =>
        Redacted.value(Endpoint.identity(Endpoint.makeUnsafe({ url: "http://a.test", headers: { "x-api-key": key } })))

      assert.strictEqual(identity("one"), identity("one"))
      assert.notStrictEqual(identity("one"), identity("two"))
    })
  })
})
