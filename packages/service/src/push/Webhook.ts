/**
 * Content of a stored webhook: what it sends, to whom, its secrets, and its position. Secrets are encrypted with a key from the
 * configuration that is not in the database. Pure except for random bytes.
 *
 * Source: decision 0073.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { IndexedChain } from "../query/IndexedChain.ts"
import { StoreError } from "../store/StoreError.ts"
import type { EncodedWebhook, State } from "../store/Webhooks.ts"
import { isWithin } from "../store/WebhookWallets.ts"
import type { WalletChanges, WalletRange, WebhookWallet } from "../store/WebhookWallets.ts"
import * as Delivery from "./Delivery.ts"
import * as EventPosition from "./EventPosition.ts"
import type * as Events from "./WalletEvents.ts"
import * as WebhookPosition from "./WebhookPosition.ts"

const Text = Schema.String
const OrNull = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

/** A message that is sent until it is delivered. Its bytes do not change, even if the chain does. */
const Pending = Schema.Struct({
  id: Text,
  body: Text,
  /** Number of events in it. */
  events: Schema.Int,
  /** The wallet whose position advances on delivery; `null` for a test. */
  wallet: OrNull(Text),
  position: Text,
})

/** An attempt to send a message. */
const Attempt = Schema.Struct({
  /** Id of the message. */
  message: Text,
  /** Time of its start. */
  at: Schema.Int,
  /** Number of the attempt for its message, from 1. */
  attempt: Schema.Int,
  events: Schema.Int,
  result: Schema.Literals(["delivered", "failed", "gone"]),
  /** Status of the response, or why there was none. */
  status: OrNull(Schema.Int),
  reason: OrNull(Text),
  millis: Schema.Int,
})

/** An attempt to send a message. */
export interface Attempt extends Schema.Schema.Type<typeof Attempt> {}

/** The content of a webhook. */
const Content = Schema.Struct({
  /** Name of the API key that it belongs to; `null` for the operator. */
  holder: OrNull(Text),
  /** Name given by the key; `null` if its id is its name. */
  name: OrNull(Text),
  /** Digest of the request that created it; `null` if none did. */
  request: OrNull(Text),
  created: Schema.Int,
  url: Text,
  /** Name of the chain. */
  chain: Text,
  types: Schema.Array(Schema.Literals(WalletEvent.rowTypes)),
  finality: Schema.Literals(["head", "final"]),
  /** Where wallets without a position start: a block, or `now`. */
  from: Schema.Union([Schema.Int, Schema.Literal("now")]),
  /** Encrypted HMAC secrets: the current one, and previous ones with an expiry. */
  secret: Text,
  previous: Schema.Array(Schema.Struct({ secret: Text, until: Schema.Int })),
  /** Encrypted private ed25519 key, and the public one. */
  privateKey: Text,
  publicKey: Text,
  /** Position of the wallets without one of their own; absent before the first. */
  place: Schema.optionalKey(Schema.Struct({ journal: Text, next: Schema.Int })),
  /** Whether the journal has dropped the changes since one of the positions. */
  forgotten: Schema.Boolean,
  pending: OrNull(Pending),
  /** Id of a requested test. */
  test: OrNull(Text),
  attempts: Schema.Struct({
    failures: Schema.Int,
    firstFailureAt: OrNull(Schema.Int),
    nextAt: Schema.Finite,
    paused: OrNull(Text),
  }),
  /** Number of delivered messages. */
  delivered: Schema.Int,
  /** The last attempts, oldest first. */
  log: Schema.Array(Attempt),
})

/** The content of a webhook. */
export interface Webhook extends Schema.Schema.Type<typeof Content> {}

const ContentText = Schema.fromJsonString(Content)
const decodeText = Schema.decodeUnknownEffect(ContentText)

const encodeText = Schema.encodeSync(ContentText)

/** State of a webhook. */
export const stateOf = ({ attempts: { failures, paused } }: Pick<Webhook, "attempts">): State => {
  if (paused !== null) return "paused"
  return failures > 0 ? "failing" : "active"
}

/** Encodes a webhook for storage. */
export const encode = (webhook: Webhook): EncodedWebhook => ({
  holder: webhook.holder,
  state: stateOf(webhook),
  content: encodeText(webhook),
})

/** Maximum number of attempts kept. */
const maxAttempts = 50

/** Appends an attempt. */
export const logged = (log: ReadonlyArray<Attempt>, attempt: Attempt): ReadonlyArray<Attempt> =>
  [...log, attempt].slice(-maxAttempts)

/** Result of an attempt, as text. */
export const resultText = ({ reason, status }: Attempt): string => reason ?? `status ${status}`

/** What a webhook sends for a wallet, in steps of limited size. */
export const subscriptionOf = (
  { finality, types }: Pick<Webhook, "finality" | "types">,
  chain: IndexedChain,
  wallet: string,
  maxBytes: number,
): Events.Subscription => ({
  chain,
  wallet,
  types: new Set(types),
  selection: {},
  isFinal: finality === "final",
  maxBytes,
})

/**
 * Reads a stored webhook.
 *
 * **Errors**
 * - `StoreError`: another version wrote it, or it is damaged.
 */
export const decode = (text: string): Effect.Effect<Webhook, StoreError> =>
  Effect.mapError(decodeText(text), () => {
    const message = "Webhook not readable: another version wrote it. Remove it and add it again."
    return new StoreError({ message, isRetryable: false, cause: undefined })
  })

const algorithm = "aes-256-gcm"
const [nonceBytes, tagBytes] = [12, 16]

const keyOf = (key: string): Buffer => hash("sha256", key, "buffer")

/** Encrypts a secret, which only the same key can decrypt. */
export const encrypt = (key: string, secret: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyOf(key), nonce)
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64")
}

/**
 * Decrypts a secret.
 *
 * **Errors**
 * - `StoreError`: it was encrypted by another key.
 */
export const decrypt = (key: string, text: string): Effect.Effect<string, StoreError> =>
  Effect.try({
    try: () => {
      const bytes = Buffer.from(text, "base64")
      const decipher = createDecipheriv(algorithm, keyOf(key), bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8")
    },
    catch: (cause) =>
      new StoreError({
        message:
          'Secret of a webhook not readable: "webhooks.key" has changed since the webhook was created. Restore the previous key.',
        isRetryable: false,
        cause,
      }),
  })

/** Secrets of a webhook, as given to its receiver. */
export interface Secrets {
  readonly secret: string
  readonly publicKey: string
}

/** Settings of a new webhook, without its wallets. If absent, it belongs to the operator. */
export interface Settings
  extends
    Pick<Webhook, "url" | "chain" | "types" | "finality" | "from">,
    Partial<Pick<Webhook, "holder" | "name" | "request">> {}

/** Makes a webhook, and the secrets that are shown once. */
export const make = Effect.fnUntraced(function* (
  key: string,
  { holder = null, name = null, request = null, ...settings }: Settings,
): Effect.fn.Return<readonly [Webhook, Secrets]> {
  const secret = StandardWebhook.makeSecret()
  const { privateKey, publicKey } = yield* Effect.promise(() => StandardWebhook.makePair())
  const webhook: Webhook = {
    ...settings,
    holder,
    name,
    request,
    created: yield* Clock.currentTimeMillis,
    secret: encrypt(key, secret),
    previous: [],
    privateKey: encrypt(key, privateKey),
    publicKey,
    forgotten: false,
    pending: null,
    test: null,
    attempts: Delivery.initial,
    delivered: 0,
    log: [],
  }
  return [webhook, { secret, publicKey }]
})

/** Maximum number of previous secrets that sign in addition to the current one. */
const maxPrevious = 3

/** Previous secrets that sign at a given time. */
export const previousAt = ({ previous }: Webhook, nowMillis: number): Webhook["previous"] =>
  previous.filter(({ until }) => nowMillis < until)

/**
 * Rotates the secret. The current one also signs until a given time, in milliseconds since 1970, and earlier ones until their own expiry.
 * The oldest are kept, because the receiver has one of them if the responses with newer ones were lost.
 */
export const rotate = (
  key: string,
  webhook: Webhook,
  { nowMillis, until }: { readonly nowMillis: number; readonly until: number },
): readonly [Webhook, Secrets] => {
  const secret = StandardWebhook.makeSecret()
  const kept = previousAt(webhook, nowMillis).slice(0, maxPrevious - 1)
  const previous = [...kept, { secret: webhook.secret, until }]
  return [
    { ...webhook, secret: encrypt(key, secret), previous },
    { secret, publicKey: webhook.publicKey },
  ]
}

/** Keys that sign at a given time. */
export const signingKeys = (
  key: string,
  webhook: Webhook,
  nowMillis: number,
): Effect.Effect<ReadonlyArray<string>, StoreError> => {
  const { privateKey, secret } = webhook
  const earlier = previousAt(webhook, nowMillis).map((one) => one.secret)
  return Effect.forEach([secret, ...earlier, privateKey], (one) => decrypt(key, one))
}

/** Resumes a webhook immediately, from where it was paused or failed. */
export const resumed = (webhook: Webhook): Webhook => ({ ...webhook, attempts: Delivery.initial })

/** Pauses a webhook for a reason. */
export const paused = (webhook: Webhook, reason: string): Webhook => ({
  ...webhook,
  attempts: { ...webhook.attempts, paused: reason },
})

/** A webhook, and the effect of a change on its wallets. */
export type Changed = readonly [webhook: Webhook, wallets: WalletChanges]

/**
 * Replays the rows of all or some wallets from a block, in one or several parts; the last part is open-ended. Sent rows of blocks that were
 * removed since are voided, unless the journal has dropped them.
 *
 * A pending message of rows is not resent, since its rows are. It may have been received, so they are voided if necessary.
 */
export const replayed = (webhook: Webhook, next: number, within: WalletRange = {}): Changed => {
  const { forgotten, pending, place } = webhook
  const [wallet, position] = pending === null ? [null, ""] : [pending.wallet, pending.position]
  const isDropped = wallet !== null && isWithin(within, wallet)
  const later = EventPosition.highestOf(position)
  const wallets: WalletChanges = forgotten
    ? { within, isReset: true }
    : { within, part: place, rewind: next, raise: isDropped && later !== undefined ? [wallet, later] : undefined }
  const changed = { ...webhook, from: next, pending: isDropped ? null : pending }
  return [within.to === undefined ? resumed({ ...changed, forgotten: false }) : changed, wallets]
}

/** Replays a webhook after an earlier position of a wallet, given the block up to which rows were sent. */
export const replayedAfter = (
  webhook: Webhook,
  { highest, wallet }: Pick<WebhookWallet, "highest" | "wallet">,
  position: EventPosition.EventPosition,
): Changed => {
  const { pending } = webhook
  const isWaiting = pending?.wallet === wallet
  const later = isWaiting ? EventPosition.highestOf(pending.position) : undefined
  const sent = Math.max(position.highest, highest, later ?? -1)
  const moved = WebhookPosition.ownWallet(wallet, { ...position, highest: sent })
  return [resumed({ ...webhook, pending: isWaiting ? null : pending, forgotten: false }), { move: [moved] }]
}

/** Drops what was to be sent for removed wallets. */
export const without = (webhook: Webhook, wallets: ReadonlySet<string>): Webhook => {
  if (!wallets.has(webhook.pending?.wallet ?? "")) return webhook
  const kept = { ...webhook, pending: null }
  return stateOf(webhook) === "failing" ? resumed(kept) : kept
}

/** Makes a message id. */
export const newId = (): string => `msg_${randomBytes(18).toString("base64url")}`
