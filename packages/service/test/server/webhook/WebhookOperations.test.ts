/** The operations on webhooks of a running service: permissions, limits, and what the receiver is sent. */
import * as Eventually from "@daybook/harness/Eventually"
import * as LocalServer from "@daybook/harness/LocalServer"
import * as Resource from "@daybook/schema/Webhook"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Webhook as Reference } from "standardwebhooks"
import * as Rows from "../rows.ts"
import { type Json, type Started, start } from "../service.ts"

const config = { webhooks: { key: "k".repeat(40), allowPrivate: true }, limits: { drainSeconds: 1 } }
const blocks = [
  Rows.block(0, [{ from: Rows.alice, to: Rows.bob }]),
  Rows.block(1, [{ from: Rows.alice, to: Rows.bob }]),
]
const path = "/api/v2.2/webhooks"

const sendAs = (service: Started, key: string) => (method: string, place: string, body?: unknown) =>
  service.fetch(`${path}${place}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
  })

/** A receiver that keeps what it verified. */
const receive = Effect.fnUntraced(function* (statusOf: (request: number) => number = () => 204) {
  const secrets: Array<string> = []
  const messages: Array<Json> = []
  const signatures: Array<number> = []
  const server = yield* LocalServer.scoped(() =>
    LocalServer.start(({ body, headers, number }, response) => {
      const given = headers as Record<string, string>
      signatures.push(given["webhook-signature"]!.split(" ").length)
      const isVerified = secrets.some((secret) => {
        try {
          new Reference(secret).verify(body.toString(), given)
          return true
        } catch {
          return false
        }
      })
      if (isVerified) messages.push({ id: given["webhook-id"], ...JSON.parse(body.toString()) })
      response.writeHead(isVerified ? statusOf(number) : 400).end()
    }),
  )
  return { secrets, messages, signatures, url: `${server.url}/hook?token=canary-of-the-url` }
})

const until = (isMet: () => boolean) => Effect.promise(() => Eventually.until(isMet))

const settings = { addresses: [Rows.alice], types: ["wallet.transaction"], from: 0 }

const opened = Effect.gen(function* () {
  const service = yield* start({ config, chains: { eth: { blocks } } })
  return { service, send: sendAs(service, service.key) }
})

describe("operations on webhooks", () => {
  it.live("POST creates a webhook whose rows arrive, verified with only the secret of that response", () =>
    Effect.gen(function* () {
      const { send, service } = yield* opened
      const hook = yield* receive()
      const made = yield* send("POST", "", { ...settings, url: hook.url, name: "books" })
      hook.secrets.push(made.json.secret)
      yield* until(() => hook.messages.length > 0)
      const { id } = made.json
      const listed = yield* send("GET", "")
      const one = yield* send("GET", `/${id}`)
      const events = hook.messages[0].data.events as ReadonlyArray<Json>
      const stored = yield* service.stores["eth"]!.database.webhooks.list

      expect(made.status).toBe(200)
      expect(made.json).toMatchObject({ name: "books", source: "key", chain: "eth", state: "active", last: null })
      expect(Schema.is(Schema.toEncoded(Resource.WebhookWithSecret))(made.json)).toBe(true)
      expect(hook.messages[0]).toMatchObject({ type: "wallet.events", data: { webhook: id, chain: "eth" } })
      expect(events.map(({ type }) => type)).toEqual(["wallet.transaction", "wallet.transaction", "covered"])
      expect(listed.json.result.map((found: Json) => found.id)).toEqual([id])
      expect([listed.text, one.text, stored[0]!.content].filter((text) => text.includes(made.json.secret))).toEqual([])
      expect(service.logs.filter((line) => /whsec_|canary-of-the-url/.test(line))).toEqual([])
    }),
  )

  it.live(
    "POST: a repeated request with the same name creates no second webhook, and a different one with the name is rejected",
    () =>
      Effect.gen(function* () {
        const { send } = yield* opened
        const body = { ...settings, url: "http://127.0.0.1:9/hook", name: "books" }
        const [first, second] = [yield* send("POST", "", body), yield* send("POST", "", body)]
        const other = yield* send("POST", "", { ...body, from: 1 })
        const listed = yield* send("GET", "")

        expect([first.status, second.status, other.status]).toEqual([200, 200, 400])
        expect([second.json.id, second.json.secret]).toEqual([first.json.id, null])
        expect(other.json.message).toBe(
          'Invalid request body "name": expected a name that no other webhook of the key has, received "books".',
        )
        expect(listed.json.result).toHaveLength(1)
      }),
  )

  it.live(
    "a key sees and changes its own webhooks, an operator's key all of them, and a caller without a key none",
    () =>
      Effect.gen(function* () {
        const { send, service } = yield* opened
        const other = sendAs(service, yield* service.addKey({ name: "other" }))
        const operator = sendAs(service, yield* service.addKey({ name: "operator", operator: true }))
        const narrow = sendAs(
          service,
          yield* service.addKey({ name: "narrow", options: { operations: ["movements"] } }),
        )
        const named = sendAs(service, yield* service.addKey({ name: "named", options: { operations: ["webhooks"] } }))
        const chained = sendAs(service, yield* service.addKey({ name: "chained", options: { chains: ["base"] } }))
        const body = { ...settings, url: "http://127.0.0.1:9/hook", name: "books" }
        const { id } = (yield* send("POST", "", body)).json
        const places = [
          ["GET", `/${id}`],
          ["POST", `/${id}/pause`],
          ["POST", `/${id}/resume`],
          ["POST", `/${id}/test`],
          ["POST", `/${id}/rotate`],
          ["GET", `/${id}/deliveries`],
        ] as const
        const foreign: Array<number> = []
        for (const [method, place] of places) foreign.push((yield* other(method, place)).status)
        foreign.push((yield* other("POST", `/${id}/replay`, { from: 0 })).status)
        foreign.push((yield* other("POST", `/${id}/addresses`, { add: [Rows.bob] })).status)
        const own = (yield* other("POST", "", body)).json
        const removed = yield* other("DELETE", `/${id}`)
        const keyless = yield* service.fetch(path)

        expect(foreign).toEqual([404, 404, 404, 404, 404, 404, 404, 404])
        expect(own.id).not.toBe(id)
        expect((yield* other("GET", "")).json.result.map((one: Json) => one.id)).toEqual([own.id])
        expect((yield* operator("GET", "")).json.result).toHaveLength(2)
        expect((yield* operator("POST", `/${id}/pause`)).json.state).toBe("paused")
        expect(removed.json).toEqual({ removed: false })
        expect([keyless.status, (yield* narrow("GET", "")).status, (yield* named("POST", "", body)).status]).toEqual([
          401, 403, 200,
        ])
        expect((yield* chained("POST", "", body)).json.message).toBe(
          "API key not allowed for the chain eth. It allows base.",
        )
        expect((yield* operator("DELETE", `/${id}`)).json).toEqual({ removed: true })
        expect((yield* send("GET", "")).json.result).toEqual([])
      }),
  )

  it.live("POST: rejects a receiver, wallet or number of webhooks that is not permitted, with the reason", () =>
    Effect.gen(function* () {
      const bounds = { key: "k".repeat(40), perKey: 2, addressesPerKey: 3 }
      const service = yield* start({ config: { ...config, webhooks: bounds }, chains: { eth: { blocks } } })
      const send = sendAs(service, service.key)
      const url = "https://hooks.invalid/hook"
      const refused = [
        { ...settings, url: "http://example.com/" },
        { ...settings, url: "https://127.0.0.1/hook" },
        { ...settings, url: "https://[::1]/hook" },
        { ...settings, url: "https://0x7f000001/hook" },
        { ...settings, url: "https://localhost/hook" },
        { ...settings, url: "https://user:canary@example.com/" },
        { ...settings, url: "not a url" },
        { ...settings, url, addresses: [] },
        { ...settings, url, chain: "base" },
        { ...settings, url, from: "yesterday" },
        { ...settings, url, from: "e1.4-abc.0.1.1.0123456789ab" },
        { ...settings, url, from: "e1.4-abc.0.1.1.0123456789ab", addresses: [Rows.alice, Rows.bob] },
        { ...settings, url, types: ["wallet.movement"], finality: "safe" },
        { ...settings, url, secret: "whsec_mine" },
        { url },
        "{",
      ]
      const messages: Array<string> = []
      for (const body of refused) {
        const { json, status } = yield* send("POST", "", body)
        messages.push(`${status} ${json.message}`)
      }
      const made: Array<number> = []
      for (const name of ["a", "b", "c"]) {
        const { json, status } = yield* send("POST", "", { ...settings, url, name })
        made.push(status)
        if (status !== 200) messages.push(json.message)
      }
      const { id } = (yield* send("GET", "")).json.result[0]
      const more = [Rows.bob, Rows.stranger]
      messages.push((yield* send("POST", `/${id}/addresses`, { add: more })).json.message)

      expect(messages).toMatchInlineSnapshot(`
        [
          "400 Invalid request body "url": expected a URL with https, received another URL.",
          "400 Invalid request body "url": expected an address of the public internet, received another URL.",
          "400 Invalid request body "url": expected an address of the public internet, received another URL.",
          "400 Invalid request body "url": expected an address of the public internet, received another URL.",
          "400 Invalid request body "url": expected a name that resolves only to addresses of the public internet, received another URL.",
          "400 Invalid request body "url": expected a URL without a user, received another URL.",
          "400 Invalid request body "url": expected a URL of at most 2,000 characters, received another URL.",
          "400 Invalid request body "addresses": expected 1 to 100000 addresses in a webhook (webhooks.addressesPerWebhook), received 0.",
          "400 Invalid request body "chain": expected a chain that is served here (eth), received "base".",
          "400 Invalid request body "from": expected now, a block number in digits, the cursor of an event, or a date such as 2021-05-07T11:08:35Z, received "yesterday".",
          "400 Invalid request body "from": expected a cursor of the same wallet, chain and selection, received other text.",
          "400 Invalid request body "from": expected a block number, a date or now, because there are several wallets, received a cursor.",
          "400 Invalid request body "finality": expected head or final, received "safe".",
          "400 Invalid request body "secret": expected one of the keys url, addresses, chain, types, from, finality, name, received an unknown key.",
          "400 Invalid request body "addresses": expected an array, received nothing.",
          "400 Invalid request body: expected JSON in UTF-8, received other text.",
          "Invalid request body: expected at most 2 webhooks of a key (webhooks.perKey), received 2 plus one more; remove some.",
          "Invalid request body "addresses": expected at most 3 addresses in the webhooks of a key (webhooks.addressesPerKey), received 2 plus 2 more.",
        ]
      `)
      expect(made).toEqual([200, 200, 400])
      expect(messages.join("\n")).not.toContain("canary")
    }),
  )

  it.live("addresses: added ones begin where the request states, and nothing more is sent for removed ones", () =>
    Effect.gen(function* () {
      const { send, service } = yield* opened
      const hook = yield* receive()
      const made = yield* send("POST", "", { ...settings, url: hook.url, from: "now" })
      hook.secrets.push(made.json.secret)
      const { id } = made.json
      const added = yield* send("POST", `/${id}/addresses`, { add: [Rows.bob, Rows.bob], from: 1 })
      yield* until(() => hook.messages.length > 0)
      const removed = yield* send("POST", `/${id}/addresses`, { remove: [Rows.bob] })
      const again = yield* send("POST", `/${id}/addresses`, { remove: [Rows.bob] })
      const last = yield* send("POST", `/${id}/addresses`, { remove: [Rows.alice] })
      const both = yield* send("POST", `/${id}/addresses`, { add: [Rows.bob], remove: [Rows.bob] })
      const next = Rows.block(2, [{ from: Rows.alice, to: Rows.bob }], {}, blocks[1]!.hash)
      yield* service.stores["eth"]!.append({ number: 1, hash: blocks[1]!.hash }, [next])
      yield* until(() => hook.messages.length > 1)

      expect(added.json.addresses).toEqual([Rows.alice, Rows.bob])
      expect([removed.json.addresses, again.json.addresses]).toEqual([[Rows.alice], [Rows.alice]])
      expect([last.status, both.status]).toEqual([400, 400])
      const rows = hook.messages.map(({ data }) =>
        data.events
          .filter(({ type }: Json) => type === "wallet.transaction")
          .map((event: Json) => [event.data.address, event.data.transaction.block_number]),
      )
      expect(rows).toEqual([[[Rows.bob, "1"]], [[Rows.alice, "2"]]])
    }),
  )

  it.live("addresses: lists the wallets of a webhook after an address, but not those of another key's webhook", () =>
    Effect.gen(function* () {
      const { send, service } = yield* opened
      const other = sendAs(service, yield* service.addKey({ name: "other" }))
      const made = yield* send("POST", "", { ...settings, url: "http://127.0.0.1:9/", from: "now" })
      const { id } = made.json
      yield* send("POST", `/${id}/addresses`, { add: [Rows.bob, Rows.stranger] })
      const all = yield* send("GET", `/${id}/addresses`)
      const behind = yield* send("GET", `/${id}/addresses?after=${Rows.alice}`)
      const foreign = yield* other("GET", `/${id}/addresses`)
      const wallets = [Rows.alice, Rows.bob, Rows.stranger].toSorted()

      expect(all.json).toEqual({ result: wallets, next: null })
      expect(behind.json.result).toEqual(wallets.filter((wallet) => wallet > Rows.alice))
      expect(foreign.status).toBe(404)
    }),
  )

  it.live(
    "pause, resume, test, replay and rotate: a paused webhook sends nothing, and a rotated secret signs beside the earlier ones",
    () =>
      Effect.gen(function* () {
        const { send } = yield* opened
        const hook = yield* receive()
        const made = yield* send("POST", "", { ...settings, url: hook.url })
        const { id, secret } = made.json
        hook.secrets.push(secret)
        yield* until(() => hook.messages.length === 1)
        const paused = yield* send("POST", `/${id}/pause`)
        const test = yield* send("POST", `/${id}/test`)
        const sameTest = yield* send("POST", `/${id}/test`)
        const rotated = yield* send("POST", `/${id}/rotate`)
        const twice = yield* send("POST", `/${id}/rotate`, { keep_seconds: 60 })
        const [sent] = [hook.messages.length]
        const resumed = yield* send("POST", `/${id}/resume`)
        yield* until(() => hook.messages.length === 2)
        const replayed = yield* send("POST", `/${id}/replay`, { from: 1 })
        yield* until(() => hook.messages.length === 3)
        const deliveries = yield* send("GET", `/${id}/deliveries`)
        const late = yield* send("POST", `/${id}/rotate`, { keep_seconds: 30 * 86_400 + 1 })

        expect(paused.json).toMatchObject({ state: "paused", pause_reason: "Its owner paused it." })
        expect([sent, sameTest.json.message, resumed.json.state]).toEqual([1, test.json.message, "active"])
        expect(new Set([secret, rotated.json.secret, twice.json.secret]).size).toBe(3)
        expect(hook.messages[1]).toEqual({
          id: test.json.message,
          type: "test",
          timestamp: expect.any(String),
          data: { webhook: id },
        })
        // The lost secret, the first one and the current one sign, and so does the private key.
        expect(hook.signatures).toEqual([2, 4, 4])
        expect(replayed.status).toBe(200)
        expect(hook.messages[2].data.events[0].data.transaction.block_number).toBe("1")
        expect(deliveries.json.result.map((one: Json) => [one.message, one.result, one.events, one.status])).toEqual([
          [hook.messages[2].id, "delivered", 2, 204],
          [test.json.message, "delivered", 0, 204],
          [hook.messages[0].id, "delivered", 3, 204],
        ])
        expect([late.status, (yield* send("POST", `/${id}/replay`, {})).status]).toEqual([400, 400])
      }),
  )

  it.live("replay: a cursor repositions only the wallet of its event, and another wallet's message is sent first", () =>
    Effect.gen(function* () {
      const { send } = yield* opened
      const hook = yield* receive((number) => (number === 2 ? 500 : 204))
      const made = yield* send("POST", "", { ...settings, addresses: [Rows.alice, Rows.bob], url: hook.url })
      const { id, secret } = made.json
      hook.secrets.push(secret)
      yield* until(() => hook.messages.length === 2)
      const failing = () => Effect.map(send("GET", `/${id}`), ({ json }) => json.state === "failing")
      while (!(yield* failing())) yield* Effect.void
      const failed = yield* send("GET", `/${id}/deliveries?result=failed`)
      const [first] = hook.messages[0].data.events as ReadonlyArray<Json>
      const foreign = yield* send("POST", `/${id}/replay`, { from: "e1.4-abc.0.1.1.0123456789ab" })
      yield* send("POST", `/${id}/replay`, { from: first.data.cursor })
      yield* until(() => hook.messages.length === 4)

      expect(failed.json.result.map((one: Json) => [one.message, one.status])).toEqual([[hook.messages[1].id, 500]])
      expect(foreign.status).toBe(400)
      expect(hook.messages[2].id).toBe(hook.messages[1].id)
      const rows = hook.messages[3].data.events.filter(({ type }: Json) => type === "wallet.transaction")
      expect(rows.map((event: Json) => [event.data.address, event.data.transaction.block_number])).toEqual([
        [first.data.address, "1"],
      ])
    }),
  )

  it.live(
    "a webhook of a revoked key is paused, and only an operator can see it",
    () =>
      Effect.gen(function* () {
        const { service } = yield* opened
        const hook = yield* receive()
        const key = yield* service.addKey({ name: "leaver" })
        const operator = sendAs(service, yield* service.addKey({ name: "operator", operator: true }))
        yield* service.keys.revoke("leaver").pipe(Effect.orDie)
        const again = yield* service.addKey({ name: "leaver" })
        const made = yield* sendAs(service, again)("POST", "", { ...settings, url: hook.url, from: "now" })
        hook.secrets.push(made.json.secret)
        yield* service.keys.revoke("leaver").pipe(Effect.orDie)
        const stateOf = () => Effect.map(operator("GET", `/${made.json.id}`), ({ json }) => json.pause_reason)
        let reason: string | null = null
        while (reason === null) reason = yield* stateOf()

        expect((yield* sendAs(service, key)("GET", "")).status).toBe(401)
        expect(reason).toBe("Its API key was revoked, or has expired.")
      }),
    30_000,
  )

  it.live(
    "a key restricted to another chain may only list and remove its webhooks of the chain, which are paused",
    () =>
      Effect.gen(function* () {
        const { service } = yield* opened
        const operator = sendAs(service, yield* service.addKey({ name: "operator", operator: true }))
        const wide = sendAs(service, yield* service.addKey({ name: "narrowed" }))
        const made = yield* wide("POST", "", { ...settings, url: "http://127.0.0.1:9/hook" })
        yield* service.keys.revoke("narrowed").pipe(Effect.orDie)
        const narrow = sendAs(
          service,
          yield* service.addKey({ name: "narrowed", options: { chains: ["base"], operations: ["webhooks"] } }),
        )
        const { id } = made.json
        let reason: string | null = null
        while (reason === null) reason = (yield* operator("GET", `/${id}`)).json.pause_reason
        const answers = [
          yield* narrow("GET", `/${id}`),
          yield* narrow("GET", `/${id}/deliveries`),
          yield* narrow("POST", `/${id}/resume`),
          yield* narrow("POST", `/${id}/test`),
          yield* narrow("POST", `/${id}/rotate`),
          yield* narrow("POST", `/${id}/replay`, { from: 0 }),
          yield* narrow("POST", `/${id}/addresses`, { add: [Rows.bob] }),
        ]
        const listed = yield* narrow("GET", "")
        const removed = yield* narrow("DELETE", `/${id}`)

        const message = "API key not allowed for the chain eth. It allows base."
        expect(reason).toBe(message)
        expect(answers.map(({ json, status }) => [status, json.message])).toEqual(
          Array.from({ length: 7 }, () => [403, message]),
        )
        expect(listed.json.result.map((one: Json) => one.id)).toEqual([id])
        expect(removed.json).toEqual({ removed: true })
      }),
    30_000,
  )

  it.live(
    "a webhook of a key that no longer permits webhooks is paused",
    () =>
      Effect.gen(function* () {
        const { service } = yield* opened
        const operator = sendAs(service, yield* service.addKey({ name: "operator", operator: true }))
        const wide = sendAs(service, yield* service.addKey({ name: "narrowed" }))
        const { id } = (yield* wide("POST", "", { ...settings, url: "http://127.0.0.1:9/hook" })).json
        yield* service.keys.revoke("narrowed").pipe(Effect.orDie)
        yield* service.addKey({ name: "narrowed", options: { operations: ["movements"] } })
        let reason: string | null = null
        while (reason === null) reason = (yield* operator("GET", `/${id}`)).json.pause_reason

        expect(reason).toBe("API key not allowed for webhooks. It allows movements.")
      }),
    30_000,
  )

  it.live("GET lists the others beside a webhook that another version wrote", () =>
    Effect.gen(function* () {
      const { send, service } = yield* opened
      const { webhooks } = service.stores["eth"]!.database
      const made = yield* send("POST", "", { ...settings, url: "http://127.0.0.1:9/", name: "books" })
      const stored = (yield* webhooks.list).find(({ name }) => name === made.json.id)!
      yield* webhooks.add("own", { holder: stored.holder, state: "active", content: "{}" }, [])
      const listed = yield* send("GET", "")

      expect(listed.status).toBe(200)
      expect(JSON.stringify(listed.json)).toContain(made.json.id)
    }).pipe(Effect.scoped),
  )

  it.live("a server without webhooks responds 404, and states the reason", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks } } })
      const answers = [yield* service.get(path), yield* sendAs(service, service.key)("POST", "", {})]

      expect(answers.map(({ json, status }) => [status, json.message])).toEqual([
        [404, 'Webhooks are not configured on this server. Its operator can set "webhooks".'],
        [404, 'Webhooks are not configured on this server. Its operator can set "webhooks".'],
      ])
    }),
  )
})
