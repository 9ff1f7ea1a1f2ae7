/**
 * Webhooks of a running service: what a receiver is sent, verified by the reference implementation, and recovery from
 * failures.
 */
import { verifyWebhook } from "@daybook/rest/webhook"
import { rowId } from "@daybook/schema/RowId"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as Eventually from "@daybook/harness/Eventually"
import * as LocalServer from "@daybook/harness/LocalServer"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Webhook as Reference } from "standardwebhooks"
import * as Webhook from "../../src/push/Webhook.ts"
import { notBegun } from "../../src/store/WebhookWallets.ts"
import * as Rows from "../server/rows.ts"
import { type Json, start } from "../server/service.ts"
import * as GeneratedChain from "./GeneratedChain.ts"
import * as Model from "../store/model.ts"
import { Receiver } from "./Receiver.ts"

const key = "k".repeat(40)
const config = { webhooks: { key, allowPrivate: true }, limits: { drainSeconds: 1 } }

/** A receiver of webhooks with a table; `answerOf` returns the status of each request, counted from 1. */
const receive = Effect.fnUntraced(function* (answerOf: (request: number) => number) {
  const receiver = new Receiver("", "")
  const ids: Array<string> = []
  const processed = new Set<string>()
  const tests: Array<string> = []
  const wallets: Array<string> = []
  const keys: { secret: string; publicKey: string } = { secret: "", publicKey: "" }
  const take = async (body: string, headers: Readonly<Record<string, string>>) => {
    new Reference(keys.secret).verify(body, headers)
    const { id, message } = await verifyWebhook(body, headers, keys.publicKey)
    await verifyWebhook(body, headers, keys.secret)
    ids.push(id)
    if (processed.has(id)) return
    processed.add(id)
    if (message.type === "test") tests.push(message.data.webhook)
    else {
      if (!wallets.includes(message.data.address)) wallets.push(message.data.address)
      for (const event of message.data.events) receiver.take(event, event.data.cursor)
    }
  }
  const server = yield* LocalServer.scoped(() =>
    LocalServer.start(({ body, headers, number }, response) => {
      const status = answerOf(number)
      const taken = status === 500 ? Promise.resolve() : take(body.toString(), headers as Record<string, string>)
      taken.then(
        () => response.writeHead(status === 599 ? 503 : status).end(),
        () => response.writeHead(400).end(),
      )
    }),
  )
  return { receiver, ids, tests, wallets, keys, url: server.url }
})

const listOf = Effect.fnUntraced(function* (service: { readonly get: (path: string) => Effect.Effect<Json> }) {
  const found: Array<string> = []
  for (const list of ["verbose", "movements"]) {
    const { json } = yield* service.get(`/api/v2.2/${Rows.alice}/${list}?order=ASC`)
    found.push(...json.result.map((row: Json) => rowId(row)))
  }
  return found.toSorted()
})

const alice = [notBegun(Rows.alice)]

const isRow = ({ data }: WalletEvent): boolean => "row" in data

const settings = (url: string): Webhook.Settings => ({
  url,
  chain: "eth",
  types: ["wallet.transaction", "wallet.movement"],
  finality: "head",
  from: 0,
})

describe("webhooks", () => {
  it.live(
    "webhooks: the table of a receiver that fails and loses responses equals the lists, through reorgs, repairs and a test",
    () =>
      Effect.gen(function* () {
        const numbers = Model.seeded(7)
        const generated = GeneratedChain.make()
        const service = yield* start({
          config,
          chains: { eth: { projections: GeneratedChain.projections(generated) } },
        })
        const { database } = service.stores["eth"]!
        // A response of 599 is lost: the message was processed, and is sent again.
        const hook = yield* receive((request) => (request === 2 ? 500 : request === 3 ? 599 : 204))
        const [webhook, secrets] = yield* Webhook.make(key, settings(hook.url))
        Object.assign(hook.keys, secrets)
        yield* GeneratedChain.append(generated, service.stores["eth"]!, 3, numbers)
        yield* database.webhooks.add("books", Webhook.encode({ ...webhook, test: "msg_test" }), alice)
        yield* Effect.promise(() => Eventually.until(() => hook.tests.length > 0))
        for (let step = 0; step < 12; step++) yield* GeneratedChain.change(generated, service.stores["eth"]!, numbers)
        yield* GeneratedChain.append(generated, service.stores["eth"]!, 2, numbers)
        const list = yield* listOf(service)
        // Failures are retried at once, as an operator does with `resume`.
        const resumed = Effect.gen(function* () {
          const [stored] = yield* database.webhooks.list
          const found = yield* Webhook.decode(stored!.content)
          if (found.attempts.failures === 0) return
          const again = { ...found, attempts: { failures: 0, firstFailureAt: null, nextAt: 0, paused: null } }
          yield* database.webhooks.change("books", stored!.revision, Webhook.encode(again))
        })
        while (JSON.stringify([...hook.receiver.table.keys()].toSorted()) !== JSON.stringify(list)) yield* resumed

        expect(hook.tests).toEqual(["books"])
        expect(hook.ids.length).toBeGreaterThan(new Set(hook.ids).size)
      }).pipe(Effect.scoped),
    60_000,
  )

  it.live(
    "webhooks: a webhook with the name of a removed one has another revision, so that its sender starts again",
    () =>
      Effect.gen(function* () {
        const service = yield* start({ config, chains: { eth: { blocks: [Rows.block(0, [])] } } })
        const { webhooks } = service.stores["eth"]!.database
        const [webhook] = yield* Webhook.make(key, settings("http://127.0.0.1:9/"))
        const revisions: Array<number | undefined> = []
        for (let round = 0; round < 2; round++) {
          yield* webhooks.add("books", Webhook.encode(Webhook.paused(webhook, "test")), alice)
          revisions.push((yield* webhooks.find("books"))?.revision)
          yield* webhooks.remove("books")
        }

        expect(revisions[0]).not.toBe(revisions[1])
      }).pipe(Effect.scoped),
  )

  it.live(
    "webhooks: a message is stored with its id before it is sent, and no other process sends while the lease is held",
    () =>
      Effect.gen(function* () {
        const blocks = [Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])]
        const bodies: Array<string> = []
        const hook = yield* LocalServer.scoped(() =>
          LocalServer.start(({ body, headers }, response) => {
            bodies.push(`${headers["webhook-id"]} ${body.toString()}`)
            response.writeHead(bodies.length === 1 ? 500 : 204).end()
          }),
        )
        const first = yield* Scope.make()
        const service = yield* Scope.provide(start({ config, chains: { eth: { blocks } } }), first)
        const { webhooks } = service.stores["eth"]!.database
        const [webhook] = yield* Webhook.make(key, { ...settings(hook.url), types: ["wallet.transaction"] })
        yield* webhooks.add("books", Webhook.encode(webhook), alice)
        yield* Effect.promise(() => Eventually.until(() => bodies.length === 1))
        const taken = yield* webhooks.acquire("books", "another process", 60_000)
        const stored = (yield* webhooks.list)[0]!
        const { pending } = yield* Webhook.decode(stored.content)
        yield* Scope.close(first, Exit.void)

        expect(taken).toBe(null)
        expect(bodies[0]).toBe(`${pending?.id} ${pending?.body}`)
      }).pipe(Effect.scoped),
  )

  it.live("webhooks: a 410 pauses at once, a secret is not in the database, and another key cannot read it", () =>
    Effect.gen(function* () {
      const blocks = [Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])]
      const service = yield* start({ config, chains: { eth: { blocks } } })
      const { webhooks } = service.stores["eth"]!.database
      const hook = yield* LocalServer.scoped(() =>
        LocalServer.start((_request, response) => void response.writeHead(410).end()),
      )
      const [webhook, { secret }] = yield* Webhook.make(key, { ...settings(hook.url), types: ["wallet.transaction"] })
      yield* webhooks.add("books", Webhook.encode(webhook), alice)
      let paused: string | null = null
      while (paused === null) paused = (yield* Webhook.decode((yield* webhooks.list)[0]!.content)).attempts.paused
      const { content } = (yield* webhooks.list)[0]!
      const error = yield* Effect.flip(Webhook.decrypt("another key", webhook.secret))

      expect(paused).toBe("The receiver rejects further messages: status 410.")
      expect(content).not.toContain(secret.slice("whsec_".length))
      expect(yield* Webhook.decrypt(key, webhook.secret)).toBe(secret)
      expect(error.message).toContain("webhooks.key")
    }).pipe(Effect.scoped),
  )

  it.live(
    "webhooks: a message ends with a complete block, so that no row of a long past is sent twice, and names its wallet",
    () =>
      Effect.gen(function* () {
        const plans = Array.from({ length: 101 }, () => ({ from: Rows.alice, to: Rows.bob }))
        const blocks = Array.from({ length: 3 }, (_, number) => Rows.block(number, plans))
        const service = yield* start({ config, chains: { eth: { blocks } } })
        const { webhooks } = service.stores["eth"]!.database
        const hook = yield* receive(() => 204)
        const addresses = [Rows.alice, Rows.bob]
        const [webhook, secrets] = yield* Webhook.make(key, {
          ...settings(hook.url),
          types: ["wallet.transaction"],
        })
        Object.assign(hook.keys, secrets)
        yield* webhooks.add("books", Webhook.encode(webhook), addresses.map(notBegun))
        const isWhole = () => hook.wallets.length === 2 && hook.receiver.events.filter(isRow).length >= 2 * 3 * 101
        yield* Effect.promise(() => Eventually.until(isWhole, { what: "all rows of both wallets" }))

        expect(hook.receiver.events.filter(isRow)).toHaveLength(2 * 3 * 101)
        expect(hook.wallets).toEqual(addresses)
      }).pipe(Effect.scoped),
  )
})
