import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Webhook from "../../src/push/Webhook.ts"

const key = "k".repeat(40)

const settings: Webhook.Settings = {
  url: "https://hook.example/",
  chain: "eth",
  types: ["wallet.transaction"],
  finality: "head",
  from: "now",
}

/** A webhook with a message of a wallet, or a test, that failed once. */
const waiting = Effect.fnUntraced(function* (wallet: string | null) {
  const [made] = yield* Webhook.make(key, settings)
  const attempts = { failures: 1, firstFailureAt: 5, nextAt: 9, paused: null }
  return { ...made, attempts, pending: { id: "msg", body: "{}", events: 1, wallet, position: "" } }
})

describe("Webhook", () => {
  it.effect("rotate: the secret that the receiver has signs until its time, however many responses were lost", () =>
    Effect.gen(function* () {
      const [made, { secret }] = yield* Webhook.make(key, settings)
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

  it.effect("without: drops the message of a wallet that is removed with its failures, and stays paused", () =>
    Effect.gen(function* () {
      const failing = yield* waiting("0xa")
      const paused = Webhook.paused(failing, "The receiver wants no more: status 410.")
      const removed = new Set(["0xa"])

      expect(Webhook.without(failing, removed)).toEqual(Webhook.resumed({ ...failing, pending: null }))
      expect(Webhook.without(paused, removed)).toEqual({ ...paused, pending: null })
    }),
  )

  it.effect("without: keeps the message of another wallet, a test, and a webhook without a message", () =>
    Effect.gen(function* () {
      const kept = [yield* waiting("0xb"), yield* waiting(null), { ...(yield* waiting(null)), pending: null }]

      for (const webhook of kept) expect(Webhook.without(webhook, new Set(["0xa"]))).toBe(webhook)
    }),
  )

  it.effect("decrypt: fails for a secret of another key, and names the setting", () =>
    Effect.gen(function* () {
      const secret = Webhook.encrypt(key, "whsec_secret")
      const refused = yield* Effect.flip(Webhook.decrypt("o".repeat(40), secret))

      expect(yield* Webhook.decrypt(key, secret)).toBe("whsec_secret")
      expect(refused.message).toContain('"webhooks.key" is another one than when it was made')
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
