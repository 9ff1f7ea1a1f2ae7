/** Order and windows of the wallets of a webhook, by the test clock. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookPosition from "../../../src/push/WebhookPosition.ts"
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

describe("WebhookSender", () => {
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
        const own = yield* Effect.forEach(sizes, (size) =>
          database.webhooks.walletsOf(String(size), { position: "own" }),
        )

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
        const position = WebhookPosition.toStored({ journal: newest, next: 2 })
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
          yield* add(String(size), { wallets, change: (made) => ({ ...made, place: position }) })
        }
        yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
        yield* store.unwind(headOf(blocks[1]!), headOf(blocks[0]!))
        yield* passingUntil(
          Effect.sync(() => Object.keys(stored).length === 2),
          "both webhooks",
        )

        expect(stored).toEqual({ 1000: "a message", 1001: position })
      }).pipe(Effect.scoped),
  )

  it.effect("a position is stored once: with the next statement, or that of its own message once it is delivered", () =>
    Effect.gen(function* () {
      const { add, counts, options, receiver, store } = yield* opened()
      const { change } = options.webhooks
      const moved: Array<ReadonlyArray<string>> = []
      const webhooks: Webhooks = {
        ...options.webhooks,
        change: (name, revision, webhook, wallets) => {
          moved.push((wallets?.move ?? []).map(({ wallet }) => wallet))
          return change(name, revision, webhook, wallets)
        },
      }
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("books", { from: "now", wallets: [Rows.alice, Rows.bob, Rows.stranger].map(notBegun) })
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* passingUntil(
        Effect.sync(() => counts.looks >= 3),
        "some looks",
      )
      moved.splice(0)
      yield* store.append(headOf(blocks[0]!), blocks.slice(1, 2))
      yield* passingUntil(
        Effect.sync(() => receiver.requests.length === 2 && moved.length >= 4),
        "both messages",
      )

      expect(moved).toEqual([[Rows.stranger], [Rows.alice], [], [Rows.bob]])
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
        "a position",
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
        expect(yield* database.webhooks.walletsOf("books", { position: "own" })).toEqual([])
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
})
