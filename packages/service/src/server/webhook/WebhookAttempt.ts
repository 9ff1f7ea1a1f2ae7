/**
 * One attempt to deliver a message of a webhook: signing, sending, and reading the response.
 *
 * Source: decision 0073.
 */
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Delivery from "../../push/Delivery.ts"
import type { NameLookups } from "../../push/NameLookups.ts"
import * as Webhook from "../../push/Webhook.ts"
import type * as WebhookKey from "../../push/WebhookKey.ts"
import * as WebhookRequest from "../../push/WebhookRequest.ts"
import type { StoreError } from "../../store/StoreError.ts"

/** Dependencies of an attempt. */
export interface Options {
  readonly settings: WebhookKey.Settings
  readonly lookups: NameLookups
}

/**
 * Sends the pending message once; returns the outcome, and the attempt for the log.
 *
 * **Errors**
 * - `StoreError`: the stored secrets of the webhook cannot be read.
 */
export const send = Effect.fnUntraced(function* (
  { lookups, settings }: Options,
  webhook: Webhook.Webhook,
  { body, events, id }: NonNullable<Webhook.Webhook["pending"]>,
): Effect.fn.Return<readonly [Delivery.Outcome, Webhook.Attempt], StoreError> {
  const at = yield* Clock.currentTimeMillis
  const timestamp = Math.floor(at / 1_000)
  const signed = { id, timestamp, body: new TextEncoder().encode(body) }
  const keys = yield* Webhook.signingKeys(settings.key, webhook, at)
  const signatures = yield* Effect.promise(() => Promise.all(keys.map((one) => StandardWebhook.sign(signed, one))))
  const headers = {
    "content-type": "application/json",
    "user-agent": "daybook",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  }
  const received = yield* WebhookRequest.send(webhook.url, headers, body, {
    allowPrivate: settings.allowPrivate,
    lookUp: lookups.ofHolder(webhook.holder ?? ""),
  })
  const now = yield* Clock.currentTimeMillis
  const made = { message: id, at, attempt: webhook.attempts.failures + 1, events, millis: Math.max(0, now - at) }
  if (received._tag === "Failed") {
    const { reason } = received
    return [
      { _tag: "Failed", waitMillis: 0 },
      { ...made, result: "failed", status: null, reason },
    ]
  }
  const { status, waitMillis } = received
  const answered = { ...made, status, reason: null }
  // Node forwards a 101 response that upgrades nothing, and one with a status below 100.
  if (status >= 200 && status < 300) return [{ _tag: "Delivered" }, { ...answered, result: "delivered" }]
  if (status === 410) return [{ _tag: "Gone" }, { ...answered, result: "gone" }]
  return [
    { _tag: "Failed", waitMillis },
    { ...answered, result: "failed" },
  ]
})
