/** Webhooks with the reference implementation, which signs what is verified here and verifies what is signed here. */
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "@effect/vitest"
import * as StandardWebhook from "@daybook/transport/internal/StandardWebhook"
import { Arbitrary, Effect, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { verifyWebhook } from "../src/webhook.ts"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
const body = JSON.stringify({ type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: { webhook: "books" } })
const seconds = 1_700_000_000
const now = new Date(seconds * 1_000)

const bytesOf = (text: string) => new TextEncoder().encode(text)

const headersOf = async (key: string, text = body, id = "msg_1", timestamp = seconds) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": (await StandardWebhook.sign({ id, timestamp, body: bytesOf(text) }, key)) ?? "",
})

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (error: unknown) => Reflect.get(Object(error), "reason") as unknown,
  )

describe("verifyWebhook", () => {
  it.live("sign: returns the signature of the specification's example", () =>
    Effect.promise(async () => {
      const message = { id: "msg_1", timestamp: seconds, body: bytesOf('{"type":"test"}') }

      expect(await StandardWebhook.sign(message, secret)).toBe("v1,2cXP4Me8nDnKav8eYeRuwKAzICt/zOu6sy14ObOl8rs=")
    }),
  )

  it.live.prop(
    "law: the reference implementation verifies what is signed, and signs what is verified, for any body",
    {
      text: Arbitrary.schema(Schema.String),
      size: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 24, maximum: 64 }))),
    },
    ({ size, text }) =>
      Effect.promise(async () => {
        const key = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(size))).toString("base64")}`
        const reference = new Webhook(key)
        const sent = JSON.stringify({ type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: { webhook: text } })
        const timestamp = Math.floor(Date.now() / 1_000)
        const local = await headersOf(key, sent, "msg_2", timestamp)
        reference.verify(sent, local)
        const remote = { ...local, "webhook-signature": reference.sign("msg_2", new Date(timestamp * 1_000), sent) }
        const { id, message } = await verifyWebhook(sent, remote, key)

        expect([id, message.data.webhook]).toEqual(["msg_2", text])
      }),
    { arbitrary: { runs: 40 } },
  )

  it.live("verifyWebhook: rejects arguments of programs without types that are missing or parsed", () =>
    Effect.promise(async () => {
      const headers = await headersOf(secret)
      const call = verifyWebhook as (...args: ReadonlyArray<unknown>) => Promise<unknown>
      const reasons = await Promise.all([
        reasonOf(call(body, headers, undefined)),
        reasonOf(call(body, headers, [secret, undefined])),
        reasonOf(call(body, undefined, secret)),
        reasonOf(call(JSON.parse(body), headers, secret, { now })),
        reasonOf(call(undefined, headers, secret, { now })),
        reasonOf(call({ length: 2 ** 40, byteLength: 1 }, headers, secret, { now })),
        reasonOf(call(body, headers, secret, { now })),
      ])

      expect(reasons).toEqual(["secret", "secret", "headers", "signature", "signature", "signature", "accepted"])
      await expect(call({ type: "test" }, headers, secret, { now })).rejects.toThrow(
        "Invalid body: expected the text or the bytes as received, received an object with type.",
      )
    }),
  )

  it.live("verifyWebhook: accepts bytes of any kind and realm", () =>
    Effect.promise(async () => {
      const headers = await headersOf(secret)
      const bytes = bytesOf(body)
      const ofRealm = runInNewContext("new Uint8Array(bytes)", { bytes: [...bytes] }) as Uint8Array
      const bodies = [bytes, Buffer.from(bytes), bytes.buffer as unknown as Uint8Array, ofRealm]
      const reasons = await Promise.all(bodies.map((one) => reasonOf(verifyWebhook(one, headers, secret, { now }))))

      expect(ofRealm).not.toBeInstanceOf(Uint8Array)
      expect(reasons).toEqual(bodies.map(() => "accepted"))
    }),
  )

  it.live("verifyWebhook: accepts ed25519, one of several secrets and signatures, and headers of any platform", () =>
    Effect.promise(async () => {
      const pair = await StandardWebhook.makePair()
      const other = StandardWebhook.makeSecret()
      const [hmac, ed25519] = [await headersOf(secret), await headersOf(pair.privateKey)]
      const both = {
        ...hmac,
        "webhook-signature": `v1,AAAA v2,x ${ed25519["webhook-signature"]} ${hmac["webhook-signature"]}`,
      }

      expect(await reasonOf(verifyWebhook(body, hmac, [other, secret], { now }))).toBe("accepted")
      expect(await reasonOf(verifyWebhook(bytesOf(body), new Headers(ed25519), pair.publicKey, { now }))).toBe(
        "accepted",
      )
      expect(await reasonOf(verifyWebhook(body, both, pair.publicKey, { now }))).toBe("accepted")
      expect(await reasonOf(verifyWebhook(body, both, secret, { now }))).toBe("accepted")
    }),
  )

  it.live("verifyWebhook: rejects another secret, body, id, time, form and content, each with its reason", () =>
    Effect.promise(async () => {
      const headers = await headersOf(secret)
      const pair = await StandardWebhook.makePair()
      const without = (name: string) => ({ ...headers, [name]: undefined })
      const unknown = '{"type":"wallet.later","data":{}}'
      const later = (offset: number) => ({ now: new Date(now.getTime() + offset) })
      const table: ReadonlyArray<readonly [call: () => Promise<unknown>, reason: string]> = [
        [() => verifyWebhook(body, headers, StandardWebhook.makeSecret(), { now }), "signature"],
        [() => verifyWebhook(body, headers, pair.publicKey, { now }), "signature"],
        [() => verifyWebhook(`${body} `, headers, secret, { now }), "signature"],
        [() => verifyWebhook(body, { ...headers, "webhook-id": "msg_2" }, secret, { now }), "signature"],
        [
          () => verifyWebhook(body, { ...headers, "webhook-timestamp": String(seconds + 1) }, secret, { now }),
          "signature",
        ],
        [() => verifyWebhook(body, { ...headers, "webhook-signature": "v1,%%%" }, secret, { now }), "signature"],
        [() => verifyWebhook(body, headers, secret, later(301_000)), "timestamp"],
        [() => verifyWebhook(body, headers, secret, later(-301_000)), "timestamp"],
        [() => verifyWebhook(body, headers, secret, later(299_000)), "accepted"],
        [() => verifyWebhook(body, without("webhook-id"), secret, { now }), "headers"],
        [() => verifyWebhook(body, without("webhook-timestamp"), secret, { now }), "headers"],
        [() => verifyWebhook(body, without("webhook-signature"), secret, { now }), "headers"],
        [() => verifyWebhook(body, headers, "my secret", { now }), "secret"],
        [() => verifyWebhook(body, headers, pair.privateKey, { now }), "secret"],
        [() => verifyWebhook(body, headers, [], { now }), "secret"],
        [async () => verifyWebhook(unknown, await headersOf(secret, unknown), secret, { now }), "content"],
        [async () => verifyWebhook("no JSON", await headersOf(secret, "no JSON"), secret, { now }), "content"],
      ]

      for (const [at, [call, reason]] of table.entries()) expect([at, await reasonOf(call())]).toEqual([at, reason])
    }),
  )
})
