import { describe, expect, it } from "vitest"
import * as Listen from "../../src/config/Listen.ts"

describe("Listen.parse", () => {
  it.each([
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:65535", { host: "::1", port: 65_535 }],
    ["unix:/run/daybook.sock", { socket: "/run/daybook.sock" }],
  ])("parse: reads %j, which format writes", (text, listen) => {
    expect(Listen.parse(text)).toEqual(listen)
    expect(Listen.format(listen)).toBe(text)
  })

  it.each([
    "",
    "8080",
    ":8080",
    "localhost",
    "localhost:",
    "localhost:65536",
    "::1:8080",
    "a b:1",
    "unix:",
    "[]:1",
    "*:1",
    "[*]:1",
    "unix:~",
    "unix:~/daybook.sock",
  ])("parse: refuses %j", (text) => {
    expect(Listen.parse(text)).toBeUndefined()
  })
})

describe("Listen.isLoopback", () => {
  it("isLoopback: is true for addresses that only this machine reaches", () => {
    const isLoopback = (text: string) => Listen.isLoopback(Listen.parse(text)!)

    expect(["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"].map(isLoopback)).toEqual([true, true, true, true])
    expect(["0.0.0.0:1", "[::]:1", "example.com:1", "unix:/run/a"].map(isLoopback)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
