import { describe, expect, it } from "vitest"
import * as ApiKeyHeader from "../../../src/server/http/ApiKeyHeader.ts"

describe("keyIn", () => {
  it("uses the key of X-API-Key, or the token of Authorization if that is absent or empty", () => {
    const authorization = "Bearer two"

    expect(ApiKeyHeader.keyIn({ "x-api-key": "one", authorization })).toBe("one")
    expect(ApiKeyHeader.keyIn({ "x-api-key": "", authorization })).toBe("two")
    expect(ApiKeyHeader.keyIn({ authorization })).toBe("two")
    expect(ApiKeyHeader.keyIn({ "x-api-key": "", authorization: "Basic two" })).toBeUndefined()
  })
})
