/**
 * The body of a webhook: events of wallets in order, or a test. `@daybook/rest/webhook` verifies and decodes it.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Timestamp from "./Timestamp.ts"
import * as WalletEvent from "./WalletEvent.ts"

/**
 * The body of a webhook.
 *
 * **Details**
 *
 * `wallet.events` has events in the form and order of `walletEvents`. `test` is sent at the operator's request. `webhook` is the name that
 * the operator gave the webhook.
 *
 * **Example** (Decoding a test)
 *
 * ```ts
 * import * as WebhookMessage from "@daybook/schema/WebhookMessage"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: { webhook: "books" } }
 * console.log(Schema.decodeUnknownSync(WebhookMessage.WebhookMessage)(wire).type) // test
 * ```
 *
 * Source: decision 0073.
 */
export const WebhookMessage = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("wallet.events"),
    timestamp: Timestamp.Timestamp,
    data: Schema.Struct({
      webhook: Schema.String,
      chain: Schema.String,
      /** The wallet of the events. */
      address: Address.Address,
      events: Schema.Array(WalletEvent.WalletEvent),
    }),
  }),
  Schema.Struct({
    type: Schema.Literal("test"),
    timestamp: Timestamp.Timestamp,
    data: Schema.Struct({ webhook: Schema.String }),
  }),
])

export type WebhookMessage = Schema.Schema.Type<typeof WebhookMessage>
