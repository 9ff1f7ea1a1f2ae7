/**
 * The operations on webhooks. They are separate from `RestOperation` so that a client of wallets does not download them.
 */
import * as Schema from "effect/Schema"
import { changeErrors } from "./internal/changeErrors.ts"
import type { RestOperation } from "./RestOperation.ts"
import * as Webhook from "./Webhook.ts"

/**
 * An operation on webhooks. It is idempotent.
 *
 * Source: decision 0073.
 */
export interface WebhookOperation extends RestOperation {
  /** JSON body of the request; `null` if it has none. */
  readonly body: (Schema.Codec<unknown, unknown> & { readonly fields: Schema.Struct.Fields }) | null
}

const path = "/api/v2.2/webhooks"
const none = Schema.Struct({})

/**
 * Lists the webhooks of the API key or, for an operator key, all of them.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const listWebhooks = {
  name: "listWebhooks",
  method: "GET",
  path,
  params: none,
  query: Webhook.Query,
  body: null,
  response: Webhook.WebhookList,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Creates a webhook. The response has its secret, which is shown once.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const createWebhook = {
  name: "createWebhook",
  method: "POST",
  path,
  params: none,
  query: Webhook.Query,
  body: Webhook.Settings,
  response: Webhook.WebhookWithSecret,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Returns a webhook and its state.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const getWebhook = {
  name: "getWebhook",
  method: "GET",
  path: `${path}/:webhook`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: null,
  response: Webhook.Webhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Removes a webhook with its secret and its position.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const removeWebhook = {
  name: "removeWebhook",
  method: "DELETE",
  path: `${path}/:webhook`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: null,
  response: Webhook.RemovedWebhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Pauses a webhook until it is resumed.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const pauseWebhook = {
  name: "pauseWebhook",
  method: "POST",
  path: `${path}/:webhook/pause`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: null,
  response: Webhook.Webhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Resumes a webhook immediately, from where it was paused or failed.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const resumeWebhook = {
  name: "resumeWebhook",
  method: "POST",
  path: `${path}/:webhook/resume`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: null,
  response: Webhook.Webhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Sends a message of type `test` before the next one.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const testWebhook = {
  name: "testWebhook",
  method: "POST",
  path: `${path}/:webhook/test`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: null,
  response: Webhook.WebhookTest,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Sends the rows again from a given point, and resumes the webhook.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const replayWebhook = {
  name: "replayWebhook",
  method: "POST",
  path: `${path}/:webhook/replay`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: Webhook.Replay,
  response: Webhook.Webhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Creates a new secret, which is shown once. The previous one also signs for a limited time.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const rotateWebhook = {
  name: "rotateWebhook",
  method: "POST",
  path: `${path}/:webhook/rotate`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: Webhook.Rotation,
  response: Webhook.WebhookWithSecret,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Adds and removes wallets of a webhook.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const changeWebhookAddresses = {
  name: "changeWebhookAddresses",
  method: "POST",
  path: `${path}/:webhook/addresses`,
  params: Webhook.Path,
  query: Webhook.Query,
  body: Webhook.AddressChange,
  response: Webhook.Webhook,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Lists the wallets of a webhook, ordered by address.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const listWebhookAddresses = {
  name: "listWebhookAddresses",
  method: "GET",
  path: `${path}/:webhook/addresses`,
  params: Webhook.Path,
  query: Webhook.AddressesQuery,
  body: null,
  response: Webhook.WebhookAddresses,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * Lists the last delivery attempts of a webhook, newest first.
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const webhookDeliveries = {
  name: "webhookDeliveries",
  method: "GET",
  path: `${path}/:webhook/deliveries`,
  params: Webhook.Path,
  query: Webhook.DeliveryQuery,
  body: null,
  response: Webhook.WebhookDeliveries,
  errors: changeErrors,
} as const satisfies WebhookOperation

/**
 * The operations, by name.
 *
 * **Example** (Listing the paths)
 *
 * ```ts
 * import * as WebhookOperation from "@daybook/schema/WebhookOperation"
 *
 * console.log(WebhookOperation.all.createWebhook.method, WebhookOperation.all.createWebhook.path) // POST /api/v2.2/webhooks
 * ```
 *
 * Source: decision 0073.
 */
export const all = {
  listWebhooks,
  createWebhook,
  getWebhook,
  removeWebhook,
  pauseWebhook,
  resumeWebhook,
  testWebhook,
  replayWebhook,
  rotateWebhook,
  changeWebhookAddresses,
  listWebhookAddresses,
  webhookDeliveries,
} as const satisfies Readonly<Record<string, WebhookOperation>>

/**
 * The operations, by name.
 *
 * Source: decision 0073.
 */
export type All = typeof all

/**
 * Name of an operation.
 *
 * Source: decision 0073.
 */
export type Name = keyof All
