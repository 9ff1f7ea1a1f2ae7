import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookView from "../../../src/server/webhook/WebhookView.ts"

const key = "k".repeat(40)
const now = Date.parse("2026-01-02T00:00:00Z")

const settings: Webhook.Settings = {
  url: "https://hook.example/",
  chain: "eth",
  types: ["wallet.transaction"],
  finality: "head",
  from: "now",
}

const viewOf = (webhook: Webhook.Webhook) =>
  WebhookView.ofWebhook({ id: "wh_1", revision: 1, wallets: 250, webhook }, ["0xa"], now)

describe("WebhookView", () => {
  it.effect(
    "ofWebhook: an operator's webhook that has sent nothing is named by its id, and has neither attempts nor times",
    () =>
      Effect.gen(function* () {
        const [webhook, { publicKey, secret }] = yield* Webhook.make(key, settings)
        const view = viewOf(webhook)

        expect(view).toEqual({
          id: "wh_1",
          name: "wh_1",
          source: "operator",
          url: "https://hook.example/",
          chain: "eth",
          addresses: ["0xa"],
          address_count: 250,
          types: ["wallet.transaction"],
          finality: "head",
          state: "active",
          pause_reason: null,
          public_key: publicKey,
          previous_until: null,
          created_at: "1970-01-01T00:00:00.000Z",
          delivered: 0,
          failures: 0,
          next_attempt_at: null,
          last: null,
        })
        expect(JSON.stringify(view)).not.toContain(secret)
      }),
  )

  it.effect(
    "ofWebhook: a failing webhook of a key has its next and last attempt, and none is next once it is paused",
    () =>
      Effect.gen(function* () {
        const [webhook] = yield* Webhook.make(key, { ...settings, holder: "alice", name: "books" })
        const attempt: Webhook.Attempt = {
          message: "msg_1",
          at: now - 1_000,
          attempt: 2,
          events: 3,
          result: "failed",
          status: 503,
          reason: null,
          millis: 40,
        }
        const attempts = { failures: 2, firstFailureAt: now - 9_000, nextAt: now + 10_000, paused: null }
        const failing = {
          ...webhook,
          attempts,
          log: [{ ...attempt, message: "msg_0" }, { ...attempt, message: "msg_0" }, attempt],
          delivered: 7,
        }

        expect(viewOf(failing)).toMatchObject({
          name: "books",
          source: "key",
          failures: 2,
          delivered: 7,
          next_attempt_at: "2026-01-02T00:00:10.000Z",
          last: {
            message: "msg_1",
            at: "2026-01-01T23:59:59.000Z",
            attempt: 2,
            events: 3,
            status: 503,
            milliseconds: 40,
          },
        })
        expect(viewOf(Webhook.paused(failing, "Its owner paused it."))).toMatchObject({
          state: "paused",
          pause_reason: "Its owner paused it.",
          failures: 2,
          next_attempt_at: null,
        })
      }),
  )

  it.effect("ofWebhook: states until when earlier secrets sign too, by the last of them", () =>
    Effect.gen(function* () {
      const [webhook] = yield* Webhook.make(key, settings)
      const untils = [now + 60_000, now + 30_000, now - 1]
      const rotated = { ...webhook, previous: untils.map((until) => ({ secret: "", until })) }

      expect(viewOf(rotated).previous_until).toBe("2026-01-02T00:01:00.000Z")
      expect(viewOf({ ...webhook, previous: [{ secret: "", until: now }] }).previous_until).toBe(null)
    }),
  )
})
