import { assert, describe, it } from "@effect/vitest"
import * as Transport from "../src/index.ts"

describe("index", () => {
  it("exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries(Transport).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    assert.deepStrictEqual(names, {
      Attempt: [],
      ClientError: [
        "InvalidOption",
        "InvalidResponse",
        "RateLimited",
        "TimeoutError",
        "TransportError",
        "Unauthorized",
        "fields",
      ],
      Endpoint: ["identity", "make", "makeUnsafe", "resolve"],
      Event: [],
      RequestExecutor: ["accept", "make", "makeUnsafe"],
      Http: ["headersOf", "methodOf", "platformFetch", "send"],
      OptionCheck: ["baseUrl", "isSignal", "member", "members", "shownName", "text", "wrong"],
      Backoff: ["make"],
      PromiseFace: ["run"],
      Redaction: ["fromKey", "headers", "mark", "scrubber", "shorten"],
      RetryAfter: ["fromHeaders", "httpDate", "longest"],
      RetryPolicy: ["delayMillis", "make", "makeUnsafe", "optionKinds", "parse", "withDeadline"],
    })
  })
})
