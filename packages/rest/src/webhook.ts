/**
 * Verifies the webhooks of a service and returns their typed events, in every runtime: it only needs the Web Cryptography API.
 *
 * Source: decision 0073.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Messages from "@daybook/schema/WebhookMessage"
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"

/**
 * The body of a webhook.
 */
export type WebhookMessage = Messages.WebhookMessage

/**
 * Why a webhook is rejected. `secret`: the receiver's secret is malformed. `headers`: a header is missing or malformed. `timestamp`: it was
 * sent too long ago, or lies in the future. `signature`: another secret signed it, or the body was changed. `content`: it is signed, but is
 * not a message of the interface.
 */
export type InvalidWebhookReason = "secret" | "headers" | "timestamp" | "signature" | "content"

/**
 * A webhook was rejected. Respond with status 400. The message shows neither secret nor signature.
 *
 * **Example** (Reading why)
 *
 * ```ts
 * import { verifyWebhook } from "@daybook/rest/webhook"
 *
 * const error: unknown = await verifyWebhook("{}", {}, `whsec_${btoa("0".repeat(24))}`).catch((reason: unknown) => reason)
 * console.log((error as { readonly reason: string }).reason) // headers
 * ```
 *
 * Source: decision 0073.
 */
export class InvalidWebhook extends Data.TaggedError("InvalidWebhook")<{
  readonly message: string
  readonly reason: InvalidWebhookReason
}> {}

/**
 * A webhook that was verified.
 */
export interface VerifiedWebhook {
  /** Id of the message, the same for every attempt. Store it, and answer a repeated message with 200 without processing it again. */
  readonly id: string
  /** When this attempt was sent. */
  readonly sentAt: Date
  readonly message: WebhookMessage
}

/**
 * Options of the verification.
 */
export interface Options {
  /** Seconds by which the clocks of sender and receiver may differ. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** Current time at the receiver. Default: now. */
  readonly now?: Date | undefined
}

/** Headers of a request: those of `fetch`, or of Node. */
export type Headers =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const refuse = (reason: InvalidWebhookReason, message: string): InvalidWebhook =>
  new InvalidWebhook({ reason, message })

const expectedHeader = (name: string, expected: string): InvalidWebhook =>
  refuse("headers", `Invalid header "${name}": expected ${expected}, received none or an invalid value.`)

const maxHeaderCharacters = 2_000

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = typeof headers?.["get"] === "function" ? headers["get"](name) : Reflect.get(Object(headers), name)
  return typeof value === "string" && value !== "" && value.length <= maxHeaderCharacters ? value : undefined
}

const decode = SchemaParser.decodeUnknownResult(Messages.WebhookMessage)

const contentOf = (body: Uint8Array): WebhookMessage => {
  const json = Json.parse(new TextDecoder().decode(body))
  const decoded = decode(json)
  if (Result.isSuccess(decoded)) return decoded.success
  // Sound: an error has at least one issue.
  throw refuse("content", Issue.format("webhook", Issue.fromError(decoded.failure, json)[0]!))
}

/** True for bytes of any kind and realm: in some test runners, a Buffer is no instance of the global Uint8Array. */
const isBytes = (body: unknown): body is Uint8Array =>
  ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === "[object ArrayBuffer]"

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (isBytes(body)) return new Uint8Array(body)
  throw refuse(
    "signature",
    `Invalid body: expected the text or the bytes as received, received ${Issue.describe(body)}.`,
  )
}

const isVerifier = (key: unknown): key is string => typeof key === "string" && StandardWebhook.isVerifier(key)

/**
 * Verifies a webhook by Standard Webhooks and decodes it. Pass the body as received, before parsing.
 *
 * **Details**
 *
 * - `secrets`: the secret (`whsec_…`) or the public key (`whpk_…`) of the webhook, or several during a rotation.
 * - Events of types unknown to this version are rejected as `content`.
 *
 * **Errors**
 *
 * - Rejects with `InvalidWebhook`: `reason` distinguishes a wrong secret, a wrong clock and a changed body.
 *
 * **Example** (Answering a webhook)
 *
 * ```ts
 * import { verifyWebhook } from "@daybook/rest/webhook"
 *
 * export const handler = async (request: Request, secret: string): Promise<Response> => {
 *   try {
 *     const { id, message } = await verifyWebhook(await request.text(), request.headers, secret)
 *     console.log(id, message.type)
 *     return new Response(null, { status: 204 })
 *   } catch {
 *     return new Response(null, { status: 400 })
 *   }
 * }
 * ```
 *
 * Source: decision 0073.
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: Headers,
  secrets: string | ReadonlyArray<string>,
  { now = new Date(), toleranceSeconds = 300 }: Options = {},
): Promise<VerifiedWebhook> => {
  // Programs without types pass the variables of an environment that lacks them.
  const given: unknown = secrets
  const keys: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  if (keys.length === 0 || !keys.every(isVerifier)) {
    throw refuse(
      "secret",
      'Invalid secret: expected text that begins with "whsec_" or "whpk_", received none or other text.',
    )
  }
  const id = headerOf(headers, "webhook-id")
  const sent = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")
  if (id === undefined || id.includes(".")) throw expectedHeader("webhook-id", "an id")
  if (sent === undefined || !/^\d{1,12}$/.test(sent)) throw expectedHeader("webhook-timestamp", "seconds since 1970")
  if (signatures === undefined) throw expectedHeader("webhook-signature", "signatures")
  const timestamp = Number(sent)
  const difference = Math.abs(now.getTime() / 1_000 - timestamp)
  if (!(difference <= toleranceSeconds)) {
    throw refuse(
      "timestamp",
      `Webhook timestamp out of tolerance: ${sent}. Compare the clocks of the sender and the receiver.`,
    )
  }
  const bytes = bytesOf(body)
  const signed = { id, timestamp, body: bytes }
  const isValid = await Promise.all(keys.map((key) => StandardWebhook.verify(signed, signatures, key)))
  if (!isValid.includes(true)) {
    throw refuse(
      "signature",
      "Webhook signature mismatch. Verify the body exactly as received, with the secret of this webhook.",
    )
  }
  return { id, sentAt: new Date(timestamp * 1_000), message: contentOf(bytes) }
}
