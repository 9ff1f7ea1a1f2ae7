import { describe, expect, it } from "vitest"
import * as CallDefaults from "../../src/internal/CallDefaults.ts"

interface Options {
  readonly timeout?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface Client {
  readonly call: (query: string, options?: Options) => readonly [query: string, options: Options | undefined]
  readonly with: (options: Options) => Client
}

const plain = CallDefaults.client<Client, Options>({ call: (query, options) => [query, options] })

describe("CallDefaults", () => {
  it("client: applies the client's options to a call that does not set them", () => {
    const client = plain.with({ timeout: 500, headers: { a: "1", b: "1" } })

    expect(plain.call("q")).toEqual(["q", undefined])
    expect(client.call("q")).toEqual(["q", { timeout: 500, headers: { a: "1", b: "1" } }])
    expect(client.call("q", { timeout: 5, headers: { b: "2" } })[1]).toEqual({
      timeout: 5,
      headers: { a: "1", b: "2" },
    })
    expect(client.with({ timeout: 7 }).call("q")[1]).toEqual({ timeout: 7, headers: { a: "1", b: "1" } })
  })

  it("client: treats an undefined option as absent", () => {
    const client = plain.with({ timeout: 500, headers: { a: "1" } })

    expect(client.call("q", { timeout: undefined, headers: undefined })[1]).toEqual({
      timeout: 500,
      headers: { a: "1" },
    })
    expect(client.with({ timeout: undefined }).call("q")[1]).toMatchObject({ timeout: 500 })
  })
})
