/** Changes of webhooks beside a faster sender. */
import type { Address } from "@daybook/schema/Address"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as EventPosition from "../../../src/push/EventPosition.ts"
import * as NameLookups from "../../../src/push/NameLookups.ts"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as WebhookAccess from "../../../src/server/webhook/WebhookAccess.ts"
import * as WebhookChanges from "../../../src/server/webhook/WebhookChanges.ts"
import * as Engine from "../../../src/store/Engine.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import type { StoreError } from "../../../src/store/StoreError.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as MonotonicClock from "../../../src/supervision/MonotonicClock.ts"
import { withReads } from "../../push/EventSteps.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as Rows from "../rows.ts"

const key = "k".repeat(40)
const settings = { key, allowPrivate: true, perKey: 10, addressesPerKey: 5, addressesPerWebhook: 5, total: 1_000 }
// Sound: they are addresses.
const [bob, stranger] = [Rows.bob as Address, Rows.stranger as Address]
const caller = { grant: { name: "usual", operator: false, empty: null }, headers: {} }

/** A database with a chain of one block and three webhooks of one wallet, whose sender is faster some times. */
const opened = Effect.gen(function* () {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const listen = { host: "127.0.0.1", port: 0 }
  const chains = { eth: { rpc: ["http://127.0.0.1:65535/"] } }
  const config = yield* Effect.fromResult(Config.decode({ listen, database: "sqlite:data", chains }))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const store = yield* TestStore.open(database, { name: served!.name, id: served!.id })
  yield* store.append(null, [Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])])
  const counts = { snapshots: 0, conflicts: 0 }
  const chain = IndexedChain.fromDatabase(database)(served!)
  const snapshot: ChainReader["snapshot"] = (read) => {
    counts.snapshots++
    return chain.reader.snapshot(read)
  }
  const webhooks: Webhooks = {
    ...database.webhooks,
    change: Effect.fnUntraced(function* (name, revision, webhook, wallets) {
      // Others run in the meantime.
      for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
      const stored = yield* database.webhooks.find(name)
      if (counts.conflicts-- > 0) yield* database.webhooks.change(name, revision, { state: "active", ...stored! })
      return yield* database.webhooks.change(name, revision, webhook, wallets)
    }),
  }
  const bounds = Bounds.make(config.limits, Turns.make(yield* MonotonicClock.reader))
  const lookups = NameLookups.make()
  const options = { settings, bounds, lookups, webhooks, chains: [{ ...chain, reader: { ...chain.reader, snapshot } }] }
  const [webhook] = yield* Webhook.make(key, {
    holder: "usual",
    url: "https://hook.example/",
    chain: served!.name,
    types: ["wallet.transaction"],
    finality: "head",
    from: "now",
  })
  for (const name of ["a", "b", "c"]) yield* webhooks.add(name, Webhook.encode(webhook), [notBegun(Rows.alice)])
  return { counts, options }
})

/** Creates a webhook of a wallet. */
const creation = {
  url: "https://93.184.215.14/",
  name: "books",
  addresses: [bob],
  types: ["wallet.transaction"],
} as const

describe("WebhookChanges", () => {
  it.effect("addresses: the positions of wallets are read once, however often the sender is faster", () =>
    Effect.gen(function* () {
      const { counts, options } = yield* opened
      counts.conflicts = 5
      const add = [bob, stranger]
      const { wallets } = yield* WebhookChanges.make(options).changeAddresses(caller, "a", { add })
      const stored = yield* options.webhooks.walletsOf("a", {})

      expect(wallets).toBe(3)
      expect(stored.filter(({ journal }) => journal !== "").map(({ wallet }) => wallet)).toEqual(add.toSorted())
      expect(counts).toEqual({ snapshots: 1, conflicts: -1 })
    }),
  )

  it.effect("addresses: concurrent requests together keep within the addresses of a key", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const { changeAddresses } = WebhookChanges.make(options)
      const results = yield* Effect.forEach(
        ["a", "b", "c"],
        (id) => Effect.result(changeAddresses(caller, id, { add: [bob] })),
        { concurrency: "unbounded" },
      )
      const listed = yield* WebhookAccess.make(options).list(caller)

      expect(
        results
          .map(({ _tag }) => _tag)
          .toSorted()
          .toReversed(),
      ).toEqual(["Success", "Success", "Failure"])
      expect(listed.reduce((sum, { wallets }) => sum + wallets, 0)).toBe(5)
    }),
  )

  it.effect("addresses: a webhook above a lowered limit keeps its wallets and may lose some, but gets no more", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      yield* WebhookChanges.make(options).changeAddresses(caller, "a", { add: [bob, stranger] })
      const bounds = { addressesPerWebhook: 1, addressesPerKey: 1 }
      const lowered = WebhookChanges.make({ ...options, settings: { ...settings, ...bounds } })
      const removed = yield* lowered.changeAddresses(caller, "a", { remove: [stranger] })
      const kept = yield* lowered.changeAddresses(caller, "a", { add: [bob] })
      const refused = yield* Effect.flip(lowered.changeAddresses(caller, "a", { add: [stranger] }))
      const none = yield* Effect.flip(lowered.changeAddresses(caller, "a", { remove: [Rows.alice as Address, bob] }))

      expect([removed.wallets, kept.wallets]).toEqual([2, 2])
      expect([refused, none].map(({ message }) => message)).toEqual([
        'Invalid request body "add": expected 1 to 1 addresses in a webhook (webhooks.addressesPerWebhook), received 3.',
        'Invalid request body "remove": expected 1 to 1 addresses in a webhook (webhooks.addressesPerWebhook), received 0.',
      ])
    }),
  )

  it.effect(
    "addresses, replay: another webhook with the name, or a wallet that others removed, is a conflicting change",
    () =>
      Effect.gen(function* () {
        const { options } = yield* opened
        const { webhooks } = options
        const [chain] = options.chains
        const selected = { finality: "head", types: ["wallet.transaction"] } as const
        const subscription = Webhook.subscriptionOf(selected, chain!, bob, 1)
        const { position } = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 0 } })
        const cursor = EventPosition.format(position, Events.selectionText(subscription))
        const made = Webhook.make(key, { ...selected, holder: "usual", url: "https://b/", chain: "eth", from: 0 })
        const replaced = Effect.andThen(
          webhooks.remove("a"),
          Effect.flatMap(made, ([other]) =>
            webhooks.add("a", Webhook.encode(other), [notBegun(Rows.alice), notBegun(bob)]),
          ),
        )
        const removed = Effect.flatMap(webhooks.find("a"), (found) =>
          webhooks.change("a", found!.revision, { state: "active", ...found! }, { remove: [bob] }),
        )
        /** Why a change fails if others change the webhook after its wallets were read. */
        const issueOf = Effect.fnUntraced(function* (
          meanwhile: Effect.Effect<unknown, StoreError>,
          body: { readonly add: ReadonlyArray<Address> } | string,
        ) {
          yield* WebhookChanges.make(options).changeAddresses(caller, "a", { add: [bob] })
          let isFirst = true
          const walletsOf: Webhooks["walletsOf"] = (...selection) =>
            Effect.tap(webhooks.walletsOf(...selection), () => {
              const now = isFirst ? meanwhile : Effect.void
              isFirst = false
              return now
            })
          const { changeAddresses, replay } = WebhookChanges.make({ ...options, webhooks: { ...webhooks, walletsOf } })
          const change = typeof body === "string" ? replay(caller, "a", body) : changeAddresses(caller, "a", body)
          return (yield* Effect.flip(change)).message
        })

        expect([
          yield* issueOf(removed, { add: [bob] }),
          yield* issueOf(removed, cursor),
          yield* issueOf(replaced, { add: [stranger] }),
          yield* issueOf(replaced, cursor),
          yield* issueOf(replaced, "0"),
        ]).toEqual(Array<string>(5).fill("The webhook was changed in the meantime. Retry later."))
      }),
  )

  it.effect(
    "addresses, replay: a webhook of a chain that is not served is not changed, and one without wallets resumes",
    () =>
      Effect.gen(function* () {
        const { options } = yield* opened
        const { webhooks } = options
        const { content, revision } = (yield* webhooks.find("a"))!
        const before = yield* Webhook.decode(content)
        const { changeAddresses, replay } = WebhookChanges.make(options)
        yield* webhooks.change("a", revision, Webhook.encode({ ...before, chain: "polygon" }))
        const unserved = yield* Effect.flip(changeAddresses(caller, "a", { add: [bob] }))
        const paused = Webhook.encode(Webhook.paused(before, "Its owner paused it."))
        yield* webhooks.change("b", (yield* webhooks.find("b"))!.revision, paused, { remove: [Rows.alice] })
        const resumed = yield* replay(caller, "b", "0")

        expect(unserved.message).toBe("The chain of the webhook is not served now. Retry later.")
        expect([resumed.wallets, resumed.webhook.attempts.paused]).toEqual([0, null])
      }),
  )

  it.effect("addresses: can be removed from a webhook of movements whose ledger is not derived, but not added", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const { webhooks } = options
      const { changeAddresses } = WebhookChanges.make(options)
      yield* changeAddresses(caller, "a", { add: [bob] })
      const { content, revision } = (yield* webhooks.find("a"))!
      const moving = { ...(yield* Webhook.decode(content)), types: ["wallet.movement"] as const }
      yield* webhooks.change("a", revision, Webhook.encode(moving))
      const refused = yield* Effect.flip(changeAddresses(caller, "a", { add: [stranger] }))
      const { wallets } = yield* changeAddresses(caller, "a", { remove: [bob] })

      expect(refused.message).toContain('or use "types": ["wallet.transaction"]')
      expect(wallets).toBe(1)
    }),
  )

  it.effect("replay: finds the wallet of a cursor among more than are read at once", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const { webhooks } = options
      const [chain] = options.chains
      const addresses = Array.from({ length: 1_000 }, (_, at) => `0x${at.toString(16).padStart(40, "0")}`)
      const { content, revision } = (yield* webhooks.find("a"))!
      yield* webhooks.change("a", revision, { state: "active", content }, { add: addresses.map(notBegun) })
      const selected = { finality: "head", types: ["wallet.transaction"] } as const
      const subscription = Webhook.subscriptionOf(selected, chain!, Rows.alice, 1)
      const { position } = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 0 } })
      const cursor = EventPosition.format(position, Events.selectionText(subscription))
      yield* WebhookChanges.make(options).replay(caller, "a", cursor)

      const [last] = yield* webhooks.walletsOf("a", { after: addresses.at(-1) })

      expect(last).toMatchObject({ wallet: Rows.alice, journal: expect.stringMatching(/^\d/) })
    }),
  )

  it.effect("create: a webhook has both types of rows, each wallet and type once, unless the request names types", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      // The ledger of an empty index is derived.
      const chains = options.chains.map((chain) => withReads(chain, () => ({ checkpoint: Effect.succeed(null) })))
      const { create } = WebhookChanges.make({ ...options, chains, settings: { ...settings, addressesPerKey: 6 } })
      const { types: _, ...untyped } = creation
      const made = yield* Effect.forEach(
        [
          { ...untyped, name: "left out" },
          { ...untyped, name: "empty", types: [] },
          { ...untyped, name: "twice", types: ["wallet.transaction", "wallet.transaction"], addresses: [bob, bob] },
        ] as const,
        (body) => Effect.map(create(caller, body), ([{ wallets, webhook }]) => [wallets, webhook.types]),
      )
      const both = ["wallet.transaction", "wallet.movement"]

      expect(made.map(([wallets, types]) => [wallets, (types as ReadonlyArray<string>).toSorted()])).toEqual([
        [1, both.toSorted()],
        [1, both.toSorted()],
        [1, ["wallet.transaction"]],
      ])
    }),
  )

  it.effect("replay: changes the wallets of a large webhook in parts, and sends all of them again from the block", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const { webhooks } = options
      const addresses = Array.from({ length: 2_500 }, (_, at) => `0x${at.toString(16).padStart(40, "0")}`)
      const wallets = addresses.map((wallet) => ({ wallet, journal: null, next: 0, start: 9, highest: 8 }))
      const stored = (yield* webhooks.find("a"))!
      const before = yield* Webhook.decode(stored.content)
      const atPosition: Webhook.Webhook = {
        ...Webhook.paused(before, "Its owner paused it."),
        place: { journal: "4-abc", next: 9 },
        pending: {
          id: "msg_1",
          body: "{}",
          events: 1,
          wallet: addresses[1_200]!,
          position: "e1.4-abc.0.9.13.0123456789ab",
        },
      }
      yield* webhooks.change("a", stored.revision, Webhook.encode(atPosition), { remove: [Rows.alice], add: wallets })
      const states: Array<readonly [rewound: number, pause: string | null, hasMessage: boolean]> = []
      const change: Webhooks["change"] = (...args) =>
        Effect.tap(webhooks.change(...args), () =>
          Effect.gen(function* () {
            const rewound = yield* webhooks.walletsOf("a", { position: "own" })
            const { content } = (yield* webhooks.find("a"))!
            const { attempts, pending } = yield* Webhook.decode(content)
            states.push([rewound.length, attempts.paused, pending !== null])
          }),
        )
      yield* WebhookChanges.make({ ...options, webhooks: { ...webhooks, change } }).replay(caller, "a", "0")
      const rows = yield* webhooks.walletsOf("a", {})

      expect(states).toEqual([
        [1_000, "Its owner paused it.", true],
        [2_000, "Its owner paused it.", false],
        [2_500, null, false],
      ])
      expect(new Set(rows.map(({ journal, next, start }) => `${journal} ${next} ${start}`))).toEqual(
        new Set(["4-abc 0 0"]),
      )
      expect(rows.filter(({ highest }) => highest !== 8).map(({ wallet }) => wallet)).toEqual([addresses[1_200]])
    }),
  )

  it.effect("replay: permits one at a time per key, and another key is not rejected", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const [begun, going] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { webhooks } = options
      const change: Webhooks["change"] = (name, ...rest) => {
        const waiting = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(going))
        return Effect.andThen(name === "a" ? waiting : Effect.void, webhooks.change(name, ...rest))
      }
      const { replay } = WebhookChanges.make({ ...options, webhooks: { ...webhooks, change } })
      const first = yield* Effect.forkChild(replay(caller, "a", "0"))
      yield* Deferred.await(begun)
      const second = yield* Effect.flip(replay(caller, "b", "0"))
      const operator = yield* replay({ ...caller, grant: { name: "other", operator: true, empty: null } }, "b", "0")
      yield* Deferred.succeed(going, undefined)
      yield* Fiber.join(first)
      const third = yield* replay(caller, "b", "0")

      expect(second).toMatchObject({ error: { code: "rate_limited" }, headers: { "retry-after": "1" } })
      expect([operator.id, third.id]).toEqual(["b", "b"])
    }),
  )

  it.effect("replay: searches the wallet of a cursor once, however often the sender is faster", () =>
    Effect.gen(function* () {
      const { counts, options } = yield* opened
      const selected = { finality: "head", types: ["wallet.transaction"] } as const
      const subscription = Webhook.subscriptionOf(selected, options.chains[0]!, Rows.alice, 1)
      const { position } = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 0 } })
      const cursor = EventPosition.format(position, Events.selectionText(subscription))
      let searches = 0
      const walletsOf: Webhooks["walletsOf"] = (name, selection) => {
        if (selection.among === undefined) searches++
        return options.webhooks.walletsOf(name, selection)
      }
      counts.conflicts = 5
      const { replay } = WebhookChanges.make({ ...options, webhooks: { ...options.webhooks, walletsOf } })
      yield* replay(caller, "a", cursor)
      const [row] = yield* options.webhooks.walletsOf("a", {})

      expect(searches).toBe(1)
      expect(row).toMatchObject({ wallet: Rows.alice, next: position.next })
    }),
  )

  it.effect("addresses: an addition with a cursor of its wallet may be repeated, and then changes nothing", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const { changeAddresses } = WebhookChanges.make(options)
      const selected = { finality: "head", types: ["wallet.transaction"] } as const
      const subscription = Webhook.subscriptionOf(selected, options.chains[0]!, bob, 1)
      const { position } = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 0 } })
      const body = { add: [bob], from: EventPosition.format(position, Events.selectionText(subscription)) }
      yield* changeAddresses(caller, "a", body)
      const before = yield* options.webhooks.walletsOf("a", {})
      const again = yield* changeAddresses(caller, "a", body)

      expect(again.wallets).toBe(2)
      expect(yield* options.webhooks.walletsOf("a", {})).toEqual(before)
    }),
  )

  it.effect("create: an operator's webhook belongs to no key, and each has an id of 24 characters after wh_", () =>
    Effect.gen(function* () {
      const { options } = yield* opened
      const create = (name: string) =>
        Effect.map(
          WebhookChanges.make(options).create({ grant: { name, operator: true, empty: null }, headers: {} }, creation),
          ([found]) => found,
        )
      const [own, other] = [yield* create(""), yield* create("usual")]

      expect([own.webhook.holder, other.webhook.holder]).toEqual([null, "usual"])
      expect([own.id, other.id].every((id) => /^wh_[\w-]{24}$/.test(id))).toBe(true)
      expect(own.id).not.toBe(other.id)
    }),
  )

  it.effect(
    "create: a repeated request finds its webhook without a secret, even at the limit and when both arrive at once",
    () =>
      Effect.gen(function* () {
        const { options } = yield* opened
        const { create } = WebhookChanges.make({ ...options, settings: { ...settings, perKey: 4 } })
        /** Creates while the first searches find nothing, as another request stores the webhook after them. */
        const createLate = (searches: number, of: Parameters<typeof create>[1]) => {
          let left = searches
          const find: Webhooks["find"] = (id) => (left-- > 0 ? Effect.succeed(null) : options.webhooks.find(id))
          return WebhookChanges.make({ ...options, webhooks: { ...options.webhooks, find } }).create(caller, of)
        }
        const [first, secret] = yield* create(caller, creation)
        const [again, none] = yield* create(caller, creation)
        const [late, noneLate] = yield* createLate(1, creation)
        const removed = yield* Effect.flip(createLate(2, creation))
        const other = { ...creation, finality: "final" } as const
        const refused = yield* Effect.forEach(
          [create(caller, other), createLate(1, other), create(caller, { ...creation, name: "more" })],
          Effect.flip,
        )

        expect([secret?.startsWith("whsec_"), none, noneLate]).toEqual([true, null, null])
        expect([again.id, late.id]).toEqual([first.id, first.id])
        expect(removed.message).toBe("The webhook was changed in the meantime. Retry later.")
        expect(
          refused.map((error) => JSON.stringify(error).match(/a name that no other|at most 4 webhooks/)?.[0]),
        ).toEqual(["a name that no other", "a name that no other", "at most 4 webhooks"])
      }),
  )
})
