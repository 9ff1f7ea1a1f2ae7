import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { start } from "../node/server.ts"
import { canary, daybook, timeout, withConfig } from "./daybook.ts"

describe("daybook doctor", () => {
  it.live(
    "doctor: exits with 1 for a node that cannot be indexed and with 3 for an invalid URL, and shows no key of its URL",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const server = yield* start({
          eth_chainId: () => ({ error: { code: -32000, message: `no access for ${canary} at /${canary}` } }),
        })
        const given = yield* daybook(base, "doctor", `${server.url}/${canary}?key=${canary}`)
        const configured = yield* daybook(base, "doctor")
        const invalid = yield* daybook(base, "doctor", `wss://${canary}`)

        expect([given.code, configured.code, invalid.code]).toEqual([1, 1, 3])
        expect(given.out).toContain("The chain cannot be indexed from this node.")
        expect(configured.out).toContain("eth: 127.0.0.1:65535")
        for (const { err, out } of [given, configured, invalid]) expect(out + err).not.toContain(canary)
      }),
    timeout,
  )
})
