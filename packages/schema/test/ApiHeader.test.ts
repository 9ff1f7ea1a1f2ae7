import { describe, expect, it } from "vitest"
import * as ApiHeader from "../src/ApiHeader.ts"

describe("ApiHeader", () => {
  it("exposed: lists every response header of the interface", () => {
    expect(ApiHeader.exposed).toEqual([
      "x-request-id",
      "etag",
      "retry-after",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "daybook-indexed-from",
      "daybook-indexed-to",
      "daybook-finalized-to",
      "daybook-missing-transactions",
      "daybook-reconciled-to",
      "daybook-searched-to",
      "daybook-direct-only-to",
      "daybook-untraced-to",
      "daybook-unstated-to",
    ])
  })
})
