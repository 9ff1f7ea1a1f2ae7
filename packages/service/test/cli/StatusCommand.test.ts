import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { daybook, timeout, withConfig } from "./daybook.ts"

describe("daybook status", () => {
  it.live(
    "status: --json prints the status of each chain as one line of JSON",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()

        const ended = yield* daybook(base, "status", "--json")

        expect(ended.code).toBe(1)
        expect(ended.out.trim().split("\n")).toHaveLength(1)
        expect(JSON.parse(ended.out)).toMatchObject({
          ready: false,
          chains: [{ chain: "eth", chainId: 1, state: "not_started", indexed: null, head: null, lag: null }],
        })
      }),
    timeout,
  )

  it.live(
    "status: reports a file of API keys that stands where the file of a chain belongs",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* daybook(base, "keys", "add", "alice")
        copyFileSync(join(base, "data/daybook.sqlite"), join(base, "data/chain-eth.sqlite"))

        const ended = yield* daybook(base, "status")

        expect(ended.code).toBe(1)
        expect(ended.out).toMatch(/^eth: unreadable, nothing indexed, head unknown, traces unknown\. /)
        expect(ended.out).toContain("chain-eth.sqlite")
        expect(ended.out).toContain("API keys")
      }),
    timeout,
  )
})
