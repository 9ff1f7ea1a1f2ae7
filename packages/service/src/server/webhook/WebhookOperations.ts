/**
 * Handlers of the webhook operations. The work caused by a request is bounded: webhooks and addresses per key, one name lookup, one
 * database row, and one replay per key at a time.
 *
 * Source: decision 0073.
 */
import * as Resource from "@daybook/schema/Webhook"
import type * as WebhookOperation from "@daybook/schema/WebhookOperation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Webhook from "../../push/Webhook.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { Caller } from "../admission/Authentication.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as Response from "../http/Response.ts"
import * as JsonBody from "../rest/JsonBody.ts"
import type * as OperationRoute from "../rest/OperationRoute.ts"
import * as WebhookAccess from "./WebhookAccess.ts"
import * as WebhookChanges from "./WebhookChanges.ts"
import * as WebhookView from "./WebhookView.ts"

/** Dependencies of the handlers. */
export interface Options extends JsonBody.Options, WebhookChanges.Options {}

type Handlers = {
  readonly [N in WebhookOperation.Name]: OperationRoute.ChainlessHandler<WebhookOperation.All[N]>
}

/** A request on one webhook without a body. */
interface OwnRequest {
  readonly caller: Caller
  readonly params: typeof Resource.Path.Type
}

const daySeconds = 86_400
const maxKeepSeconds = 30 * daySeconds

const respond = (value: object, headers: Response.Headers) => Response.json(JSON.stringify(value), { headers })

/** Webhooks in wire form. */
const viewsOf = Effect.fnUntraced(function* (
  { webhooks }: Options,
  found: ReadonlyArray<WebhookAccess.Found>,
): Effect.fn.Return<ReadonlyArray<Resource.WebhookWire>, StoreError> {
  const now = yield* Clock.currentTimeMillis
  const ids = found.map(({ id }) => id)
  const addresses = yield* webhooks.firstWallets(ids, WebhookView.shownAddresses)
  return found.map((one) => WebhookView.ofWebhook(one, addresses.get(one.id) ?? [], now))
})

const respondWith = (options: Options, found: WebhookAccess.Found, headers: Response.Headers, more: object = {}) =>
  Effect.map(viewsOf(options, [found]), ([view]) => respond({ ...view, ...more }, headers))

/** Responds to errors of the database. */
const answered = <R>(effect: Effect.Effect<HttpServerResponse, WebhookAccess.Failure, R>) =>
  Effect.catchTag(effect, "StoreError", ErrorResponse.fromStore)

const withoutValue = (webhook: Webhook.Webhook) => [webhook, undefined] as const

/** The handlers of requests without a body. */
const withoutBody = (options: Options) => {
  const { change, find, list, remove } = WebhookAccess.make(options)

  const changing =
    (make: (webhook: Webhook.Webhook) => Webhook.Webhook) =>
    ({ caller, params }: OwnRequest) => {
      const changed = change(caller, params.webhook, ({ webhook }) => Effect.succeed(withoutValue(make(webhook))))
      return answered(Effect.flatMap(changed, ([found]) => respondWith(options, found, caller.headers)))
    }

  return {
    listWebhooks: ({ caller }) =>
      answered(
        Effect.map(
          Effect.flatMap(list(caller), (found) => viewsOf(options, found)),
          (result) => respond({ result }, caller.headers),
        ),
      ),
    getWebhook: ({ caller, params }) =>
      answered(Effect.flatMap(find(caller, params.webhook), (found) => respondWith(options, found, caller.headers))),
    removeWebhook: ({ caller, params }) =>
      answered(Effect.map(remove(caller, params.webhook), (removed) => respond({ removed }, caller.headers))),
    pauseWebhook: changing((webhook) => Webhook.paused(webhook, "Its owner paused it.")),
    resumeWebhook: changing(Webhook.resumed),
    testWebhook: ({ caller, params }) => {
      const changed = change(caller, params.webhook, ({ webhook }) => {
        // A request repeated before the test is sent does not create a second test.
        const message = webhook.test ?? Webhook.newId()
        return Effect.succeed([{ ...webhook, test: message }, message])
      })
      return answered(Effect.map(changed, ([{ id }, message]) => respond({ id, message }, caller.headers)))
    },
    listWebhookAddresses: ({ caller, params, query }) =>
      answered(
        Effect.gen(function* () {
          const { id } = yield* find(caller, params.webhook)
          const limit = Resource.maxAddresses
          const rows = yield* options.webhooks.walletsOf(id, { after: query.after, limit: limit + 1 })
          const result = rows.slice(0, limit).map(({ wallet }) => wallet)
          const next = rows.length > limit ? (result.at(-1) ?? null) : null
          return respond({ result, next }, caller.headers)
        }),
      ),
    webhookDeliveries: ({ caller, params, query }) =>
      answered(
        Effect.map(find(caller, params.webhook), ({ webhook: { log } }) => {
          const isSelected = ({ result }: Webhook.Attempt) => query.result !== "failed" || result !== "delivered"
          const result = log.filter(isSelected).map(WebhookView.ofAttempt).toReversed()
          return respond({ result }, caller.headers)
        }),
      ),
  } satisfies Partial<Handlers>
}

/** The handlers of requests with a body. */
const withBody = (options: Options) => {
  const { settings } = options
  const { change } = WebhookAccess.make(options)
  const { changeAddresses, create, replay } = WebhookChanges.make(options)
  const read = {
    settings: JsonBody.reader(options, Resource.Settings),
    replay: JsonBody.reader(options, Resource.Replay),
    rotation: JsonBody.reader(options, Resource.Rotation, true),
    addresses: JsonBody.reader(options, Resource.AddressChange),
  }

  return {
    createWebhook: Effect.fnUntraced(function* ({ caller }) {
      const { headers, value } = yield* read.settings(caller)
      return yield* answered(
        Effect.flatMap(create(caller, value), ([found, secret]) => respondWith(options, found, headers, { secret })),
      )
    }),
    replayWebhook: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.replay(caller)
      const changed = replay(caller, params.webhook, value.from)
      return yield* answered(Effect.flatMap(changed, (found) => respondWith(options, found, headers)))
    }),
    rotateWebhook: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.rotation(caller)
      const { keep_seconds: keepSeconds = daySeconds } = value
      if (keepSeconds > maxKeepSeconds) {
        return yield* JsonBody.invalid("keep_seconds", `at most ${maxKeepSeconds}`, `${keepSeconds}`)
      }
      const nowMillis = yield* Clock.currentTimeMillis
      const until = nowMillis + keepSeconds * 1_000
      const changed = change(caller, params.webhook, ({ webhook }) =>
        Effect.succeed(Webhook.rotate(settings.key, webhook, { nowMillis, until })),
      )
      return yield* answered(
        Effect.flatMap(changed, ([found, { secret }]) => respondWith(options, found, headers, { secret })),
      )
    }),
    changeWebhookAddresses: Effect.fnUntraced(function* ({ caller, params }) {
      const { headers, value } = yield* read.addresses(caller)
      const changed = changeAddresses(caller, params.webhook, value)
      return yield* answered(Effect.flatMap(changed, (found) => respondWith(options, found, headers)))
    }),
  } satisfies Partial<Handlers>
}

/** Makes the handlers. */
export const make = (options: Options): Handlers => ({ ...withoutBody(options), ...withBody(options) })
