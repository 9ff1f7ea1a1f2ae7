import { describe, expect, it } from "vitest"
import type { Access } from "../../../src/config/Explorer.ts"
import { isKeyless } from "../../../src/server/admission/KeylessRequest.ts"

const host = "127.0.0.1:8080"

const accepts = (access: Access, headers: Readonly<Record<string, string>>, httpVersion = "1.1") =>
  isKeyless(access, { headers: { host, ...headers }, httpVersion, addresses: ["127.0.0.1", "127.0.0.1"] })

const ownPage = { "sec-fetch-site": "same-origin" }

describe("KeylessRequest", () => {
  it("open and local: a connection not between loopback addresses needs a key, whatever its headers", () => {
    const received = { headers: { host, ...ownPage }, httpVersion: "1.1" }
    const pairs = [
      ["192.0.2.1", "192.0.2.2"],
      ["127.0.0.1", "192.0.2.2"],
      ["192.0.2.1", "127.0.0.1"],
      ["::ffff:127.0.0.1", "::ffff:127.0.0.1"],
      [undefined, undefined],
    ] as const
    for (const access of ["open", "local"] as const) {
      for (const addresses of pairs)
        expect([access, addresses, isKeyless(access, { ...received, addresses })]).toEqual([access, addresses, false])
      expect(isKeyless(access, { ...received, addresses: ["::1", "::1"] })).toBe(true)
    }
  })

  it("open: a request from the service's own page needs no key, under each name of this machine", () => {
    for (const name of ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST", "app.localhost:1"]) {
      expect([name, accepts("open", { host: name, ...ownPage })]).toEqual([name, true])
      expect([name, accepts("open", { host: name, origin: `http://${name}`, ...ownPage })]).toEqual([name, true])
    }
  })

  it("open: a program, and a page of another origin, need a key", () => {
    expect(accepts("open", {})).toBe(false)
    for (const site of ["cross-site", "same-site", "none"])
      expect(accepts("open", { "sec-fetch-site": site })).toBe(false)
    for (const origin of ["https://evil.example", "http://127.0.0.1:3000", "http://localhost:8080", "null"]) {
      expect([origin, accepts("open", { origin, ...ownPage })]).toEqual([origin, false])
    }
  })

  it("open and local: a name that resolves to this machine through a name server needs a key", () => {
    for (const name of [
      "evil.example:8080",
      "localhost.evil.example",
      "daybook:8080",
      "192.168.1.9:8080",
      "127.0.0.1.nip.io",
    ]) {
      expect([name, accepts("open", { host: name, ...ownPage })]).toEqual([name, false])
      expect([name, accepts("local", { host: name, origin: `http://${name}`, ...ownPage })]).toEqual([name, false])
    }
  })

  it("open and local: a request forwarded by a proxy needs a key", () => {
    for (const header of [
      "forwarded",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-real-ip",
      "via",
    ]) {
      expect([header, accepts("open", { [header]: "127.0.0.1", ...ownPage })]).toEqual([header, false])
      expect([header, accepts("local", { [header]: "127.0.0.1" })]).toEqual([header, false])
    }
    expect(accepts("open", ownPage, "1.0")).toBe(false)
  })

  it("local: programs and pages on this machine need no key, but pages of others do", () => {
    expect(accepts("local", {})).toBe(true)
    expect(accepts("local", { "sec-fetch-site": "none" })).toBe(true)
    for (const origin of ["http://localhost:3000", "http://127.0.0.1:5173", "https://app.localhost"]) {
      expect([origin, accepts("local", { origin, "sec-fetch-site": "cross-site" })]).toEqual([origin, true])
    }
    for (const origin of ["https://evil.example", "http://localhost.evil.example", "null", "file://", ""]) {
      expect([origin, accepts("local", { origin, "sec-fetch-site": "cross-site" })]).toEqual([origin, false])
    }
    expect(accepts("local", { "sec-fetch-site": "cross-site" })).toBe(false)
  })

  it("keyed and off: every request needs a key", () => {
    for (const access of ["keyed", "off"] as const) {
      expect(accepts(access, {})).toBe(false)
      expect(accepts(access, ownPage)).toBe(false)
    }
  })
})
