import { describe, expect, it } from "@effect/vitest"
import * as Transport from "../src/index.ts"

describe("index", () => {
  it("index: exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries(Transport).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    expect(names).toStrictEqual({
      Attempt: [],
      ClientError: [
        "InvalidOption",
        "InvalidResponse",
        "RateLimited",
        "TimeoutError",
        "TransportError",
        "Unauthorized",
      ],
      Endpoint: ["make", "makeUnsafe", "withHeaders"],
      Event: [],
      Fetch: ["BodyTooLarge"],
      Http: ["platformFetch", "send"],
      RequestExecutor: ["accept", "make", "makeUnsafe"],
      RetryPolicy: [],
    })
  })
})
