/** Webhooks and their attempts as the operations send them: without secrets. Pure. */
import type * as Resource from "@daybook/schema/Webhook"
import * as Webhook from "../../push/Webhook.ts"

const timeOf = (millis: number): string => new Date(millis).toISOString()

/** An attempt. */
export const ofAttempt = (made: Webhook.Attempt): Resource.WebhookDeliveryWire => {
  const { at, attempt, events, message, millis: milliseconds, reason, result, status } = made
  return { message, at: timeOf(at), attempt, events, result, status, reason, milliseconds }
}

/** A webhook by its id. */
export const ofWebhook = (id: string, webhook: Webhook.Webhook, nowMillis: number): Resource.WebhookWire => {
  const { addresses, attempts, chain, created, delivered, finality, log, publicKey, types, url } = webhook
  const previous = Webhook.previousAt(webhook, nowMillis)
  const last = log.at(-1)
  const waits = attempts.failures > 0 && attempts.paused === null
  return {
    id,
    name: webhook.name ?? id,
    source: webhook.holder === null ? "operator" : "key",
    url,
    chain,
    addresses,
    types,
    finality,
    state: Webhook.stateOf(webhook),
    pause_reason: attempts.paused,
    public_key: publicKey,
    previous_until: previous.length === 0 ? null : timeOf(Math.max(...previous.map(({ until }) => until))),
    created_at: timeOf(created),
    delivered,
    failures: attempts.failures,
    next_attempt_at: waits ? timeOf(attempts.nextAt) : null,
    last: last === undefined ? null : ofAttempt(last),
  }
}
