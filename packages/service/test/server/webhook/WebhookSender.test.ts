/** How a sender of webhooks handles responses, changes by others and failures, with the test clock. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import * as EventPosition from "../../../src/push/EventPosition.ts"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookBeginning from "../../../src/push/WebhookBeginning.ts"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Rows from "../rows.ts"
import { blocks, bodiesOf, opened } from "./OpenedSender.ts"

const until = (condition: () => boolean, what: string) => Eventually.untilEffect(Effect.sync(condition), { what })

/** Waits for a condition while time passes. */
const passingUntil = <E>(condition: Effect.Effect<boolean, E>, what: string) =>
  Eventually.untilEffect(Effect.andThen(TestClock.adjust(100), condition), { everyMillis: 1, what })

const headOf = ({ hash, number }: (typeof blocks)[number]) => ({ hash, number })

const lost = Effect.fail(new StoreError({ message: "Connection lost.", isRetryable: true, cause: undefined }))

/** Fails the first time. */
const failingFirst = <A>(effect: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> => {
  let calls = 0
  return Effect.suspend(() => (calls++ === 0 ? lost : effect))
}

/** Log lines about webhooks. The test clock warns if a test takes long. */
const logged = (lines: Array<string>) =>
  Effect.provide(
    Logger.layer([
      Logger.make(({ message }) => void lines.push(...[String(message)].filter((line) => line.startsWith("Webhook ")))),
    ]),
  )

describe("WebhookSender", () => {
  it.effect("a message is signed at its time, and advances its wallet once it is delivered", () =>
    Effect.gen(function* () {
      const { add, database, options, receiver, store, stored } = yield* opened()
      const responses: Array<ServerResponse> = []
      receiver.respond = (_request, response) => void responses.push(response)
      yield* TestClock.setTime(1_700_000_000_999)
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* until(() => responses.length === 1, "a message")
      yield* TestClock.adjust(250)
      responses[0]!.writeHead(204).end()
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      const { attempts, log, pending, place } = yield* stored("books")
      const [wallet] = yield* database.webhooks.walletsOf("books", {})
      const [{ body, headers }] = receiver.requests as [(typeof receiver.requests)[number]]

      expect(headers).toMatchObject({
        "content-type": "application/json",
        "user-agent": "daybook",
        "webhook-id": log[0]!.message,
        "webhook-timestamp": "1700000000",
      })
      expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1a,\S+$/)
      expect(log).toEqual([
        {
          message: expect.stringMatching(/^msg_/),
          at: 1_700_000_000_999,
          attempt: 1,
          events: JSON.parse(body).data.events.length,
          result: "delivered",
          status: 204,
          reason: null,
          millis: 250,
        },
      ])
      expect([attempts.failures, pending, place?.next]).toEqual([0, null, 1])
      expect(wallet).toMatchObject({ journal: null, start: 0, highest: 0 })
    }).pipe(Effect.scoped),
  )

  it.effect("responses: 200 to 299 deliver, 410 pauses, and others are failures, which may ask for a delay", () =>
    Effect.gen(function* () {
      const { add, options, receiver, store, stored } = yield* opened()
      const responses: Readonly<Record<string, readonly [status: number, headers?: Record<string, string>]>> = {
        least: [200],
        most: [299],
        redirect: [300, { location: "/least" }],
        gone: [410],
        later: [429, { "retry-after": "7200" }],
        closed: [0],
      }
      receiver.respond = ({ url }, response) => {
        const [status, headers = {}] = responses[url.slice(1)]!
        if (status === 0) response.destroy()
        else response.writeHead(status, headers).end()
      }
      const lines: Array<string> = []
      const results: Array<string> = []
      const onAttempt = (result: Webhook.Attempt["result"]) => void results.push(result)
      yield* store.append(null, blocks.slice(0, 1))
      for (const name of Object.keys(responses)) yield* add(name)
      yield* Effect.forkScoped(WebhookSender.run({ ...options, onAttempt }).pipe(logged(lines)))
      const names = Object.keys(responses)
      const found = Effect.forEach(names, stored)
      yield* Eventually.untilEffect(Effect.map(found, (all) => all.every(({ log }) => log.length === 1)))
      const outcomes = (yield* found).map(({ attempts: { failures, nextAt, paused }, delivered, log, pending }, at) => {
        const { reason, result, status } = log[0]!
        const delay = nextAt === 0 || nextAt === 7_200_000 ? nextAt : 4_000 <= nextAt && nextAt <= 5_000
        return [names[at], result, status, reason, failures, delay, paused, delivered, pending === null]
      })

      expect(outcomes).toEqual([
        ["least", "delivered", 200, null, 0, 0, null, 1, true],
        ["most", "delivered", 299, null, 0, 0, null, 1, true],
        ["redirect", "failed", 300, null, 1, true, null, 0, false],
        ["gone", "gone", 410, null, 1, 0, "The receiver rejects further messages: status 410.", 0, false],
        ["later", "failed", 429, null, 1, 7_200_000, null, 0, false],
        ["closed", "failed", null, "socket hang up", 1, true, null, 0, false],
      ])
      expect(results.toSorted()).toEqual(["delivered", "delivered", "failed", "failed", "failed", "gone"])
      expect(lines).toEqual(["Webhook gone is paused: The receiver rejects further messages: status 410."])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "a failed message is sent again after its delay with the same id and bytes, and immediately if its owner resumes it",
    () =>
      Effect.gen(function* () {
        const { add, database, options, receiver, store, stored } = yield* opened()
        const { requests } = receiver
        receiver.respond = (_request, response) => void response.writeHead(requests.length < 3 ? 500 : 204).end()
        yield* store.append(null, blocks.slice(0, 1))
        yield* add("books")
        yield* Effect.forkScoped(WebhookSender.run(options))
        const failed = (count: number) => Effect.map(stored("books"), ({ attempts }) => attempts.failures === count)
        yield* Eventually.untilEffect(failed(1))
        const { attempts } = yield* stored("books")
        yield* passingUntil(failed(2), "another attempt")
        const again = yield* Clock.currentTimeMillis
        const { content, revision } = (yield* database.webhooks.find("books"))!
        const failing = yield* Webhook.decode(content)
        yield* database.webhooks.change("books", revision, Webhook.encode(Webhook.resumed(failing)))
        yield* passingUntil(
          Effect.map(stored("books"), ({ delivered }) => delivered === 1),
          "a delivery",
        )
        const { log } = yield* stored("books")

        expect(again).toBeGreaterThanOrEqual(attempts.nextAt)
        expect(log.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
        expect(yield* Clock.currentTimeMillis).toBeLessThan(failing.attempts.nextAt)
        expect(new Set(requests.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1)
      }).pipe(Effect.scoped),
  )

  it.effect("a test is sent before the rows, once, and advances no wallet", () =>
    Effect.gen(function* () {
      const { add, options, receiver, store, stored } = yield* opened()
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books", { change: (made) => ({ ...made, test: "msg_test" }) })
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 2))
      const { log, test } = yield* stored("books")
      const [body, rows] = bodiesOf(receiver)

      expect(body).toEqual({ type: "test", timestamp: "1970-01-01T00:00:00.000Z", data: { webhook: "books" } })
      expect(log[0]).toMatchObject({ message: "msg_test", events: 0, result: "delivered" })
      expect(test).toBe(null)
      expect(rows.data.address).toBe(Rows.alice)
    }).pipe(Effect.scoped),
  )

  it.effect("a change by the owner while a message is stored is kept, and the message is sent once", () =>
    Effect.gen(function* () {
      const { add, options, receiver, store, stored } = yield* opened()
      const { change, find } = options.webhooks
      let isFirst = true
      const webhooks: Webhooks = {
        ...options.webhooks,
        change: Effect.fnUntraced(function* (name, revision, webhook, wallets) {
          if (isFirst && (yield* Webhook.decode(webhook.content)).pending !== null) {
            isFirst = false
            const own = (yield* find(name))!
            yield* change(
              name,
              own.revision,
              Webhook.encode({ ...(yield* Webhook.decode(own.content)), test: "msg_test" }),
            )
          }
          return yield* change(name, revision, webhook, wallets)
        }),
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 2))
      yield* store.append(headOf(blocks[0]!), blocks.slice(1, 2))
      yield* passingUntil(
        Effect.map(stored("books"), ({ delivered }) => delivered === 3),
        "the next block",
      )

      expect(
        bodiesOf(receiver).map(({ data, type }) => data.events?.[0].data.transaction.block_number ?? type),
      ).toEqual(["test", "0", "1"])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "a message that another process stored is sent, and its wallet continues from its position if that is known",
    () =>
      Effect.gen(function* () {
        const { add, database, options, receiver, store, stored } = yield* opened()
        const [chain] = options.chains
        yield* store.append(null, blocks.slice(0, 1))
        const [beginning] = yield* WebhookBeginning.begun(chain!, { finality: "head", from: 0 }, [Rows.alice])
        const pendingAt = (positionOf: (webhook: Webhook.Webhook) => string) => ({
          wallets: [beginning!],
          change: (made: Webhook.Webhook): Webhook.Webhook => {
            const position = positionOf(made)
            return {
              ...made,
              pending: { id: "msg_kept", body: '{"kept":true}', events: 1, wallet: Rows.alice, position },
            }
          },
        })
        const { journal } = (yield* Events.start(
          Webhook.subscriptionOf({ finality: "head", types: [] }, chain!, Rows.alice, 1),
          { _tag: "Now" },
        )).position
        const behind = (webhook: Webhook.Webhook) =>
          EventPosition.format(
            { journal, from: 0, next: 1, highest: 0 },
            Events.selectionText(Webhook.subscriptionOf(webhook, chain!, Rows.alice, 1)),
          )
        yield* add("known", pendingAt(behind))
        yield* add(
          "unknown",
          pendingAt(() => "e1.later"),
        )
        yield* Effect.forkScoped(WebhookSender.run(options))
        yield* Eventually.untilEffect(Effect.map(stored("unknown"), ({ delivered }) => delivered === 2))
        yield* Eventually.untilEffect(Effect.map(stored("known"), ({ delivered }) => delivered === 1))
        yield* store.append(headOf(blocks[0]!), blocks.slice(1, 2))
        yield* passingUntil(
          Effect.map(stored("known"), ({ delivered }) => delivered === 2),
          "the next block",
        )
        yield* passingUntil(
          Effect.map(stored("unknown"), ({ delivered }) => delivered === 3),
          "the next block",
        )
        const sent = receiver.requests.map(({ body, headers, url }) => {
          const { data } = JSON.parse(body)
          return `${url} ${data === undefined ? headers["webhook-id"] : data.events[0].data.transaction.block_number}`
        })

        expect(sent.filter((one) => one.startsWith("/known"))).toEqual(["/known msg_kept", "/known 1"])
        expect(sent.filter((one) => one.startsWith("/unknown"))).toEqual([
          "/unknown msg_kept",
          "/unknown 0",
          "/unknown 1",
        ])
        expect((yield* database.webhooks.walletsOf("known", {})).length).toBe(1)
      }).pipe(Effect.scoped),
  )

  it.effect(
    "pauses: each states its reason, and nothing is sent for a paused webhook or of a chain that is not served",
    () =>
      Effect.gen(function* () {
        const { add, addKey, options, receiver, store, stored } = yield* opened({ watch: [Rows.alice] })
        const lines: Array<string> = []
        yield* store.append(null, blocks.slice(0, 1))
        yield* addKey("narrow", { chains: ["polygon"] })
        yield* add("paused", { change: (made) => Webhook.paused(made, "Its owner paused it.") })
        yield* add("unserved", { change: (made) => ({ ...made, chain: "polygon" }) })
        yield* add("revoked", { holder: "former" })
        yield* add("narrowed", { holder: "narrow" })
        yield* add("unwatched", { wallets: [Rows.alice, Rows.stranger].map(notBegun) })
        // No change of the journal has this mark.
        yield* add("forgotten", { wallets: [{ ...notBegun(Rows.alice), journal: "1-z", next: 1 }] })
        yield* add("served")
        yield* Effect.forkScoped(WebhookSender.run(options).pipe(logged(lines)))
        const pausedOnes = ["revoked", "narrowed", "unwatched", "forgotten"]
        const found = Effect.forEach(pausedOnes, stored)
        yield* Eventually.untilEffect(Effect.map(found, (all) => all.every(({ attempts }) => attempts.paused !== null)))
        yield* Eventually.untilEffect(Effect.map(stored("served"), ({ delivered }) => delivered === 1))
        const reasons = [
          "Its API key was revoked, or has expired.",
          "API key not allowed for the chain eth. It allows polygon.",
          `Wallet not watched: ${Rows.stranger}. Remove it from the webhook or watch it again, then resume.`,
          "The changes since its position are no longer stored. Delete the rows from block 0 onwards, and replay from it.",
        ]

        expect((yield* found).map(({ attempts }) => attempts.paused)).toEqual(reasons)
        expect((yield* found).map(({ forgotten }) => forgotten)).toEqual([false, false, false, true])
        expect(lines.toSorted()).toEqual(
          pausedOnes.map((name, at) => `Webhook ${name} is paused: ${reasons[at]}`).toSorted(),
        )
        expect((yield* stored("paused")).attempts.paused).toBe("Its owner paused it.")
        expect(receiver.requests.map(({ url }) => url)).toEqual(["/served"])
      }).pipe(Effect.scoped),
  )

  it.effect("an idle webhook is paused once its API key is revoked, which is checked every eight seconds", () =>
    Effect.gen(function* () {
      const { add, addKey, database, options, statements, store, stored } = yield* opened()
      yield* store.append(null, blocks.slice(0, 1))
      yield* addKey("payer")
      yield* add("books", { holder: "payer" })
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      yield* database.apiKeys.revoke("payer")
      yield* passingUntil(
        Effect.map(stored("books"), ({ attempts }) => attempts.paused !== null),
        "a pause",
      )

      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(8_000)
      expect(statements.filter((name) => name === "acquire").length).toBeLessThan(8)
    }).pipe(Effect.scoped),
  )

  it.effect("a message is due at the time of its next attempt, and its name is looked up for its holder", () =>
    Effect.gen(function* () {
      const { add, addKey, options, receiver, store } = yield* opened()
      const holders: Array<string> = []
      const lookups = {
        ...options.lookups,
        ofHolder: (holder: string) => {
          holders.push(holder)
          return options.lookups.ofHolder(holder)
        },
      }
      const waiting = { failures: 1, firstFailureAt: 1_000, nextAt: 10_000, paused: null }
      const change = (made: Webhook.Webhook): Webhook.Webhook => ({
        ...made,
        attempts: waiting,
        pending: { id: "msg_kept", body: "{}", events: 1, wallet: null, position: "" },
      })
      yield* TestClock.setTime(10_000)
      yield* addKey("payer")
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books", { holder: "payer", from: "now", wallets: [], change })
      yield* add("own", { from: "now", wallets: [], change })
      yield* Effect.forkScoped(WebhookSender.run({ ...options, lookups }))
      yield* until(() => receiver.requests.length === 2, "both messages")

      expect(holders.toSorted()).toEqual(["", "payer"])
    }).pipe(Effect.scoped),
  )

  it.effect("a webhook is read again after a failure, whatever was known of it", () =>
    Effect.gen(function* () {
      const { add, counts, options, statements, store, stored } = yield* opened()
      const { acquire } = options.webhooks
      let acquired = 0
      const webhooks: Webhooks = {
        ...options.webhooks,
        // The statement of the delivery fails.
        acquire: (...lease) => Effect.suspend(() => (++acquired === 3 ? lost : acquire(...lease))),
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* passingUntil(
        Effect.map(stored("books"), ({ delivered }) => delivered === 1),
        "a delivery",
      )
      const { looks } = counts
      yield* passingUntil(
        Effect.sync(() => counts.looks >= looks + 2),
        "some looks",
      )

      expect(statements.join(" ")).toBe(
        [
          "acquire walletsOf change",
          "acquire walletsOf walletsOf change",
          "acquire walletsOf change",
          "acquire walletsOf",
        ].join(" "),
      )
    }).pipe(Effect.scoped),
  )

  it.effect("a paused webhook that its owner changed after a poll is left until the next poll", () =>
    Effect.gen(function* () {
      const { add, counts, database, options, statements, store } = yield* opened()
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books", { change: (made) => Webhook.paused(made, "Its owner paused it.") })
      let isFirst = true
      const change = Effect.gen(function* () {
        const { content, revision } = (yield* database.webhooks.find("books"))!
        if (isFirst) yield* database.webhooks.change("books", revision, { content, state: "paused" })
        isFirst = false
      })
      const webhooks: Webhooks = { ...options.webhooks, overview: Effect.tap(options.webhooks.overview, () => change) }
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* passingUntil(
        Effect.sync(() => counts.looks >= 4),
        "some looks",
      )

      expect(statements).toEqual(["acquire"])
    }).pipe(Effect.scoped),
  )

  it.effect("rows of a ledger that is not derived are retried with each poll, and not as a failure", () =>
    Effect.gen(function* () {
      const { add, options, statements, store } = yield* opened({ isUnderived: true })
      yield* store.append(null, blocks.slice(0, 1))
      const wallets = [{ ...notBegun(Rows.alice), journal: "1-0" }]
      yield* add("books", { types: ["wallet.movement"], wallets })
      const lines: Array<string> = []
      yield* Effect.forkScoped(logged(lines)(WebhookSender.run(options)))
      const attempts = () => statements.filter((name) => name === "acquire").length
      yield* passingUntil(
        Effect.sync(() => attempts() >= 3),
        "three attempts",
      )

      const now = yield* Clock.currentTimeMillis
      expect(now).toBeGreaterThanOrEqual(2_000)
      expect(now).toBeLessThan(5_000)
      expect(lines).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.effect.each([
    ["a failure of the database", lost],
    ["a defect", Effect.die(new Error("Connection lost."))],
  ] as const)("%s is retried: a poll after a second, and a webhook after five", ([, failure]) =>
    Effect.gen(function* () {
      const { add, options, receiver, store } = yield* opened()
      const { acquire, overview } = options.webhooks
      const lines: Array<string> = []
      let isFirst = true
      const webhooks: Webhooks = {
        ...options.webhooks,
        overview: failingFirst(overview),
        acquire: (...lease) =>
          Effect.suspend(() => {
            const result = isFirst ? failure : acquire(...lease)
            isFirst = false
            return result
          }),
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }).pipe(logged(lines)))
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length === 1),
        "a message",
      )

      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(6_000)
      expect(lines).toEqual(["Webhook books: Connection lost."])
    }).pipe(Effect.scoped),
  )
})
