import { describe, expect, it } from "@effect/vitest"
import { OutOfOrder, StaleCursor } from "../src/RestError.ts"

describe("RestError", () => {
  it("StaleCursor: converts to JSON, with the block as text", () => {
    const error = new StaleCursor({ host: "s.example", status: 409, resumeFromBlock: 2n ** 60n })

    expect(JSON.parse(JSON.stringify(error))).toEqual({
      _tag: "StaleCursor",
      message: error.message,
      host: "s.example",
      isRetryable: false,
      attempts: [],
      resumeFromBlock: "1152921504606846976",
      status: 409,
    })
  })

  it("OutOfOrder: converts to JSON, with the blocks as text", () => {
    const error = new OutOfOrder({ host: "s.example", order: "ASC", block: 3n, after: 4n, hash: "0x1" })

    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ order: "ASC", block: "3", after: "4", hash: "0x1" })
  })
})
