/** Positions of a webhook's wallets in the memory of its sender, with a chain in a database. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookBeginning from "../../../src/push/WebhookBeginning.ts"
import * as WebhookPosition from "../../../src/push/WebhookPosition.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as WebhookLookups from "../../../src/server/webhook/WebhookLookups.ts"
import * as WebhookProgress from "../../../src/server/webhook/WebhookProgress.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import * as Model from "../../store/model.ts"
import * as Rows from "../rows.ts"
import { key, openedDatabase } from "./OpenedSender.ts"

const name = "books"

const openedWith = Effect.fnUntraced(function* (watch?: ReadonlyArray<string>) {
  const { database, ref, served, store } = yield* openedDatabase({ watch })
  const chain = IndexedChain.fromDatabase(database)(served)
  /** A webhook whose wallets share the position up to which everything is sent. */
  const add = Effect.fnUntraced(function* (wallets: ReadonlyArray<string>) {
    const [webhook] = yield* Webhook.make(key, {
      url: "http://127.0.0.1:9/",
      chain: "eth",
      types: ["wallet.transaction"],
      finality: "head",
      from: "now",
    })
    const begun = yield* WebhookBeginning.begun(chain, webhook, wallets)
    const { journal, next } = begun[0]!
    const positioned = { ...webhook, place: { journal: journal!, next } }
    const shared = begun.map((wallet) => ({ ...wallet, journal: null, next: 0 }))
    yield* database.webhooks.add(name, Webhook.encode(positioned), shared)
    const lookups = WebhookLookups.make(database.webhooks)
    return { name, chain, webhook: positioned, webhooks: database.webhooks, lookups }
  })
  return { add, database, ref, store }
})

const opened = openedWith()

/** Advances the shared position as far as the index goes. */
const passed = (source: WebhookProgress.Source, progress: WebhookProgress.Progress) =>
  Effect.andThen(WebhookProgress.load(source, progress), WebhookProgress.passShared(source, progress))

describe("WebhookProgress", () => {
  it.effect(
    "passShared: a wallet that leaves the shared position below its first block is sent no row below that",
    () =>
      Effect.gen(function* () {
        const { add, store } = yield* opened
        const blocks = Array.from({ length: 3 }, (_, number) => Rows.block(number, []))
        const at = { number: 0, hash: blocks[0]!.hash }
        yield* store.append(null, blocks)
        const source = yield* add([Rows.alice, Rows.stranger])
        const progress = WebhookProgress.make()
        yield* passed(source, progress)
        yield* store.unwind({ number: 2, hash: blocks[2]!.hash }, at)
        yield* passed(source, progress)
        const other = Rows.block(1, [{ from: Rows.alice, to: Rows.bob }], { fork: "other" }, at.hash)
        yield* store.append(at, [other])
        yield* passed(source, progress)
        const state = progress.states.get(Rows.alice)!
        const { sent } = yield* Events.step(
          Webhook.subscriptionOf(source.webhook, source.chain, Rows.alice, 1_000),
          state,
        )

        expect([...progress.states.keys()]).toEqual([Rows.alice])
        expect(progress.sharedPosition?.next).toBe(2)
        expect(state.position).toMatchObject({ from: 3, next: 3 })
        expect(sent.filter(({ event }) => event._tag === "Transaction")).toEqual([])
      }).pipe(Effect.scoped),
  )

  it.effect("passShared: keeps the shared position once the memory is full, and advances it from the next window", () =>
    Effect.gen(function* () {
      const { add, store } = yield* opened
      const first = Rows.block(0, [])
      yield* store.append(null, [first])
      // Three reads of blocks with 1,024 wallets each, so that the third one is too many.
      const wallets = Array.from({ length: 3_072 }, (_, at) => Model.address(1_000 + at))
      const source = yield* add(wallets)
      const progress = WebhookProgress.make()
      yield* passed(source, progress)
      const blocks = Array.from({ length: 768 }, (_, at) =>
        Rows.block(
          at + 1,
          wallets.slice(4 * at, 4 * at + 4).map((to) => ({ from: Rows.alice, to })),
        ),
      )
      yield* store.append({ number: 0, hash: first.hash }, blocks)
      const awaited = yield* passed(source, progress)
      const [taken, stayed] = [progress.states.size, progress.sharedPosition?.next]
      const { done, sharedPosition, wallets: changes } = WebhookProgress.saving(progress, {})
      const { revision } = (yield* source.webhooks.find(name))!
      const next = { ...source.webhook, place: WebhookPosition.toStored(sharedPosition!) }
      yield* source.webhooks.change(name, revision, Webhook.encode(next), changes)
      done()
      WebhookProgress.leaveWindow(progress)
      yield* passed(source, progress)

      expect([awaited, taken, stayed]).toEqual([-1, 2_048, 513])
      expect(progress.sharedPosition?.next).toBe(769)
      expect(progress.states.size).toBe(1_000 + 1_024)
    }).pipe(Effect.scoped),
  )

  it.effect("isServed: leaves a window after some messages unless the memory has all wallets", () =>
    Effect.gen(function* () {
      const { add, store } = yield* opened
      yield* store.append(null, [Rows.block(0, [])])
      const source = yield* add([Rows.alice])
      const progress = WebhookProgress.make()
      yield* passed(source, progress)
      progress.messages = 2_000
      const whole = WebhookProgress.isServed(progress)
      progress.window = { after: undefined, end: Rows.bob }
      const part = WebhookProgress.isServed(progress)
      progress.messages = 1_999

      expect([whole, part, WebhookProgress.isServed(progress)]).toEqual([false, true, false])
    }).pipe(Effect.scoped),
  )

  it.effect("passShared: finds wallets indexed from above the position again after a statement failed", () =>
    Effect.gen(function* () {
      const { add, database, ref, store } = yield* openedWith([Rows.alice])
      const plans = [{ from: Rows.alice, to: Rows.bob }]
      const blocks = [Rows.block(0, plans), Rows.block(1, plans)]
      yield* store.append(null, blocks.slice(0, 1))
      yield* database.chain(ref).changeWatch({ _tag: "Add", wallets: [Rows.stranger] })
      const source = yield* add([Rows.alice, Rows.stranger])
      // By a writer that does not know the added wallet yet.
      yield* store.append({ number: 0, hash: blocks[0]!.hash }, blocks.slice(1))
      let failures = 0
      const walletsOf: Webhooks["walletsOf"] = (webhook, selection) =>
        selection.among !== undefined && failures++ === 0
          ? Effect.fail(new StoreError({ message: "Connection lost.", isRetryable: true, cause: undefined }))
          : source.webhooks.walletsOf(webhook, selection)
      const progress = WebhookProgress.make()
      const failing = { ...source, webhooks: { walletsOf } }
      const failed = yield* Effect.flip(passed(failing, progress))
      yield* passed(failing, progress)

      expect(failed._tag).toBe("StoreError")
      expect([...progress.states.keys()].toSorted()).toEqual([Rows.stranger, Rows.alice].toSorted())
    }).pipe(Effect.scoped),
  )
})
