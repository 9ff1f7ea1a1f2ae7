/** How a sender of webhooks handles responses, changes by others and failures, with the test clock. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import * as EventPosition from "../../../src/push/EventPosition.ts"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookPlace from "../../../src/push/WebhookPlace.ts"
import * as WebhookBeginning from "../../../src/push/WebhookBeginning.ts"
import type { RecentChanges } from "../../../src/query/RecentChanges.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Model from "../../store/model.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"
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

  it.effect("a message, and a block without rows of its wallet, have a fixed number of statements", () =>
    Effect.gen(function* () {
      const { add, counts, options, statements, store, stored } = yield* opened()
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      const looks = counts.looks
      yield* passingUntil(
        Effect.sync(() => counts.looks >= looks + 3),
        "some looks",
      )
      const first = statements.splice(0).join(" ")
      yield* store.append(headOf(blocks[0]!), [
        Rows.block(1, [{ from: Rows.bob, to: Rows.stranger }], {}, blocks[0]!.hash),
      ])
      yield* passingUntil(
        Effect.sync(() => counts.looks >= looks + 6),
        "some looks",
      )
      const quiet = statements.splice(0).join(" ")

      expect(first).toBe("acquire walletsOf change acquire walletsOf walletsOf change acquire change acquire")
      expect(quiet).toBe("having")
    }).pipe(Effect.scoped),
  )

  it.effect(
    "wallets without rows share a position: 64 at once with a separate statement, fewer with the next one",
    () =>
      Effect.gen(function* () {
        const { add, counts, database, options, store } = yield* opened()
        yield* store.append(null, blocks.slice(0, 1))
        const sizes = [63, 64, 1_000, 1_001]
        for (const size of sizes) {
          const wallets = Array.from({ length: size }, (_, at) => notBegun(Model.address(1_000 + at)))
          yield* add(String(size), { from: "now", wallets })
        }
        yield* Effect.forkScoped(WebhookSender.run(options))
        yield* passingUntil(
          Effect.sync(() => counts.looks >= 4),
          "some looks",
        )
        const own = yield* Effect.forEach(sizes, (size) => database.webhooks.walletsOf(String(size), { place: "own" }))

        expect(own.map(({ length }) => length)).toEqual([63, 0, 0, 0])
      }).pipe(Effect.scoped),
  )

  it.effect(
    "more wallets than are read at once leave the shared position with one statement if a reorg may concern all of them",
    () =>
      Effect.gen(function* () {
        const { add, options, store } = yield* opened()
        const { change } = options.webhooks
        yield* store.append(null, blocks.slice(0, 2))
        const { newest } = yield* store.snapshot((snapshot) => snapshot.changes(null, 0))
        const place = WebhookPlace.toStored({ journal: newest, next: 2 })
        const stored: Record<string, unknown> = {}
        const webhooks: Webhooks = {
          ...options.webhooks,
          // Ends with the first statement that stores the effect of the reorg on the wallets.
          change: Effect.fnUntraced(function* (name, revision, webhook, wallets) {
            const { pending } = yield* Webhook.decode(webhook.content)
            if (wallets?.part === undefined && pending === null) return yield* change(name, revision, webhook, wallets)
            stored[name] = wallets?.part ?? "a message"
            return yield* Effect.never
          }),
        }
        for (const size of [1_000, 1_001]) {
          const wallets = Array.from({ length: size }, (_, at) => ({
            ...notBegun(Model.address(1_000 + at)),
            journal: null,
            highest: 1,
          }))
          yield* add(String(size), { wallets, change: (made) => ({ ...made, place }) })
        }
        yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
        yield* store.unwind(headOf(blocks[1]!), headOf(blocks[0]!))
        yield* passingUntil(
          Effect.sync(() => Object.keys(stored).length === 2),
          "both webhooks",
        )

        expect(stored).toEqual({ 1000: "a message", 1001: place })
      }).pipe(Effect.scoped),
  )

  it.effect("a failed poll ends no sender", () =>
    Effect.gen(function* () {
      const { add, counts, options, statements, store, stored } = yield* opened()
      const { overview } = options.webhooks
      let looks = 0
      const webhooks: Webhooks = {
        ...options.webhooks,
        overview: Effect.suspend(() => (++looks === 2 ? lost : overview)),
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      yield* passingUntil(
        Effect.sync(() => counts.looks >= 3),
        "some looks",
      )

      expect(looks).toBeGreaterThan(3)
      expect(statements.filter((name) => name === "acquire")).toHaveLength(4)
    }).pipe(Effect.scoped),
  )

  it.effect("a wallet without a position starts while a message of another one is retried", () =>
    Effect.gen(function* () {
      const { add, database, options, receiver, store, stored } = yield* opened()
      receiver.respond = (_request, response) => void response.writeHead(500).end()
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ attempts }) => attempts.failures === 1))
      const { content, revision } = (yield* database.webhooks.find("books"))!
      const next = Webhook.encode({ ...(yield* Webhook.decode(content)), from: "now" })
      yield* database.webhooks.change("books", revision, next, { add: [notBegun(Rows.bob)] })
      const bob = Effect.map(database.webhooks.walletsOf("books", { among: [Rows.bob] }), ([row]) => row!)
      yield* passingUntil(
        Effect.map(bob, ({ journal }) => journal !== ""),
        "a place",
      )
      const { pending } = yield* stored("books")

      expect(yield* bob).toMatchObject({ next: 1, start: 1 })
      expect(pending?.wallet).toBe(Rows.alice)
    }).pipe(Effect.scoped),
  )

  it.effect("the wallets of a webhook take turns, so that a busy one does not delay the others", () =>
    Effect.gen(function* () {
      const { add, options, receiver, store } = yield* opened()
      const plans = Array.from({ length: 101 }, () => ({ from: Rows.alice, to: Rows.bob }))
      yield* store.append(
        null,
        Array.from({ length: 3 }, (_, number) => Rows.block(number, plans)),
      )
      yield* add("books", { wallets: [Rows.alice, Rows.bob].map(notBegun) })
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* until(() => receiver.requests.length >= 4, "four messages")

      expect(
        bodiesOf(receiver)
          .slice(0, 4)
          .map(({ data }) => data.address),
      ).toEqual([Rows.alice, Rows.bob, Rows.alice, Rows.bob])
    }).pipe(Effect.scoped),
  )

  it.effect("more wallets than a window are read in turns, each row once, however many rows one window has", () =>
    Effect.gen(function* () {
      const { add, database, options, receiver, store } = yield* opened()
      const wallets = Array.from({ length: 6 }, (_, at) => Model.address(1_000 + at))
      const [busy = "", other = "", third = "", quiet = "", fifth = "", last = ""] = wallets
      const plans = Array.from({ length: 201 }, () => ({ from: busy, to: other }))
      const few = [third, fifth, last].map((from) => ({ from, to: Rows.stranger }))
      const stored = [plans, [...few, ...plans], [...few, ...plans]].map((all, number) => Rows.block(number, all))
      yield* store.append(null, stored)
      yield* add("books", { wallets: wallets.map(notBegun) })
      yield* Effect.forkScoped(WebhookSender.run({ ...options, windowSize: 2 }))
      const rows = 2 * 603 + 3 * 2
      const received = (): ReadonlyArray<string> =>
        bodiesOf(receiver).flatMap(({ data: { address, events } }) =>
          (events as ReadonlyArray<Json>)
            .filter(({ data }) => data.transaction !== undefined)
            .map(({ data }) => `${address} ${data.transaction.hash}`),
        )
      yield* passingUntil(
        Effect.sync(() => received().length >= rows),
        "all rows",
      )
      const { length } = receiver.requests
      yield* store.append(headOf(stored[2]!), [Rows.block(3, [{ from: quiet, to: last }])])
      yield* passingUntil(
        Effect.sync(() => received().length >= rows + 2),
        "the next block",
      )
      const addresses: ReadonlyArray<string> = bodiesOf(receiver).map(({ data }) => data.address)

      expect(addresses.slice(0, 9)).toEqual([busy, other, busy, other, third, fifth, last, busy, other])
      expect(addresses.slice(length)).toEqual([quiet, last])
      expect(received()).toHaveLength(rows + 2)
      expect(new Set(received()).size).toBe(rows + 2)
      expect((yield* database.webhooks.walletsOf("books", {})).map(({ wallet }) => wallet)).toEqual(wallets)
    }).pipe(Effect.scoped),
  )

  it.effect(
    "quiet wallets of several windows join the shared position window by window, and all are read again after the last",
    () =>
      Effect.gen(function* () {
        const { add, counts, database, options, statements, store } = yield* opened()
        yield* store.append(null, blocks.slice(0, 1))
        yield* add("books", {
          from: "now",
          wallets: Array.from({ length: 5 }, (_, at) => notBegun(Model.address(1_000 + at))),
        })
        yield* Effect.forkScoped(WebhookSender.run({ ...options, windowSize: 2 }))
        yield* passingUntil(
          Effect.sync(() => counts.looks >= 4),
          "some looks",
        )

        expect(statements.join(" ")).toBe(
          [
            "acquire walletsOf change",
            "acquire walletsOf walletsOf change",
            "acquire walletsOf change",
            "acquire walletsOf change",
            "acquire walletsOf",
          ].join(" "),
        )
        expect(yield* database.webhooks.walletsOf("books", { place: "own" })).toEqual([])
      }).pipe(Effect.scoped),
  )

  it.effect("a reorg that concerns more wallets than a window has is sent to each of them", () =>
    Effect.gen(function* () {
      const { add, options, receiver, store } = yield* opened()
      const wallets = Array.from({ length: 5 }, (_, at) => Model.address(1_000 + at))
      const plans = wallets.map((from) => ({ from, to: Rows.stranger }))
      const stored = [Rows.block(0, []), Rows.block(1, plans)]
      yield* store.append(null, stored)
      yield* add("books", { wallets: wallets.map(notBegun) })
      yield* Effect.forkScoped(WebhookSender.run({ ...options, windowSize: 2 }))
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length >= 5),
        "the rows",
      )
      yield* store.unwind(headOf(stored[1]!), headOf(stored[0]!))
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length >= 10),
        "the voids",
      )
      const sent = bodiesOf(receiver).map(({ data: { address, events } }) =>
        [address, ...events.map(({ type }: Json) => type)].join(" "),
      )

      expect(sent.slice(0, 5)).toEqual(wallets.map((wallet) => `${wallet} wallet.transaction covered`))
      expect(sent.slice(5).toSorted()).toEqual(wallets.map((wallet) => `${wallet} block.voided covered`))
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

  it.effect("rows of a ledger that is not derived are retried with each poll", () =>
    Effect.gen(function* () {
      const { add, options, statements, store } = yield* opened({ isUnderived: true })
      yield* store.append(null, blocks.slice(0, 1))
      const wallets = [{ ...notBegun(Rows.alice), journal: "1-0" }]
      yield* add("books", { types: ["wallet.movement"], wallets })
      yield* Effect.forkScoped(WebhookSender.run(options))
      const attempts = () => statements.filter((name) => name === "acquire").length
      yield* passingUntil(
        Effect.sync(() => attempts() >= 3),
        "three attempts",
      )

      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(2_000)
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

  it.effect("a removed webhook releases its lease, and a new one with its name is sent from its beginning", () =>
    Effect.gen(function* () {
      const { add, database, options, receiver, store, stored } = yield* opened()
      const { acquire } = options.webhooks
      const leases: Array<string> = []
      const webhooks: Webhooks = {
        ...options.webhooks,
        acquire: (name, owner, millis) =>
          Effect.suspend(() => {
            leases.push(`${name} ${millis}`)
            return acquire(name, owner, millis)
          }),
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      const sender = yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      yield* database.webhooks.remove("books")
      yield* passingUntil(
        Effect.sync(() => leases.includes("books 0")),
        "the end",
      )
      yield* add("books", { wallets: [notBegun(Rows.bob)] })
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length === 2),
        "a message",
      )
      yield* Eventually.untilEffect(Effect.map(stored("books"), ({ delivered }) => delivered === 1))
      yield* Fiber.interrupt(sender)

      expect(bodiesOf(receiver).map(({ data }) => data.address)).toEqual([Rows.alice, Rows.bob])
      expect([...new Set(leases)]).toEqual(["books 30000", "books 0"])
      expect(yield* database.webhooks.acquire("books", "another process", 1_000)).not.toBe(null)
    }).pipe(Effect.scoped),
  )

  it.effect("a lease that another process holds is waited for, and not requested before it is free", () =>
    Effect.gen(function* () {
      const { add, database, options, receiver, statements, store } = yield* opened()
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books")
      yield* database.webhooks.acquire("books", "another process", 10_000)
      yield* Effect.forkScoped(WebhookSender.run(options))
      yield* passingUntil(
        Effect.map(Clock.currentTimeMillis, (now) => now >= 9_000),
        "nine seconds",
      )
      const before = [...statements]
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length === 1),
        "a message",
      )

      expect(before).toEqual(["acquire"])
      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(10_000)
    }).pipe(Effect.scoped),
  )

  it.effect("a webhook is processed and stored in the turns of its API key once it was read", () =>
    Effect.gen(function* () {
      const { add, addKey, options, receiver, store } = yield* opened()
      const { acquire, change } = options.webhooks
      yield* addKey("payer")
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books", { holder: "payer" })
      const holders: Array<string> = []
      const noted = <A, E>(work: Effect.Effect<A, E>) =>
        Effect.withFiber<A, E>((fiber) => {
          holders.push(fiber.getRef(Turns.Holder))
          return work
        })
      const webhooks: Webhooks = {
        ...options.webhooks,
        acquire: (...lease) => noted(acquire(...lease)),
        change: (...changes) => noted(change(...changes)),
      }
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* until(() => receiver.requests.length === 1, "a message")

      expect(holders.length).toBeGreaterThan(3)
      expect(holders.indexOf("payer")).toBeLessThan(3)
      expect(new Set(holders.slice(holders.indexOf("payer")))).toEqual(new Set(["payer"]))
    }).pipe(Effect.scoped),
  )

  it.effect(
    "the positions of an idle webhook are stored after 10,000 changes, even by a process that started later",
    () =>
      Effect.gen(function* () {
        const { add, database, options, store, stored } = yield* opened()
        const [chain] = options.chains
        yield* store.append(null, blocks.slice(0, 1))
        const { newest: first } = yield* chain!.reader.snapshot((snapshot) => snapshot.changes(null, 0))
        const checkpoint = yield* chain!.reader.snapshot((snapshot) => snapshot.checkpoint)
        yield* add("idle", { from: "now", wallets: [notBegun(Rows.stranger)] })
        // A journal whose changes concern no wallet.
        let newest = first
        const passed: Array<number> = []
        const recent: RecentChanges = {
          awaitChange: (known) =>
            Effect.map(Effect.orDie(until(() => newest.change !== known, "a change")), () => newest.change),
          since: ({ next }) =>
            Effect.sync(() => {
              passed.push(newest.change)
              const nothing = { watched: null, wallets: new Set<string>(), last: null, final: null, serial: 0 }
              return { ...nothing, checkpoint: checkpoint!, newest, isComplete: true, next }
            }),
        }
        const begin = Effect.gen(function* () {
          const before = passed.length
          const sender = yield* Effect.forkScoped(WebhookSender.run({ ...options, chains: [{ ...chain!, recent }] }))
          yield* until(() => passed.length > before, "the beginning")
          return sender
        })
        const earlier = yield* begin
        const moveTo = (change: number) => {
          newest = { ...first, change }
          return until(() => passed.at(-1) === change, "a change")
        }
        yield* moveTo(first.change + 9_999)
        const before = yield* database.webhooks.walletsOf("idle", {})
        yield* Fiber.interrupt(earlier)
        yield* begin
        yield* moveTo(first.change + 10_000)
        yield* Eventually.untilEffect(Effect.map(stored("idle"), ({ place }) => place !== undefined))
        const [wallet] = yield* database.webhooks.walletsOf("idle", {})

        expect(before[0]!.journal).not.toBe(null)
        expect(wallet!.journal).toBe(null)
        expect((yield* stored("idle")).place!.journal.split("-")[0]).toBe(String(first.change + 10_000))
      }).pipe(Effect.scoped),
  )
})
