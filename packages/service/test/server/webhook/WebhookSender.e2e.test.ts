/** What a block costs the sender of webhooks: what it contains, and not the number of webhooks and of their wallets. */
import * as Eventually from "@daybook/harness/Eventually"
import * as LocalServer from "@daybook/harness/LocalServer"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as WebhookPlace from "../../../src/push/WebhookPlace.ts"
import * as NameLookups from "../../../src/push/NameLookups.ts"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as RecentChanges from "../../../src/query/RecentChanges.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as ChainContracts from "../../../src/server/chain/ChainContracts.ts"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as Engine from "../../../src/store/Engine.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Model from "../../store/model.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as Life from "../../push/life.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"

const key = "k".repeat(40)

/** A chain whose reads and webhooks whose statements are counted, and a receiver that counts messages. */
const opened = Effect.gen(function* () {
  const counts = { snapshots: 0, statements: 0, messages: 0, looks: 0 }
  const bodies: Array<Json> = []
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const listen = { host: "127.0.0.1", port: 0 }
  const chains = { eth: { rpc: ["http://127.0.0.1:65535/"] } }
  const config = yield* Effect.fromResult(Config.decode({ listen, database: "sqlite:data", chains }))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const life = Life.make()
  const ref = { name: served!.name, id: served!.id }
  const store = yield* TestStore.open(database, ref, { projections: Life.projections(life) })
  const indexed = IndexedChain.fromDatabase(database)(served!)
  const snapshot: ChainReader["snapshot"] = (read) => {
    counts.snapshots++
    return indexed.reader.snapshot(read)
  }
  const reader = { ...indexed.reader, snapshot }
  const counted = <A extends ReadonlyArray<unknown>, B, E>(run: (...values: A) => Effect.Effect<B, E>) => {
    return (...values: A): Effect.Effect<B, E> =>
      Effect.suspend(() => {
        counts.statements++
        return run(...values)
      })
  }
  const { acquire, change, find, having, walletsOf } = database.webhooks
  const webhooks: Webhooks = {
    ...database.webhooks,
    acquire: counted(acquire),
    change: counted(change),
    find: counted(find),
    having: counted(having),
    walletsOf: counted(walletsOf),
    overview: Effect.tap(database.webhooks.overview, () => Effect.sync(() => counts.looks++)),
  }
  const hook = yield* LocalServer.scoped(() =>
    LocalServer.start(({ body }, response) => {
      counts.messages++
      bodies.push(JSON.parse(body.toString()))
      response.writeHead(204).end()
    }),
  )
  const decoder = KnownSignatures.decoder()
  const options: WebhookSender.Options = {
    lookups: NameLookups.make(),
    settings: { key, allowPrivate: true, perKey: 10, addressesPerKey: 100, addressesPerWebhook: 100, total: 1_000 },
    config,
    chains: [{ ...indexed, reader, recent: RecentChanges.make(reader) }],
    contracts: ChainContracts.make(database.contracts, decoder),
    decoder,
    webhooks,
    keys: database.apiKeys,
  }
  const add = Effect.fnUntraced(function* (
    name: string,
    addresses: ReadonlyArray<string>,
    holder: string | null = null,
  ) {
    const settings = { url: hook.url, chain: "eth", finality: "head", from: 0, holder } as const
    const [webhook] = yield* Webhook.make(key, { ...settings, types: ["wallet.transaction"] })
    yield* database.webhooks.add(name, Webhook.encode(webhook), addresses.map(notBegun))
  })
  const addKey = (name: string) => database.apiKeys.add({ name, operator: false, empty: null })
  return { add, addKey, bodies, counts, hookUrl: hook.url, options, store }
})

const blocks = Array.from({ length: 4 }, (_, number) => Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]))

/** Two wallets with rows in each block, and others. */
const walletsWith = (others: number) => [
  Rows.alice,
  Rows.bob,
  ...Array.from({ length: others }, (_, at) => Model.address(1_000 + at)),
]

/** What messages have of rows and voids. */
const sentOf = (bodies: ReadonlyArray<Json>): ReadonlyArray<string> =>
  bodies.flatMap(({ data }) =>
    data.events
      .filter(({ type }: Json) => type === "wallet.transaction" || type === "block.voided")
      .map((event: Json) => `${data.address} ${event.type} ${event.data.hash ?? event.data.transaction.block_hash}`),
  )

interface Counts {
  readonly snapshots: number
  readonly statements: number
  readonly looks: number
}

/** Waits until the sender has looked at all webhooks some times, and has done nothing else. */
const settled = (counts: Counts) =>
  Effect.promise(async () => {
    let [work, since] = [-1, 0]
    await Eventually.until(() => {
      const now = counts.snapshots + counts.statements
      if (now !== work) since = counts.looks
      work = now
      return counts.looks - since >= 3
    })
  })

describe("WebhookSender", () => {
  it.live("a lease that another process takes first is waited for, and not tried again before the next look", () =>
    Effect.gen(function* () {
      const { add, counts, options, store } = yield* opened
      const { acquire } = options.webhooks
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("alice", [Rows.alice])
      const webhooks: Webhooks = {
        ...options.webhooks,
        acquire: (name, owner, millis) =>
          Effect.andThen(acquire(name, "another process", 60_000), acquire(name, owner, millis)),
      }
      yield* Effect.forkScoped(WebhookSender.run({ ...options, webhooks }))
      yield* Effect.promise(() => Eventually.until(() => counts.looks >= 3))

      expect(counts.statements).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.live("a webhook is taken up and stored in the turns of its API key once it was read", () =>
    Effect.gen(function* () {
      const { add, addKey, counts, options, store } = yield* opened
      const { acquire, change } = options.webhooks
      yield* addKey("payer")
      yield* store.append(null, blocks.slice(0, 1))
      yield* add("alice", [Rows.alice], "payer")
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
      yield* Effect.promise(() => Eventually.until(() => counts.messages === 1))

      expect(holders.length).toBeGreaterThan(3)
      expect(holders.indexOf("payer")).toBeLessThan(3)
      expect(new Set(holders.slice(holders.indexOf("payer")))).toEqual(new Set(["payer"]))
    }).pipe(Effect.scoped),
  )

  it.live(
    "the positions of an idle webhook are stored after 10,000 changes, also by a process that began meanwhile",
    () =>
      Effect.gen(function* () {
        const { counts, hookUrl, options, store } = yield* opened
        const [chain] = options.chains
        const past = Array.from({ length: 10_001 }, (_, number) => Rows.block(number, []))
        yield* store.append(null, past)
        const settings = { url: hookUrl, chain: "eth", finality: "head", from: "now" } as const
        const types = ["wallet.transaction"] as const
        const [webhook] = yield* Webhook.make(key, { ...settings, types })
        const subscription = Webhook.subscriptionOf(webhook, chain!, Rows.stranger, 1)
        const { position } = yield* Events.start(subscription, { _tag: "Now" })
        const wallets = [WebhookPlace.ownWallet(Rows.stranger, position)]
        yield* options.webhooks.add("idle", Webhook.encode(webhook), wallets)
        for (let at = 0; at < 10_000; at++) yield* store.finalize(at)
        yield* Effect.forkScoped(WebhookSender.run(options))
        yield* settled(counts)
        yield* store.finalize(10_000)
        yield* settled(counts)
        const stored = yield* Webhook.decode((yield* options.webhooks.find("idle"))!.content)

        const [wallet] = yield* options.webhooks.walletsOf("idle", {})

        expect(wallet!.journal).toBe(null)
        expect(stored.place!.journal.split("-")[0]).toBe("10002")
      }).pipe(Effect.scoped),
    60_000,
  )

  it.live(
    "a block costs as many reads and statements with 100 webhooks of other wallets as with 3, and wakes none of these",
    () =>
      Effect.gen(function* () {
        const costs: Array<unknown> = []
        for (const others of [3, 100]) {
          const { add, counts, options, store } = yield* opened
          yield* store.append(null, blocks.slice(0, 1))
          yield* add("alice", [Rows.alice])
          for (let at = 0; at < others; at++) {
            yield* add(`other-${at}`, [Model.address(1_000 + 2 * at), Model.address(1_001 + 2 * at)])
          }
          yield* Effect.forkScoped(WebhookSender.run(options))
          yield* Effect.promise(() => Eventually.until(() => counts.messages === 1))
          yield* settled(counts)
          const before = { ...counts }
          yield* store.append({ number: 0, hash: blocks[0]!.hash }, blocks.slice(1, 2))
          yield* Effect.promise(() => Eventually.until(() => counts.messages === 2))
          yield* settled(counts)
          costs.push({
            snapshots: counts.snapshots - before.snapshots,
            statements: counts.statements - before.statements,
            messages: counts.messages - before.messages,
          })
        }

        expect(costs[1]).toEqual(costs[0])
      }).pipe(Effect.scoped),
    60_000,
  )

  it.live(
    "a block and a reorg are read for those of 1,500 wallets alone that have rows in them or had some",
    () =>
      Effect.gen(function* () {
        const { add, bodies, counts, options, store } = yield* opened
        const [first, second] = blocks
        const at = { number: 0, hash: first!.hash }
        const quiet = Model.address(1_003)
        const other = Rows.block(1, [{ from: Rows.alice, to: quiet }], { fork: "other" }, first!.hash)
        yield* store.append(null, [first!])
        yield* add("many", walletsWith(1_498))
        yield* Effect.forkScoped(WebhookSender.run(options))
        const areShared = Effect.map(
          options.webhooks.walletsOf("many", { place: "own" }),
          (own) => counts.messages === 2 && own.length < 64,
        )
        yield* Eventually.untilEffect(areShared, { withinMillis: 30_000, what: "the wallets share a place" })
        const before = { ...counts }
        yield* store.append(at, [second!])
        yield* Effect.promise(() => Eventually.until(() => counts.messages === 4))
        yield* store.unwind({ number: 1, hash: second!.hash }, at)
        yield* store.append(at, [other])
        yield* Effect.promise(() => Eventually.until(() => sentOf(bodies.slice(4)).length === 4))

        expect(sentOf(bodies.slice(4)).toSorted()).toEqual(
          [
            `${Rows.alice} block.voided ${second!.hash}`,
            `${Rows.alice} wallet.transaction ${other.hash}`,
            `${Rows.bob} block.voided ${second!.hash}`,
            `${quiet} wallet.transaction ${other.hash}`,
          ].toSorted(),
        )
        expect(counts.snapshots - before.snapshots).toBeLessThan(100)
        expect(counts.statements - before.statements).toBeLessThan(200)
      }).pipe(Effect.scoped),
    60_000,
  )
})
