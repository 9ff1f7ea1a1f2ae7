/** Leases of webhooks and the turns in which they are processed, by the test clock. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { RecentChanges } from "../../../src/query/RecentChanges.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Rows from "../rows.ts"
import { blocks, bodiesOf, opened } from "./OpenedSender.ts"

const until = (condition: () => boolean, what: string) => Eventually.untilEffect(Effect.sync(condition), { what })

/** Waits for a condition while time passes. */
const passingUntil = <E>(condition: Effect.Effect<boolean, E>, what: string) =>
  Eventually.untilEffect(Effect.andThen(TestClock.adjust(100), condition), { everyMillis: 1, what })

describe("WebhookSender", () => {
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

  it.effect("a lease that another process took since the last poll is requested once after each poll", () =>
    Effect.gen(function* () {
      const { add, counts, options } = yield* opened()
      yield* add("books")
      let requests = 0
      const acquire: Webhooks["acquire"] = () => Effect.sync(() => (requests++, null))
      const webhooks: Webhooks = { ...options.webhooks, acquire }
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* passingUntil(
        Effect.sync(() => counts.looks === 4),
        "four polls",
      )

      expect(requests).toBeGreaterThan(1)
      expect(requests).toBeLessThanOrEqual(4)
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
        const storedChange = Effect.map(
          stored("idle"),
          ({ place }) => Number(place!.journal.split("-")[0]) - first.change,
        )
        expect(yield* storedChange).toBe(10_000)
        // A position that was due would be stored before the next change is seen.
        yield* moveTo(first.change + 19_998)
        yield* moveTo(first.change + 19_999)
        expect(yield* storedChange).toBe(10_000)
        yield* moveTo(first.change + 20_000)
        yield* Eventually.untilEffect(Effect.map(storedChange, (change) => change === 20_000))
      }).pipe(Effect.scoped),
  )
})
