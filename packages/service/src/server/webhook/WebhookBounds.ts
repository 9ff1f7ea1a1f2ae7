/**
 * Limits on a key's webhooks: their number, their addresses, and where they may send to.
 *
 * Source: decision 0073.
 */
import * as Effect from "effect/Effect"
import type { NameLookups } from "../../push/NameLookups.ts"
import type * as WebhookKey from "../../push/WebhookKey.ts"
import * as WebhookRequest from "../../push/WebhookRequest.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import type { Webhooks } from "../../store/Webhooks.ts"
import type { Caller } from "../admission/Authentication.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { invalid } from "../rest/JsonBody.ts"
import type * as WebhookAccess from "./WebhookAccess.ts"

/** Dependencies of the limits. */
export interface Options {
  readonly settings: WebhookKey.Settings
  readonly webhooks: Webhooks
  readonly lookups: NameLookups
}

/** Makes the checks. */
export const make = ({ lookups, settings, webhooks }: Options) => {
  const { addressesPerKey, addressesPerWebhook, allowPrivate, perKey, total } = settings
  /** Rejects a number of addresses of a webhook. A number above the limit may stay or decrease, because the limit may have been lowered. */
  const checkCount = (path: string, count: number, more = count): Effect.Effect<void, ErrorResponse.ErrorResponse> =>
    count >= 1 && (count <= addressesPerWebhook || more <= 0)
      ? Effect.void
      : invalid(path, `1 to ${addressesPerWebhook} addresses in a webhook (webhooks.addressesPerWebhook)`, `${count}`)

  /** Rejects a URL that may not be sent to. It may hold a token, so it is not repeated. */
  const checkUrl = Effect.fnUntraced(function* (
    { grant, headers }: Caller,
    url: string,
  ): Effect.fn.Return<void, ErrorResponse.ErrorResponse> {
    const holder = holderOf(grant)
    const checked = WebhookRequest.check(url, { allowPrivate, lookUp: lookups.ofHolder(holder) })
    const issue = yield* Effect.catchTag(checked, "LookupsBusy", () => {
      if (!lookups.has(holder)) {
        return ErrorResponse.unavailable("The names of other URLs are still being looked up. Retry later.")
      }
      const message = "The name of another URL of this API key is still being looked up. Retry later."
      return ErrorResponse.rateLimited(message, { ...headers, "retry-after": "1" })
    })
    if (issue !== null) return yield* invalid("url", issue, "another URL")
  })

  /** Rejects webhooks and addresses beyond the limits of a key, and a webhook beyond the total limit. */
  const checkRoom = Effect.fnUntraced(function* (
    holder: string | null,
    more: { readonly webhooks: number; readonly addresses: number },
  ): Effect.fn.Return<void, WebhookAccess.Failure> {
    const { active, failing, paused } = yield* webhooks.counts
    if (more.webhooks > 0 && active + failing + paused >= total) {
      return yield* invalid("", `at most ${total} webhooks on this server (webhooks.total)`, "one more")
    }
    if (holder === null) return
    const own = yield* webhooks.ofHolder(holder)
    if (more.webhooks > 0 && own.length >= perKey) {
      const expected = `at most ${perKey} webhooks of a key (webhooks.perKey)`
      return yield* invalid("", expected, `${own.length} plus one more; remove some`)
    }
    const sum = own.reduce((addresses, { wallets }) => addresses + wallets, 0)
    if (sum + more.addresses <= addressesPerKey) return
    const expected = `at most ${addressesPerKey} addresses in the webhooks of a key (webhooks.addressesPerKey)`
    return yield* invalid("addresses", expected, `${sum} plus ${more.addresses} more`)
  })

  return { checkCount, checkRoom, checkUrl }
}
