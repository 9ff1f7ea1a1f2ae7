/** Ways to make a service reach its own network, each of which is rejected before a connection is made. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NameLookups from "../../src/push/NameLookups.ts"
import * as PublicAddress from "../../src/push/PublicAddress.ts"
import * as WebhookRequest from "../../src/push/WebhookRequest.ts"

/** URLs rejected by their text alone. */
const literals = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.255.255.254/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://0.0.0.0/",
  "https://0/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/",
  "https://198.18.0.1/",
  "https://192.0.0.8/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://[::1]/",
  "https://[::]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:0:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[fd12:3456:789a::1]/",
  "https://[ff02::1]/",
  "https://[2001:db8::1]/",
  "https://user@example.com/",
  "https://:password@example.com/",
  `https://example.com/${"a".repeat(1_981)}`,
  "http://example.com/",
  "file:///etc/passwd",
  "ftp://example.com/",
  "gopher://127.0.0.1/",
  "//example.com/",
]

/** Addresses that a name resolves to. */
const names: ReadonlyArray<readonly [what: string, addresses: ReadonlyArray<string>]> = [
  ["a name of this machine", ["127.0.0.1"]],
  ["a name of this machine by IPv6", ["::1"]],
  ["a mapped address", ["::ffff:10.0.0.1"]],
  ["a name with one public address", ["93.184.216.34", "10.0.0.1"]],
  ["a name with one public address of IPv6", ["2606:2800:220:1::1", "fd00::1"]],
  ["the metadata of a cloud", ["169.254.169.254"]],
  ["no address", []],
]

describe("WebhookRequest", () => {
  it("issueOf: accepts a URL of 2,000 characters, an address of the public internet, and http within a private network", () => {
    const isRefused = (url: string, allowPrivate: boolean) => WebhookRequest.issueOf(url, { allowPrivate }) !== null

    expect(isRefused(`https://example.com/${"a".repeat(1_980)}`, false)).toBe(false)
    expect(isRefused("https://93.184.216.34/", false)).toBe(false)
    expect(isRefused("http://10.0.0.1/", true)).toBe(false)
    expect(isRefused("ftp://10.0.0.1/", true)).toBe(true)
  })

  it("isPublic: is true for addresses of both families outside of reserved ranges, and for no other text", () => {
    const isPublic = ["93.184.216.34", "2606:2800:220:1::1", "172.15.255.255", "172.32.0.0", "2001:200::", "3ffe::1"]
    const others = ["10.0.0.1", "2001:db8::1", "fe80::1", "4000::1", "1fff::1", "example.com", "", "[::1]"]

    expect(isPublic.filter((address) => !PublicAddress.isPublic(address))).toEqual([])
    expect(others.filter(PublicAddress.isPublic)).toEqual([])
  })

  it.live("send: rejects each URL that leads to a private network or is not https", () =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach(literals, (url) =>
        WebhookRequest.send(url, {}, "{}", { allowPrivate: false, lookUp: NameLookups.make().ofHolder("") }),
      )

      expect(literals.filter((_, at) => !/refused/.test(Reflect.get(results[at]!, "reason") ?? ""))).toEqual([])
    }),
  )

  it.live("send: rejects each name that resolves to such an address, whatever else it resolves to", () =>
    Effect.gen(function* () {
      for (const [what, addresses] of names) {
        const resolve: NameLookups.Resolve = (_, done) =>
          done(
            null,
            addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
          )
        const received = yield* WebhookRequest.send("https://hook.example/", {}, "{}", {
          allowPrivate: false,
          lookUp: NameLookups.make(resolve).ofHolder(""),
        })

        expect([what, received]).toEqual([
          what,
          { _tag: "Failed", reason: "The name resolves to an address outside the public internet." },
        ])
      }
    }),
  )
})
