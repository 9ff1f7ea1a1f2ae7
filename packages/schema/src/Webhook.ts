/**
 * Webhooks of an API key, as sent and received by the operations on them. What a webhook sends is `WebhookMessage`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import { unread } from "./internal/coder.ts"
import { leaf, literals, orNull, typeSide } from "./internal/leaf.ts"
import { atMost, type Named, objectOrNull, open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"
import * as Timestamp from "./Timestamp.ts"
import { isVisibleLine } from "./VisibleText.ts"
import * as WalletEvent from "./WalletEvent.ts"

/** A count, or an HTTP status. */
const count = Quantity.SafeIntegerFromNumber

/**
 * Maximum number of addresses in one request, and on a page of a webhook's addresses. A webhook can have as many as its server permits.
 *
 * Source: decision 0073.
 */
export const maxAddresses = 1_000

const isId = (input: unknown): input is string => typeof input === "string" && /^[\w-]{1,60}$/.test(input)

const ids = "1 to 60 letters, digits, hyphens and underscores"

/**
 * Id of a webhook: 1 to 60 letters, digits, hyphens and underscores.
 *
 * **Example** (Rejecting any other text)
 *
 * ```ts
 * import * as Webhook from "@daybook/schema/Webhook"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.is(Webhook.Id)("wh_7c4a"), Schema.is(Webhook.Id)("wh/7c4a")) // true false
 * ```
 *
 * Source: decision 0073.
 */
export const Id: Schema.Codec<string> = leaf<string, string>({
  expected: ids,
  wire: Schema.String.check(Schema.isPattern(/^[\w-]{1,60}$/)),
  read: (input) => (isId(input) ? input : unread),
  write: (value) => value,
  type: typeSide<string>({ expected: ids, is: isId, from: Schema.String.check(Schema.isPattern(/^[\w-]{1,60}$/)) }),
})

const isName = (input: unknown): input is string =>
  typeof input === "string" && input.length <= 60 && input !== "" && input === input.trim() && isVisibleLine(input)

const names = "a line of 1 to 60 visible characters"

/** Name given to a webhook by its owner. */
const Name: Schema.Codec<string> = leaf<string, string>({
  expected: names,
  wire: Schema.String,
  read: (input) => (isName(input) ? input : unread),
  write: (value) => value,
  type: typeSide<string>({
    expected: names,
    is: isName,
    from: Schema.String.check(Schema.isPattern(/^[A-Za-z](?:[ -~]{0,58}[!-~])?$/u)),
  }),
})

const isStart = (input: unknown): input is string =>
  typeof input === "string" && input.length >= 1 && input.length <= 200

const starts = "a block number, a date, the cursor of an event, or now"

/** Where rows start, as text; a block may be a JSON number. */
const From: Schema.Codec<string, string | number> = leaf<string, string | number>({
  expected: starts,
  wire: Schema.Union([Schema.String, Schema.Int]),
  read: (input) => {
    if (isStart(input)) return input
    return Number.isSafeInteger(input) && (input as number) >= 0 ? String(input) : unread
  },
  write: (value) => value,
  type: typeSide<string>({
    expected: starts,
    is: isStart,
    from: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  }),
})

const Finality = literals("head", "final")

const Types = Schema.Array(literals(...WalletEvent.rowTypes))

const Addresses = atMost(maxAddresses, Address.Address)

/**
 * Path parameters of the operations on one webhook.
 *
 * **Example** (Decoding the path)
 *
 * ```ts
 * import * as Webhook from "@daybook/schema/Webhook"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Webhook.Path)({ webhook: "wh_7c4a" }).webhook) // wh_7c4a
 * ```
 *
 * Source: decision 0073.
 */
export const Path = Schema.Struct({
  /** Id of the webhook. */
  webhook: Id,
})

/**
 * Query parameters of an operation without any.
 *
 * Source: decision 0073.
 */
export const Query = Schema.Struct({})

/**
 * Query parameters of the deliveries of a webhook.
 *
 * Source: decision 0073.
 */
export const DeliveryQuery = Schema.Struct({
  /** `failed`: only failed attempts. Default: all. */
  result: Schema.optionalKey(literals("all", "failed")),
})

/**
 * Query parameters of the addresses of a webhook.
 *
 * Source: decision 0073.
 */
export const AddressesQuery = Schema.Struct({
  /** Returns addresses after this one: the `next` of the previous page. Default: from the first one. */
  after: Schema.optionalKey(Address.Address),
})

const deliveryCodec = open("WebhookDelivery", {
  /** Id of the message: the header `webhook-id`, the same for every attempt. */
  message: Schema.String,
  /** When the attempt started. */
  at: Timestamp.Timestamp,
  /** Number of the attempt for this message, from 1. */
  attempt: count,
  /** Number of events in the message; 0 for a test. */
  events: count,
  /** `gone`: the receiver responded with 410, and the webhook is paused. */
  result: literals("delivered", "failed", "gone"),
  /** Status of the response; `null` for none. */
  status: orNull(count),
  /** Why there was no response; `null` if there was one. */
  reason: Schema.NullOr(Schema.String),
  /** Milliseconds until the response. */
  milliseconds: count,
})

export interface WebhookDelivery extends Schema.Schema.Type<typeof deliveryCodec> {}

/** Encoded form of `WebhookDelivery`: the values of its JSON. */
export interface WebhookDeliveryWire extends Schema.Codec.Encoded<typeof deliveryCodec> {}

/**
 * An attempt to send a message of a webhook.
 *
 * Source: decision 0073.
 */
export const WebhookDelivery: Named<typeof deliveryCodec, WebhookDelivery, WebhookDeliveryWire> = deliveryCodec

const fields = {
  /** Id of the webhook. */
  id: Id,
  /** Name given by its owner. */
  name: Schema.String,
  /** Origin of the webhook. `key`: created with an API key. `operator`: created by the operator of the server, with its command. */
  source: literals("key", "operator"),
  /** Where messages are sent. */
  url: Schema.String,
  /** Name of the chain. */
  chain: Schema.String,
  /** The first 100 of its wallets, ordered by address. */
  addresses: Addresses,
  /** Number of its wallets. */
  address_count: count,
  /** Types of rows that are sent. */
  types: Types,
  /** When rows are sent: once their block is stored, or once it is final. */
  finality: Finality,
  /** `failing`: the last attempts failed, and the message is retried. `paused`: nothing is sent until it is resumed. */
  state: literals("active", "failing", "paused"),
  /** Why it is paused; `null` if it is not. */
  pause_reason: Schema.NullOr(Schema.String),
  /** Public key with which receivers verify ed25519 signatures. */
  public_key: Schema.String,
  /** Time until which the previous secret also signs; `null` for none. */
  previous_until: orNull(Timestamp.Timestamp),
  /** When it was created. */
  created_at: Timestamp.Timestamp,
  /** Number of messages that were delivered. */
  delivered: count,
  /** Number of attempts that failed since the last delivery. */
  failures: count,
  /** When the failed message is retried; `null` if none is waiting. */
  next_attempt_at: orNull(Timestamp.Timestamp),
  /** The last attempt; `null` before the first. */
  last: objectOrNull(WebhookDelivery),
}

const webhookCodec = open("Webhook", fields)

export interface Webhook extends Schema.Schema.Type<typeof webhookCodec> {}

/** Encoded form of `Webhook`: the values of its JSON. */
export interface WebhookWire extends Schema.Codec.Encoded<typeof webhookCodec> {}

/**
 * A webhook: what it sends, to whom, and its delivery state.
 *
 * **Example** (Finding what is missing)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as Webhook from "@daybook/schema/Webhook"
 *
 * console.log(Issue.find(Webhook.Webhook, {})[0]?.path) // id
 * ```
 *
 * Source: decision 0073.
 */
export const Webhook: Named<typeof webhookCodec, Webhook, WebhookWire> = webhookCodec

const secretCodec = open("WebhookWithSecret", {
  ...fields,
  /** The signing secret, shown only in this response; `null` if an earlier request created the webhook. */
  secret: Schema.NullOr(Schema.String),
})

export interface WebhookWithSecret extends Schema.Schema.Type<typeof secretCodec> {}

/** Encoded form of `WebhookWithSecret`: the values of its JSON. */
export interface WebhookWithSecretWire extends Schema.Codec.Encoded<typeof secretCodec> {}

/**
 * A webhook with its new secret.
 *
 * Source: decision 0073.
 */
export const WebhookWithSecret: Named<typeof secretCodec, WebhookWithSecret, WebhookWithSecretWire> = secretCodec

const listCodec = open("WebhookList", {
  /** The webhooks, ordered by id. */
  result: Schema.Array(Webhook),
})

export interface WebhookList extends Schema.Schema.Type<typeof listCodec> {}

/** Encoded form of `WebhookList`: the values of its JSON. */
export interface WebhookListWire extends Schema.Codec.Encoded<typeof listCodec> {}

/**
 * The webhooks of an API key or, for an operator key, all of them.
 *
 * Source: decision 0073.
 */
export const WebhookList: Named<typeof listCodec, WebhookList, WebhookListWire> = listCodec

const addressesCodec = open("WebhookAddresses", {
  /** Up to 1,000 wallets, ordered by address. */
  result: Addresses,
  /** The last of them if more follow; otherwise `null`. */
  next: orNull(Address.Address),
})

export interface WebhookAddresses extends Schema.Schema.Type<typeof addressesCodec> {}

/** Encoded form of `WebhookAddresses`: the values of its JSON. */
export interface WebhookAddressesWire extends Schema.Codec.Encoded<typeof addressesCodec> {}

/**
 * Wallets of a webhook.
 *
 * Source: decision 0073.
 */
export const WebhookAddresses: Named<typeof addressesCodec, WebhookAddresses, WebhookAddressesWire> = addressesCodec

const deliveriesCodec = open("WebhookDeliveries", {
  /** The last 50 attempts, newest first. */
  result: Schema.Array(WebhookDelivery),
})

export interface WebhookDeliveries extends Schema.Schema.Type<typeof deliveriesCodec> {}

/** Encoded form of `WebhookDeliveries`: the values of its JSON. */
export interface WebhookDeliveriesWire extends Schema.Codec.Encoded<typeof deliveriesCodec> {}

/**
 * The last attempts of a webhook.
 *
 * Source: decision 0073.
 */
export const WebhookDeliveries: Named<typeof deliveriesCodec, WebhookDeliveries, WebhookDeliveriesWire> =
  deliveriesCodec

const testCodec = open("WebhookTest", {
  /** Id of the webhook. */
  id: Id,
  /** Id of the message, which the deliveries list once it was sent. */
  message: Schema.String,
})

export interface WebhookTest extends Schema.Schema.Type<typeof testCodec> {}

/** Encoded form of `WebhookTest`: the values of its JSON. */
export interface WebhookTestWire extends Schema.Codec.Encoded<typeof testCodec> {}

/**
 * A test that will be sent.
 *
 * Source: decision 0073.
 */
export const WebhookTest: Named<typeof testCodec, WebhookTest, WebhookTestWire> = testCodec

const removedCodec = open("RemovedWebhook", {
  /** False if there was none, as for a repeated request. */
  removed: Schema.Boolean,
})

export interface RemovedWebhook extends Schema.Schema.Type<typeof removedCodec> {}

/** Encoded form of `RemovedWebhook`: the values of its JSON. */
export interface RemovedWebhookWire extends Schema.Codec.Encoded<typeof removedCodec> {}

/**
 * Whether a webhook was removed.
 *
 * Source: decision 0073.
 */
export const RemovedWebhook: Named<typeof removedCodec, RemovedWebhook, RemovedWebhookWire> = removedCodec

/**
 * Settings of a webhook.
 *
 * **Example** (Encoding the body of a request)
 *
 * ```ts
 * import * as Webhook from "@daybook/schema/Webhook"
 * import * as Schema from "effect/Schema"
 *
 * const settings = Schema.decodeUnknownSync(Webhook.Settings)({ url: "https://books.example/hook", addresses: [], from: 17_000_000 })
 * console.log(settings.from) // 17000000
 * ```
 *
 * Source: decision 0073.
 */
export const Settings = Schema.Struct({
  /** Where messages are sent: an https URL of the public internet. */
  url: Schema.String,
  /** Wallets whose events are sent, 1 to 1,000; add more with separate requests. */
  addresses: Addresses,
  /** Chain by name or identifier. Default `eth`. */
  chain: Schema.optionalKey(Schema.String),
  /** Types of rows. Default: all. */
  types: Schema.optionalKey(Types),
  /** Where the rows start: a block number, a date, the cursor of an event of the only wallet, or `now`. Default `now`. */
  from: Schema.optionalKey(From),
  /** `head`: rows of every stored block, with a void if a reorg removes it. `final`: only rows of final blocks. Default `head`. */
  finality: Schema.optionalKey(Finality),
  /** Name, unique among the webhooks of the key. Repeating the request with the same name does not create a second webhook. */
  name: Schema.optionalKey(Name),
})

export interface Settings extends Schema.Schema.Type<typeof Settings> {}

/**
 * Wallets to add to and remove from a webhook.
 *
 * Source: decision 0073.
 */
export const AddressChange = Schema.Struct({
  /** Wallets to add, up to 1,000; those that the webhook already has are unchanged. */
  add: Schema.optionalKey(Addresses),
  /** Wallets to remove, up to 1,000. */
  remove: Schema.optionalKey(Addresses),
  /** Where the rows of the added wallets start: a block number, a date, or `now`. Default `now`. */
  from: Schema.optionalKey(From),
})

export interface AddressChange extends Schema.Schema.Type<typeof AddressChange> {}

/**
 * Where a webhook starts again.
 *
 * Source: decision 0073.
 */
export const Replay = Schema.Struct({
  /** A block number, a date, or `now`, for all of its wallets; or the cursor of an event, for the wallet of that event. */
  from: From,
})

export interface Replay extends Schema.Schema.Type<typeof Replay> {}

/**
 * How to replace a secret.
 *
 * Source: decision 0073.
 */
export const Rotation = Schema.Struct({
  /** Seconds for which the previous secret signs too, at most 30 days. Default one day. */
  keep_seconds: Schema.optionalKey(count),
})

export interface Rotation extends Schema.Schema.Type<typeof Rotation> {}
