/** Where the wallets of a webhook are in the memory of its sender, by a chain in a database. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as Events from "../../../src/push/WalletEvents.ts"
import * as Webhook from "../../../src/push/Webhook.ts"
import * as WebhookBeginning from "../../../src/push/WebhookBeginning.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as WebhookLookups from "../../../src/server/webhook/WebhookLookups.ts"
import * as WebhookProgress from "../../../src/server/webhook/WebhookProgress.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Life from "../../push/life.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as TestStore from "../../store/TestStore.ts"
import * as Rows from "../rows.ts"

const key = "k".repeat(40)
const name = "books"

/** A database with an empty chain. */
const opened = Effect.gen(function* () {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const listen = { host: "127.0.0.1", port: 0 }
  const chains = { eth: { rpc: ["http://127.0.0.1:65535/"] } }
  const config = yield* Effect.fromResult(Config.decode({ listen, database: "sqlite:data", chains }))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const ref = { name: served!.name, id: served!.id }
  const store = yield* TestStore.open(database, ref, { projections: Life.projections(Life.make()) })
  const chain = IndexedChain.fromDatabase(database)(served!)
  /** A webhook whose wallets share the place where all is sent. */
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
    const placed = { ...webhook, place: { journal: journal!, next } }
    const shared = begun.map((wallet) => ({ ...wallet, journal: null, next: 0 }))
    yield* database.webhooks.add(name, Webhook.encode(placed), shared)
    const lookups = WebhookLookups.make(database.webhooks)
    return { name, chain, webhook: placed, webhooks: database.webhooks, lookups }
  })
  return { add, database, store }
})

/** Moves the shared place on as far as the index goes. */
const passed = (source: WebhookProgress.Source, progress: WebhookProgress.Progress) =>
  Effect.andThen(WebhookProgress.load(source, progress), WebhookProgress.passShared(source, progress))

describe("WebhookProgress", () => {
  it.effect("passShared: a wallet that leaves the shared place below its first block is sent no row below that", () =>
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
      expect(progress.place?.next).toBe(2)
      expect(state.position).toMatchObject({ from: 3, next: 3 })
      expect(sent.filter(({ event }) => event._tag === "Transaction")).toEqual([])
    }).pipe(Effect.scoped),
  )
})
