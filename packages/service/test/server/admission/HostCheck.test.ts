import { describe, expect, it } from "vitest"
import * as HostCheck from "../../../src/server/admission/HostCheck.ts"

const headers = (...hosts: ReadonlyArray<string>) => ["accept", "*/*", ...hosts.flatMap((host) => ["Host", host])]

describe("HostCheck", () => {
  it("a server on a loopback address accepts names of this machine, addresses and the allowed names", () => {
    for (const listen of ["127.0.0.1", "localhost", "::1", "127.0.0.53"]) {
      const check = HostCheck.make({ host: listen, port: 0 }, ["Wallets.Example"])
      for (const host of [
        "localhost",
        "LOCALHOST:8080",
        "127.0.0.1:8080",
        "[::1]:8080",
        "192.168.1.9",
        "daybook",
        "app.localhost:80",
        "wallets.example",
        "wallets.example:443",
      ]) {
        expect([host, check(headers(host))]).toEqual([host, undefined])
        expect(check(headers(host))).toBeUndefined()
      }
      for (const host of [
        "evil.example",
        "localhost.evil.example:8080",
        "127.0.0.1.evil.example",
        "wallets.example.evil",
      ]) {
        expect([host, check(headers(host))]).toEqual([host, "not allowed"])
      }
    }
  })

  it("a server on another address accepts any name", () => {
    expect(HostCheck.make({ host: "0.0.0.0", port: 0 }, [])(headers("wallets.example"))).toBeUndefined()
  })

  it("a repeated header is rejected, even if both values are equal", () => {
    expect(HostCheck.make({ host: "0.0.0.0", port: 0 }, [])(headers("a", "a"))).toBe("repeated")
    expect(HostCheck.make({ host: "127.0.0.1", port: 0 }, [])(["host", "localhost", "HOST", "evil.example"])).toBe(
      "repeated",
    )
    expect(HostCheck.make({ host: "127.0.0.1", port: 0 }, [])([])).toBeUndefined()
  })
})
