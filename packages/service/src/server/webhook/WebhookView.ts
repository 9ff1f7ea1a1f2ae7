/** Webhooks and their attempts in the form sent by the operations: without secrets. Pure. */
import type * as Resource from "@daybook/schema/Webhook"
import * as Webhook from "../../push/Webhook.ts"
import type * as WebhookAccess from "./WebhookAccess.ts"

const timeOf = (millis: number): string => new Date(millis).toISOString()

/** An attempt in wire form. */
export const ofAttempt = (made: Webhook.Attempt): Resource.WebhookDeliveryWire => {
  const { at, attempt, events, message, millis: milliseconds, reason, result, status } = made
  return { message, at: timeOf(at), attempt, events, result, status, reason, milliseconds }
}

/** Number of wallets in a webhook's wire form; the addresses operation lists all of them. */
export const shownAddresses = 100

/** A webhook in wire form, with its first wallets. */
export const ofWebhook = (
  { id, wallets, webhook }: WebhookAccess.Found,
  addresses: ReadonlyArray<string>,
  nowMillis: number,
): Resource.WebhookWire => {
  const { attempts, chain, created, delivered, finality, log, publicKey, types, url } = webhook
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
    address_count: wallets,
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
