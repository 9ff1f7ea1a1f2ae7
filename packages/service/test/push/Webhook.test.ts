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

  it("logged: keeps the last 50 attempts, oldest first", () => {
    const attempt = (at: number): Webhook.Attempt => ({
      message: "msg",
      at,
      attempt: 1,
      events: 1,
      result: "delivered",
      status: 204,
      reason: null,
      millis: 1,
    })
    const log = Array.from({ length: 51 }, (_, at) => attempt(at)).reduce<ReadonlyArray<Webhook.Attempt>>(
      Webhook.logged,
      [],
    )

    expect(log.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  })
})
