import { Option } from "effect"
import * as Headers from "effect/http/Headers"
import { expect, it } from "vitest"
import * as ForwardedFor from "../../../src/server/admission/ForwardedFor.ts"

const clientOf = (forwarded: string | undefined, trustedProxies: number) =>
  ForwardedFor.clientOf(
    {
      headers: Headers.fromInput(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
      remoteAddress: Option.some("10.0.0.1"),
    },
    trustedProxies,
  )

it.each([
  ["1.1.1.1, 2.2.2.2", 0, "10.0.0.1"],
  ["1.1.1.1, 2.2.2.2", 1, "2.2.2.2"],
  ["1.1.1.1,2.2.2.2 ", 2, "1.1.1.1"],
  ["1.1.1.1, 2.2.2.2", 3, "10.0.0.1"],
  ["::1", 1, "::1"],
  ["1.1.1.1, unknown", 1, "10.0.0.1"],
  ["", 1, "10.0.0.1"],
  [undefined, 1, "10.0.0.1"],
])("clientOf: X-Forwarded-For %j behind %d proxies is %s", (forwarded, proxies, address) => {
  expect(clientOf(forwarded, proxies)).toBe(address)
})
