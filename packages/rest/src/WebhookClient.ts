/**
 * Client for webhook operations, with Effect or promises. It is a separate module so that other programs do not bundle it.
 * `@daybook/rest/webhook` verifies the messages that a webhook sends.
 */
import * as Issue from "@daybook/schema/Issue"
import type {
  AddressChange,
  RemovedWebhook,
  Replay,
  Rotation,
  Settings,
  Webhook,
  WebhookAddresses,
  WebhookDeliveries,
  WebhookList,
  WebhookTest,
  WebhookWithSecret,
} from "@daybook/schema/Webhook"
import * as WebhookOperation from "@daybook/schema/WebhookOperation"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { CallOptions, Options } from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientContext from "./internal/ClientContext.ts"
import type { Kinds } from "./internal/ClientOptions.ts"
import * as OperationCalls from "./internal/OperationCalls.ts"
import { kinds, single } from "./internal/PromiseCall.ts"
import type { EncodedQuery } from "./Operation.ts"
import type * as promise from "./promise.ts"
import type { RestError } from "./RestError.ts"

export type {
  RemovedWebhook,
  Webhook,
  WebhookAddresses,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookList,
  WebhookTest,
  WebhookWithSecret,
} from "@daybook/schema/Webhook"

/**
 * Identifies a webhook.
 */
export interface WebhookQuery {
  /** Id of the webhook. */
  readonly webhook: string
}

/**
 * A webhook to create.
 */
export interface CreateQuery extends Omit<Settings, "addresses" | "from"> {
  /** Wallets whose events are sent, 1 to 1,000, in any case. `changeAddresses` adds more. */
  readonly addresses: ReadonlyArray<string>
  /** Where the rows start: a block, a date, the cursor of an event of the only wallet, or `now`. Default `now`. */
  readonly from?: From | undefined
}

/**
 * Where rows start: a block, a date, the cursor of an event, or `now`.
 */
export type From = bigint | number | string | Date

/**
 * Wallets to add to a webhook and to remove from it.
 */
export interface AddressesQuery extends WebhookQuery, Omit<AddressChange, "add" | "remove" | "from"> {
  /** Wallets to add, up to 1,000. */
  readonly add?: ReadonlyArray<string> | undefined
  /** Wallets to remove, up to 1,000. */
  readonly remove?: ReadonlyArray<string> | undefined
  /** Where the rows of the added wallets start: a block, a date, or `now`. Default `now`. */
  readonly from?: From | undefined
}

/**
 * The addresses of a webhook.
 */
export interface ListAddressesQuery extends WebhookQuery {
  /** Returns addresses after this one: the `next` of the previous page. Default: from the first one. */
  readonly after?: string | undefined
}

/**
 * A webhook to replay.
 */
export interface ReplayQuery extends WebhookQuery, Omit<Replay, "from"> {
  /** A block, a date or `now` for all of its wallets, or the cursor of an event for the wallet of that event. */
  readonly from: From
}

/**
 * A webhook whose secret is to be replaced.
 */
export interface RotateQuery extends WebhookQuery, Rotation {}

/**
 * Selects the delivery attempts of a webhook.
 */
export interface DeliveriesQuery extends WebhookQuery {
  /** `failed`: only failed attempts. Default: all. */
  readonly result?: "all" | "failed" | undefined
}

/** A query without parameters. */
type None = Readonly<Record<string, never>>

/**
 * The calls of the client. All of them are idempotent, so each is retried.
 *
 * **Errors**
 *
 * - `Forbidden`: the API key is restricted and does not allow `webhooks` or the chain.
 * - `NotFound`: the key has no webhook with this id, or the server does not send webhooks.
 * - `BadRequest`: also for a URL outside the public internet, or if a limit of the key is exceeded.
 * - `Unauthorized`, `RateLimited`, `Unavailable`, `TransportError`, `TimeoutError`, `InvalidResponse`, as for every call.
 *
 * Source: decision 0073.
 */
export interface WebhookClient {
  /** Returns the webhooks of the API key or, for an operator key, all of them. */
  readonly list: (query?: None, options?: CallOptions) => Effect.Effect<WebhookList, RestError>
  /** Creates a webhook. Only this response has its secret; it is `null` if the same request with the same `name` was answered before. */
  readonly create: (query: CreateQuery, options?: CallOptions) => Effect.Effect<WebhookWithSecret, RestError>
  /** Returns a webhook and its state. */
  readonly get: (query: WebhookQuery, options?: CallOptions) => Effect.Effect<Webhook, RestError>
  /** Removes a webhook with its secret and its position. */
  readonly remove: (query: WebhookQuery, options?: CallOptions) => Effect.Effect<RemovedWebhook, RestError>
  /** Pauses a webhook until it is resumed. */
  readonly pause: (query: WebhookQuery, options?: CallOptions) => Effect.Effect<Webhook, RestError>
  /** Resumes a webhook immediately, from where it was paused or failed. */
  readonly resume: (query: WebhookQuery, options?: CallOptions) => Effect.Effect<Webhook, RestError>
  /** Sends a message of type `test` before the next one. */
  readonly test: (query: WebhookQuery, options?: CallOptions) => Effect.Effect<WebhookTest, RestError>
  /** Sends the rows again from a given point, and resumes the webhook. */
  readonly replay: (query: ReplayQuery, options?: CallOptions) => Effect.Effect<Webhook, RestError>
  /** Creates a new secret, which only this response has. The previous one also signs for a limited time. */
  readonly rotate: (query: RotateQuery, options?: CallOptions) => Effect.Effect<WebhookWithSecret, RestError>
  /** Adds and removes wallets. */
  readonly changeAddresses: (query: AddressesQuery, options?: CallOptions) => Effect.Effect<Webhook, RestError>
  /** Returns up to 1,000 wallets of a webhook, ordered by address. Pass `next` as `after` to request the next page. */
  readonly listAddresses: (
    query: ListAddressesQuery,
    options?: CallOptions,
  ) => Effect.Effect<WebhookAddresses, RestError>
  /** Returns the last 50 delivery attempts, newest first. */
  readonly deliveries: (query: DeliveriesQuery, options?: CallOptions) => Effect.Effect<WebhookDeliveries, RestError>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: CallOptions) => WebhookClient
}

/** The same calls as promises. */
type Promised<Calls> = {
  readonly [N in keyof Calls]: Calls[N] extends (
    query: infer Q,
    options?: CallOptions,
  ) => Effect.Effect<infer A, RestError>
    ? (query: Q, options?: promise.CallOptions) => Promise<A>
    : never
}

/**
 * The calls of `WebhookClient` as promises, which reject with the errors of `RestError`.
 */
export interface WebhookPromiseClient extends Promised<Omit<WebhookClient, "list" | "with">> {
  /** Returns the webhooks of the API key or, for an operator key, all of them. */
  readonly list: (query?: None, options?: promise.CallOptions) => Promise<WebhookList>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: promise.CallOptions) => WebhookPromiseClient
}

/** An operation whose response is read as a value of a type. */
type Contract<A> = WebhookOperation.WebhookOperation & { readonly response: Schema.Codec<A, unknown> }

const randomName = (): string =>
  `wh ${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** True if a server may accept the text as the URL of a receiver. */
const isUrl = (text: string): boolean => text.length <= 2_000 && /^https?:\/\//i.test(text) && URL.canParse(text)

/** Issue of any other text, which is not sent. The text may hold a password, so the issue does not show it. */
const urlIssue: Issue.Issue = {
  path: "url",
  expected: "an https URL of at most 2,000 characters",
  received: "other text",
}

/** Formats a starting point as text. */
const textOf = (from: unknown): unknown => {
  if (from instanceof Date) return Number.isNaN(from.getTime()) ? undefined : from.toISOString()
  return typeof from === "bigint" ? from.toString() : from
}

/** Decodes a part of a query as leniently as the server does, and encodes it. */
const canonical = (codec: Schema.Codec<unknown, unknown>) => {
  const decode = SchemaParser.decodeUnknownResult(codec, { onExcessProperty: "error" })
  const encode = SchemaParser.encodeSync(codec)
  return (value: object): Result.Result<unknown, Issue.Issue> =>
    // Sound: an error has at least one issue.
    Result.mapBoth(decode(value), { onSuccess: encode, onFailure: (error) => Issue.fromError(error, value)[0]! })
}

/** Makes the encoder for queries of an operation; each member is a path parameter, a query parameter or a member of the body. */
const encoder = <A>(contract: Contract<A>) => {
  const encodePath = canonical(contract.params)
  const encodeParameters = canonical(contract.query)
  const encodeBody = contract.body === null ? undefined : canonical(contract.body)
  const isParam = (name: string) => Object.hasOwn(contract.params.fields, name)
  return (query: unknown = {}): Result.Result<EncodedQuery, Issue.Issue> =>
    Result.gen(function* () {
      if (typeof query !== "object" || query === null) {
        return yield* Result.fail({ path: "query", expected: "an object", received: Issue.describe(query) })
      }
      const given = Object.entries(query).filter(([, value]) => value !== undefined)
      const path = yield* encodePath(Object.fromEntries(given.filter(([name]) => isParam(name))))
      const rest = given
        .filter(([name]) => !isParam(name))
        .map(([name, value]): [string, unknown] => [name, name === "from" ? textOf(value) : value])
      // Sound, here and below: parameters are encoded as text, and those without a value are omitted.
      const params = path as EncodedQuery["params"]
      const others = Object.fromEntries(rest)
      if (encodeBody !== undefined) return { params, parameters: {}, body: JSON.stringify(yield* encodeBody(others)) }
      const parameters = (yield* encodeParameters(others)) as EncodedQuery["parameters"]
      return { params, parameters, body: undefined }
    })
}

/** Makes the calls of a client. `moreKinds` are call options added by a client style. */
const callsOf = Effect.fnUntraced(function* (
  options: Options,
  moreKinds: Kinds = {},
): Effect.fn.Return<
  { readonly [N in keyof Omit<WebhookClient, "with">]: { readonly value: WebhookClient[N] } },
  InvalidOption
> {
  const context = yield* ClientContext.make(options, moreKinds)
  const call = <Q, A>(contract: Contract<A>): OperationCalls.SingleCalls<Q, A> =>
    OperationCalls.single(context, { contract, encode: encoder(contract) }, () => [])
  const { createWebhook } = WebhookOperation.all
  const encodeCreate = encoder(createWebhook)
  const encodeNew = (query: CreateQuery) => {
    const given: Partial<CreateQuery> = { ...query }
    // A name lets the server recognise a repeated request.
    return Result.filterOrFail(
      encodeCreate({ ...query, name: given.name ?? randomName() }),
      () => isUrl(query.url),
      () => urlIssue,
    )
  }
  return {
    list: call(WebhookOperation.all.listWebhooks),
    create: OperationCalls.single(context, { contract: createWebhook, encode: encodeNew }, () => []),
    get: call(WebhookOperation.all.getWebhook),
    remove: call(WebhookOperation.all.removeWebhook),
    pause: call(WebhookOperation.all.pauseWebhook),
    resume: call(WebhookOperation.all.resumeWebhook),
    test: call(WebhookOperation.all.testWebhook),
    replay: call(WebhookOperation.all.replayWebhook),
    rotate: call(WebhookOperation.all.rotateWebhook),
    changeAddresses: call(WebhookOperation.all.changeWebhookAddresses),
    listAddresses: call(WebhookOperation.all.listWebhookAddresses),
    deliveries: call(WebhookOperation.all.webhookDeliveries),
  }
})

/**
 * Makes a client whose calls are Effects.
 *
 * **Errors**
 *
 * - `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Adding a wallet)
 *
 * ```ts
 * import { WebhookClient } from "@daybook/rest"
 * import { Effect } from "effect"
 *
 * export const added = Effect.gen(function* () {
 *   const webhooks = yield* WebhookClient.make({ baseUrl: "https://s.example", apiKey: "my-key" })
 *   return yield* webhooks.changeAddresses({ webhook: "wh_7c4a", add: ["0xd8da6bf26964af9d7eed9e03e53415d37aa96045"], from: 17_000_000n })
 * })
 * ```
 *
 * Source: decision 0073.
 */
export const make = (options: Options): Effect.Effect<WebhookClient, InvalidOption> =>
  Effect.map(callsOf(options), (calls) =>
    CallDefaults.client<WebhookClient, CallOptions>({
      list: calls.list.value,
      create: calls.create.value,
      get: calls.get.value,
      remove: calls.remove.value,
      pause: calls.pause.value,
      resume: calls.resume.value,
      test: calls.test.value,
      replay: calls.replay.value,
      rotate: calls.rotate.value,
      changeAddresses: calls.changeAddresses.value,
      listAddresses: calls.listAddresses.value,
      deliveries: calls.deliveries.value,
    }),
  )

/**
 * Makes a client whose calls are promises.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Listing webhooks)
 *
 * ```ts
 * import { createWebhookClient } from "@daybook/rest/WebhookClient"
 *
 * const fetch = async () => Response.json({ result: [] }) // left out in a program
 * const webhooks = createWebhookClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch })
 * console.log((await webhooks.list()).result.length) // 0
 * ```
 *
 * Source: decision 0073.
 */
export const createWebhookClient = (options: Options): WebhookPromiseClient => {
  const calls = CallerStack.keepThrown(() => Result.getOrThrow(Effect.runSync(Effect.result(callsOf(options, kinds)))))
  return CallDefaults.client<WebhookPromiseClient, promise.CallOptions>({
    list: single(calls.list),
    create: single(calls.create),
    get: single(calls.get),
    remove: single(calls.remove),
    pause: single(calls.pause),
    resume: single(calls.resume),
    test: single(calls.test),
    replay: single(calls.replay),
    rotate: single(calls.rotate),
    changeAddresses: single(calls.changeAddresses),
    listAddresses: single(calls.listAddresses),
    deliveries: single(calls.deliveries),
  })
}
