import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import type { ErrorKind } from "../src/ErrorKind.ts"
import { RpcError } from "../src/RpcError.ts"

const errorOf = (data: unknown) =>
  new RpcError({
    host: "n.example",
    method: "eth_call",
    code: 3,
    message: "execution reverted",
    kind: "reverted",
    data,
  })

describe("RpcError", () => {
  it("RpcError: has every kind but that of a rate limit, which is the error RateLimited", () => {
    expectTypeOf<RpcError["kind"] | "rateLimited">().toEqualTypeOf<ErrorKind>()
    expectTypeOf<"rateLimited">().not.toExtend<RpcError["kind"]>()
  })

  it("RpcError: converts to JSON, with the code of a panic as text", () => {
    const data = `0x4e487b71${"11".padStart(64, "0")}`
    const error = errorOf(data)

    expect(error.revert).toEqual({ _tag: "Panic", code: 17n, reason: "an arithmetic overflow or underflow" })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      _tag: "RpcError",
      message: "execution reverted",
      code: 3,
      data,
      kind: "reverted",
      revert: { _tag: "Panic", code: "17", reason: "an arithmetic overflow or underflow" },
      method: "eth_call",
      host: "n.example",
      isRetryable: false,
      attempts: [],
    })
  })

  it("RpcError: converts to JSON with any other revert, and without one", () => {
    expect(JSON.parse(JSON.stringify(errorOf("0x")))).toMatchObject({ revert: { _tag: "Empty" } })
    expect(JSON.parse(JSON.stringify(errorOf(undefined)))).not.toHaveProperty("revert")
  })
})
