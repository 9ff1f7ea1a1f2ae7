import { describe, expect, it } from "@effect/vitest"
import * as Rest from "../src/index.ts"
import * as promise from "../src/promise.ts"

describe("index", () => {
  it("index: exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries(Rest).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    expect(names).toStrictEqual({
      Client: [],
      Operation: [],
      Query: ["encode", "encodeBalances", "encodeMovements", "encodeStatement"],
      RestClient: ["RestClient", "layer", "layerConfig", "make"],
      RestError: ["BadRequest", "Forbidden", "NotFound", "OutOfOrder", "QuotaExceeded", "StaleCursor", "Unavailable"],
    })
  })
})

describe("promise", () => {
  it("promise: exports one constructor", () => {
    expect(Object.keys(promise)).toStrictEqual(["createRestClient"])
  })
})
