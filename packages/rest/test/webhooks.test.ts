import { describe, expect, it } from "@effect/vitest"
import { serve } from "@daybook/harness/ScriptedServer"
import { Effect } from "effect"
import { WebhookClient } from "../src/index.ts"

const address = `0x${"Ab".repeat(20)}`
const time = "2026-01-01T00:00:00.000Z"

const webhook = {
  id: "wh_1",
  name: "books",
  source: "key",
  url: "https://books.example/hook",
  chain: "eth",
  addresses: [address.toLowerCase()],
  address_count: 1,
  types: ["wallet.transaction"],
  finality: "head",
  state: "active",
  pause_reason: null,
  public_key: "whpk_1",
  previous_until: null,
  created_at: time,
  delivered: 0,
  failures: 0,
  next_attempt_at: null,
  last: null,
}

/** Serves responses in turn, and repeats the last one. */
const serveAnswers = Effect.fnUntraced(function* (...answers: ReadonlyArray<readonly [status: number, body: object]>) {
  const server = yield* serve((_, response, number) => {
    const [status, answer] = answers[Math.min(number, answers.length) - 1]!
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
  const received = () => server.seen.map(({ body, method, url }) => `${method} ${url} ${body}`)
  return { received, options: { baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 } } }
})

describe("WebhookClient", () => {
  it.live("create: repeats the request with the same name if the server was unavailable, and returns the secret", () =>
    Effect.gen(function* () {
      const unavailable = { code: "unavailable", message: "Retry later.", requestId: "1" }
      const { options, received } = yield* serveAnswers([503, unavailable], [200, { ...webhook, secret: "whsec_1" }])
      const client = yield* WebhookClient.make(options)

      const made = yield* client.create({
        url: webhook.url,
        addresses: [address],
        from: 17_000_000n,
        // As programs without exact optional types may pass it.
        name: undefined as never,
      })

      const [first, second] = received()
      expect(first).toBe(second)
      expect(first).toMatch(
        /^POST \/api\/v2.2\/webhooks \{"url":"https:\/\/books.example\/hook","addresses":\["0x(ab){20}"\],"from":"17000000","name":"wh [0-9a-f]{12}"\}$/,
      )
      expect([made.secret, made.created_at]).toEqual(["whsec_1", new Date(time)])
    }),
  )

  it.live("create: does not send a URL that no server accepts, and does not show it", () =>
    Effect.gen(function* () {
      const { options, received } = yield* serveAnswers([200, { ...webhook, secret: null }])
      const client = yield* WebhookClient.make(options)
      const refused = ["user:canary@books.example/hook", "ftp://books.example/", "https://", ""]
      const errors = yield* Effect.forEach(refused, (url) => Effect.flip(client.create({ url, addresses: [address] })))

      expect(received()).toEqual([])
      expect(new Set(errors.map(({ message }) => message))).toEqual(
        new Set(['Invalid parameter "url": expected an https URL of at most 2,000 characters, received other text.']),
      )
    }),
  )

  it.live("each call sends its request, also with promises", () =>
    Effect.gen(function* () {
      const { options, received } = yield* serveAnswers([200, { ...webhook, secret: null }])
      const client = WebhookClient.createWebhookClient(options)
      const one = { webhook: "wh_1" }
      yield* Effect.promise(async () => {
        await client.get(one)
        await client.pause(one)
        await client.resume(one)
        await client.replay({ ...one, from: new Date(time) })
        await client.rotate({ ...one, keep_seconds: 60 })
        await client.rotate(one)
        await client.changeAddresses({ ...one, add: [address], remove: undefined })
      })

      expect(received()).toEqual([
        "GET /api/v2.2/webhooks/wh_1 ",
        "POST /api/v2.2/webhooks/wh_1/pause ",
        "POST /api/v2.2/webhooks/wh_1/resume ",
        `POST /api/v2.2/webhooks/wh_1/replay {"from":"${time}"}`,
        'POST /api/v2.2/webhooks/wh_1/rotate {"keep_seconds":60}',
        "POST /api/v2.2/webhooks/wh_1/rotate {}",
        `POST /api/v2.2/webhooks/wh_1/addresses {"add":["${address.toLowerCase()}"]}`,
      ])
    }),
  )

  it.live("list, test, remove, listAddresses and deliveries decode their own responses", () =>
    Effect.gen(function* () {
      const attempt = { message: "msg_1", at: time, attempt: 1, events: 3, result: "failed", status: 500, reason: null }
      const { options, received } = yield* serveAnswers(
        [200, { result: [webhook] }],
        [200, { id: "wh_1", message: "msg_1" }],
        [200, { removed: true }],
        [200, { result: [address.toLowerCase()], next: null }],
        [200, { result: [{ ...attempt, milliseconds: 7 }] }],
      )
      const client = yield* WebhookClient.make(options)

      expect((yield* client.list()).result[0]?.name).toBe("books")
      expect((yield* client.test({ webhook: "wh_1" })).message).toBe("msg_1")
      expect((yield* client.remove({ webhook: "wh_1" })).removed).toBe(true)
      expect(yield* client.listAddresses({ webhook: "wh_1", after: address })).toEqual({
        result: [address.toLowerCase()],
        next: null,
      })
      expect(received().at(-1)).toBe(`GET /api/v2.2/webhooks/wh_1/addresses?after=${address.toLowerCase()} `)
      expect((yield* client.deliveries({ webhook: "wh_1", result: "failed" })).result[0]?.at).toEqual(new Date(time))
      expect(received().at(-1)).toBe("GET /api/v2.2/webhooks/wh_1/deliveries?result=failed ")
    }),
  )

  it.live("a query that the server would reject is not sent, and names the parameter", () =>
    Effect.gen(function* () {
      const { options, received } = yield* serveAnswers([200, webhook])
      const client = yield* WebhookClient.make(options)
      const url = "https://books.example/hook"
      // A program that is not type-checked.
      const queries: ReadonlyArray<never> = [
        { url, addresses: ["0x12"] },
        { addresses: [address] },
        { url, addresses: [address], from: -1 },
        { url, addresses: [address], from: new Date("no date") },
        { url, addresses: [address], secret: "x" },
        null,
      ] as ReadonlyArray<unknown> as ReadonlyArray<never>
      const paths: Array<string> = []
      for (const query of queries) {
        const error = yield* Effect.flip(client.create(query))
        paths.push(error._tag === "BadRequest" ? (error.parameter ?? "none") : error._tag)
      }
      const unnamed = yield* Effect.flip(client.get({ webhook: "wh/1" }))

      expect(paths).toEqual(["addresses[0]", "url", "from", "from", "secret", "url"])
      expect(unnamed.message).toContain("webhook")
      expect(received()).toEqual([])
    }),
  )
})
