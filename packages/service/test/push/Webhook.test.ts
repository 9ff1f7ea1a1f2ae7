import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Webhook from "../../src/push/Webhook.ts"

const key = "k".repeat(40)

describe("Webhook", () => {
  it.effect("rotate: the secret that the receiver has signs until its time, however many responses were lost", () =>
    Effect.gen(function* () {
      const [made, { secret }] = yield* Webhook.make(key, {
        url: "https://hook.example/",
        chain: "eth",
        types: ["wallet.transaction"],
        finality: "head",
        from: "now",
      })
      const rotated = Array.from({ length: 5 }).reduce<Webhook.Webhook>(
        (webhook) => Webhook.rotate(key, webhook, { nowMillis: 0, until: 1_000 })[0],
        made,
      )
      const [current, ...earlier] = yield* Webhook.signingKeys(key, rotated, 999)
      const later = yield* Webhook.signingKeys(key, rotated, 1_000)

      expect(earlier).toContain(secret)
      expect(earlier).toHaveLength(4)
      expect([later[0], later.length]).toEqual([current, 2])
    }),
  )
})
