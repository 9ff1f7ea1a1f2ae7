/**
 * The content of a stored webhook: what it sends to whom, its secrets, and where it is. Secrets are encrypted by a key of the
 * configuration, which the database does not have. Pure but for random bytes.
 *
 * Source: decision 0073.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { StoreError } from "../store/StoreError.ts"
import * as Delivery from "./Delivery.ts"

const Text = Schema.String
const OrNull = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

/** A message that is sent until it is delivered. Its bytes stay the same, whatever the chain becomes meanwhile. */
const Pending = Schema.Struct({
  id: Text,
  body: Text,
  /** The wallet whose position moves on once it is delivered; `null` for a test. */
  wallet: OrNull(Text),
  position: Text,
})

/** The content of a webhook. */
const Content = Schema.Struct({
  url: Text,
  /** Name of the chain. */
  chain: Text,
  addresses: Schema.Array(Text),
  types: Schema.Array(Schema.Literals(WalletEvent.rowTypes)),
  finality: Schema.Literals(["head", "final"]),
  /** Where wallets without a position begin: a block, or `now`. */
  from: Schema.Union([Schema.Int, Schema.Literal("now")]),
  /** Encrypted secrets of HMAC: the current one, and the previous one until a time. */
  secret: Text,
  previous: OrNull(Schema.Struct({ secret: Text, until: Schema.Int })),
  /** Encrypted private key of ed25519, and the public one. */
  privateKey: Text,
  publicKey: Text,
  positions: Schema.Record(Text, Text),
  pending: OrNull(Pending),
  /** Id of a test that was requested. */
  test: OrNull(Text),
  attempts: Schema.Struct({
    failures: Schema.Int,
    firstFailureAt: OrNull(Schema.Int),
    nextAt: Schema.Finite,
    paused: OrNull(Text),
  }),
  /** Messages that were delivered. */
  delivered: Schema.Int,
  /** The last attempt. */
  last: OrNull(Schema.Struct({ at: Schema.Int, result: Text })),
})

/** The content of a webhook. */
export interface Webhook extends Schema.Schema.Type<typeof Content> {}

const ContentText = Schema.fromJsonString(Content)
const decodeText = Schema.decodeUnknownEffect(ContentText)

/** The text of a webhook. */
export const encode = Schema.encodeSync(ContentText)

/**
 * Reads a stored webhook.
 *
 * **Errors**
 * - `StoreError`: another version wrote it, or it is damaged.
 */
export const decode = (text: string): Effect.Effect<Webhook, StoreError> =>
  Effect.mapError(decodeText(text), () => {
    const message = "Webhook not understood: another version wrote it. Remove it and add it again."
    return new StoreError({ message, isRetryable: false, cause: undefined })
  })

const algorithm = "aes-256-gcm"
const [nonceBytes, tagBytes] = [12, 16]

const keyOf = (key: string): Buffer => hash("sha256", key, "buffer")

/** Encrypts a secret; it is read by the same key alone. */
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
          'Secret of a webhook not readable: "webhooks.key" is another one than when it was made. Restore that key.',
        isRetryable: false,
        cause,
      }),
  })

/** Secrets of a webhook, as its receiver is given them. */
export interface Secrets {
  readonly secret: string
  readonly publicKey: string
}

/** What a webhook is added with. */
export interface Settings extends Pick<Webhook, "url" | "chain" | "addresses" | "types" | "finality" | "from"> {}

/** A new webhook, and the secrets that are shown once. */
export const make = (key: string, settings: Settings): Effect.Effect<readonly [Webhook, Secrets]> =>
  Effect.promise(async () => {
    const secret = StandardWebhook.makeSecret()
    const { privateKey, publicKey } = await StandardWebhook.makePair()
    const webhook: Webhook = {
      ...settings,
      secret: encrypt(key, secret),
      previous: null,
      privateKey: encrypt(key, privateKey),
      publicKey,
      positions: {},
      pending: null,
      test: null,
      attempts: Delivery.initial,
      delivered: 0,
      last: null,
    }
    return [webhook, { secret, publicKey }] as const
  })

/** The webhook with another secret; the previous one signs too until a time, in milliseconds since 1970. */
export const rotate = (key: string, webhook: Webhook, until: number): readonly [Webhook, Secrets] => {
  const secret = StandardWebhook.makeSecret()
  const previous = { secret: webhook.secret, until }
  return [
    { ...webhook, secret: encrypt(key, secret), previous },
    { secret, publicKey: webhook.publicKey },
  ]
}

/** The keys that sign at a time. */
export const signingKeys = (
  key: string,
  { previous, privateKey, secret }: Webhook,
  nowMillis: number,
): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  Effect.forEach(
    [secret, ...(previous !== null && nowMillis < previous.until ? [previous.secret] : []), privateKey],
    (one) => decrypt(key, one),
  )

/** A new id of a message. */
export const newId = (): string => `msg_${randomBytes(18).toString("base64url")}`
